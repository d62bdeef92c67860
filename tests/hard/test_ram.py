"""The recurrent attention model beside torch's own layers, and its loss beside brute force and an exact gradient."""

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from attend.hard.glimpse import glimpse
from attend.hard.ram import RAM, Episode, ram_loss, right_log_probs

B, T, H, L, SIZE, WIDTH = 6, 4, 6, 4, 4, 20
LABELS = torch.tensor([0, 2, 1, 0, 2, 1])


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.fixture
def model():
    torch.manual_seed(0)
    model = RAM(H, L, SIZE, 2, num_classes=3).double()
    nn.init.uniform_(model.location_head.weight, -0.5, 0.5)  # at its start it looks near the middle
    return model


@pytest.fixture
def images():
    return torch.rand(B // 2, WIDTH, WIDTH, generator=seeded(1), dtype=torch.float64).repeat(2, 1, 1)


def locations(steps=T):
    return 2 * torch.rand(B, steps, 2, generator=seeded(2), dtype=torch.float64) - 1


def drawn(model, images, steps=T, seed=5):
    torch.manual_seed(seed)
    return model(images, steps, sigma=0.3)


def gradients(value, of):
    return torch.autograd.grad(value, of, retain_graph=True, allow_unused=True, materialize_grads=True)


class Twin(nn.Module):
    """The same model of torch's own layers, with the weights of ours; glimpses at given locations."""

    def __init__(self, model):
        super().__init__()
        self.model, self.cell = model, nn.RNNCell(H, H, nonlinearity="relu").double()
        self.cell.weight_ih, self.cell.bias_ih = model.from_input.weight, model.from_input.bias
        self.cell.weight_hh = model.from_hidden.weight
        self.cell.bias_hh = nn.Parameter(torch.zeros(H).double(), requires_grad=False)

    def forward(self, images, given):
        model, h, found = self.model, torch.zeros(len(images), H).double(), []
        for location in given.unbind(1):
            mean = model.location_head(h).tanh()
            crops = glimpse(images, location, SIZE, 2).flatten(1)
            both = model.what(crops).relu(), model.where(location).relu()
            h = self.cell(model.combine(torch.cat(both, 1)).relu(), h)
            found.append((mean, model.classifier(h)))
        return [torch.stack(part, 1) for part in zip(*found, strict=True)]


def test_values_and_gradients_are_those_of_torchs_layers(model, images):
    given = locations()
    episode, twin = model(images, T, given=given), Twin(model)(images, given)
    parameters = list(model.parameters())
    for ours, theirs in zip((episode.means, episode.logits), twin, strict=True):
        torch.testing.assert_close(ours, theirs)
        weight = torch.rand(ours.shape, generator=seeded(3), dtype=torch.float64)
        for one, other in zip(*(gradients((y * weight).sum(), parameters) for y in (ours, theirs)), strict=True):
            torch.testing.assert_close(one, other)


def test_given_locations_come_first_and_the_model_goes_on(model, images):
    given = locations(2)
    episode = model(images, T, 0.2, given)
    assert torch.equal(episode.locations[:, :2], given)
    assert torch.equal(episode.log_probs[:, :2], torch.zeros(B, 2).double())
    assert (episode.locations[:, 2:] != episode.means[:, 2:]).all()
    other = model(images, T, 0.2, given.flip(0))
    assert (other.means[:, 1] != episode.means[:, 1]).any()


def test_drawn_locations_are_repeatable_and_have_the_log_of_their_density(model, images):
    one, two, other = (drawn(model, images, seed=seed) for seed in (5, 5, 6))
    assert all(torch.equal(a, b) for a, b in zip(one, two, strict=True))
    assert (other.locations != one.locations).all()
    density = torch.distributions.Normal(one.means, 0.3).log_prob(one.locations).sum(2)
    torch.testing.assert_close(one.log_probs, density)


def test_without_spread_locations_are_the_means(model, images):
    episode = model(images, T)
    assert torch.equal(episode.locations, episode.means)
    assert torch.equal(episode.log_probs, torch.zeros(B, T).double())


def test_no_gradient_passes_through_a_location_but_choosing_teaches_the_memory(model, images):
    episode = drawn(model, images)
    assert not episode.locations.requires_grad
    assert gradients(episode.logits.sum(), model.location_head.weight)[0].abs().max() == 0
    assert gradients(episode.log_probs[:, -1].sum(), model.what.weight)[0].abs().max() > 0


def test_a_wider_image_costs_the_same_weights_and_shows_the_same_digit(model):
    images = torch.zeros(1, WIDTH, WIDTH).double()
    images[:, 6:14, 6:14] = torch.rand(8, 8, generator=seeded(1), dtype=torch.float64)
    wide = torch.zeros(1, 4 * WIDTH, 4 * WIDTH).double()
    wide[:, 36:44, 36:44] = images[:, 6:14, 6:14]
    middle = torch.zeros(1, 1, 2).double()
    assert torch.equal(model(images, 1, given=middle).logits, model(wide, 1, given=middle).logits)


def test_right_log_probs_are_those_of_the_right_class(model, images):
    logits = model(images, T).logits
    expected = torch.stack([logits[b].log_softmax(1)[:, LABELS[b]] for b in range(B)])
    torch.testing.assert_close(right_log_probs(logits, LABELS), expected)
    with pytest.raises(ValueError, match="labels: got"):
        right_log_probs(logits, LABELS + 1)


def test_the_loss_by_brute_force(model, images):
    episode = drawn(model, images)
    reward = right_log_probs(episode.logits, LABELS).exp().detach()
    where = 0.0
    for b in range(B):
        other = (b + B // 2) % B  # of two draws at each image
        for t in range(T):
            where = where - (reward[b, t:].sum() - reward[other, t:].sum()) * episode.log_probs[b, t] / (B * T)
    what = cross_entropy(episode.logits.flatten(0, 1), LABELS.repeat_interleave(T))
    found = ram_loss(episode, LABELS, 2, 0.7)
    torch.testing.assert_close(found, what + 0.7 * where)
    for one, other in zip(*(gradients(y, list(model.parameters())) for y in (found, what + 0.7 * where)), strict=True):
        torch.testing.assert_close(one, other)
    with pytest.raises(ValueError, match="draws: got 4"):
        ram_loss(episode, LABELS, 4)


def test_on_average_it_is_the_gradient_of_the_expected_reward():
    """One location in one dimension that counts, reward σ(location): E[reward]' is known by quadrature."""
    N, sigma = 40_000, 0.5
    mean = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
    policy = torch.distributions.Normal(mean, sigma)
    places = policy.sample((2 * N,))
    logits = torch.stack([torch.zeros(2 * N).double(), places], dim=1)[:, None]  # the right class 1: σ(location)
    episode = Episode(
        torch.zeros(2 * N, 1, 2).double(), torch.zeros(2 * N, 1, 2).double(), policy.log_prob(places)[:, None], logits
    )
    torch.manual_seed(0)
    (estimate,) = torch.autograd.grad(-ram_loss(episode, torch.ones(2 * N, dtype=torch.long), 2), mean)
    points = torch.linspace(-6, 6, 4_001, dtype=torch.float64)
    density = torch.exp(-0.5 * points**2) / (2 * torch.pi) ** 0.5
    slope = torch.sigmoid(mean.detach() + sigma * points)
    exact = torch.trapezoid(density * slope * (1 - slope), points)
    assert estimate.item() == pytest.approx(exact.item(), rel=0.05)


def calls():
    MODEL = RAM(3, 2, 4, 2, num_classes=3)
    episode = MODEL(torch.ones(4, 20, 20), 2, 0.1)
    return {
        RAM: {"hidden_size": 3, "location_size": 2, "crop_size": 4, "num_scales": 2, "num_classes": 3},
        MODEL.forward: {"images": torch.ones(2, 20, 20), "steps": 2, "sigma": 0.1, "given": torch.zeros(2, 1, 2)},
        right_log_probs: {"logits": torch.zeros(2, 3, 4), "labels": torch.tensor([0, 3])},
        ram_loss: {"episode": episode, "labels": torch.tensor([0, 1, 0, 1]), "draws": 2, "weight": 0.5},
    }


def good():
    MODEL = RAM(3, 2, 4, 2, num_classes=3)
    return {MODEL.forward: {"sigma": {"zero"}, "images": {"width"}}, ram_loss: {"weight": {"zero"}}}
