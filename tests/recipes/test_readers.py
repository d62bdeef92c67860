"""One harness for every reader: the records are of equal time, and a short training is repeatable and learns."""

import json

import pytest
import torch

from attend.recipes import readers
from attend.recipes.readers import SEEDS, STEPS, ReaderRecipe
from attend.soft.scores import SCORES

SMALL = {"digits": 6, "most": 10, "D": 8, "H": 12, "batch": 16}


@pytest.mark.nightly
@pytest.mark.parametrize("score", [None, *SCORES])
def test_a_short_training_is_repeatable_and_learns(score):
    recipe = ReaderRecipe(score, steps=12, **SMALL)
    (model, history), (_, again) = recipe.train(), recipe.train()
    assert history.losses == again.losses
    assert history.losses[-1] < history.losses[0]
    assert not any(p.requires_grad for p in model.parameters())
    judged = readers.judge(model, recipe.of("validation"))
    assert set(judged) == {"exact"} | ({"found", "largest", "spread"} if score else set())
    assert all(0 <= share <= 1 for name, share in judged.items() if name != "spread")


def test_only_the_score_differs_in_the_contest():
    built = {score: readers.timed(score).build() for score in STEPS}
    assert set(built) == set(SCORES)
    sizes = {
        score: sum(p.numel() for name, p in model.named_parameters() if not name.startswith("score."))
        for score, model in built.items()
    }
    assert len(set(sizes.values())) == 1
    with pytest.raises(ValueError, match="score: got 'content'"):
        readers.timed("content")


def test_a_held_sharpness_does_not_learn():
    recipe = ReaderRecipe("cosine", sharpness=1.0, steps=5, **SMALL)
    assert readers.timed("held").sharpness == readers.HELD
    assert recipe.train()[0].score.weights["inverse_temperature"].item() == 1
    learned = ReaderRecipe("cosine", steps=5, **SMALL).train()[0]
    assert (
        learned.score.weights["inverse_temperature"].item()
        != ReaderRecipe("cosine", **SMALL).build().score.weights["inverse_temperature"].item()
    )
    with pytest.raises(ValueError, match="sharpness: got"):
        ReaderRecipe("dot", sharpness=1.0).build()


def test_judging_knows_scores_that_it_can_work_out():
    """A reader whose queries say nothing weighs all it sees alike: its scores do not vary, and its weights are 1/S."""
    recipe = ReaderRecipe("dot", **SMALL)
    model = recipe.build().requires_grad_(False)
    for weights in (*model.decoder.parameters(), *model.encoder.parameters()):
        weights.zero_()
    judged = readers.judge(model, recipe.of("validation"))
    assert judged["spread"] == pytest.approx(0, abs=1e-10)
    assert 1 / 20 < judged["largest"] <= 1 / 8


def test_the_records_are_whole_and_of_equal_time():
    found = readers.measured()
    assert set(found["milliseconds"]) == set(STEPS)
    assert set(found["scores"]) == {*STEPS, "held"}
    for score, row in found["scores"].items():
        assert all(len(values) == len(SEEDS) for values in row.values())
        assert ("sharpness" in row) == (score == "cosine")
    seconds = [found["milliseconds"][score] * STEPS[score] for score in STEPS]
    assert max(seconds) < 1.25 * min(seconds)
    taken = [sum(found["scores"][score]["seconds"]) for score in STEPS]
    assert max(taken) < 1.1 * min(taken)


def test_every_score_translates_and_location_looks_elsewhere():
    rows = readers.measured()["scores"]
    assert min(min(rows[score]["exact"]) for score in STEPS) >= 0.95
    others = [min(rows[score]["found"]) for score in STEPS if score != "location"]
    assert max(rows["location"]["found"]) < min(others)


def test_export_writes_what_measured_reads(monkeypatch, tmp_path):
    monkeypatch.setattr(readers, "WEIGHTS", tmp_path)
    monkeypatch.setattr(readers, "SEEDS", (0,))
    monkeypatch.setattr(readers, "milliseconds", lambda: dict.fromkeys(STEPS, 1.0))
    monkeypatch.setattr(
        readers,
        "timed",
        lambda score, seed=0: ReaderRecipe("cosine" if score == "held" else score, seed, steps=2, **SMALL),
    )
    readers.export()
    assert readers.measured() == json.loads((tmp_path / "readers.json").read_text())
    assert readers.measured()["torch"] == torch.__version__
    assert all(len(row["exact"]) == 1 for row in readers.measured()["scores"].values())


def test_the_cost_of_a_step_is_taken_by_turns(monkeypatch):
    taken = []
    monkeypatch.setattr(ReaderRecipe, "train", lambda self: taken.append((self.score, self.steps)))
    cost = readers.milliseconds(steps=3, rounds=2)
    assert taken == 2 * [(score, 3) for score in STEPS]
    assert all(value >= 0 for value in cost.values())
