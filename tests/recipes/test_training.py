"""What is trained to guess the next letter, and the counts beside it."""

import math

import pytest
import torch

from attend.recipes.training import Counts, K, RowsRecipe, V, WordsRecipe, bits
from attend.tasks import words

FEW = ["the", "then", "them"]


def test_the_net_learns_and_can_be_repeated():
    unseen = words.examples(words.load("validation")[:200], K)
    found = [bits(WordsRecipe(5, 200, steps=40).train(), *unseen) for _ in range(2)]
    assert found[0] == found[1] < math.log2(V)


def test_what_is_stopped_is_the_best_that_was_seen():
    least, early, last = WordsRecipe(5, 30, hidden_size=16, steps=100).stopped()
    every = words.examples(words.load("validation"), K)
    assert bits(early, *every) == pytest.approx(least)
    assert least <= bits(last, *every)


def test_the_mask_leaves_the_padding_out_of_the_loss():
    recipe, bare = RowsRecipe(), RowsRecipe(masked=False)
    before, comes, mask = batch = next(recipe.batches())
    torch.manual_seed(0)
    model = WordsRecipe(steps=1).train()
    junk = comes.masked_fill(~mask, 7)
    assert recipe.loss(model, batch) == recipe.loss(model, (before, junk, mask))
    assert bare.loss(model, batch) != bare.loss(model, (before, junk, mask))


def test_a_table_is_counts_with_something_added():
    x, y = words.examples(["the"], K)
    after = {"t": (3, 3), "h": (3, 3), "e": (3, 3), ".": (1, 3)}  # three words begin with the, one of them ends there
    wanted = sum(-math.log2((count + 0.5) / (total + 0.5 * V)) for count, total in after.values()) / 4
    assert Counts(FEW).table_bits(x, y, 2, 0.5) == pytest.approx(wanted)


def test_falling_back_adds_up_to_one_and_knows_what_it_has_not_seen():
    counts, x = Counts(FEW), torch.tensor([[0, 20, 8, 5]]).expand(V, K)
    for k in range(K + 1):
        p = sum(2 ** -counts.fallback_bits(x[:1], torch.tensor([token]), k, 1.0) for token in range(V))
        assert p == pytest.approx(1)
    unknown = counts.fallback_bits(torch.tensor([[1, 2, 3, 26]]), torch.tensor([26]), K, 1.0)
    assert unknown == pytest.approx(counts.fallback_bits(x[:1], torch.tensor([26]), 0, 1.0))
