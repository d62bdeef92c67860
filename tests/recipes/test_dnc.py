"""What is trained: one mechanism cut at a time, and sizes that are alike; the weights of the page know Berlin."""

import pytest
import torch

from attend.recipes.dnc import Cut, DncRecipe, accuracy, batches, build, trained, without
from attend.soft.dnc import DNC
from attend.tasks import metro


def weights(model):
    return sum(p.numel() for p in model.parameters())


@pytest.mark.parametrize("task", ["traversal", "repeat"])
def test_all_kinds_have_about_as_many_weights(task):
    sizes = {kind: weights(build(task, kind, 0)) for kind in ("whole", "links", "freeing", "allocation", "lstm")}
    assert len({sizes[kind] for kind in ("whole", "links", "freeing", "allocation")}) == 1
    assert sizes["whole"] <= sizes["lstm"] < 1.04 * sizes["whole"]


def test_each_kind_lacks_one_mechanism():
    h = torch.randn(3, 64)
    asked = {kind: build("repeat", kind, 0).interface(h) for kind in ("whole", "links", "freeing", "allocation")}
    assert torch.equal(asked["links"].modes, torch.tensor([0.0, 1.0, 0.0]).expand(3, 1, 3))
    assert (asked["freeing"].free == 0).all()
    assert (asked["allocation"].allocate == 0).all()
    changed = {"links": {"modes"}, "freeing": {"free"}, "allocation": {"allocate"}}
    for kind, names in changed.items():
        for name, one, two in zip(asked[kind]._fields, asked["whole"], asked[kind], strict=True):
            assert torch.equal(one, two) == (name not in names)


def test_what_is_cut_after_training_keeps_its_weights():
    whole = build("traversal", "whole", 1)
    cut = without(whole, "links")
    assert isinstance(cut, Cut)
    assert all(torch.equal(one, two) for one, two in zip(whole.parameters(), cut.parameters(), strict=True))
    x, _ = metro.traversal(2, 3, 2, 2, generator=torch.Generator().manual_seed(0))
    assert not torch.equal(whole(x)[0], cut(x)[0])


@pytest.mark.nightly
@pytest.mark.parametrize("task", ["traversal", "repeat"])
def test_training_is_repeatable_and_seeds_differ(task):
    losses = [DncRecipe(task, seed=seed, steps=3).train()[1].losses for seed in (0, 0, 1)]
    assert losses[0] == losses[1]
    assert losses[0] != losses[2]


def test_batches_have_all_sizes():
    stream = batches("repeat", 0)
    lengths = {next(stream)[0].shape[1] // 4 for _ in range(60)}
    assert lengths == set(range(2, 9))
    stream = batches("traversal", 0)
    rides = {next(stream)[0].shape[1] - 8 for _ in range(60)}
    assert rides == {2, 6, 8, 10, 12}


def test_accuracy_counts_what_is_asked():
    class Knows(DNC):
        def forward(self, x, slots=None):
            return torch.nn.functional.one_hot(torch.zeros(2, 4, dtype=torch.long), 3).float(), []

    assert accuracy(Knows(1, 3), torch.zeros(2, 4, 1), torch.tensor([[-100, 0], [0, 1]])) == pytest.approx(2 / 3)


def test_the_network_of_the_page_knows_its_way_through_berlin():
    drawn = metro.city(50, 8, torch.Generator().manual_seed(3))
    assert accuracy(trained(), *drawn, slots=32) > 0.9


@pytest.mark.parametrize(("field", "value"), [("task", "sorting"), ("kind", "gates"), ("steps", 0), ("rate", -1.0)])
def test_a_setting_that_does_not_fit_is_refused_by_name(field, value):
    with pytest.raises(ValueError, match=f"{field}: got"):
        DncRecipe(**{field: value})
