"""The recurrent attention model beside torch's own layers, its rewards and loss beside brute force."""

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from attend.hard import ram
from attend.hard.glimpse import glimpse
from attend.hard.ram import RAM, correct_probs, loss, rewards

B, T, H, G, L, SIZE, WIDTH = 3, 4, 6, 5, 4, 4, 20


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.fixture
def model():
    return RAM(H, G, L, SIZE, 2, num_classes=3, generator=seeded()).double()


@pytest.fixture
def images():
    return torch.rand(B, WIDTH, WIDTH, generator=seeded(1), dtype=torch.float64)


@pytest.fixture
def labels():
    return torch.tensor([0, 2, 1])


def places_of(steps=T):
    return 2 * torch.rand(B, steps, 2, generator=seeded(2), dtype=torch.float64) - 1


class Twin(nn.Module):
    """The same model of torch's own layers, with the weights of ours; glimpses at given places."""

    def __init__(self, model):
        super().__init__()
        self.model, self.cell = model, nn.RNNCell(G, H, nonlinearity="relu").double()
        self.cell.weight_ih, self.cell.bias_ih = model.from_input.weight, model.from_input.bias
        self.cell.weight_hh = model.from_hidden.weight
        self.cell.bias_hh = nn.Parameter(torch.zeros(H).double(), requires_grad=False)

    def forward(self, images, locations):
        model, h, found = self.model, torch.zeros(len(images), H).double(), []
        for location in locations.unbind(1):
            mean, baseline = model.location_head(h).tanh(), model.baseline_head(h.detach())[:, 0]
            pixels = glimpse(images, location, SIZE, 2).flatten(1)
            both = model.what(pixels).relu(), model.where(location).relu()
            h = self.cell(model.combine(torch.cat(both, 1)).relu(), h)
            found.append((mean, baseline, model.classifier(h), h))
        return [torch.stack(part, 1) for part in zip(*found, strict=True)]


def test_values_and_gradients_are_those_of_torchs_layers(model, images):
    places = places_of()
    episode, twin = model(images, T, places), Twin(model)(images, places)
    parameters = list(model.parameters())
    for ours, theirs in zip((episode.means, episode.baselines, episode.logits, episode.hidden), twin, strict=True):
        torch.testing.assert_close(ours, theirs)
        weight = torch.rand(ours.shape, generator=seeded(3), dtype=torch.float64)
        grads = [
            torch.autograd.grad(
                (y * weight).sum(), parameters, retain_graph=True, allow_unused=True, materialize_grads=True
            )
            for y in (ours, theirs)
        ]
        for one, other in zip(*grads, strict=True):
            torch.testing.assert_close(one, other)


def test_steps_one_by_one_are_the_same_glimpses(model, images):
    episode, h = model(images, T), torch.zeros(B, H).double()
    for t in range(T):
        mean, baseline = model.plan(h)
        assert torch.equal(mean, episode.means[:, t])
        assert torch.equal(baseline, episode.baselines[:, t])
        h = model.step(glimpse(images, mean, SIZE, 2).flatten(1), mean, h)
        assert torch.equal(h, episode.hidden[:, t])
        assert torch.equal(model.classifier(h), episode.logits[:, t])


def test_given_places_come_first_and_the_model_goes_on(model, images):
    given = places_of(2)
    episode = model(images, T, given, sigma=0.2, generator=seeded(4))
    assert torch.equal(episode.locations[:, :2], given)
    assert torch.equal(episode.log_probs[:, :2], torch.zeros(B, 2).double())
    assert (episode.locations[:, 2:] != episode.means[:, 2:]).all()
    other = model(images, T, given.flip(0), sigma=0.2, generator=seeded(4))
    assert (other.means[:, 1] != episode.means[:, 1]).any()


