"""Nested lists to evaluate, in the style of ListOps (Nangia & Bowman 2018): [MAX 2 9 [MIN 4 7] 0] is 9.

Every expression has a value from 0 to 9, and so has each of its parts. The same expressions come as trees, a node for
each digit and each operation, and as lines of tokens, with a closing bracket at the end of each list.
"""

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.functional import cross_entropy

from attend.core.expect import checked, expect
from attend.tasks.split import known_part, part_of

OPERATIONS = ("MAX", "MIN", "MED")
"""The largest, the smallest, and the middle one, the lower of two."""
CLOSE = 10 + len(OPERATIONS)
"""Tokens: 0 to 9 are the digits, then an opening bracket with each operation, then the closing bracket."""
V = CLOSE + 1
DEEPEST, MOST_PARTS, NESTED, MOST_NODES = 6, 4, 0.4, 40
"""Lists in lists down to this depth, two to this many parts in each, how often a part is a list again, and how many
digits and operations there are at most."""

Expression = int | tuple[str, tuple]


class Forest(NamedTuple):
    """Expressions as trees, side by side: `tokens`, `parent` (-1 for a root) and `value`, all (N)."""

    tokens: Int[Tensor, "N"]
    parent: Int[Tensor, "N"]
    value: Int[Tensor, "N"]


class Lines(NamedTuple):
    """Expressions as lines (B, T); `value` is that of the list that a closing bracket ends, where `asked`."""

    tokens: Int[Tensor, "B T"]
    visible: Bool[Tensor, "B T"]
    value: Int[Tensor, "B T"]
    asked: Bool[Tensor, "B T"]


@checked
def spell(expression: int | tuple) -> str:
    """An expression to read: [MAX 2 9 [MIN 4 7] 0]."""
    if isinstance(expression, int):
        return str(expression)
    operation, parts = expression
    return f"[{operation} {' '.join(spell(part) for part in parts)}]"


@checked
def evaluate(expression: int | tuple) -> int:
    """The value of an expression: of a digit itself, of a list its operation on the values of its parts.

    Raises ValueError for another operation, a list without parts, and a number that is not a digit.
    """
    if isinstance(expression, int):
        expect(0 <= expression <= 9, "expression", expression, "digits from 0 to 9")
        return expression
    _is_list(expression)
    operation, parts = expression
    return _value(operation, [evaluate(part) for part in parts])


def _is_list(expression: tuple) -> None:
    fits = len(expression) == 2 and expression[0] in OPERATIONS and isinstance(expression[1], tuple) and expression[1]
    expect(bool(fits), "expression", expression, "(operation, (part, …)) with at least one part")


def _value(operation: str, values: list[int]) -> int:
    values = sorted(values)
    if operation == "SUM":
        return sum(values) % 10
    return values[{"MAX": -1, "MIN": 0, "MED": (len(values) - 1) // 2}[operation]]


@checked
def draw(count: int, part: str, generator: torch.Generator, deepest: int = DEEPEST) -> list:
    """`count` lists in lists of one part, "train", "validation" or "test"; no list of one part is drawn for another.

    The lists lie 2 to `deepest` deep.
    """
    wanted = known_part(part)
    expect(count > 0, "count", count, "a positive whole number")
    expect(deepest > 1, "deepest", deepest, "a whole number, at least 2")
    source, drawn = Random(int(torch.randint(2**62, (1,), generator=generator))), []
    while len(drawn) < count:
        expression = _list(source, deepest)
        text = spell(expression)
        if text.count("[") > 1 and len(text.split()) <= MOST_NODES and part_of(text) == wanted:
            drawn.append(expression)
    return drawn


def _list(source: Random, deepest: int) -> tuple:
    many = source.randint(2, MOST_PARTS)
    nested = [deepest > 1 and source.random() < NESTED for _ in range(many)]
    parts = tuple(_list(source, deepest - 1) if inner else source.randrange(10) for inner in nested)
    return source.choice(OPERATIONS), parts


@checked
def forest(expressions: Sequence[int | tuple]) -> Forest:
    """Expressions as one forest; every part has a node, with its value. A node stands before its children."""
    expect(len(expressions) > 0, "expressions", expressions, "at least one expression")
    nodes: list[list[int]] = []

    def grow(expression: Expression, parent: int) -> int:
        here = len(nodes)
        nodes.append([0, parent, 0])
        if isinstance(expression, int):
            nodes[here] = [expression, parent, evaluate(expression)]
        else:
            _is_list(expression)
            operation, parts = expression
            token, values = 10 + OPERATIONS.index(operation), [grow(part, here) for part in parts]
            nodes[here] = [token, parent, _value(operation, values)]
        return nodes[here][2]

    for expression in expressions:
        grow(expression, -1)
    return Forest(*torch.tensor(nodes).T)


@checked
def lines(expressions: Sequence[int | tuple]) -> Lines:
    """Expressions as lines of tokens, padded on the right."""
    expect(len(expressions) > 0, "expressions", expressions, "at least one expression")
    rows: list[list[tuple[int, int]]] = []

    def write(expression: Expression, row: list) -> int:
        if isinstance(expression, int):
            row.append((expression, -1))
            return evaluate(expression)
        _is_list(expression)
        operation, parts = expression
        row.append((10 + OPERATIONS.index(operation), -1))
        row.append((CLOSE, _value(operation, [write(part, row) for part in parts])))
        return row[-1][1]

    for expression in expressions:
        rows.append([])
        write(expression, rows[-1])
    T = max(map(len, rows))
    both = torch.tensor([row + [(CLOSE, -1)] * (T - len(row)) for row in rows])
    visible = torch.arange(T) < torch.tensor([[len(row)] for row in rows])
    return Lines(both[..., 0], visible, both[..., 1], both[..., 1] >= 0)


@checked
def cost(logits: Float[Tensor, "N K"], value: Int[Tensor, "N"]) -> Float[Tensor, ""]:
    """The mean surprise at the true value, in nats a list."""
    return cross_entropy(logits, value)


@checked
def depth(expression: int | tuple) -> int:
    """How many lists lie in each other: 0 for a digit, 1 for [MAX 2 9]."""
    return 0 if isinstance(expression, int) else 1 + max(depth(part) for part in expression[1])
