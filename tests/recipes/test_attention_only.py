"""What is trained, on what, and what a model that nobody trained knows."""

import pytest
import torch

from attend.recipes.attention_only import KINDS, PronounRecipe, RepeatsRecipe, build, named, right_of, without
from attend.tasks import pronouns


def test_all_kinds_have_as_many_weights_to_within_four_percent():
    sizes = [sum(p.numel() for p in build(kind, 0).parameters()) for kind in KINDS]
    assert max(sizes) < 1.04 * min(sizes)


def test_a_start_is_repeated_by_its_seed():
    for kind in KINDS:
        one, two, other = (build(kind, seed).state_dict() for seed in (0, 0, 1))
        assert all(torch.equal(one[name], two[name]) for name in one)
        assert any(not torch.equal(one[name], other[name]) for name in one)


def test_untrained_models_know_next_to_nothing():
    for kind in KINDS:
        assert right_of(build(kind, 0), 100) < 0.15


def test_a_short_training_lowers_the_loss():
    losses = []
    RepeatsRecipe(steps=30).train(callbacks=(lambda step: losses.append(step.loss),))
    assert sum(losses[-5:]) < sum(losses[:5])


def test_what_is_named_stands_at_it():
    model, made = PronounRecipe().build(), pronouns.sample(3, generator=torch.Generator().manual_seed(0))
    logits, weights = named(model, made)
    wanted, tables = model(made.tokens)
    for row, it in enumerate(made.it.tolist()):
        assert torch.equal(logits[row], wanted[row, it])
        assert torch.equal(weights[row], tables[row, :, :, it])


def test_a_head_is_cut_in_a_copy():
    model = PronounRecipe().build()
    before = model.layers[1].out_proj.weight.clone()
    other = without(model, 1, 2)
    assert torch.equal(model.layers[1].out_proj.weight, before)
    assert not other.layers[1].out_proj.weight[:, 16:24].any()


def test_the_model_of_the_figure_names_the_right_animal():
    model, made = PronounRecipe().load(), pronouns.sample(300, "test", torch.Generator().manual_seed(5))
    assert (named(model, made)[0].argmax(1) == made.at("referent")).float().mean() > 0.97


@pytest.mark.parametrize(
    ("recipe", "field", "value"),
    [(RepeatsRecipe, "kind", "three layers"), (RepeatsRecipe, "steps", 0), (PronounRecipe, "rate", -1.0)],
)
def test_fields_are_refused_by_name(recipe, field, value):
    with pytest.raises(ValueError, match=f"{field}: got"):
        recipe(**{field: value})
