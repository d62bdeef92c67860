"""Estimates beside exact gradients, within three standard errors; what a baseline does and what it must not see."""

import math

import pytest
import torch
from torch.distributions import Categorical, Normal

from attend.hard import reinforce
from attend.hard.reinforce import (
    HardAttention,
    entropy,
    estimator_variance,
    exact_gradient,
    gaussian_log_prob,
    leave_one_out,
    normalised,
    policy_gradient,
    reinforce_loss,
    rewards_to_go,
    sample_categorical,
    sample_gaussian,
    score,
)

MEAN, SIGMA, FLOOR = torch.tensor([1.5, -1.0], dtype=torch.float64), 0.5, 2.0


def seeded(seed):
    return torch.Generator().manual_seed(seed)


def bowl(x):
    """A bowl around 0; over samples its mean has the slope of the bowl itself, at the mean of the samples."""
    return 0.5 * x.square().sum(-1) + FLOOR


def miss(x):
    """1 unless the first axis is met within half a unit: no slope anywhere."""
    return (x[..., 0].abs() > 0.5).double()


def slope_of_misses(mean):
    """∂ chance of a miss / ∂ mean, from the normal density at the two edges."""
    edges = Normal(mean[0], SIGMA).log_prob(torch.tensor([-0.5, 0.5], dtype=torch.float64)).exp()
    return torch.stack([edges[1] - edges[0], torch.zeros((), dtype=torch.float64)])


BASELINES = {
    "none": lambda scores, f: 0.0,
    "a constant": lambda scores, f: torch.tensor(3.0, dtype=torch.float64),
    "of the others": lambda scores, f: leave_one_out(f),
}


def estimates(f, mean, baseline, count, trials, seed):
    """(trials, A) estimates of `count` samples each."""
    means = mean.expand(trials, -1)
    x = sample_gaussian(means, SIGMA, count, seeded(seed))
    scores, values = score(x, means, SIGMA), f(x)
    return policy_gradient(scores, values, baseline(scores, values))


def off(values, exact):
    """How many standard errors the mean of `values` (N, …) is off, at most."""
    error = values.std(dim=0) / len(values) ** 0.5
    return ((values.mean(dim=0) - exact).abs() / error.clamp(min=1e-300)).max().item()


def test_the_density_is_torchs_and_the_score_is_its_slope():
    x = sample_gaussian(MEAN, SIGMA, 20, seeded(0))
    torch.testing.assert_close(gaussian_log_prob(x, MEAN, SIGMA), Normal(MEAN, SIGMA).log_prob(x).sum(1))
    mean = MEAN.clone().requires_grad_()
    for sample in x:
        (slope,) = torch.autograd.grad(gaussian_log_prob(sample, mean, SIGMA), mean)
        torch.testing.assert_close(score(sample, MEAN, SIGMA), slope)


def test_samples_are_normal_repeatable_and_carry_no_gradient():
    x = sample_gaussian(MEAN.clone().requires_grad_(), SIGMA, 40_000, seeded(1))
    assert not x.requires_grad
    assert off(x, MEAN) < 3
    assert off((x - MEAN).square(), SIGMA**2) < 3
    assert torch.equal(x, sample_gaussian(MEAN, SIGMA, 40_000, seeded(1)))
    assert not torch.equal(x, sample_gaussian(MEAN, SIGMA, 40_000, seeded(2)))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("baseline", BASELINES.values(), ids=BASELINES)
@pytest.mark.parametrize(("f", "slope"), [(bowl, lambda mean: mean), (miss, slope_of_misses)], ids=["bowl", "miss"])
def test_the_estimate_is_right_on_average(f, slope, baseline, seed):
    assert off(estimates(f, MEAN, baseline, 4, 40_000, seed), slope(MEAN)) < 3


def test_another_slope_would_be_noticed():
    assert off(estimates(bowl, MEAN, BASELINES["of the others"], 4, 40_000, 0), 1.05 * MEAN) > 3


