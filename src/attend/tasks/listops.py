"""Nested lists to evaluate, in the style of ListOps (Nangia & Bowman 2018): [MAX 2 9 [MIN 4 7] 0] is 9.

Every expression has a value from 0 to 9, and so has each of its parts. The same expressions come as trees, a node for
each digit and each operation, and as lines of tokens, with a closing bracket at the end of each list.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, NamedTuple

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

Expression = int | tuple
"""A digit, or (operation, (part, …))."""


class Forest(NamedTuple):
    """Expressions as trees, side by side: `tokens`, `parent` (-1 for a root) and `value`, all (N)."""

    tokens: Int[Tensor, "N"]
    parent: Int[Tensor, "N"]
    value: Int[Tensor, "N"]


class Lines(NamedTuple):
    """Expressions as lines (B, T); `value` is that of the list that a closing bracket ends, where `asked`."""

    tokens: Int[Tensor, "B T"]
    mask: Bool[Tensor, "B T"]
    value: Int[Tensor, "B T"]
    asked: Bool[Tensor, "B T"]


@checked
def spell(expression: int | tuple) -> str:
    """An expression to read: [MAX 2 9 [MIN 4 7] 0]."""
    return _walk(expression, str, lambda operation, parts: f"[{operation} {' '.join(parts)}]")


@checked
def depth(expression: int | tuple) -> int:
    """How many lists lie in each other: 0 for a digit, 1 for [MAX 2 9]."""
    return _walk(expression, lambda digit: 0, lambda operation, parts: 1 + max(parts))


@checked
def evaluate(expression: int | tuple) -> int:
    """The value of an expression: of a digit itself, of a list its operation on the values of its parts."""
    return _walk(expression, int, _value)


def _walk(expression: Any, of_digit: Callable, of_list: Callable) -> Any:
    """What `of_list(operation, parts)` makes of a list, when its parts are done; refuses what is no expression."""
    if isinstance(expression, int):
        expect(0 <= expression <= 9, "expression", expression, "digits from 0 to 9")
        return of_digit(expression)
    fits = isinstance(expression, tuple) and len(expression) == 2 and expression[0] in OPERATIONS
    fits = fits and isinstance(expression[1], tuple) and len(expression[1]) > 0
    expect(fits, "expression", expression, "(operation, (part, …)) with at least one part")
    return of_list(expression[0], [_walk(part, of_digit, of_list) for part in expression[1]])


def _value(operation: str, values: list[int]) -> int:
    return sorted(values)[{"MAX": -1, "MIN": 0, "MED": (len(values) - 1) // 2}[operation]]


@checked
def draw(
    count: int,
    part: str,
    generator: torch.Generator,
    deepest: int = DEEPEST,
    shallowest: int = 2,
    operations: tuple[str, ...] = OPERATIONS,
    most_parts: int = MOST_PARTS,
) -> list:
    """`count` lists in lists of one part, "train", "validation" or "test"; no list of one part is drawn for another.

    The lists lie `shallowest` to `deepest` deep and have 2 to `most_parts` parts.
    """
    wanted = known_part(part)
    expect(count > 0, "count", count, "a positive whole number")
    expect(0 < shallowest <= deepest, "shallowest", shallowest, f"a whole number from 1 to deepest, {deepest}")
    expect(most_parts > 1, "most_parts", most_parts, "a whole number, at least 2")
    known = len(operations) > 0 and set(operations) <= set(OPERATIONS)
    expect(known, "operations", operations, f"some of {', '.join(OPERATIONS)}")
    source, drawn = Random(int(torch.randint(2**62, (1,), generator=generator))), []
    while len(drawn) < count:
        expression = _list(source, deepest, [MOST_NODES], operations, most_parts)
        if expression and depth(expression) >= shallowest and part_of(spell(expression)) == wanted:
            drawn.append(expression)
    return drawn


def _list(source: Random, deepest: int, room: list[int], operations: tuple[str, ...], most_parts: int) -> tuple:
    """A list at random; () when it would hold more nodes than there is room for."""
    many = source.randint(2, most_parts)
    room[0] -= 1 + many
    parts: list[Expression] = []
    for _ in range(many):
        inner = deepest > 1 and source.random() < NESTED
        room[0] += inner
        digit = not inner or room[0] < 0
        parts.append(source.randrange(10) if digit else _list(source, deepest - 1, room, operations, most_parts))
    return (source.choice(operations), tuple(parts)) if room[0] >= 0 else ()


@checked
def forest(expressions: Sequence[int | tuple]) -> Forest:
    """Expressions as one forest; every part has a node, with its value. A node stands before its children."""
    expect(len(expressions) > 0, "expressions", expressions, "at least one expression")
    nodes: list[tuple[int, int, int]] = []
    for expression in expressions:
        made = _walk(expression, lambda digit: [(digit, -1, digit)], _branch)
        nodes += [(token, parent + len(nodes) if parent >= 0 else -1, value) for token, parent, value in made]
    return Forest(*torch.tensor(nodes).T)


def _branch(operation: str, parts: list[list[tuple[int, int, int]]]) -> list[tuple[int, int, int]]:
    """The nodes (token, parent, value) of a list, itself first, from those of its parts."""
    nodes = [(10 + OPERATIONS.index(operation), -1, _value(operation, [part[0][2] for part in parts]))]
    for part in parts:
        at = len(nodes)
        nodes += [(token, parent + at if parent >= 0 else 0, value) for token, parent, value in part]
    return nodes


@checked
def lines(expressions: Sequence[int | tuple]) -> Lines:
    """Expressions as lines of tokens, padded on the right."""
    expect(len(expressions) > 0, "expressions", expressions, "at least one expression")
    rows = [_walk(expression, lambda digit: [(digit, digit)], _written) for expression in expressions]
    T = max(map(len, rows))
    tokens, value = torch.tensor([row + [(CLOSE, -1)] * (T - len(row)) for row in rows]).unbind(2)
    mask = torch.arange(T) < torch.tensor([[len(row)] for row in rows])
    asked = (tokens == CLOSE) & mask
    return Lines(tokens, mask, torch.where(asked, value, -1), asked)


def _written(operation: str, parts: list[list[tuple[int, int]]]) -> list[tuple[int, int]]:
    """The tokens of a list, each with the value of what it ends."""
    value = _value(operation, [part[-1][1] for part in parts])
    return [(10 + OPERATIONS.index(operation), -1), *(pair for part in parts for pair in part), (CLOSE, value)]


@checked
def cost(logits: Float[Tensor, "N K"], value: Int[Tensor, "N"]) -> Float[Tensor, ""]:
    """The mean surprise at the true value, in nats a list."""
    return cross_entropy(logits, value)
