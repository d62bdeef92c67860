"""What does this expression give? Real Python expressions as lines of tokens and as parse trees over the same tokens.

A tree adds nothing but brackets: every token is a leaf, and a node for each part of the expression joins its leaves and
inner parts. Rare names read `name`, texts "…" and numbers 0. The kind was found by rule, from literals, operators,
comparisons and a few built-in functions; where the rules leave it open it is "other". Origin and licence stand in
data/DATA.md.
"""

import gzip
import keyword
import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.functional import cross_entropy

from attend.core.expect import checked, expect
from attend.tasks import data
from attend.tasks.split import known_part, part_of

DATA = ("tasks/data/expressions.tsv.gz",)
KINDS = ("bool", "dict", "list", "number", "other", "str", "tuple")
JOINED = "⟦⟧"
"""The token of a node that joins others; it says nothing but that they belong together."""


class Expression(NamedTuple):
    """`kind` is what the expression gives; `nested` its tokens in brackets: ⟦⟦len ( name )⟧ > 0⟧."""

    kind: str
    nested: str


class Trees(NamedTuple):
    """Expressions as one forest: `tokens` and `parent` (N), -1 for a root; `root` and `kind` (B)."""

    tokens: Int[Tensor, "N"]
    parent: Int[Tensor, "N"]
    root: Int[Tensor, "B"]
    kind: Int[Tensor, "B"]


class Lines(NamedTuple):
    """Expressions as lines: `tokens` and `mask` (B, T), `last` (B) the place of the last token, `kind` (B)."""

    tokens: Int[Tensor, "B T"]
    mask: Bool[Tensor, "B T"]
    last: Int[Tensor, "B"]
    kind: Int[Tensor, "B"]


@cache
def _file() -> tuple[Expression, ...]:
    with gzip.open(data.path("expressions.tsv.gz"), "rt", encoding="utf-8") as file:
        return tuple(Expression(*line.rstrip("\n").split("\t")) for line in file)


@checked
@cache
def load(part: str) -> tuple[Expression, ...]:
    """The expressions of one part, split by a hash of each one's own tokens."""
    wanted = known_part(part)
    return tuple(e for e in _file() if part_of(" ".join(tokens(e.nested))) == wanted)


@checked
def tokens(nested: str) -> list[str]:
    """The tokens of an expression from left to right, without the tree."""
    return re.findall(r"[^\s⟦⟧]+", nested)


@checked
def tree(nested: str) -> tuple:
    """An expression in brackets as nested tuples, each with an empty label: ("", ("", "len", "(", "name", ")"), …)."""
    inside: list[list] = [[]]
    for piece in re.findall(r"[⟦⟧]|[^\s⟦⟧]+", nested):
        if piece == "⟦":
            inside.append([""])
        elif piece == "⟧":
            expect(len(inside) > 1, "nested", nested, "a closing bracket for each that opens")
            node = tuple(inside.pop())
            inside[-1].append(node)
        else:
            inside[-1].append(piece)
    fits = len(inside) == 1 and len(inside[0]) == 1 and isinstance(inside[0][0], tuple)
    expect(fits, "nested", nested, "one expression in brackets")
    return inside[0][0]


@checked
def skeleton(nested: str) -> str:
    """An expression with every name of a variable, attribute or function as `name`, brackets included."""
    keywords = frozenset(keyword.kwlist)
    return re.sub(r"[A-Za-z_]+", lambda found: found[0] if found[0] in keywords else "name", nested)


@checked
@cache
def apart(part: str) -> tuple[Expression, ...]:
    """The expressions of one part, split by a hash of their skeletons: no shape that is tested was trained on."""
    wanted = known_part(part)
    return tuple(e for e in _file() if part_of(skeleton(e.nested)) == wanted)


@cache
def vocabulary() -> tuple[str, ...]:
    """Every token that stands in the file, behind `JOINED`."""
    return (JOINED, *sorted({token for e in _file() for token in tokens(e.nested)}))


@cache
def _code() -> dict[str, int]:
    return {token: i for i, token in enumerate(vocabulary())}


@checked
def trees(expressions: Sequence[Expression]) -> Trees:
    """Expressions as parse trees, side by side. A node stands before the parts that it joins."""
    expect(len(expressions) > 0, "expressions", expressions, "at least one expression")
    codes, parents, roots = [], [], []
    for expression in expressions:
        roots.append(len(codes))
        open_nodes = [-1]
        for piece in re.findall(r"[⟦⟧]|[^\s⟦⟧]+", expression.nested):
            if piece == "⟧":
                open_nodes.pop()
                continue
            codes.append(_code()[JOINED if piece == "⟦" else piece])
            parents.append(open_nodes[-1])
            if piece == "⟦":
                open_nodes.append(len(codes) - 1)
    return Trees(torch.tensor(codes), torch.tensor(parents), torch.tensor(roots), _kinds(expressions))


@checked
def lines(expressions: Sequence[Expression]) -> Lines:
    """Expressions as lines of tokens, padded on the right."""
    expect(len(expressions) > 0, "expressions", expressions, "at least one expression")
    rows = [[_code()[token] for token in tokens(e.nested)] for e in expressions]
    length = torch.tensor([len(row) for row in rows])
    T = int(length.max())
    padded = torch.tensor([row + [0] * (T - len(row)) for row in rows])
    return Lines(padded, torch.arange(T) < length[:, None], length - 1, _kinds(expressions))


def _kinds(expressions: Sequence[Expression]) -> Tensor:
    return torch.tensor([KINDS.index(e.kind) for e in expressions])


@checked
def cost(logits: Float[Tensor, "B K"], kind: Int[Tensor, "B"]) -> Float[Tensor, ""]:
    """The mean surprise at the true kind, in nats an expression."""
    return cross_entropy(logits, kind)


def example() -> str:
    """A few test expressions, each with its kind and its parse tree."""
    return "\n".join(f"{e.kind:7} {e.nested}" for e in load("test")[::400])
