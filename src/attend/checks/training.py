"""Exercises of the page on training."""

import math
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, one_hot

from attend.checks.answers import number, recognise, tensor
from attend.checks.exercise import Wrong, exercise
from attend.tasks import words


@exercise
def first(first_loss: object, choices: object) -> str:
    """The loss of 65 equal logits in nats, and the number of characters that a loss of 2 nats stands for."""
    loss, many = number(first_loss, "the first loss"), number(choices, "the number of characters")
    if math.isclose(loss, math.log2(65), rel_tol=1e-2):
        raise Wrong("the first loss is in bits; `cross_entropy` takes the natural logarithm")
    if math.isclose(loss, 1 / 65, rel_tol=1e-2):
        raise Wrong("1/65 is the probability of the right token; the loss is minus its logarithm")
    if not math.isclose(loss, math.log(65), rel_tol=1e-2):
        raise Wrong("with equal logits each of the 65 tokens has the same probability: what is minus its logarithm?")
    if math.isclose(many, 4, rel_tol=1e-2):
        raise Wrong("2 to the power of 2 would be right for a loss of 2 bits; this one is in nats")
    if not math.isclose(many, math.exp(2), rel_tol=2e-2):
        raise Wrong("which number of equally likely characters has a cross-entropy of 2 nats?")
    return "A first loss far above ln V means that the model begins with strong opinions that it cannot have yet."


@exercise
def gradient(answer: Callable) -> str:
    """gradient(logits (B, V), target (B)) -> the gradient (B, V) of the mean cross-entropy, without autograd."""
    for seed, (B, V) in enumerate(((5, 7), (3, 11), (1, 4))):
        draw = torch.Generator().manual_seed(seed)
        logits = 2 * torch.randn(B, V, generator=draw)
        target = torch.randint(V, (B,), generator=draw)
        with torch.enable_grad():
            known = logits.clone().requires_grad_()
            right = torch.autograd.grad(cross_entropy(known, target), known)[0]
        got = tensor(_by_hand(answer, logits, target), B, V, what="the gradient").detach()
        if torch.allclose(got, right, rtol=1e-3, atol=1e-5):
            continue
        p, y = logits.softmax(1), one_hot(target, V)
        if not (B == 1 and torch.allclose(got, p - y, atol=1e-5)):
            recognise(
                got,
                {
                    "this is the gradient of the sum over the batch; the loss is the mean": p - y,
                    "this is y - p: the direction in which the loss falls. The gradient points uphill": (y - p) / B,
                    "y - p, and of the sum: the sign is turned, and the loss is the mean over the batch": y - p,
                    "divide by the number of examples B, not by the number of tokens V": (p - y) / V,
                    "divide by the number of examples B; a mean over B and V divides too much": (p - y) / (B * V),
                    "these are the probabilities; what came is not in it yet": p / B,
                    "the softmax runs over the batch here: it must make each row add up to 1": (logits.softmax(0) - y)
                    / B,
                    "the logits are not probabilities: a softmax is missing": (logits - y) / B,
                },
            )
        if not torch.allclose(got.sum(1), torch.zeros(B), atol=1e-4):
            raise Wrong("each row of the gradient must add up to zero: more for one token is less for the others")
        raise Wrong("it is not the gradient: move one logit a little, and the loss does not change as this says")
    return "What was predicted minus what came: three operations, and autograd is not needed."


def _by_hand(answer: Callable, *given: Tensor) -> object:
    """What the answer finds where autograd is switched off."""
    try:
        with torch.no_grad():
            return answer(*given)
    except Wrong as stumble:
        if "does not require grad" in str(stumble):
            raise Wrong("autograd is switched off here: write down the gradient itself, as in the table") from None
        raise


@exercise
def masked(answer: Callable) -> str:
    """masked_loss(logits (B, T, V), target (B, T), mask (B, T)) -> the mean cross-entropy over real tokens."""
    for seed, (B, T, V) in enumerate(((3, 5, 7), (4, 9, 6))):
        draw = torch.Generator().manual_seed(seed)
        logits = 2 * torch.randn(B, T, V, generator=draw)
        target = torch.randint(V, (B, T), generator=draw)
        lengths = torch.tensor([T, 2, 1, 3][:B])
        mask = torch.arange(T) < lengths[:, None]
        each = cross_entropy(logits.flatten(0, 1), target.flatten(), reduction="none").view(B, T)
        right = each[mask].mean().item()
        got = _scalar(answer, logits, target, mask)
        other, junk = logits.clone(), target.clone()
        other[~mask] += 3 * torch.randn(int((~mask).sum()), V, generator=draw)
        junk[~mask] = (junk[~mask] + 1) % V
        moved = _scalar(answer, other, junk, mask)
        if math.isclose(got, right, rel_tol=1e-3) and math.isclose(moved, right, rel_tol=1e-3):
            continue
        _name(got, each, mask)
        if not math.isclose(got, moved, rel_tol=1e-4):
            raise Wrong("the result changes when only the padding changes")
        raise Wrong("padding does not change it, and it is not the mean cross-entropy of the real tokens, in nats")
    return "Sum and count over the same tokens: then a batch may be as ragged as it likes."


def _scalar(answer: Callable, *given: Tensor) -> float:
    return number(answer(*given), "the loss")


