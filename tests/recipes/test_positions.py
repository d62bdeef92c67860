"""What is trained on n-back and on the plays, and what is counted of it."""

import pytest
import torch

from attend.recipes.positions import RATE_BACK, RATE_PLAYS, BackRecipe, PlaysRecipe, by_position, nats
from attend.transformers.positioned import POSITIONS, PositionedTransformer


class Copies(torch.nn.Module):
    """Names the letter two back, and is wrong from position 10 on."""

    def forward(self, letters, window=None):
        said = letters.roll(2, 1)
        said[:, 9:] = (said[:, 9:] + 1) % 10
        return torch.nn.functional.one_hot(said, 10).float()


def test_right_answers_are_counted_by_position(monkeypatch):
    model = PositionedTransformer(10)
    monkeypatch.setattr(PositionedTransformer, "forward", lambda self, *given: Copies()(*given))
    assert by_position(model, 2, 14, rows=5).tolist() == [1.0] * 7 + [0.0] * 5


@pytest.mark.nightly
def test_a_short_training_lowers_the_loss_and_is_repeated_by_its_seed():
    runs = []
    for _ in range(2):
        losses = []
        BackRecipe(seed=3, steps=40).train(callbacks=(lambda step, kept=losses: kept.append(step.loss),))
        runs.append(losses)
    assert runs[0] == runs[1]
    assert sum(runs[0][-5:]) < sum(runs[0][:5])


def test_kinds_of_one_seed_start_alike_and_differ_in_positions_alone():
    sizes = {}
    for kind in POSITIONS:
        model = BackRecipe(kind, seed=1).build()
        sizes[kind] = sum(p.numel() for p in model.parameters())
        assert model.positions == kind
    assert len(set(sizes.values())) == 2
    assert sizes["learned"] == sizes["rope"] + 16 * 32
    assert set(RATE_BACK) == set(RATE_PLAYS) == set(POSITIONS)


def test_an_untrained_reader_guesses():
    assert 3.5 < nats(PlaysRecipe().build(), 40, windows=20).mean() < 6
    assert len(nats(PlaysRecipe().build(), 40, "validation", windows=3)) == 40


@pytest.mark.parametrize(
    ("recipe", "field", "value"),
    [(BackRecipe, "positions", "waves"), (BackRecipe, "back", 0), (PlaysRecipe, "rate", -1.0)],
)
def test_fields_are_refused_by_name(recipe, field, value):
    with pytest.raises(ValueError, match=f"{field}: got"):
        recipe(**{field: value})


def calls():
    return {}