def test_a_baseline_that_saw_its_own_sample_shrinks_the_slope():
    N = 4
    got = estimates(bowl, MEAN, lambda scores, f: f.mean(dim=0, keepdim=True), N, 40_000, 8)
    assert off(got, (N - 1) / N * MEAN) < 3
    assert off(got, MEAN) > 10
    assert not estimates(bowl, MEAN, lambda scores, f: f, N, 10, 8).any()


def test_the_mean_of_the_others_by_hand():
    f = torch.tensor([[1.0, 10.0], [2.0, 20.0], [6.0, 0.0]])
    assert leave_one_out(f).tolist() == [[4.0, 10.0], [3.5, 5.0], [1.5, 15.0]]
    scores = torch.randn(3, 2, 4, generator=seeded(9))
    together = torch.stack(
        [torch.cov(torch.stack([s, v])) for s, v in zip(scores[:, 0].T, f[:, 0].expand(4, 3), strict=True)]
    )
    torch.testing.assert_close(policy_gradient(scores, f, leave_one_out(f))[0], together[:, 0, 1])


def test_the_loss_has_the_estimate_as_its_gradient():
    mean = MEAN.clone().requires_grad_()
    x = sample_gaussian(mean, SIGMA, 30, seeded(10))
    baseline = bowl(x).mean().requires_grad_()
    loss = reinforce_loss(gaussian_log_prob(x, mean, SIGMA), -bowl(x), -baseline)
    loss.backward()
    torch.testing.assert_close(mean.grad, policy_gradient(score(x, MEAN, SIGMA), bowl(x), baseline.detach()))
    assert baseline.grad is None


@pytest.mark.parametrize(("scale", "shift"), [(1.0, 0.0), (10.0, 0.0), (1e-9, 0.0), (0.3, 100.0)])
def test_normalised_advantages_know_no_scale_and_no_shift(scale, shift):
    f = torch.tensor([0.2, 0.9, 0.4, 0.4], dtype=torch.float64)
    got = normalised(scale * f + shift)
    torch.testing.assert_close(got, normalised(f))
    torch.testing.assert_close(normalised(-f), -got)
    assert got.mean().item() == pytest.approx(0, abs=1e-9)
    assert got.std(correction=0).item() == pytest.approx(1)


@pytest.mark.parametrize("value", [0.0, 0.1, 1e6, -3.3])
def test_equal_values_have_no_advantage(value):
    assert not normalised(torch.full((7,), value)).any()


WEIGHTS = torch.tensor([0.5, 0.3, 0.15, 0.05, 0.0], dtype=torch.float64)
VALUES = torch.tensor([3.0, 1.0, 4.0, 1.5, 9.0], dtype=torch.float64)


def test_places_come_as_often_as_their_weights_say():
    choice = sample_categorical(WEIGHTS.expand(3, 20_000, 5), seeded(11))
    assert choice.index.shape == choice.log_prob.shape == (3, 20_000)
    torch.testing.assert_close(choice.log_prob.exp(), WEIGHTS[choice.index])
    seen = torch.nn.functional.one_hot(choice.index.flatten(), 5).double()
    assert off(seen[:, :4], WEIGHTS[:4]) < 3
    assert not seen[:, 4].any()
    assert torch.equal(choice.index, sample_categorical(WEIGHTS.expand(3, 20_000, 5), seeded(11)).index)
    assert not torch.equal(choice.index, sample_categorical(WEIGHTS.expand(3, 20_000, 5), seeded(12)).index)


def test_the_exact_slope_of_a_choice_is_that_of_automatic_differentiation():
    scores = torch.randn(2, 3, 5, dtype=torch.float64, generator=seeded(13)).requires_grad_()
    f = torch.randn(2, 3, 5, dtype=torch.float64, generator=seeded(14))
    (exact,) = torch.autograd.grad((scores.softmax(2) * f).sum(), scores)
    torch.testing.assert_close(exact_gradient(scores.detach().softmax(2), f), exact)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("baseline", [0.0, 2.0])