def _name(got: float, each: Tensor, mask: Tensor) -> None:
    """Refuse a loss that a typical mistake gives, by the name of the mistake."""
    inside = torch.where(mask, each, 0.0)
    mistakes = {
        "this is the mean over all places, padding included": each.mean(),
        "padding is left out of the sum, but not out of the count: divide by mask.sum()": inside.mean(),
        "this is the mean of each word's mean: a letter of a short word weighs more than one of a long word": (
            inside.sum(1) / mask.sum(1)
        ).mean(),
        "this is the sum; the loss is the mean over the real tokens": inside.sum(),
        "divide by the number of real tokens, not by the number of words": inside.sum() / len(mask),
        "the mask is turned round: True is real, and this is the loss of the padding": each[~mask].mean(),
        "the sign is turned: a log-probability is negative, the loss is not": -each[mask].mean(),
        "this is in bits; the loss is asked for in nats": each[mask].mean() / math.log(2),
    }
    for says, mistaken in mistakes.items():
        if math.isclose(got, mistaken.item(), rel_tol=1e-4):
            raise Wrong(says)


class _Idle(nn.Module):
    """A line with a weight that takes no part."""

    def __init__(self):
        super().__init__()
        self.line, self.idle = nn.Linear(3, 1), nn.Parameter(torch.ones(2))

    def forward(self, x: Tensor) -> Tensor:
        return self.line(x).squeeze(1)


def _squared(model: nn.Module, batch: tuple[Tensor, Tensor]) -> Tensor:
    return (model(batch[0]) - batch[1]).square().mean()


def _crossed(model: nn.Module, batch: tuple[Tensor, Tensor]) -> Tensor:
    return cross_entropy(model(batch[0]), batch[1])


@exercise
def build(fit: Callable) -> str:
    """fit(model, loss, batches, lr) -> losses: plain gradient descent, one step for each batch."""
    draw = torch.Generator().manual_seed(0)
    with torch.enable_grad():
        lines = [(torch.randn(5, 3, generator=draw), torch.randn(5, generator=draw)) for _ in range(4)]
        _compare(fit, _Idle, _squared, lines, 0.1)
        tokens = [torch.randint(6, (2, 7), generator=draw) for _ in range(3)]
        _compare(fit, lambda: nn.Embedding(6, 6), _crossed, [tuple(pair) for pair in tokens], 0.7)
        return _learned(fit)


def _compare(fit: Callable, make: Callable, loss: Callable, batches: list, lr: float) -> None:
    """Refuse a loop that leaves other weights behind than plain gradient descent does."""
    start = make()
    models = {}
    for way in ("right", "no zero_grad", "upwards", "no step", "first batch", "one step"):
        model = make()
        model.load_state_dict(start.state_dict())
        models[way] = model, _descend(model, loss, batches, lr, way)
    mine = make()
    mine.load_state_dict(start.state_dict())
    losses = fit(mine, loss, batches, lr)
    for way, says in {
        "no step": "the weights are as they were: where is the step?",
        "no zero_grad": "from the second batch on the step is wrong: the old gradient is still in it",
        "upwards": "the weights went uphill: a step goes against the gradient",
        "first batch": "every step saw the first batch; there is one for each step",
        "one step": "only one step was taken; there is one for each batch",
    }.items():
        if _same(mine, models[way][0]) and not _same(mine, models["right"][0]):
            raise Wrong(says)
    if not _same(mine, models["right"][0]):
        raise Wrong(f"after {len(batches)} steps the weights are not those of plain gradient descent, w -= lr * w.grad")
    _listed(losses, models["right"][1])


def _same(one: nn.Module, other: nn.Module) -> bool:
    pairs = zip(one.parameters(), other.parameters(), strict=True)
    return all(torch.allclose(a, b, rtol=1e-3, atol=1e-5) for a, b in pairs)


def _descend(model: nn.Module, loss: Callable, batches: list, lr: float, way: str) -> list[float]:
    losses, kept = [], [torch.zeros_like(weight) for weight in model.parameters()]
    for batch in batches[: 1 if way == "one step" else None]:
        value = loss(model, batches[0] if way == "first batch" else batch)
        grads = torch.autograd.grad(value, list(model.parameters()), allow_unused=True)
        with torch.no_grad():
            for i, (weight, grad) in enumerate(zip(model.parameters(), grads, strict=True)):
                step = torch.zeros_like(weight) if grad is None else grad
                kept[i] = kept[i] + step if way == "no zero_grad" else step
                weight -= {"upwards": -lr, "no step": 0.0}.get(way, lr) * kept[i]
        losses.append(value.item())
    return losses


def _listed(losses: object, right: list[float]) -> None:
    """Refuse what is no list of the losses as numbers."""
    if isinstance(losses, np.ndarray | Tensor) and losses.ndim == 1:
        losses = list(losses)
    if not isinstance(losses, list | tuple) or len(losses) != len(right):
        raise Wrong(f"the weights are right; return the list of the losses too, one for each of {len(right)} batches")
    if any(isinstance(loss, Tensor) and loss.grad_fn is not None for loss in losses):
        raise Wrong("the losses still carry their graphs, which fill the memory: store loss.item()")
    got = [number(loss, "each loss") for loss in losses]
    if not all(math.isclose(a, b, rel_tol=1e-3) for a, b in zip(got, right, strict=True)):
        raise Wrong("the weights are right; the list must hold the loss of each batch, before its step")


def _learned(fit: Callable) -> str:
    """Train the table of letter pairs on all words."""
    x, y = words.examples(words.load("train"), 1)
    draw = torch.Generator().manual_seed(1)
    batches = [(x[rows, 0], y[rows]) for rows in torch.randint(len(x), (300, 256), generator=draw)]
    model = nn.Embedding(27, 27)
    nn.init.zeros_(model.weight)
    fit(model, _crossed, batches, 10.0)
    with torch.no_grad():
        found = cross_entropy(model(x[:, 0]), y).item() / math.log(2)
    if not found < ENOUGH:
        raise Wrong(f"after 300 steps the table needs {found:.2f} bits a letter, and {ENOUGH} are asked for")
    return f"From 4.755 bits a letter to {found:.3f} in 300 steps (counting: 3.524), and every line of it is yours."


ENOUGH = 3.7