def test_drawn_places_are_repeatable_and_have_the_log_of_their_density(model, images):
    one, two = (model(images, T, sigma=0.3, generator=seeded(5)) for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(one, two, strict=True))
    assert (model(images, T, sigma=0.3, generator=seeded(6)).locations != one.locations).all()
    density = torch.distributions.Normal(one.means, 0.3).log_prob(one.locations).sum(2)
    torch.testing.assert_close(one.log_probs, density)


def test_no_gradient_passes_through_a_place(model, images):
    episode = model(images, T, sigma=0.3, generator=seeded(5))
    assert not episode.locations.requires_grad
    (slope,) = torch.autograd.grad(episode.logits.sum(), model.location_head.weight, allow_unused=True)
    assert slope is None


def test_without_spread_places_are_the_means(model, images):
    episode = model(images, T)
    assert torch.equal(episode.locations, episode.means)
    assert torch.equal(episode.log_probs, torch.zeros(B, T).double())


def test_the_value_knows_nothing_of_the_place_it_comes_before(model, images):
    one = model(images, T, sigma=0.3, generator=seeded(5))
    two = model(images, T, one.locations[:, :2], sigma=0.3, generator=seeded(9))
    assert torch.equal(one.baselines[:, 2], two.baselines[:, 2])
    assert (one.locations[:, 2] != two.locations[:, 2]).all()
    assert (one.baselines[:, 3] != two.baselines[:, 3]).any()


def test_the_value_learns_from_the_summary_and_does_not_teach_it(model, images):
    episode = model(images, T)
    slopes = torch.autograd.grad(episode.baselines.sum(), list(model.parameters()), allow_unused=True)
    named = dict(zip([name for name, _ in model.named_parameters()], slopes, strict=True))
    assert {name for name, slope in named.items() if slope is not None} == {
        "baseline_head.weight",
        "baseline_head.bias",
    }


def test_aiming_teaches_the_summary(model, images):
    episode = model(images, T, sigma=0.3, generator=seeded(5))
    (slope,) = torch.autograd.grad(episode.log_probs[:, -1].sum(), model.what.weight)
    assert slope.abs().max() > 0


def test_a_wider_image_costs_the_same_weights_and_shows_the_same_digit(model):
    images = torch.zeros(1, WIDTH, WIDTH).double()
    images[:, 6:14, 6:14] = torch.rand(8, 8, generator=seeded(1), dtype=torch.float64)
    wide = torch.zeros(1, 4 * WIDTH, 4 * WIDTH).double()
    wide[:, 36:44, 36:44] = images[:, 6:14, 6:14]
    middle = torch.zeros(1, 1, 2).double()
    assert torch.equal(model(images, 1, middle).logits, model(wide, 1, middle).logits)


def test_chances_are_those_of_the_right_class(model, images, labels):
    scores = model(images, T).logits
    expected = torch.stack([scores[b, :, labels[b]].exp() / scores[b].exp().sum(1) for b in range(B)])
    torch.testing.assert_close(correct_probs(scores, labels), expected)
    with pytest.raises(ValueError, match="labels: got"):
        correct_probs(scores, torch.tensor([0, 1, 3]))


def test_a_place_is_paid_by_its_own_glimpse_and_all_that_follow():
    right = torch.tensor([[0.1, 0.3, 0.8]])
    torch.testing.assert_close(rewards(right), torch.tensor([[0.4, 0.55, 0.8]]))


def test_the_loss_is_its_three_parts(model, images, labels):
    episode = model(images, T, sigma=0.3, generator=seeded(5))
    paid = rewards(correct_probs(episode.logits, labels)).detach()
    named = torch.stack([cross_entropy(episode.logits[:, t], labels) for t in range(T)]).mean()
    advantage = paid - episode.baselines.detach()
    advantage = (advantage - advantage.mean()) / advantage.std(correction=0)
    error = ((paid - episode.baselines) ** 2).mean()
    expected = named - 0.3 * (advantage * episode.log_probs).mean() + error
    torch.testing.assert_close(loss(episode, labels, 0.3), expected)


