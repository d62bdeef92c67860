"""The committed weights are those of the recipes, and do what the page says of them."""

import json

import pytest
import torch

from attend.gating.gru import GRU
from attend.gating.lstm import LSTM
from attend.memory.elman import RNN
from attend.recipes import lstm
from attend.recipes.gru import SEEDS
from attend.recipes.lstm import STARTS, STEPS, AddingRecipe, LatchRecipe, build_lstm


@pytest.mark.parametrize("seed", SEEDS)
def test_over_a_lag_of_100_only_spread_biases_recall(seed):
    shares = {start: LatchRecipe(start, 100, seed) for start in STARTS}
    shares = {start: recipe.judge(recipe.load()) for start, recipe in shares.items()}
    assert shares["spread"] > 0.98
    assert shares["zero"] < 0.35


@pytest.mark.parametrize("seed", SEEDS)
def test_the_cell_adds_better_than_a_plain_unit(seed):
    shares = {unit: AddingRecipe(unit, seed) for unit in ("plain", "gated", "spread")}
    shares = {unit: recipe.judge(recipe.load()) for unit, recipe in shares.items()}
    assert min(shares["spread"], shares["gated"]) > 0.95
    assert shares["plain"] < shares["spread"] - 0.1


def test_what_was_measured_is_whole():
    found = lstm.measured()
    for start in STARTS:
        for entry in found["latch"][start].values():
            assert len(entry["right"]) == len(entry["seconds"]) == len(SEEDS)
            assert all(0 <= share <= 1 for share in entry["right"])
    assert set(found["adding"]) == set(STEPS)
    for entry in found["adding"].values():
        assert {len(rows) for rows in entry.values()} == {len(SEEDS)}
        assert all(row == sorted(row) for row in entry["seconds"])


def test_no_lstm_has_more_weights_than_its_rivals():
    counts = {unit: sum(p.numel() for p in AddingRecipe(unit).build().parameters()) for unit in STEPS}
    assert counts == {"plain": 3_361, "gated": 3_393, "zero": 3_268, "spread": 3_268}


def test_the_units_are_what_they_are_called():
    kinds = {unit: type(AddingRecipe(unit, fast=False).build().unit) for unit in STEPS}
    assert kinds == {"plain": RNN, "gated": GRU, "zero": LSTM, "spread": LSTM}
    assert build_lstm("one", 2, 3, 9.0, 0).from_input.bias[3:6].tolist() == [1.0] * 3
    assert not build_lstm("zero", 2, 3, 9.0, 0).from_input.bias.any()
    spread = build_lstm("spread", 2, 3, 9.0, 0)
    assert torch.equal(spread.from_input.bias[:3], -spread.from_input.bias[3:6])
    with pytest.raises(ValueError, match="unit: got 'two'"):
        build_lstm("two", 2, 3, 9.0, 0)


@pytest.mark.parametrize("recipe", [LatchRecipe("spread", lag=10, steps=60), AddingRecipe("spread", T=10, steps=25)])
def test_a_short_training_is_repeatable_and_learns(recipe):
    runs = [recipe.train()[1].losses for _ in range(2)]
    assert runs[0] == runs[1]
    assert runs[0][-1] < runs[0][0]


def test_export_writes_what_measured_reads(monkeypatch, tmp_path):
    monkeypatch.setattr(lstm, "WEIGHTS", tmp_path)
    monkeypatch.setattr(lstm, "LAGS", (100,))
    monkeypatch.setattr(lstm, "SEEDS", (0,))
    for recipe in (LatchRecipe, AddingRecipe):
        monkeypatch.setattr(recipe, "train", lambda self, callbacks=(): (self.build(), None))
    lstm.export()
    assert set(lstm.measured()) == {"latch", "adding", "torch"} == set(json.loads((tmp_path / "lstm.json").read_text()))
    assert len(list(tmp_path.glob("lstm_latch_*"))) == len(STARTS)
    assert len(list(tmp_path.glob("lstm_adding_*"))) == len(STEPS)
