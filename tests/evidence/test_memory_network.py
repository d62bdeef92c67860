"""What page memory_network measures is what its sentences are about."""

import pytest
import torch

from attend.evidence.memory_network import CROWDED, FACTS, kept, share, unseen
from attend.recipes.memory_network import of_facts


@pytest.mark.nightly
def test_the_groups_of_the_crowd_are_all_lengths_once():
    lengths = [n for low, high in CROWDED for n in range(low, high + 1)]
    assert lengths == list(range(1, 21))
    there = (unseen("crowd").story > 0).any(2).sum(1)
    assert sorted(there.unique().tolist()) == lengths


@pytest.mark.nightly
def test_every_question_needs_one_of_the_numbers_of_facts():
    assert sum(share(of_facts(unseen("where"), count)) for count in FACTS) == 1


def test_a_share_of_rows():
    rows, which = torch.tensor([True, False, True]), torch.tensor([True, True, False])
    assert share(rows, which) == 0.5


def test_no_write_reaches_the_slot_that_is_kept():
    assert kept.measure(7)["numbers changed in the unaddressed slot"] == 0
