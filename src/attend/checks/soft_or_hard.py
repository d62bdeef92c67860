"""Exercises of the page that compares soft and hard attention."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional as F

from attend.checks.answers import close, number, tensor
from attend.checks.exercise import Wrong, blame, exercise, written_class
from attend.hard.look import AttentionClassifier, gumbel_softmax, sparsemax, straight_through
from attend.tasks import street

SIZES = ((7, 5), (4, 9))
"""Two draws of every exercise, of sizes that cannot be mixed up."""


@exercise
def by_hand(weights: object) -> str:
    """The sparsemax (4) of the scores 2, 1.8, 0.9 and -1."""
    scores = torch.tensor([2.0, 1.8, 0.9, -1.0])
    got, right = tensor(weights, 4, what="the weights"), sparsemax(scores)
    if torch.allclose(got, right, atol=2e-3):
        return "The threshold is 1.4. What lies below it gets nothing, and no gradient either."
    _recognise(
        got,
        {
            "this is the softmax: it never gives a 0": scores.softmax(0),
            "the threshold for three: the third score lies below it, so it does not belong": scores - (4.7 - 1) / 3,
            "the threshold for three: the third score lies below it, so leave it out and compute anew": (
                scores - (4.7 - 1) / 3
            ).clamp(min=0),
            "the threshold for all four: two of the scores lie below it, so leave them out and compute anew": (
                scores - (3.7 - 1) / 4
            ).clamp(min=0),
            "this is one window alone: is 2 far enough above 1.8 for that?": torch.tensor([1.0, 0, 0, 0]),
            "what stands above the threshold adds up to 1: take 1 off the sum before you divide": (scores - 1.9).clamp(
                min=0
            ),
            "this divides each score by their sum; sparsemax subtracts the same number from each": scores.clamp(min=0)
            / 4.7,
        },
    )
    if abs(float(got.sum()) - 1) > 2e-3:
        raise Wrong("weights add up to 1")
    raise Wrong("lower a threshold until what stands above it adds up to 1: who stands above it then?")


@exercise
def backward(gradient: Callable) -> str:
    """gradient(weights, upstream) -> (B, S): dL/dscores of sparsemax, from its weights and dL/dweights."""
    for seed, (B, S) in enumerate(SIZES):
        generator = torch.Generator().manual_seed(seed)
        scores = (0.7 * torch.randn(B, S, generator=generator)).requires_grad_()
        upstream, weights = torch.randn(B, S, generator=generator) + 0.5, sparsemax(scores)
        (right,) = torch.autograd.grad(weights, scores, upstream)
        weights, kept = weights.detach(), (weights > 0).float()
        got = tensor(gradient(weights.clone(), upstream.clone()), B, S, what="the gradient")
        if close(got, right):
            continue
        count = kept.sum(1, keepdim=True)
        everyone = kept * (upstream - upstream.mean(1, keepdim=True))
        _recognise(
            got,
            {
                "this is the gradient of a softmax": weights * (upstream - (weights * upstream).sum(1, keepdim=True)),
                "the threshold is missing: it moves with the scores that are kept": kept * upstream,
                "the mean goes over the windows that are kept, not over all": everyone,
                "the mean over the windows that are kept: each counts the same, whatever its weight": kept
                * (upstream - (weights * upstream).sum(1, keepdim=True)),
                "a window whose weight is 0 gets no gradient": upstream
                - (kept * upstream).sum(1, keepdim=True) / count,
                "divide by the number of windows that are kept, not by S": kept
                * (upstream - (kept * upstream).mean(1, keepdim=True)),
                "each row has a mean of its own": kept * (upstream - (kept * upstream).sum() / kept.sum()),
                "the sign is turned": -right,
            },
        )
        raise Wrong("of each row: the upstream gradient where the weight is above 0, less its mean over just these")
    return "Where a softmax weighs, sparsemax counts. It agrees with autograd through sort and cumsum."


@exercise
def expected(mean: Callable) -> str:
    """mean(probs, v) -> (S): what straight-through says on average, where window s gives the log-odds v_s."""
    for seed, (S, _) in enumerate(SIZES):
        generator = torch.Generator().manual_seed(seed)
        probs = torch.randn(S, generator=generator).softmax(0)
        v = 2 * torch.randn(S, generator=generator)
        got = tensor(mean(probs.clone(), v.clone()), S, what="the mean")
        slopes, apart = torch.sigmoid(-v), probs * (v - probs @ v)
        right = (probs @ slopes) * apart
        if close(got, right):
            continue
        log_p = F.logsigmoid(v)
        _recognise(
            got,
            {
                "this is the exact gradient, which straight-through only resembles": probs * (log_p - probs @ log_p),
                "this is the gradient of soft: take the slope where one window is read, not at the mean": torch.sigmoid(
                    -(probs @ v)
                )
                * apart,
                "windows are drawn with their probabilities: weigh the slopes by them": slopes.mean() * apart,
                "the slope at the window that was drawn is missing": apart,
                "one draw has one slope for all S numbers: average the slopes, not window by window": slopes * apart,
                "the slope of log σ(z) is 1 - σ(z), not σ(z)": (probs @ torch.sigmoid(v)) * apart,
                "backward goes through the softmax, which takes off the mean: v_s - Σ α v": (probs @ slopes)
                * probs
                * v,
                "multiply by the weights once more: the softmax's derivative has them in front": (probs @ slopes)
                * (v - probs @ v),
                "the sign is turned": -right,
            },
        )
        raise Wrong("for each draw k: the slope at v_k, times the softmax's derivative of Σ α v; then the mean over k")
    return "It always points where soft would go. The draw only decides how far."


ENOUGH, STEPS = 0.5, 70
"""The share of right answers that a model must reach, and how long it is trained."""
ROWS = 20_000


@exercise
def build(made: type) -> str:
    """A module (scores, temperature) -> (B, S): one-hot forward, drawn by the softmax; backward the Gumbel-softmax."""
    written_class(made, "forward")
    with blame("your class"):
        weigh = made()
    for seed, (S, temperature) in enumerate(((3, 0.7), (5, 1.6))):
        torch.manual_seed(seed)
        scores, upstream = torch.randn(S), torch.randn(S)
        ours = _mean_gradient(_through, scores, upstream, temperature)[0]
        got, read = _mean_gradient(weigh, scores, upstream, temperature)
        if not torch.allclose(read.sum(1), torch.ones(ROWS), atol=1e-3):
            raise Wrong("forward, each row must add up to 1")
        if not bool((read.amax(1) > 0.999).all()):
            raise Wrong("forward, one window is read: a 1 at one place, and 0 elsewhere")
        share, probs = read.mean(0), scores.softmax(0)
        if float(share.max()) > 0.999:
            raise Wrong("the same window every time: where is the noise, and is it large enough?")
        if not torch.allclose(share, probs, atol=0.015):
            raise Wrong("windows must be drawn by the softmax of the scores: is the noise Gumbel noise, -log(-log u)?")
        if float(got.abs().max()) < 1e-6:
            raise Wrong("no gradient comes back: detach the difference between one-hot and softened, not all of it")
        if torch.allclose(got, ours, atol=0.02):
            continue
        if torch.allclose(got, _mean_gradient(_through, scores, upstream, 1.0)[0], atol=0.02):
            raise Wrong("the temperature has no effect on the gradient")
        soft = probs * (upstream - probs @ upstream)
        if torch.allclose(got, soft, atol=0.02) or torch.allclose(got, soft / temperature, atol=0.02):
            raise Wrong("backward goes through the scores without their noise: soften the sum that was drawn from")
        if torch.allclose(got, upstream, atol=0.02):
            raise Wrong("the gradient arrives at the scores as if they were the weights: let it pass the softmax")
        raise Wrong("backward, it must be the gradient of softmax((scores + noise) / temperature), with the same noise")
    share = _trained(weigh)
    if share < ENOUGH:
        raise Wrong(f"gradients are right, but only {share:.0%} of the answers after training: does it keep a state?")
    return f"{share:.0%} of the answers are right after {STEPS} steps, each from one look. Nobody told it where."


def _through(scores: Tensor, temperature: float) -> Tensor:
    weights = gumbel_softmax(scores, temperature)
    return straight_through(weights, weights.argmax(dim=-1))


def _mean_gradient(weigh: Callable, scores: Tensor, upstream: Tensor, temperature: float) -> tuple[Tensor, Tensor]:
    """The mean gradient (S) of upstream · weights over many rows, and what was read forward, (N, S)."""
    leaf = scores.expand(ROWS, -1).clone().requires_grad_()
    read = _called(weigh, leaf, temperature)
    loss = (read * upstream).sum()
    found = torch.autograd.grad(loss, leaf, allow_unused=True)[0] if loss.requires_grad else None
    if found is None:
        raise Wrong("no gradient reaches the scores: build the result from the softened draw, too")
    return found.mean(0), read.detach()


def _called(weigh: Callable, scores: Tensor, temperature: float) -> Tensor:
    """What the reader's module returns."""
    with blame("your class"):
        found = weigh(scores.clone(), temperature)
    if not isinstance(found, Tensor) or found.shape != scores.shape:
        raise Wrong("it must return a tensor of the shape of the scores")
    return found


def _trained(weigh: Callable) -> float:
    """The share of right answers on photos of nine windows, by one look at the largest score."""
    torch.manual_seed(2)
    model = AttentionClassifier(16, 256, street.CLASSES)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(STEPS):
        photo = street.sample(128, 9)
        logits, _ = model(photo.thumbnails, photo.windows, lambda scores: _called(weigh, scores, 1.0))
        optimiser.zero_grad()
        F.cross_entropy(logits, photo.label).backward()
        optimiser.step()
    photo = street.sample(1_000, 9, "test")
    with torch.no_grad():
        look = model.look(photo.thumbnails, photo.windows, draw=False)
    return number((look.logits.argmax(1) == photo.label).float().mean(), "the share")


def _recognise(got: Tensor, mistakes: dict[str, Tensor]) -> None:
    """As `recognise`, with room for numbers that were rounded by hand."""
    for says, mistaken in mistakes.items():
        if torch.allclose(got, mistaken, rtol=1e-3, atol=2e-3):
            raise Wrong(says)
