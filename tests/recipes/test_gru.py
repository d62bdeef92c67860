"""The committed weights are those of the recipes, and do what the page says of them."""

import json

import pytest
import torch

from attend.gating.gru import GRU, chrono_
from attend.memory.elman import RNN
from attend.recipes import gru
from attend.recipes.gru import SEEDS, AddingRecipe, LatchRecipe, ManyToOne


@pytest.mark.parametrize("seed", SEEDS)
def test_over_a_lag_of_100_two_units_recall_and_one_guesses(seed):
    shares = {unit: LatchRecipe(unit, 100, seed) for unit in gru.UNITS}
    shares = {unit: recipe.judge(recipe.load()) for unit, recipe in shares.items()}
    assert min(shares[unit] for unit in ("plain", "spread", "leaky")) > 0.98
    assert shares["gated"] < 0.35


@pytest.mark.parametrize("seed", SEEDS)
def test_gates_add_better_than_a_plain_unit(seed):
    shares = {unit: AddingRecipe(unit, seed) for unit in ("plain", "spread", "leaky")}
    shares = {unit: recipe.judge(recipe.load()) for unit, recipe in shares.items()}
    assert shares["spread"] > 0.97
    assert max(shares["plain"], shares["leaky"]) < shares["spread"] - 0.1


def test_what_was_measured_is_whole():
    found = gru.measured()
    for unit in gru.UNITS:
        for lag in found["latch"][unit]:
            entry = found["latch"][unit][str(lag)]
            assert len(entry["right"]) == len(entry["seconds"]) == len(SEEDS)
            assert all(0 <= share <= 1 for share in entry["right"])
    for entry in found["adding"].values():
        assert {len(rows) for rows in entry.values()} == {len(SEEDS)}
        assert len({len(row) for row in (*entry["seconds"], *entry["errors"])}) == 1
        assert all(row == sorted(row) for row in entry["seconds"])


def test_both_units_of_the_adding_task_have_as_many_weights():
    counts = [sum(p.numel() for p in AddingRecipe(unit).build().parameters()) for unit in gru.UNITS]
    assert counts == [3_361, 3_393, 3_393, 3_393]


def test_the_names_of_units_say_how_they_start():
    plain, gated, spread, leaky = (gru.build_unit(unit, 2, 4, 50.0, 0) for unit in gru.UNITS)
    assert isinstance(plain, RNN)
    assert not gated.from_input.bias.any()
    assert torch.equal(spread.from_input.bias, chrono_(GRU(2, 4), 50).from_input.bias)
    assert torch.equal(spread.from_input.bias, leaky.from_input.bias)
    with pytest.raises(ValueError, match="unit: got 'lstm'"):
        LatchRecipe("lstm").build()


def test_the_gates_of_a_leaky_unit_never_hear_anything():
    unit = LatchRecipe("leaky", lag=10, steps=20).train()[0].rnn
    assert not unit.from_input.weight[:32].any()
    assert not unit.from_hidden.weight[:32].any()
    assert unit.from_input.weight[32:].any()


def test_the_readout_is_a_linear_layer_on_the_last_hidden_state():
    model = ManyToOne(RNN(2, 4, generator=torch.Generator().manual_seed(0)), 3, bias=1.0)
    x = torch.randn(5, 6, 2, generator=torch.Generator().manual_seed(1))
    assert torch.equal(model(x), torch.ones(5, 3))
    layer = torch.nn.Linear(4, 3)
    with torch.no_grad():
        model.readout.load_state_dict(layer.state_dict())
        torch.testing.assert_close(model(x), layer(model.rnn(x)[1]))


@pytest.mark.parametrize("recipe", [LatchRecipe(lag=10, steps=25), AddingRecipe(T=10, steps=25)])
def test_a_short_training_is_repeatable_and_learns(recipe):
    runs = [recipe.train()[1].losses for _ in range(2)]
    assert runs[0] == runs[1]
    assert runs[0][-1] < runs[0][0]


def test_looks_stop_the_clock_and_measure_on_new_series():
    look, recipe = gru.Looks(10, 5), AddingRecipe(T=10, steps=12)
    recipe.train(callbacks=[look])
    assert len(look.errors) == len(look.seconds) == 2
    assert 0 < look.errors[0] < 1


def test_export_writes_what_measured_reads(monkeypatch, tmp_path):
    monkeypatch.setattr(gru, "WEIGHTS", tmp_path)
    monkeypatch.setattr(gru, "LAGS", (100,))
    monkeypatch.setattr(gru, "SEEDS", (0,))
    for recipe in (LatchRecipe, AddingRecipe):
        monkeypatch.setattr(recipe, "train", lambda self, callbacks=(): (self.build(), None))
    gru.export()
    assert set(gru.measured()) == {"latch", "adding", "torch"} == set(json.loads((tmp_path / "gru.json").read_text()))
    assert len(list(tmp_path.glob("gru_latch_*"))) == 4
    assert len(list(tmp_path.glob("gru_adding_*"))) == 3
