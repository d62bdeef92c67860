"""Each checker knows the solution, the typical wrong answers and the stub."""

import pytest
from tests.checks.verdicts import accepts, refuses

from attend.checks import hierarchical


def ok_context(dialogue, hear, take):
    c = 0
    for turn in dialogue:
        h = 0
        for word in turn:
            h = hear(h, word)
        c = take(c, h)
    return c


def loops(anew=True, every_word=False, carry=True, levels=True, backwards=False, empty=True):
    """The two loops with one of their habits broken."""

    def context(dialogue, hear, take):
        c = h = 0
        for turn in reversed(dialogue) if backwards else dialogue:
            h = 0 if anew else h
            for word in turn:
                h = hear(h, word)
                c = take(c, h) if every_word else c
            if not every_word:
                c = take(c if carry else 0, h)
        if len(dialogue) == 1 and not empty:
            return 0
        return c if levels else h

    return context


def ok_steps(lengths, turn, word):
    rest = lengths[turn] - 1 - word
    return rest + len(lengths) - turn, rest + sum(lengths[turn + 1 :])


def off(levels=0, row=0, swap=False, rest=True, flat_rest=True):
    def steps(lengths, turn, word):
        a, b = ok_steps(lengths, turn, word)
        own = lengths[turn] - 1 - word
        a, b = a + levels - (0 if rest else own), b + row - (0 if flat_rest else own)
        return (b, a) if swap else (a, b)

    return steps


def ok_mask(mask):
    return mask.any(dim=2)


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (hierarchical.loops, ok_context),
        (hierarchical.loops, loops()),
        (hierarchical.path, ok_steps),
        (hierarchical.turn_mask, ok_mask),
        (hierarchical.turn_mask, lambda v: v.sum(2) > 0),
    ],
)
def test_solution_and_stub(check, answer):
    accepts(check, answer)


@pytest.mark.parametrize(
    ("check", "answer", "says"),
    [
        (hierarchical.loops, loops(anew=False), "begins anew in every turn"),
        (hierarchical.loops, loops(every_word=True), "one step a turn"),
        (hierarchical.loops, loops(carry=False), "handed from turn to turn"),
        (hierarchical.loops, loops(levels=False, anew=False), "one row of words"),
        (hierarchical.loops, loops(backwards=True), "in which they were said"),
        (hierarchical.loops, loops(empty=False), "one turn with one word"),
        (hierarchical.loops, lambda *_: 3, "the context is"),
        (hierarchical.loops, lambda *_: "c", "the context must be a number"),
        (hierarchical.path, off(swap=True), "in the other order"),
        (hierarchical.path, off(levels=-1), "own turn as well"),
        (hierarchical.path, off(levels=1), "count the steps after"),
        (hierarchical.path, off(row=1), "count the steps after"),
        (hierarchical.path, off(rest=False), "steps of the reader"),
        (hierarchical.path, off(flat_rest=False), "rest of its own turn follows too"),
        (hierarchical.path, off(levels=7), "in two levels 5 steps follow, got 12"),
        (hierarchical.path, off(row=7), "in one row 13 steps follow, got 20"),
        (hierarchical.path, lambda *_: 3, "must be 2 values"),
        (hierarchical.turn_mask, lambda v: v.all(2), "one visible word is enough"),
        (hierarchical.turn_mask, lambda v: v[:, :, 0], "before the words too"),
        (hierarchical.turn_mask, lambda v: v[:, :, -1], "behind the words too"),
        (hierarchical.turn_mask, lambda v: v.any(2) | True, "those without a visible word"),
        (hierarchical.turn_mask, lambda v: ~v.any(2), "the other way round"),
        (hierarchical.turn_mask, lambda v: v.any(1).T, "must be a tensor of shape (2, 3)"),
        (hierarchical.turn_mask, lambda v: v.any(2).roll(1, 1), "got [["),
    ],
)
def test_wrong_answers_are_named(check, answer, says):
    refuses(check, answer, says=says)
