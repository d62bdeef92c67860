import pytest
import torch

from attend.recipes.translation import (
    BINS,
    EACH,
    GROUPS,
    LengthRecipe,
    TranslationRecipe,
    aligned,
    alike,
    bleu,
    by_length,
    encoded,
    exact_by_group,
    judging,
    words,
)
from attend.soft.decode import greedy
from attend.soft.translation import FixedContext, Translator
from attend.tasks import pairs
from attend.tasks.translation import END, GERMAN

FEW = 40


def weights(model):
    return sum(p.numel() for p in model.parameters())


def test_both_kinds_have_as_many_weights():
    attention, fixed = LengthRecipe("attention").build(), LengthRecipe("fixed").build()
    assert isinstance(attention, Translator)
    assert isinstance(fixed, FixedContext)
    assert weights(attention) == weights(TranslationRecipe().build()) == 36_822
    assert weights(fixed) == pytest.approx(weights(attention), rel=0.002)
    with pytest.raises(ValueError, match=r"kind: got 'rope'"):
        LengthRecipe("rope").build()


def test_batches_of_like_length():
    everything = encoded("train", 6, FEW)
    stream = alike(everything, 8, torch.Generator().manual_seed(0))
    spreads = []
    for _ in range(16):
        batch = next(stream)
        assert batch.source.shape[0] == 8
        lengths = batch.mask.sum(1)
        assert batch.source.shape[1] == lengths.max()
        spreads.append(int(lengths.max() - lengths.min()))
    assert sum(spreads) / 16 < 3 < int(everything.mask.sum(1).max() - everything.mask.sum(1).min())


def test_training_is_repeatable_and_learns():
    recipe = TranslationRecipe(steps=12, digits=3, batch=8)
    one, history = recipe.train()
    other, _ = recipe.train()
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))
    assert sum(history.losses[-3:]) < 3 * history.losses[0]


def test_numbers_to_judge_by_are_of_every_length_alike():
    of = judging()
    each = len(of) // len(GROUPS)
    assert 50 < each <= EACH
    for (low, high), start in zip(GROUPS, range(0, len(of), each), strict=True):
        assert all(low <= words(n) <= high for n in of[start : start + each])
    assert not {*of} & {*judging("validation")}


def test_a_model_that_knows_nothing_is_measured():
    model = LengthRecipe().build()
    assert exact_by_group(model) == [0.0] * len(GROUPS)
    found = aligned(model, judging()[:20])
    assert found.keys() == {"needed", "not needed", "share"}


def test_the_means_by_length():
    lengths = torch.tensor([1, 4, 5, 12, 17, 20, 29])
    mask = torch.arange(29) < lengths[:, None]
    values = torch.tensor([True, False, True, False, True, False, True])
    assert by_length(values, mask) == [0.5, 1, 0, 1, 0, 1]
    assert len(BINS) == 6


def test_bleu_by_hand():
    four = torch.tensor([[GERMAN.index(piece) for piece in ("zwei", "und", "vier", "zig")] + [END]])
    assert bleu(four, four) == 100
    other = four.clone()
    other[0, 0] = GERMAN.index("drei")
    assert 0 < bleu(torch.cat([four, other]), torch.cat([four, four])) < 100


def test_the_weights_that_come_with_the_package():
    model = TranslationRecipe().load()
    asked = encoded("test", 15, FEW)
    written = greedy(model, asked.source, asked.mask, asked.target.shape[1]).tokens
    assert pairs.exact(written, asked.target, asked.asked).double().mean() > 0.95
    assert bleu(written, asked.target) > 99
    found = aligned(model, (42, 64_238, 386_742))
    assert found["needed"] == 1
    assert 0 < found["share"] < 1