def test_the_estimate_of_a_choice_is_right_on_average(baseline, seed):
    runs, scores = 40_000, torch.tensor([1.0, 0.5, -0.2, -1.0, 0.0], dtype=torch.float64)
    each = scores.expand(runs, 1, 5).clone().requires_grad_()
    choice = sample_categorical(each.softmax(2), seeded(20 + seed))
    loss = reinforce_loss(choice.log_prob, -VALUES[choice.index], -baseline)
    (estimate,) = torch.autograd.grad(loss * runs, each)
    assert off(estimate[:, 0], exact_gradient(scores.softmax(0), VALUES)) < 3


@pytest.mark.parametrize("baseline", [0.0, 4.0, 10.0])
def test_the_variance_is_that_of_all_possible_estimates(baseline):
    probs, rewards = torch.tensor([0.5, 0.3, 0.2]).double(), torch.tensor([4.0, 6.0, 2.0]).double()
    estimates = (rewards - baseline)[:, None] * (torch.eye(3).double() - probs)  # a row for each draw
    mean = probs @ estimates
    torch.testing.assert_close(mean, exact_gradient(probs, rewards))
    wanted = (probs @ (estimates - mean).square()).sum()
    torch.testing.assert_close(estimator_variance(probs, rewards, baseline), wanted)
    rows = estimator_variance(probs.expand(2, 3), rewards.expand(2, 3), torch.full((2, 1), baseline).double())
    torch.testing.assert_close(rows, wanted.expand(2))


def attentive(seed=0, looks=3, B=5, S=4):
    torch.manual_seed(seed)
    model = HardAttention(thumbnail_size=6, window_size=7, num_classes=3).double()
    thumbnails, windows = torch.randn(B, S, 6).double(), torch.randn(B, S, 7).double()
    return model, thumbnails, windows, model(thumbnails, windows, looks)


def test_no_window_is_drawn_twice_and_only_those_drawn_are_read():
    model, _, windows, looks = attentive(looks=4)
    assert (looks.index.sort(dim=1).values == torch.arange(4)).all()
    torch.testing.assert_close(looks.log_probs[:, 3], torch.zeros(5).double())  # only one was left
    torch.testing.assert_close(looks.entropies[:, 3], torch.zeros(5).double())
    for b in range(5):
        read = model.reader(windows[b, looks.index[b]]).cumsum(dim=0)
        torch.testing.assert_close(looks.logits[b], read)


def test_the_log_probabilities_are_those_of_draws_without_return():
    model, thumbnails, _, looks = attentive()
    weights = model.score(thumbnails)[..., 0].exp()
    for t in range(3):
        drawn = weights.gather(1, looks.index[:, t : t + 1])[:, 0]
        torch.testing.assert_close(looks.log_probs[:, t], (drawn / weights.sum(1)).log())
        weights = weights.scatter(1, looks.index[:, t : t + 1], 0.0)


def test_windows_are_drawn_as_often_as_the_policy_says():
    model, thumbnails, windows, _ = attentive(B=1)
    index = model(thumbnails.expand(40_000, -1, -1), windows.expand(40_000, -1, -1)).index[:, 0]
    seen = torch.nn.functional.one_hot(index, 4).double()
    assert off(seen, model.score(thumbnails)[0, :, 0].softmax(0)) < 3.5


def test_the_gradient_of_two_looks_is_right_on_average_with_later_rewards_alone():
    model, thumbnails, windows, _ = attentive(B=1, S=3)
    pay = torch.tensor([1.0, 3.0, -2.0]).double()  # each window pays the same, whenever it is drawn
    scores = model.score(thumbnails)[0, :, 0].detach().requires_grad_()
    probs = scores.softmax(0)
    expected = sum(
        probs[i] * (pay[i] + sum(probs[j] / (1 - probs[i]) * pay[j] for j in range(3) if j != i)) for i in range(3)
    )
    (exact,) = torch.autograd.grad(expected, scores)
    runs = 40_000
    looks = model(thumbnails.expand(runs, -1, -1), windows.expand(runs, -1, -1), 2)
    first, second = torch.nn.functional.one_hot(looks.index, 3).double().unbind(1)
    left = (1 - first) * probs.detach()
    arrows = torch.stack([first - probs.detach(), second - left / left.sum(1, keepdim=True)], dim=1)
    credit = rewards_to_go(pay[looks.index])
    estimate = ((credit - leave_one_out(credit))[:, :, None] * arrows).sum(1)
    assert off(estimate, exact) < 3.5


