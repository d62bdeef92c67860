import json

import pytest
import torch

from attend.recipes import translator
from attend.recipes.translation import TranslationRecipe
from attend.recipes.translator import (
    RACE,
    SEEDS,
    VARIANTS,
    TransformerRecipe,
    aligned,
    measure,
    measured,
    runs,
)
from attend.transformers.attention_weights import uniform_attention

FEW = 30


def test_its_size():
    assert sum(p.numel() for p in TransformerRecipe().build().parameters()) == 99_582


def test_training_is_repeatable_and_learns():
    recipe = TransformerRecipe(steps=12, warm=2, digits=3, batch=8, dropout=0.1, d_model=16, d_ff=16)
    one, history = recipe.train()
    state = torch.random.get_rng_state()
    other, _ = recipe.train()
    assert torch.equal(torch.random.get_rng_state(), state)
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))
    assert sum(history.losses[-3:]) < 3 * history.losses[0]


def test_the_rate_rises_and_falls():
    recipe = TransformerRecipe(steps=100, warm=10)
    shares = [recipe.warmed(step) for step in range(100)]
    assert shares[0] == pytest.approx(0.1)
    assert max(shares) == shares[9] == 1
    assert sorted(shares[9:], reverse=True) == shares[9:]
    assert 0 < shares[-1] < 0.001
    root = TransformerRecipe(steps=100, warm=10, fall="root")
    assert root.warmed(39) == pytest.approx(0.5)
    with pytest.raises(ValueError, match=r"fall: got 'off'"):
        TransformerRecipe(steps=2, warm=1, fall="off").train()
    with pytest.raises(ValueError, match=r"warm: got 3"):
        TransformerRecipe(steps=2, warm=3).train()


def test_a_model_that_knows_nothing_is_measured():
    for model in (TransformerRecipe(d_model=8, d_ff=8).build().eval(), TranslationRecipe().build()):
        found = measure(model, most=2)
        assert found["exact"] == 0
        assert found["surprise"] > 2
        assert 0 < found["confidence"] < 0.9


def test_heads_that_look_everywhere_find_the_first_word():
    model = TransformerRecipe(d_model=8, num_heads=2, d_ff=8, num_layers=1).build().eval()
    heads, together = aligned(uniform_attention(model, "cross"), most=2)
    assert len(heads) == 1
    assert heads[0] == [together, together]
    assert 0 < together < 0.5


def test_the_weights_that_come_with_the_package():
    seed = 1
    model, row = TransformerRecipe(seed=seed).load(), measured()["transformer"]["1000"][str(seed)]
    found = measure(model, most=FEW)
    assert found["exact"] == pytest.approx(row["exact"], abs=0.03)
    assert found["confidence"] == pytest.approx(row["confidence"], abs=0.02)


def test_what_was_recorded_is_complete():
    found = measured()
    for name, steps, seed in runs():
        row = found[name][str(steps)][str(seed)]
        assert row["seconds"] > 0
        assert 0 <= row["exact"] <= 1
    assert len(runs()) == len(SEEDS) * (2 * len(RACE["gru"]) + len(VARIANTS))


def test_an_interrupted_recording_goes_on(tmp_path, monkeypatch):
    trained = []
    row = {"exact": 1.0, "seconds": 1.0}
    monkeypatch.setattr(translator, "WEIGHTS", tmp_path)
    monkeypatch.setattr(translator, "encoded", lambda part: None)
    monkeypatch.setattr(translator, "_run", lambda *run: trained.append(run) or row)
    monkeypatch.setattr(translator, "runs", lambda: runs()[:2])
    translator.export()
    monkeypatch.setattr(translator, "runs", lambda: runs()[:3])
    translator.export()
    assert trained == runs()[:3]
    assert set(json.loads((tmp_path / "translator.json").read_text())) == {"settings", "transformer", "gru"}
    assert [path.name for path in tmp_path.iterdir()] == ["translator.json"]
