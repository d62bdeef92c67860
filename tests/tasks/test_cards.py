"""Cards: the answers are those that a reader of the row would give, and none can be told from the number of reds."""

import pytest
import torch

from attend.tasks import cards


def seeded(seed):
    return torch.Generator().manual_seed(seed)


def test_the_answers_are_those_of_the_row():
    x, answers = cards.sample(300, seeded(0))
    for row in range(300):
        letters, red = x[row, :, :16].argmax(1).tolist(), (x[row, :16, 16] > 0).tolist()
        assert sorted(letters[:16]) == list(range(16))
        assert x[row, 16, 16] == 0
        floor = 2
        for one in red:
            floor = min(4, floor + 1) if one else max(1, floor - 1)
        assert answers["lift"][row] == (floor > 2)
        assert answers["pattern"][row] == ("1001" in "".join("01"[one] for one in red))
        assert answers["match"][row] == red[letters.index(letters[16])]


def test_lift_and_match_are_balanced_and_the_pattern_nearly():
    _, answers = cards.sample(5_000, seeded(1))
    shares = {question: answers[question].double().mean().item() for question in cards.QUESTIONS}
    assert shares["lift"] == pytest.approx(0.5, abs=0.03)
    assert shares["match"] == pytest.approx(0.5, abs=0.03)
    assert shares["pattern"] == pytest.approx(0.61, abs=0.03)


def test_the_example_reads_as_its_answers():
    row, said = cards.example(3).split(" → ")
    *deck, joker = row.replace("| ", "").rstrip("?").split()
    assert len(deck) == 16
    assert ("match yes" in said) == (joker.upper() in deck)


def test_bad_sizes_are_refused():
    with pytest.raises(ValueError, match="rows: got 0"):
        cards.sample(0)


def calls():
    red = torch.arange(32).view(2, 16) % 2
    return {
        cards.sample: {"rows": 3, "generator": torch.Generator()},
        cards.has_pattern: {"red": red},
        cards.upper_half: {"red": red},
        cards.example: {"seed": 0},
    }


def good():
    return {cards.example: {"seed": {"zero"}}}
