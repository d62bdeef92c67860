"""Exercises of the page on hard attention and the policy gradient."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional as F

from attend.checks.answers import close, number, recognise, tensor
from attend.checks.exercise import Wrong, blame, exercise, written_class
from attend.hard.reinforce import HardAttention, leave_one_out, policy_gradient, rewards_to_go, sample_gaussian, score
from attend.tasks import street

SIZES = ((5, 3), (8, 2))
"""Two draws of every exercise, of sizes that cannot be mixed up."""


@exercise
def draw(step: object) -> str:
    """The step (3) of the scores: of windows with policy (0.1, 0.6, 0.3) the third paid 5, with baseline 3."""
    policy, corner = torch.tensor([0.1, 0.6, 0.3]), torch.tensor([0.0, 0.0, 1.0])
    got, right = tensor(step, 3, what="the step"), 2 * (corner - policy)
    if torch.allclose(got, right, atol=1e-3):
        return "The third window did better than expected, and takes from the other two."
    recognise(
        got,
        {
            "the sign is turned: 5 is more than 3, so go towards the window that was drawn": -right,
            "the baseline is missing: 5 - 3 is what counts": 5 * (corner - policy),
            "this is the score function alone: it still has to be multiplied by the advantage": corner - policy,
            "the advantage is 5 - 3, not 3": 3 * (corner - policy),
            "subtract the policy: the arrow begins at the policy, not at 0": 2 * corner,
            "the first factor is 1 for the window that was drawn, and that is the third": 2
            * (torch.tensor([1.0, 0.0, 0.0]) - policy),
            "the derivative is taken in the scores, where it is [s = k] - π; 1/π is that in the probabilities": 2
            * corner
            / policy,
            "π times it is what the exact gradient has, where all windows are added up; this one was drawn": 2
            * policy
            * (corner - policy),
        },
    )
    if abs(float(got.sum())) > 1e-3:
        raise Wrong("the three numbers must add up to 0: a softmax does not see what is added to all scores")
    raise Wrong("advantage times (corner minus policy): the corner of the third window is (0, 0, 1)")


@exercise
def estimate(gradient: Callable) -> str:
    """gradient(x, R, mean, sigma) -> (A): the policy gradient in the mean, from points x (N, A) and rewards R (N)."""
    for seed, (N, A) in enumerate(SIZES):
        generator = torch.Generator().manual_seed(seed)
        mean, sigma = torch.randn(A, generator=generator), (0.7, 1.6)[seed]
        x = sample_gaussian(mean, sigma, N, generator)
        R = 3 + torch.randn(N, generator=generator)
        got = tensor(gradient(x.clone(), R.clone(), mean.clone(), sigma), A, what="the gradient")
        scores, apart = score(x, mean, sigma), R[:, None] * (x - mean)
        plain = policy_gradient(scores, R)
        if any(close(got, right) for right in (plain, policy_gradient(scores, R, leave_one_out(R)))):
            continue
        recognise(
            got,
            {
                "the sign is turned: rewards are to grow, so go towards points that earned much": -plain,
                "divide by σ squared: this divides by σ alone": apart.mean(0) / sigma,
                "σ is missing: a wide draw says less about the gradient, so divide by σ²": apart.mean(0),
                "the mean over the points, not their sum: more points do not make the gradient longer": N * plain,
                "R is missing: these are arrows without rewards, and they balance": scores.mean(0),
                "arrows begin at the mean: x - mean, not x": (R[:, None] * x).mean(0) / sigma**2,
                "this baseline is the mean of all points, the own one too: it shrinks the gradient": policy_gradient(
                    scores, R, R.mean()
                ),
                "the reward goes with its own arrow: multiply first, then take the mean": R.mean() * scores.mean(0),
            },
        )
        raise Wrong("it should be the mean over the points of R times (x - mean) / σ², with or without a fair baseline")
    return "It needs rewards and no derivative of them: they may have steps, or be a person's answer."


@exercise
def credit(advantages: Callable) -> str:
    """advantages(rewards) -> (B, T): the reward-to-go less the mean of the other photos at the same look."""
    for seed, (B, T) in enumerate(SIZES):
        rewards = torch.randn(B, T, generator=torch.Generator().manual_seed(seed)) + 1
        got = tensor(advantages(rewards.clone()), B, T, what="the advantages")
        _credited(got, rewards)
    return "Each look answers for what it can still change, and is compared with others that did not see its draw."


def _credited(got: Tensor, rewards: Tensor) -> None:
    """Refuse advantages (B, T) that are not reward-to-go less the mean of the others."""
    to_go, so_far = rewards_to_go(rewards), rewards.cumsum(1)
    right = to_go - leave_one_out(to_go)
    if close(got, right):
        return
    every = rewards.sum(1, keepdim=True).expand_as(rewards)
    later = to_go - rewards
    recognise(
        got,
        {
            "the sign is turned: reward minus baseline": -right,
            "the baseline is missing: this is the reward-to-go itself": to_go,
            "this is the baseline: it has to be subtracted": leave_one_out(to_go),
            "every look gets the whole return: leave out what came before it": every - leave_one_out(every),
            "this adds up what came before a look: it can only change what comes after": so_far - leave_one_out(so_far),
            "each look gets its own reward alone: it also changes the later ones": rewards - leave_one_out(rewards),
            "a look's own reward belongs to what it can change": later - leave_one_out(later),
            "a photo's own reward is in its baseline: leave it out, or the gradient shrinks": to_go - to_go.mean(0),
            "the others are one fewer: divide by B - 1": to_go - (to_go.sum(0) - to_go) / len(to_go),
            "compare with other photos at the same look, not with other looks at the same photo": to_go
            - (to_go.sum(1, keepdim=True) - to_go) / (rewards.shape[1] - 1),
            "one baseline for all looks: take it for each look by itself, axis 0 alone": to_go - to_go.mean(),
        },
    )
    raise Wrong(
        "reward-to-go, less the mean reward-to-go of the other photos at the same look, for each photo and look"
    )


ENOUGH, STEPS = 0.5, 70
"""The share of right answers that a model must reach, and how long it is trained."""


@exercise
def build(made: type) -> str:
    """A loss (log_probs, rewards) -> a number whose gradient in log_probs (B, T) is minus the policy gradient."""
    written_class(made, "forward")
    with blame("your class"):
        loss = made()
    for seed, (B, T) in enumerate(SIZES):
        generator = torch.Generator().manual_seed(seed)
        rewards = torch.randn(B, T, generator=generator) + 1
        log_probs = -torch.rand(B, T, generator=generator)
        got = _gradient(loss, log_probs, rewards)
        advantage = -B * T * got
        if close(got, torch.zeros_like(got)):
            raise Wrong("the gradient is 0: keep log_probs as they are, and detach the advantages alone")
        right = rewards_to_go(rewards) - leave_one_out(rewards_to_go(rewards))
        if close(advantage, -right):
            raise Wrong("the sign is turned: an optimiser makes the loss small, so put a minus before the reward")
        if close(advantage, B * T * right) or close(advantage, T * right) or close(advantage, B * right):
            raise Wrong("take the mean over all photos and looks, not a sum")
        _credited(advantage, rewards)
        needy = rewards.clone().requires_grad_()
        value = _called(loss, log_probs.clone().requires_grad_(), needy)
        if torch.autograd.grad(value, needy, allow_unused=True)[0] is not None:
            raise Wrong("where rewards are computed, as log-probabilities are, a gradient flows into them: detach them")
    share = _trained(loss)
    if share < ENOUGH:
        raise Wrong(
            f"the gradients are right, but only {share:.0%} of the answers after training: does it keep a state?"
        )
    return f"{share:.0%} of the answers are right, after {STEPS} steps. Nobody told it where to look."


def _gradient(loss: Callable, log_probs: Tensor, rewards: Tensor) -> Tensor:
    """The gradient of the reader's loss in the log-probabilities."""
    leaf = log_probs.clone().requires_grad_()
    value = _called(loss, leaf, rewards)
    found = torch.autograd.grad(value, leaf, allow_unused=True)[0] if value.requires_grad else None
    if found is None:
        raise Wrong("no gradient reaches log_probs: the loss must be computed from them, and log_probs not detached")
    return found


def _called(loss: Callable, log_probs: Tensor, rewards: Tensor) -> Tensor:
    """What the loss returns, as one number that still has its graph."""
    with blame("your class"):
        value = loss(log_probs, rewards)
    if not isinstance(value, Tensor) or value.numel() != 1:
        raise Wrong("the loss must be one number, a tensor that still knows its gradient")
    number(value.detach(), "the loss")
    return value.reshape(())


def _trained(loss: Callable) -> float:
    """The share of right answers after the second of two looks at nine windows."""
    torch.manual_seed(2)
    model = HardAttention(16, 256, street.CLASSES)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(STEPS):
        photo = street.sample(128, 9)
        look = model(photo.thumbnails, photo.windows, 2)
        rewards = (look.logits.argmax(2) == photo.label[:, None]).float()
        what = F.cross_entropy(look.logits.flatten(0, 1), photo.label.repeat_interleave(2))
        optimiser.zero_grad()
        (what + _called(loss, look.log_probs, rewards)).backward()
        optimiser.step()
    photo = street.sample(1_000, 9, "test")
    with torch.no_grad():
        look = model(photo.thumbnails, photo.windows, 2)
    return (look.logits[:, -1].argmax(1) == photo.label).float().mean().item()
