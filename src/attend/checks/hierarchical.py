"""Exercises of the page on words and turns: two loops, two lengths of a path, the mask of turns."""

from collections.abc import Callable

import torch

from attend.checks.answers import number, parts, recognise, tensor, whole
from attend.checks.exercise import Wrong, exercise

DIALOGUE = [[3, 1], [4], [1, 5, 9]]


@exercise
def loops(context_of: Callable) -> str:
    """context_of(dialogue, hear, take) -> the context, where hear(h, word) and take(c, h) begin at 0."""

    def hear(h, word):
        return 0.5 * h + word

    def take(c, h):
        return 0.1 * c + 2 * h

    got, right = number(context_of(DIALOGUE, hear, take), "the context"), _context(DIALOGUE, hear, take)
    if abs(got - right) < 1e-9:
        if abs(number(context_of([[7]], hear, take), "the context") - 14) > 1e-9:
            raise Wrong("a dialogue of one turn with one word must work too: take(0, hear(0, word))")
        return "The inner loop begins anew with every turn; the outer one takes one step a turn."
    h, running, each, last = 0.0, 0.0, 0.0, 0.0
    for turn in DIALOGUE:
        own = 0.0
        for word in turn:
            h, own = hear(h, word), hear(own, word)
            each = take(each, own)
        running, last = take(running, h), take(0.0, own)
    mistakes = {
        "the reader begins anew in every turn: set h back to 0": running,
        "the context takes one step a turn, not one a word": each,
        "this is the last turn alone: the context must be handed from turn to turn": last,
        "this is one row of words; the turns never enter": h,
        "the turns enter the context in the order in which they were said": _context(DIALOGUE[::-1], hear, take),
    }
    recognise(torch.tensor(got), {says: torch.tensor(float(value)) for says, value in mistakes.items()})
    raise Wrong(f"for {DIALOGUE} the context is {right:.4g}, got {got:.4g}")


def _context(dialogue: list[list[int]], hear: Callable, take: Callable) -> float:
    c = 0.0
    for turn in dialogue:
        h = 0.0
        for word in turn:
            h = hear(h, word)
        c = take(c, h)
    return c


@exercise
def path(steps: Callable) -> str:
    """steps(lengths, turn, word) -> (in two levels, in one row): the units' steps after the one that reads the word."""
    cases = (([4, 6, 5], 0, 1), ([3], 0, 2), ([2, 9, 1, 7], 1, 8))
    for lengths, turn, word in cases:
        got = parts(steps(list(lengths), turn, word), 2, "the answer")
        levels, row = (whole(value, name) for value, name in zip(got, ("the first", "the second"), strict=True))
        rest, after = lengths[turn] - 1 - word, len(lengths) - turn
        flat = rest + sum(lengths[turn + 1 :])
        if (levels, row) == (rest + after, flat):
            continue
        where = f"lengths {lengths}, word {word} of turn {turn}"
        if (levels, row) == (flat, rest + after):
            raise Wrong("the two numbers are right, in the other order: first two levels, then one row")
        if levels == rest + after - 1:
            raise Wrong(f"{where}: the context takes a step for the word's own turn as well")
        if levels == rest + after + 1 or row == flat + 1:
            raise Wrong(f"{where}: count the steps after the one that reads the word; words are counted from 0")
        if levels == after:
            raise Wrong(f"{where}: the words that follow in its own turn are steps of the reader")
        if row == sum(lengths[turn + 1 :]) and rest:
            raise Wrong(f"{where}: in one row the rest of its own turn follows too")
        if levels != rest + after:
            raise Wrong(f"{where}: in two levels {rest + after} steps follow, got {levels}")
        raise Wrong(f"{where}: in one row {flat} steps follow, got {row}")
    return "Longer turns lengthen the row with every turn; in two levels only the word's own turn counts."


@exercise
def turn_mask(there: Callable) -> str:
    """there(visible (B, N, T)) -> (B, N): which turns are there, when words and turns are padded."""
    mask = torch.tensor(
        [
            [[True, True, True], [False, True, False], [False, False, False]],
            [[False, False, False], [True, False, False], [False, True, True]],
        ]
    )
    right = mask.any(2)
    got = tensor(there(mask), 2, 3, what="one yes or no a turn, so the answer").bool()
    if torch.equal(got, right):
        return "A turn is there when one of its words is. A turn of padding must not be a step of the context."
    recognise(
        got.double(),
        {
            "a short turn is a turn: one visible word is enough": mask.all(2).double(),
            "padding may stand before the words too: look at all of them": mask[:, :, 0].double(),
            "padding may stand behind the words too: look at all of them": mask[:, :, -1].double(),
            "every turn is said to be there: those without a visible word are padding": torch.ones(2, 3).double(),
            "this is the other way round: True means that the turn is there": (~right).double(),
        },
    )
    raise Wrong(f"got {got.tolist()}, expected {right.tolist()}")
