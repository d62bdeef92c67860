"""What is known can be read off the row, and nothing else repeats."""

import pytest
import torch

from attend.tasks.repeats import LONGEST, SHORTEST, VOCAB, before, example, sample, spell


def test_what_is_known_came_before_and_nothing_else_comes_twice():
    tokens, known = sample(300, generator=torch.Generator().manual_seed(0))
    places = before(tokens)
    starts, lengths = set(), set()
    for row, sure, place in zip(tokens.tolist(), known.tolist(), places.tolist(), strict=True):
        again = [t for t in range(len(row)) if row[t] in row[:t]]
        assert again == list(range(again[0], again[-1] + 1))
        assert [t for t in range(len(row)) if sure[t]] == again[:-1]
        for t in again:
            assert row[place[t]] == row[t]
            assert t == again[-1] or row[place[t] + 1] == row[t + 1]
        starts.add(place[again[0]])
        lengths.add(len(again))
    assert lengths == set(range(SHORTEST, LONGEST + 1))
    assert len(starts) > 10


def test_where_a_token_stood_before():
    assert before(torch.tensor([[3, 1, 3, 3, 2]])).tolist() == [[-1, -1, 0, 2, -1]]


def test_an_example_has_the_same_stretch_in_brackets_twice():
    shown = example(seed=5)
    first, second = (part.split("]")[0] for part in shown.split("[")[1:])
    assert first == second
    assert SHORTEST <= len(first.split()) <= LONGEST


@pytest.mark.parametrize("T", [2 * LONGEST - 1, VOCAB + 1])
def test_rows_that_are_too_short_or_too_long_are_refused(T):
    with pytest.raises(ValueError, match="T: got"):
        sample(2, T)


def calls():
    return {
        sample: {"batch": 2, "T": 20, "generator": torch.Generator()},
        before: {"tokens": torch.tensor([[1, 2, 1]])},
        spell: {"token": 3},
        example: {"T": 20, "seed": 0},
    }


def good():
    return {example: {"seed": {"zero"}}, spell: {"token": {"zero"}}}
