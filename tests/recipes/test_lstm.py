"""Where recurrent layers start, and what a short training makes of them."""

import pytest
import torch

from attend.gating.lstm import LSTM
from attend.recipes.lstm import STARTS, RecallRecipe, TextRecipe, build, evenly_
from attend.recipes.many_to_one import ManyToOne
from attend.train.characters import bits


def biases(start):
    """The input and forget gates' biases, (16) each; torch's layer adds two."""
    layer = build(start, 100.0, 0)
    bias = layer.bias_ih_l0 + layer.bias_hh_l0 if start == "default" else layer.from_input.bias
    return bias[:16].detach(), bias[16:32].detach()


@pytest.mark.parametrize(("start", "closed", "opened"), [("bias_1", 0, 1), ("bias_3", 0, 3), ("bias_3_both", -3, 3)])
def test_constant_biases(start, closed, opened):
    assert [part.unique().tolist() for part in biases(start)] == [[closed], [opened]]


def test_chrono_closes_what_it_opens_and_its_control_does_not():
    shut, opened = biases("chrono")
    alone = biases("chrono_forget")
    assert torch.equal(shut, -opened)
    assert torch.equal(alone[1], opened)
    assert not alone[0].any()
    assert (1 + opened.exp()).min() >= 2
    assert (1 + opened.exp()).max() <= 100.001


def test_evenly_spaced_time_scales_are_even_in_their_logarithm():
    bias = evenly_(LSTM(8, 16), 100.0).from_input.bias.detach()
    assert torch.equal(bias[:16], -bias[16:32])
    assert 1 / (1 - torch.sigmoid(bias[16:32])) == pytest.approx(2 * 50 ** torch.linspace(0, 1, 16), rel=1e-4)


def test_all_have_as_many_weights_to_within_four_percent():
    sizes = [sum(p.numel() for p in ManyToOne(build(start, 100.0, 0), 4).parameters()) for start in STARTS]
    assert max(sizes) < 1.04 * min(sizes)


def test_a_start_is_repeated_by_its_seed():
    for start in STARTS:
        one, two, other = (build(start, 100.0, seed).state_dict() for seed in (0, 0, 1))
        assert all(torch.equal(one[name], two[name]) for name in one)
        assert any(not torch.equal(one[name], other[name]) for name in one)


def test_a_short_lag_is_learned():
    recipe = RecallRecipe("chrono", lag=2, steps=60)
    assert recipe.accuracy(recipe.train()) > 0.95


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["lstm", "rnn"])
def test_text_is_learned(kind):
    recipe = TextRecipe(kind, steps=30)
    assert bits(recipe.build(), "validation") > 5.9
    assert bits(recipe.train(), "validation") < 4.8


@pytest.mark.parametrize(
    ("recipe", "field", "value"),
    [
        (RecallRecipe, "start", "bias_2"),
        (RecallRecipe, "lag", 0),
        (RecallRecipe, "pace", (0.0, 1.0)),
        (TextRecipe, "kind", "gru"),
        (TextRecipe, "rate", -1.0),
    ],
)
def test_fields_are_refused_by_name(recipe, field, value):
    with pytest.raises(ValueError, match=f"{field}: got"):
        recipe(**{field: value})
