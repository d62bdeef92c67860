"""Every exercise waits for its reader, and every printed solution passes its own checker."""

import ast
import re

import pytest
import torch
from tests.house.course import PAGES, nothing, page_name, read, syntax

BLOCK = re.compile(r"^(`{3,})\s*(?:python|\{code-block\} python)[^\n]*\n(?P<code>.*?)^\1\s*$", re.M | re.S)


def exercises(nb):
    """(label, does it build, stub cell, solution or None, cells before it) of every exercise on a page."""
    found, inside, before, solutions, solving = [], None, [], {}, None
    for cell in nb.cells:
        if cell.cell_type == "code":
            if inside is not None:
                found[-1][1].append(cell)
            before.append(cell)
            continue
        for piece in re.split(r"(?=^`{3,}\{)", cell.source, flags=re.M):
            if "{exercise-start}" in piece:
                inside = re.search(r":label:\s*(\S+)", piece)[1] if ":label:" in piece else ""
                found.append((inside, [], list(before), "(build" in piece.partition("\n")[0]))
            elif "{exercise-end}" in piece:
                inside = None
            elif "{solution-start}" in piece:
                solving = re.search(r"\{solution-start\}\s*(\S+)", piece)[1]
                solutions[solving] = ""
            elif "{solution-end}" in piece:
                solving = None
            if solving is not None:
                solutions[solving] += piece
        if solving is not None:
            solutions[solving] += "\n"
    for label, stubs, earlier, builds in found:
        block = BLOCK.search(solutions.get(label, ""))
        yield label, builds, stubs[-1] if stubs else None, block["code"] if block else None, earlier


def output(cell):
    """The text of a cell's last output."""
    shown = [o.get("data", {}).get("text/plain") or o.get("text", "") for o in cell.outputs]
    return shown[-1] if shown else ""


def names_of(cells):
    """The names that the imports and functions of earlier cells give, and nothing that they compute."""
    space = {}
    for cell in cells:
        kept = [n for n in syntax(cell).body if isinstance(n, ast.Import | ast.ImportFrom | ast.FunctionDef)]
        exec(compile(ast.Module(kept, []), "<earlier cells>", "exec"), space)
    return space


HALF_DONE = ("half", object(), {}, [], 3, torch.ones(3, 7), ("a", "b"), (torch.ones(2), torch.ones(3)), [[1], [2, 3]])


def as_numpy(answer):
    """The answer with each tensor in it as an array."""
    if isinstance(answer, list | tuple) and any(isinstance(part, torch.Tensor) for part in answer):
        return getattr(type(answer), "_make", type(answer))(map(as_numpy, answer))
    return answer.detach().numpy() if isinstance(answer, torch.Tensor) else answer


class InNumpy:
    """A right function that answers with arrays for tensors; where it has none to exchange, it gives up at once."""

    def __init__(self, right):
        self.right, self.same = right, False

    def __call__(self, *given):
        answer = self.right(*given)
        arrays = as_numpy(answer)
        self.same = arrays is answer
        if self.same:
            raise NotImplementedError("no tensor to exchange")
        return arrays


def stumbles(stub, space):
    """How the checker of one exercise breaks off, or refuses what is right, when it gets another kind of answer."""
    call = syntax(stub).body[-1].value
    check = eval(compile(ast.Expression(call.func), "<checker>", "eval"), space)
    answers = [eval(compile(ast.Expression(answer), "<answer>", "eval"), space) for answer in call.args]
    for place, right in enumerate(answers):
        others = [(f"{half!r}", half, False) for half in HALF_DONE]
        if callable(right) and not isinstance(right, type):
            others = [(f"{half!r} from the function", lambda *_, half=half: half, False) for half in HALF_DONE]
            others += [
                ("3 for a function", 3, False),
                ("numpy", InNumpy(right), True),
            ]
        for name, other, must in others:
            try:
                outcome = check(*answers[:place], other, *answers[place + 1 :])
            except Exception as error:
                yield f"{name}: stops with {type(error).__name__}: {error}"
            else:
                if must and outcome.state != "right" and not other.same:
                    yield f"{name}: {outcome}"


def complaints(stub, solution, earlier):
    """What is wrong with one exercise."""
    if stub is None:
        yield "has no stub cell between exercise-start and exercise-end"
    elif not output(stub).startswith("Not yet"):
        yield f"has a stub whose saved output is {output(stub)[:60]!r}, expected 'Not yet …'"
    elif solution is None:
        yield "has no solution-start of its label with a python block"
    elif not isinstance(last := syntax(stub).body[-1], ast.Expr):
        yield "has a stub whose last line does not call a checker"
    else:
        space = names_of([*earlier, stub])
        try:
            exec(solution, space)
            outcome = eval(compile(ast.Expression(last.value), "<checker>", "eval"), space)
        except Exception as error:
            yield f"has a solution that stops with {type(error).__name__}: {error} (of earlier cells only imports run)"
            return
        if (state := getattr(outcome, "state", None)) != "right":
            yield f"has a solution that its checker calls {state}: {outcome}"
        yield from stumbles(stub, space)


def solved(path, builds):
    """The complaints about the exercises of a page: about those that build and train something, or about the others."""
    found = list(exercises(read(path)))
    assert found, "no exercise was found"
    asked = [(label, rest) for label, kind, *rest in found if kind == builds]
    nothing([f"exercise {label}, {said}" for label, rest in asked for said in complaints(*rest)])


@pytest.mark.parametrize("path", PAGES, ids=page_name)
def test_solutions_pass_half_an_answer_breaks_no_checker_and_numpy_will_do(path):
    solved(path, builds=False)


@pytest.mark.nightly
@pytest.mark.parametrize("path", PAGES, ids=page_name)
def test_so_do_those_that_train_what_the_reader_built(path):
    solved(path, builds=True)
