"""The committed weights are those of the recipe, and do what the page says of them."""

import pytest
import torch

from attend.recipes.convnet import PUBLISHED, SEEDS, ConvNetRecipe, PerceptronRecipe, accuracy, by_shift, probe, scores
from attend.tasks import digits


@pytest.fixture(scope="module")
def test():
    return digits.digits("test")


@pytest.mark.parametrize("seed", SEEDS)
def test_a_centred_digit_is_read_by_every_published_net(test, seed):
    assert accuracy(ConvNetRecipe(seed=seed).load(), *test) > 0.97
    assert accuracy(ConvNetRecipe(seed=seed, pool="subsample").load(), *test) > 0.95


@pytest.mark.parametrize("seed", SEEDS)
def test_the_net_of_the_canvas_reads_digits_anywhere(test, seed):
    canvases, _ = digits.place(test.images[:500], 60, torch.Generator().manual_seed(7))
    assert accuracy(ConvNetRecipe(canvas=40, epochs=8, seed=seed).load(), canvases, test.labels[:500]) > 0.96


def test_the_nets_of_two_recipes_have_two_names():
    names = {recipe.name for recipe in PUBLISHED} | {ConvNetRecipe(seed=1).name}
    assert len(names) == len(PUBLISHED) + 1


def test_weights_are_as_many_as_the_page_says():
    def count(model):
        return sum(p.numel() for p in model.parameters())

    assert count(ConvNetRecipe().build()) == 5_994
    assert count(PerceptronRecipe().build()) == 6_370
    assert count(PerceptronRecipe(hidden=76).build()) == 60_430


@pytest.mark.nightly
@pytest.mark.parametrize("recipe", [ConvNetRecipe, PerceptronRecipe])
def test_a_short_training_is_repeatable_and_learns(recipe, monkeypatch):
    monkeypatch.setitem(digits.SPLITS, "train", (0, 640))
    runs = [recipe(epochs=2, batch=32).train() for _ in range(2)]
    assert runs[0][1].losses == runs[1][1].losses
    assert sum(runs[0][1].losses[-5:]) < 0.8 * sum(runs[0][1].losses[:5])
    other = recipe(epochs=2, batch=32, seed=1).train()[1]
    assert other.losses != runs[0][1].losses


def test_building_leaves_the_random_numbers_of_the_reader_alone():
    torch.manual_seed(4)
    expected = torch.rand(3)
    torch.manual_seed(4)
    ConvNetRecipe().build()
    PerceptronRecipe().build()
    assert torch.equal(torch.rand(3), expected)


def test_batches_move_digits_only_on_a_larger_canvas():
    plain, moved = (next(ConvNetRecipe(canvas=canvas).batches()) for canvas in (28, 40))
    assert plain.images.shape == (32, 28, 28)
    assert moved.images.shape == (32, 40, 40)
    centres = [
        (images.sum(2) * torch.arange(images.shape[1])).sum(1) / images.sum((1, 2)) for images in (plain[0], moved[0])
    ]
    assert centres[1].std() > 2 * centres[0].std()


def test_accuracy_by_shift_is_that_of_shifted_digits(test):
    net, some = ConvNetRecipe().load(), digits.Digits(test.images[:40], test.labels[:40])
    found = by_shift(net, some, 2)
    assert found[0] == accuracy(net, *some)
    one_by_one = [accuracy(net, moved, some.labels) for moved in digits.shifts(some.images, 2)]
    assert found[2] == pytest.approx(sum(one_by_one) / 8)


def test_scores_do_not_depend_on_how_images_are_split(test):
    net = ConvNetRecipe().load()
    many = scores(net, test.images[:300])
    torch.testing.assert_close(many[250:], scores(net, test.images[250:300]))


def test_a_probe_finds_what_a_line_can_tell_apart_and_nothing_else():
    draw = torch.Generator().manual_seed(0)
    labels = torch.arange(600) % 3
    straight = torch.stack([labels == 0, labels == 1], dim=1) + 0.01 * torch.randn(600, 2, generator=draw)
    assert probe(straight[:300], labels[:300], straight[300:], labels[300:]) == 1
    noise = torch.randn(600, 2, generator=draw)
    assert probe(noise[:300], labels[:300], noise[300:], labels[300:]) < 0.45


def test_a_probe_is_that_of_torch():
    """The same regression as an nn.Linear trained on the same loss by many small steps of gradient descent."""
    draw = torch.Generator().manual_seed(1)
    features, labels = torch.randn(300, 4, generator=draw), torch.randint(10, (300,), generator=draw)
    features[torch.arange(300), labels % 4] += 2
    known = (features - features.mean(0)) / features.std(0)
    line = torch.nn.Linear(4, 10)
    optimiser = torch.optim.Adam(line.parameters(), lr=0.03)
    for _ in range(1_500):
        optimiser.zero_grad()
        loss = torch.nn.functional.cross_entropy(line(known), labels) + 1e-3 * line.weight.square().sum()
        loss.backward()
        optimiser.step()
    assert probe(features, labels, features, labels) == pytest.approx(accuracy(line, known, labels), abs=0.01)


def test_the_trained_second_layer_tells_more_than_the_first(test):
    held, net = digits.digits("validation"), ConvNetRecipe().load()
    peaks = {
        name: [
            torch.cat([net(part)[1][name][:, :8].amax((2, 3)) for part in of.images.split(250)]) for of in (held, test)
        ]
        for name in ("conv1", "conv2")
    }
    first, second = (probe(learn, held.labels, ask, test.labels) for learn, ask in peaks.values())
    assert second > first + 0.05
