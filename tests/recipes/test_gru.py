"""A GRU and what is taken away from it, and what short trainings make of them."""

import pytest
import torch

from attend.recipes.gru import (
    LATCH,
    LAYERS,
    RATES,
    TEXT,
    AddingRecipe,
    LatchRecipe,
    TextRecipe,
    build,
)
from attend.train.characters import bits

H, T = 4, 20


def gates(layer):
    """The gates of a layer on random inputs and states."""
    made = build(layer, 2, H, 50.0, 0)
    generator = torch.Generator().manual_seed(1)
    draw = lambda *shape: torch.randn(*shape, generator=generator)  # noqa: E731
    return made.gates(draw(T, 2), draw(T, H))


def test_a_gate_that_is_held_stands_where_it_is_held():
    assert bool((gates("no_reset").reset == 1).all())
    assert not gates("no_update").update.any()
    for gate in (gates("constant_gates").reset, gates("constant_gates").update):
        assert torch.equal(gate, gate[:1].expand_as(gate))
    assert gates("gru").update.std(dim=0).min() > 0


def test_gates_that_read_the_input_are_blind_to_the_state():
    layer = build("input_gates", 2, H, 50.0, 0)
    x, h = torch.randn(T, 2), torch.randn(T, H)
    one, two = layer.gates(x, h), layer.gates(x, -h)
    assert torch.equal(one.update, two.update)
    assert torch.equal(one.reset, two.reset)
    assert not torch.equal(one.candidate, two.candidate)


@pytest.mark.parametrize("layer", ["no_reset", "no_update", "input_gates", "constant_gates"])
def test_what_is_held_stays_held_in_training(layer):
    before = AddingRecipe(layer, T=10).build().layer.state_dict()
    after = AddingRecipe(layer, T=10, steps=3, rate=0.1).train().layer.state_dict()
    W, U = "from_input.weight", "from_hidden.weight"
    held = slice(0, 32) if layer == "no_reset" else slice(32, 64)
    assert not after[U][held].any()
    assert after[W][held].any() == (layer == "input_gates")
    assert not torch.equal(after[W][64:], before[W][64:])
    if layer in ("no_reset", "no_update"):
        assert torch.equal(after["from_input.bias"][held], before["from_input.bias"][held])


def test_weights_are_as_many_as_the_page_says():
    counts = [sum(p.numel() for p in AddingRecipe(layer).build().parameters()) for layer in LAYERS]
    assert counts == [3417, 3361, 3268, 3489, 3393, 3393, 3393, 3393, 3393, 225, 1217]


def test_every_layer_has_a_learning_rate():
    assert set(RATES["adding"]) == set(LAYERS)
    assert set(RATES["latch"]) == set(LATCH)
    assert set(RATES["text"]) == set(TEXT)


@pytest.mark.parametrize("layer", ["rnn", "lstm", "gru_default", "min_gru", "linear"])
def test_a_start_is_repeated_by_its_seed(layer):
    one, two, other = (build(layer, 2, H, 50.0, seed).state_dict() for seed in (0, 0, 1))
    assert all(torch.equal(one[name], two[name]) for name in one)
    assert any(not torch.equal(one[name], other[name]) for name in one)


@pytest.mark.nightly
def test_short_tasks_are_learned():
    adding = AddingRecipe("min_gru", T=6, steps=100, rate=3e-2)
    assert adding.explained(adding.train()) > 0.3
    latch = LatchRecipe("gru", lag=5, steps=40, rate=3e-2)
    assert latch.accuracy(latch.train()) > 0.9
    text = TextRecipe("gru", steps=20, rate=1e-2)
    assert bits(text.train(), "validation") < 5.2


@pytest.mark.parametrize(
    ("recipe", "field", "value"),
    [(AddingRecipe, "layer", "peephole"), (LatchRecipe, "lag", 0), (TextRecipe, "rate", -1.0)],
)
def test_fields_are_refused_by_name(recipe, field, value):
    with pytest.raises(ValueError, match=f"{field}: got"):
        recipe(**{field: value})
