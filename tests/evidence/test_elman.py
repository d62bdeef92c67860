"""What page elman measures is what its sentences are about."""

import pytest
import torch

from attend.evidence.elman import auc, in_name, share
from attend.tasks import plays


def test_names_are_lines_of_capitals_that_end_in_a_full_stop():
    text = "DUKE F.\nI say. NO.\n\nLEAR.\nO!\nI.\n"
    marked = "".join("x" if one else "." for one in in_name(plays.encode(text)[None])[0])
    assert marked == "xxxxxx." + "." * 13 + "xxxx" + "." * (len(text) - 24)


def test_the_area_is_the_share_of_pairs_in_the_right_order():
    score = torch.tensor([0.1, 0.4, 0.2, 0.9])
    assert auc(score, torch.tensor([False, True, False, True])) == 1
    assert auc(score, torch.tensor([True, False, False, True])) == pytest.approx(0.5)
    assert auc(-score, torch.tensor([False, True, False, True])) == 0


def test_a_share_is_that_of_the_ages_asked_for():
    right, age = torch.tensor([[True, False, True, True]]), torch.tensor([[0, 1, 2, 3]])
    assert [share(right, age, 0, 2), share(right, age, 1, 4), share(right, age, 2, 4)] == pytest.approx(
        [1 / 2, 2 / 3, 1]
    )
