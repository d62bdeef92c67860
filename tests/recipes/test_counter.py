"""The committed weights are those of the recipe, the records fit them, and a short training learns."""

import itertools

import pytest
import torch

from attend.recipes.counter import EPOCH, SAVED, SEEDS, UNITS, CounterRecipe, Progress, held_out, measured
from attend.tasks import crossings


@pytest.fixture(scope="module")
def tests():
    return held_out()


@pytest.mark.parametrize("seed", SEEDS)
def test_every_gated_counter_counts_nine_of_ten(seed, tests):
    x, counts = tests["made"]
    exact = crossings.exact(CounterRecipe(seed=seed).load().count(x), counts)
    assert exact >= 0.9
    assert sum(p.numel() for p in CounterRecipe(seed=seed).build().parameters()) == 3924
    assert exact == pytest.approx(measured()["made"]["gru"]["test"][seed]["made"], abs=0.002)


def test_the_records_are_of_equal_time_and_say_what_the_weights_do(tests):
    recorded = measured()
    seconds = {unit: sum(recorded["made"][unit]["seconds"]) / len(SEEDS) for unit in UNITS}
    assert max(seconds.values()) < 1.25 * min(seconds.values())
    for on, unit in itertools.product(("made", "days"), UNITS):
        recipe, run = CounterRecipe(unit, on=on), recorded[on][unit]
        assert run["steps"] == [recipe.steps] * len(SEEDS)
        assert all(len(row) == recipe.steps // EPOCH + 1 for row in run["exact"])
        if recipe.travels:
            model = recipe.load()
            for kind, (x, counts) in tests.items():
                assert crossings.exact(model.count(x), counts) == pytest.approx(run["test"][0][kind], abs=0.003)


def test_just_the_weights_that_travel_are_there():
    for on, unit, seed in itertools.product(("made", "days"), UNITS, SEEDS):
        recipe = CounterRecipe(unit, seed, on=on)
        assert recipe.path().is_file() == recipe.travels
    files = list(CounterRecipe().path().parent.glob("counter*"))
    assert sum(path.stat().st_size for path in files) < 125_000


def test_the_saved_epochs_lead_from_nothing_to_the_end(tests):
    x, counts = (part[:500] for part in tests["made"])
    recipe = CounterRecipe()
    exact = [crossings.exact(recipe.load(epoch).count(x), counts) for epoch in SAVED]
    assert exact[0] < 0.1
    assert exact[-1] > 0.9
    assert exact[3] > exact[1]
    assert SAVED[-1] * EPOCH == recipe.steps
    for mine, last in zip(recipe.load(SAVED[-1]).parameters(), recipe.load().parameters(), strict=True):
        assert torch.equal(mine, last)


@pytest.mark.nightly
@pytest.mark.parametrize("unit", UNITS)
def test_a_short_training_is_repeatable_and_learns(unit, monkeypatch):
    monkeypatch.setattr("attend.recipes.counter.EPOCH", 12)
    runs = [CounterRecipe(unit, epochs=1).train() for _ in range(2)]
    assert runs[0][1].losses == runs[1][1].losses
    assert runs[0][1].losses[-1] < 0.8 * runs[0][1].losses[0]


def test_progress_is_measured_each_epoch_and_keeps_weights(monkeypatch, tmp_path):
    monkeypatch.setattr("attend.recipes.counter.EPOCH", 3)
    series = crossings.sample(20, generator=torch.Generator().manual_seed(0))
    progress = Progress(series, {2: tmp_path / "two.safetensors"})
    model, _ = CounterRecipe(epochs=2).train([progress])
    assert len(progress.exact) == 2
    assert progress.exact[-1] == crossings.exact(model.count(series[0]), series[1])
    assert (tmp_path / "two.safetensors").is_file()
    assert progress.paused > 0


def test_days_go_on_from_made_series():
    begun = CounterRecipe(on="days").build()
    assert all(torch.equal(a, b) for a, b in zip(begun.parameters(), CounterRecipe().load().parameters(), strict=True))
    x, counts = next(CounterRecipe(on="days").batches())
    assert x.shape == (64, 60, 1)
    assert torch.equal(counts, crossings.entrances(x[:, :, 0]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"unit": "cnn"}, "unit: got 'cnn'"), ({"epochs": 0}, "epochs: got 0"), ({"on": "nights"}, "on: got 'nights'")],
)
def test_unknown_recipes_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        CounterRecipe(**arguments)