def test_rewards_to_go_by_hand():
    assert rewards_to_go(torch.tensor([[1.0, 0.0, 2.0], [0.0, 5.0, 0.0]])).tolist() == [[3, 2, 2], [5, 5, 0]]


def test_entropy_is_torchs_between_certain_and_even():
    assert entropy(WEIGHTS).item() == pytest.approx(Categorical(WEIGHTS).entropy().item())
    assert entropy(torch.tensor([[1.0, 0.0], [0.5, 0.5]])).tolist() == pytest.approx([0, math.log(2)])


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: sample_gaussian(MEAN, 0.0, 3), "sigma"),
        (lambda: sample_gaussian(MEAN, 1.0, 0), "count"),
        (lambda: leave_one_out(torch.ones(1)), "f"),
        (lambda: normalised(torch.ones(1)), "advantage"),
        (lambda: attentive(looks=5), "looks"),
        (lambda: estimator_variance(torch.tensor([0.5, 0.6]), torch.ones(2)), "probs"),
        (lambda: policy_gradient(torch.ones(3, 2), torch.ones(3), torch.ones(2)), "baseline"),
        (lambda: policy_gradient(torch.ones(3, 2), torch.ones(3), math.inf), "baseline"),
        (lambda: sample_categorical(torch.full((1, 1, 3), 0.5)), "probs"),
        (lambda: exact_gradient(torch.tensor([1.5, -0.5]), torch.ones(2)), "probs"),
        (lambda: entropy(torch.tensor([0.5, 0.4])), "probs"),
    ],
)
def test_bad_input_is_refused_by_name(call, named):
    with pytest.raises(ValueError, match=f"{named}: got"):
        call()


def calls():
    MODEL = HardAttention(thumbnail_size=3, window_size=5, num_classes=2)
    MEAN = torch.zeros(2, 3)
    SAMPLES = torch.ones(5, 2, 3)
    SCORES = torch.ones(5, 3)
    F = torch.arange(5.0)
    PROBS = torch.tensor([[[0.5, 0.25, 0.25]], [[1.0, 0.0, 0.0]]])
    return {
        reinforce.sample_gaussian: {"mean": MEAN, "sigma": 0.5, "count": 4, "generator": torch.Generator()},
        reinforce.gaussian_log_prob: {"sample": SAMPLES, "mean": MEAN, "sigma": 0.5},
        reinforce.score: {"sample": SAMPLES, "mean": MEAN, "sigma": 0.5},
        reinforce.policy_gradient: {"scores": SCORES, "f": F, "baseline": 0.5},
        reinforce.leave_one_out: {"f": F},
        reinforce.HardAttention: {"thumbnail_size": 3, "window_size": 5, "num_classes": 2, "hidden_size": 4},
        MODEL.forward: {"thumbnails": torch.ones(2, 4, 3), "windows": torch.ones(2, 4, 5), "looks": 2},
        reinforce.rewards_to_go: {"rewards": SCORES},
        reinforce.estimator_variance: {"probs": PROBS[:, 0], "rewards": torch.ones(2, 3), "baseline": 0.5},
        reinforce.reinforce_loss: {"log_probs": F, "rewards": F, "baseline": 0.5},
        reinforce.normalised: {"advantage": F},
        reinforce.sample_categorical: {"probs": PROBS, "generator": torch.Generator()},
        reinforce.exact_gradient: {"probs": PROBS, "f": torch.ones(2, 1, 3)},
        reinforce.entropy: {"probs": PROBS},
    }


def good():
    return {
        reinforce.sample_gaussian: {"mean": {"rank"}},
        reinforce.gaussian_log_prob: {"sample": {"rank"}, "mean": {"rank"}},
        reinforce.score: {"sample": {"rank"}, "mean": {"rank"}},
        reinforce.leave_one_out: {"f": {"rank"}},
        reinforce.normalised: {"advantage": {"rank"}},
        reinforce.exact_gradient: {"probs": {"rank"}, "f": {"rank"}},
        reinforce.entropy: {"probs": {"rank"}},
    }
