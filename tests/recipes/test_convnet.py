"""The committed weights do what the page says of them, and the recipe compares what it says it compares."""

import pytest
import torch

from attend.recipes.convnet import KINDS, RATE, RATES, ConvNetRecipe, accuracy, by_shift, probe
from attend.tasks import digits

WEIGHTS = {
    "max": 5_994,
    "average": 5_994,
    "stride": 5_994,
    "local": 328_202,
    "dense": 60_430,
    "sliding": 5_994,
    "fixed": 11_274,
    "fixed_local": 907_754,
}


@pytest.fixture(scope="module")
def some():
    images, labels = digits.digits("test")
    return digits.Digits(images[:200], labels[:200])


def test_the_published_nets_read_digits(some):
    assert accuracy(ConvNetRecipe().load(), *some) > 0.94
    canvases, _ = digits.place(some.images, 60, torch.Generator().manual_seed(7))
    assert accuracy(ConvNetRecipe("sliding").load(), canvases, some.labels) > 0.93
    for other in (ConvNetRecipe("dense"), ConvNetRecipe(seed=1)):
        with pytest.raises(ValueError, match="self: got"):
            other.load()


@pytest.mark.parametrize("kind", KINDS)
def test_weights_are_as_many_as_the_page_says(kind):
    assert sum(p.numel() for p in ConvNetRecipe(kind).build().parameters()) == WEIGHTS[kind]


@pytest.mark.parametrize("kind", ["max", "dense"])
def test_a_short_training_is_repeatable(kind):
    one, two, other = (ConvNetRecipe(kind, seed, steps=5).train() for seed in (1, 1, 2))
    assert all(torch.equal(p, q) for p, q in zip(one.parameters(), two.parameters(), strict=True))
    assert not torch.equal(next(one.parameters()), next(other.parameters()))


def test_every_setting_was_tuned_with_the_same_rates():
    assert set(RATE.values()) <= set(RATES)
    assert {kind for kind, _ in (setting.split(", ") for setting in RATE)} == set(KINDS)


def test_a_dense_network_does_not_notice_a_shuffle_and_both_get_the_same_pixels(some):
    plain, shuffled = ConvNetRecipe("dense"), ConvNetRecipe("dense", shuffled=True)
    moved = shuffled.seen(some.images)
    assert torch.equal(moved.flatten(1).sort().values, some.images.flatten(1).sort().values)
    order = torch.randperm(784, generator=torch.Generator().manual_seed(3_000))
    one, two = plain.build(), shuffled.build()
    with torch.no_grad():
        two[1].weight.copy_(one[1].weight[:, order])
    torch.testing.assert_close(two(moved), one(some.images))


def test_canvases_are_new_each_time_and_plain_digits_are_not_moved(some):
    generator = torch.Generator().manual_seed(0)
    recipe = ConvNetRecipe("sliding")
    assert not torch.equal(recipe.seen(some.images, generator), recipe.seen(some.images, generator))
    assert torch.equal(ConvNetRecipe().seen(some.images), some.images)


def test_accuracy_by_shift_is_that_of_shifted_digits(some):
    net, few = ConvNetRecipe().load(), digits.Digits(some.images[:40], some.labels[:40])
    found = by_shift(net, few, 2)
    assert found[0] == accuracy(net, *few)
    one_by_one = [accuracy(net, moved, few.labels) for moved in digits.shifts(few.images, 2)]
    assert found[2] == pytest.approx(sum(one_by_one) / 8)


def test_a_probe_finds_what_a_line_can_tell_apart_and_nothing_else():
    draw = torch.Generator().manual_seed(0)
    labels = torch.arange(600) % 3
    straight = torch.stack([labels == 0, labels == 1], dim=1) + 0.01 * torch.randn(600, 2, generator=draw)
    assert probe(straight[:300], labels[:300], straight[300:], labels[300:]) == 1
    noise = torch.randn(600, 2, generator=draw)
    assert probe(noise[:300], labels[:300], noise[300:], labels[300:]) < 0.45
