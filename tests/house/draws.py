"""Which calls of a page's cell draw random numbers that nothing in that cell has seeded.

Dotted names are resolved to the objects that the page's imports give: a signature then says whether a `generator` was
passed, and the source of a class whether making one draws by itself. What a variable holds is not known here: its
methods are judged by their names (`weights.uniform_()`, `model.write(…)`).
"""

import ast
import functools
import importlib
import inspect
import pkgutil
import random
import textwrap

import numpy as np
import torch
import torch.nn.functional as F

import attend

FUNCTIONS = "bernoulli multinomial normal poisson rand rand_like randint randint_like randn randn_like randperm"
TORCH = {getattr(torch, name) for name in FUNCTIONS.split()} | {F.dropout, F.gumbel_softmax}
NUMPY = {np.random.bytes, np.random.ranf, np.random.sample}
METHODS = {"bernoulli", "bernoulli_", "cauchy_", "exponential_", "geometric_", "log_normal_", "multinomial", "normal_"}
METHODS |= {"random_", "rsample", "sample", "uniform_"}
SEEDS = {inspect.unwrap(torch.manual_seed): "torch", np.random.seed: "numpy", random.seed: "random"}
# What begins elsewhere in every run unless it is given a seed.
STARTS = {random.Random, np.random.default_rng, np.random.RandomState, np.random.SeedSequence, np.random.PCG64}
FORK = inspect.unwrap(torch.random.fork_rng)
APART = (ast.FunctionDef, ast.Lambda, ast.If, ast.IfExp, ast.Try, ast.Match)
REMEDIES = {
    "torch": "give it a seeded generator, or call torch.manual_seed before it in this cell",
    "numpy": "draw from np.random.default_rng(seed)",
    "random": "draw from random.Random(seed)",
    "start": "give it a seed",
}


def unseeded(tree, names):
    """(line, what draws, what to do) of every unseeded draw below `tree`; `names` are what the imports gave."""
    reader = _Reader(names)
    reader.visit(tree)
    return [(line, called, REMEDIES[kind]) for line, called, kind in reader.found]


class _Reader(ast.NodeVisitor):
    """Walks code in its order and knows what has been seeded where it stands."""

    def __init__(self, names):
        self.names, self.seeded, self.found = names, set(), []

    def visit(self, node):
        """Go through a node; what is seeded in a function or a branch does not count behind it."""
        before = set(self.seeded)
        super().visit(node)
        if isinstance(node, APART) or self._forks(node):
            self.seeded = before

    def _forks(self, node):
        """Whether a block gives torch's generator back as it found it."""
        opened = node.items if isinstance(node, ast.With) else ()
        return any(self.meaning(getattr(item.context_expr, "func", None)) is FORK for item in opened)

    def visit_Call(self, node):
        self.generic_visit(node)
        thing = self.meaning(node.func)
        if _among(thing, SEEDS) and _given(node):
            self.seeded.add(SEEDS[thing])
        elif (kind := _drawn(node, thing)) and kind not in self.seeded:
            self.found.append((node.lineno, ast.unparse(node.func), kind))

    def meaning(self, node):
        """What a dotted name stands for, or None; torch wraps some of its functions anew when its compiler loads."""
        if isinstance(node, ast.Attribute):
            thing = getattr(self.meaning(node.value), node.attr, None)
            return inspect.unwrap(thing) if inspect.isfunction(thing) else thing
        return self.names.get(node.id) if isinstance(node, ast.Name) else None


def _drawn(node, thing):
    """Whose seed a call needs, which it was not given: a name of REMEDIES, or None."""
    if thing is None:
        return "torch" if isinstance(node.func, ast.Attribute) and _method_draws(node) else None
    if _among(thing, STARTS):
        return None if _given(node) else "start"
    owner = getattr(thing, "__self__", None)
    if owner is random._inst:
        return "random"
    if owner is np.random.mtrand._rand or _among(thing, NUMPY):
        return "numpy"
    signature = _signature(thing)
    if _among(thing, TORCH) or "generator" in signature.parameters:
        return None if _gives_generator(node, signature) else "torch"
    return _made_with(thing) if isinstance(thing, type) else None


def _among(thing, things):
    """Whether a thing, which need not be hashable, is one of these."""
    return any(thing is one for one in things)


def _signature(thing):
    """What a thing takes; nothing where it does not say."""
    try:
        return inspect.signature(thing)
    except (TypeError, ValueError):
        return inspect.Signature()


def _nothing(value):
    return isinstance(value, ast.Constant) and value.value is None


def _given(node):
    """Whether a call has an argument other than None."""
    return not all(map(_nothing, [*node.args, *(keyword.value for keyword in node.keywords)]))


def _gives_generator(node, signature):
    """Whether a call gives its generator, by name, by place, or in what `**` unpacks."""
    if any(keyword.arg in ("generator", None) and not _nothing(keyword.value) for keyword in node.keywords):
        return True
    try:
        placed = signature.bind_partial(*node.args).arguments
    except TypeError:
        return False
    return "generator" in placed and not _nothing(placed["generator"])


def _method_draws(node):
    """Whether a method, of nobody knows what, draws without a generator."""
    name = node.func.attr
    takers = [signature for signature in _takers().get(name, ()) if _fits(node, signature)]
    if takers:
        return not any(_gives_generator(node, signature) for signature in takers)
    if name in ("sample", "rsample") and len(node.args) > 1:  # random.Random(0).sample(names, 3), not a distribution's
        return False
    return name in METHODS and not _gives_generator(node, inspect.Signature())


def _fits(node, signature):
    """Whether a call could be one of this signature: `file.write(text)` is not `model.write(prompt, steps, …)`."""
    named = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
    try:
        bound = signature.bind_partial(*node.args, **named).arguments
    except TypeError:
        return False
    needed = {name for name, p in signature.parameters.items() if p.default is p.empty} - {"generator"}
    return needed <= bound.keys() or len(named) < len(node.keywords)


@functools.cache
def _takers():
    """Method name → the signatures of the package's methods of that name that take a generator."""
    modules = [module.name for module in pkgutil.walk_packages(attend.__path__, "attend.")]
    found = {}
    for module in (importlib.import_module(name) for name in modules if not name.endswith("__main__")):
        for kind in {thing for thing in vars(module).values() if isinstance(thing, type)}:
            for name, method in vars(kind).items():
                signature = _signature(functools.partial(method, None)) if inspect.isfunction(method) else None
                if signature and "generator" in signature.parameters and name != "__init__":
                    found.setdefault(name, []).append(signature)
    return found


@functools.cache
def _made_with(kind):
    """Whose random numbers making an instance of a class draws, read from its source; None where there is none."""
    if not kind.__module__.startswith(("attend.", "torch.nn.")):
        return None
    waiting = [vars(one)["__init__"] for one in kind.__mro__ if inspect.isfunction(vars(one).get("__init__"))]
    read = []
    while waiting:
        function = inspect.unwrap(waiting.pop())
        tree = _source(function)
        if function in read or tree is None:
            continue
        read.append(function)
        reader = _Reader({**function.__globals__, "self": kind})
        for line in tree.body[0].body:
            reader.visit(line)
        if reader.found:
            return reader.found[0][2]
        if not reader.seeded:
            called = [reader.meaning(call.func) for call in ast.walk(tree) if isinstance(call, ast.Call)]
            waiting += [thing for thing in called if inspect.isfunction(thing) and thing.__module__ == kind.__module__]
    return None


def _source(function):
    """A function's syntax tree; None where its source is not known."""
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(function)))
    except OSError:
        return None
