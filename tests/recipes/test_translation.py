import pytest
import torch

from attend.recipes.translation import (
    BINS,
    READERS,
    SEEDS,
    STEPS,
    WIDTHS,
    DatesRecipe,
    TranslationRecipe,
    aligned,
    alike,
    beams,
    bleu,
    by_length,
    encoded,
    measure,
    measured,
)
from attend.soft.seq2seq import Seq2Seq
from attend.soft.translation import Translator
from attend.tasks import translation
from attend.tasks.translation import END, GERMAN

FEW = 40


def weights(model):
    return sum(p.numel() for p in model.parameters())


def test_the_rival_has_more_weights():
    assert weights(TranslationRecipe().build()) == 36_822
    assert weights(TranslationRecipe("bridge").build()) == 129_566
    assert isinstance(TranslationRecipe().build(), Translator)
    assert isinstance(TranslationRecipe("bridge, longer").build(), Seq2Seq)
    with pytest.raises(ValueError, match=r"reader: got 'rope'"):
        TranslationRecipe("rope").build()


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


@pytest.mark.parametrize("reader", READERS[:2])
def test_training_is_repeatable_and_learns(reader):
    recipe = TranslationRecipe(reader, steps=12, digits=3, batch=8)
    one, history = recipe.train()
    other, _ = recipe.train()
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))
    assert sum(history.losses[-3:]) < 3 * history.losses[0]


def test_dates_train():
    recipe = DatesRecipe(steps=2)
    model = recipe.train()
    assert isinstance(model, Translator)
    assert recipe.measure(model)["exact"] == 0


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
    model, row = TranslationRecipe().load(), measured()["attention"]["0"]
    found = measure(model, most=FEW)
    assert found["exact"] == pytest.approx(row["exact"], abs=0.03)
    assert found["aligned"]["needed"] > 0.9
    assert found["bleu"] > 99
    of = (42, 64_238)
    shares = aligned(model, translation.encode(of), of)
    assert shares["needed"] == 1
    assert 0 < shares["share"] < 1
    said = beams(model, most=FEW, count=20)
    assert len(said["exact"]) == len(WIDTHS)
    assert said["differs"] <= 2


def test_what_was_recorded_is_complete():
    found = measured()
    for reader in READERS:
        for seed in SEEDS:
            row = found[reader][str(seed)]
            assert row["steps"] == STEPS[reader]
            assert row["seconds"] > 0
            assert len(row["exact by length"]) == len(row["bleu by length"]) == len(BINS)
            assert ("aligned" in row) == (reader == "attention")
    assert all(len(found[reader]["0"]["beams"]["exact"]) == len(WIDTHS) for reader in READERS[:2])
    assert found["dates"].keys() == {str(seed) for seed in SEEDS}
    assert all(0.9 < row["exact"] <= 1 and 0 < row["right word"] <= 1 for row in found["dates"].values())
