"""Chapters are parted whole, and the aligner learns where the next word comes from."""

import pytest
import torch

from attend.recipes import verses as recipe
from attend.recipes.verses import AlignerRecipe, divided
from attend.tasks import verses


def chapters(of):
    return {verse.name.split(":")[0] for verse in of}


def test_each_seed_draws_other_chapters_and_none_of_the_validation_part():
    judging = []
    for seed in (10, 11):
        of = divided(seed)
        assert not chapters(of.train_verses) & chapters(of.test_verses)
        assert not (chapters(of.train_verses) | chapters(of.test_verses)) & chapters(verses.load("validation"))
        assert len(of.train_verses) + len(of.test_verses) == 2_697 + 657
        judging.append(chapters(of.test_verses))
    assert judging[0] != judging[1]
    assert divided(recipe.TUNED_ON[0]).test_verses == verses.load("validation")


@pytest.mark.nightly
def test_every_training_word_has_its_own_place_in_the_table():
    pairs = divided(10).pairs("train")
    for tokens in (pairs.source, pairs.target):
        assert not (tokens == verses.UNKNOWN).any()


@pytest.mark.nightly
def test_the_table_with_the_diagonal_beats_the_table_and_the_table_the_diagonal():
    of = divided(recipe.TUNED_ON[0])
    pairs, near = of.pairs("test"), of.diagonal("test")
    found = [
        of.error(recipe.lexicon.e_step(table, pairs.source, pairs.target, pairs.mask, prior))
        for table, prior in ((of.table, near), (of.learned(), None))
    ]
    assert found[0] < found[1] - 0.1 < of.error(near.softmax(2)) - 0.2


@pytest.mark.nightly
def test_a_short_training_beats_the_diagonal_before_the_word_and_can_be_repeated():
    short = AlignerRecipe(steps=300, H=32, learning_rate=2e-2, seed=100)
    of = divided(100)
    assert of.error(short.weights(short.train())["before"]) < of.error(of.diagonal("test").softmax(2)) - 0.05
    first, again = (AlignerRecipe(steps=3, batch=4, D=4, H=6, seed=100).train() for _ in range(2))
    assert torch.equal(first.query_proj.weight, again.query_proj.weight)