def test_the_aim_is_taught_by_the_policy_alone(model, images, labels):
    episode = model(images, T, sigma=0.3, generator=seeded(5))
    (without,) = torch.autograd.grad(loss(episode, labels, 0.0), model.location_head.weight, retain_graph=True)
    (given,) = torch.autograd.grad(
        loss(model(images, T, episode.locations), labels),
        model.location_head.weight,
        allow_unused=True,
        materialize_grads=True,
    )
    (taught,) = torch.autograd.grad(loss(episode, labels), model.location_head.weight)
    assert torch.equal(without, torch.zeros_like(without))
    assert torch.equal(given, torch.zeros_like(given))
    assert taught.abs().max() > 0


def test_the_policy_gradient_is_within_three_standard_errors_of_the_exact_one():
    """One glimpse at one image: its class over a fine grid of places gives the gradient in closed form."""
    model = RAM(H, G, L, SIZE, 2, num_classes=3, generator=seeded(7)).double()
    image = torch.rand(1, WIDTH, WIDTH, generator=seeded(8), dtype=torch.float64)
    sigma, axis = 0.3, torch.linspace(-2.4, 2.4, 241, dtype=torch.float64)
    grid = torch.cartesian_prod(axis, axis)
    mean = model(image, 1).means[:, 0].detach()
    paid = correct_probs(model(image.expand(len(grid), -1, -1), 1, grid[:, None]).logits, torch.ones(len(grid)).long())[
        :, 0
    ]
    density = torch.distributions.Normal(mean, sigma).log_prob(grid).sum(1).exp() * 0.02**2
    assert abs(density.sum().item() - 1) < 1e-3
    exact = (paid.detach() * density)[:, None] * (grid - mean) / sigma**2
    N = 20_000
    episode = model(image.expand(N, -1, -1), 1, sigma=sigma, generator=seeded(9))
    slope = (episode.locations[:, 0] - mean) / sigma**2
    each = (correct_probs(episode.logits, torch.ones(N).long()).detach() - paid.mean().item()) * slope
    error = each.std(dim=0) / N**0.5
    assert ((each.mean(dim=0) - exact.sum(dim=0)).abs() < 3 * error).all()


def test_bad_numbers_are_refused_by_name(model, images):
    for arguments, name in (
        ({"steps": 0}, "steps"),
        ({"sigma": -1.0}, "sigma"),
        ({"steps": 1, "given": places_of(2)}, "given"),
    ):
        with pytest.raises(ValueError, match=f"^{name}: got"):
            model(images, **arguments)
    for arguments, name in (({"crop_size": 5}, "crop_size"), ({"hidden_size": 0}, "hidden_size")):
        with pytest.raises(ValueError, match=f"^{name}: got"):
            RAM(**arguments)


def calls():
    images = torch.linspace(0, 1, 2 * 16 * 16).view(2, 16, 16).sin().abs()
    model = ram.RAM(5, 4, 3, 4, 2, num_classes=3)
    locations = torch.zeros(2, 2)
    labels = torch.tensor([0, 2])
    return {
        ram.RAM: {
            "hidden_size": 5,
            "glimpse_size": 4,
            "location_size": 3,
            "crop_size": 4,
            "num_scales": 2,
            "num_classes": 3,
            "generator": torch.Generator(),
        },
        model.forward: {
            "images": images,
            "steps": 3,
            "given": locations[:, None],
            "sigma": 0.1,
            "generator": torch.Generator(),
        },
        ram.correct_probs: {"logits": torch.ones(2, 3, 4), "labels": labels},
        ram.rewards: {"correct": torch.tensor([[0.2, 0.5], [0.4, 0.1]])},
        ram.loss: {"episode": model(images, 3, sigma=0.1), "labels": labels, "policy_weight": 0.1},
    }


def good():
    model = ram.RAM(5, 4, 3, 4, 2, num_classes=3)
    return {
        model.forward: {"images": {"width"}},
    }
