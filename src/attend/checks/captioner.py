"""The exercises of the page on captions."""

from collections.abc import Callable

import torch
from torch import Tensor

from attend.checks.answers import close, drawn, number, parts, recognise, tensor
from attend.checks.exercise import Wrong, blame, exercise, written_class
from attend.hard.captioner import Captioner
from attend.hard.reinforce import leave_one_out, rewards_to_go

DRAWS = ((5, 3, 7, 0), (4, 6, 2, 1))
"""B, T or S, V or K, and a seed, for two random cases."""
STEPS, ENOUGH = 150, 0.85


@exercise
def least(least: Callable) -> str:
    """least(T, S) -> the least value of the doubly stochastic term, for T words and S regions."""
    for T, S in ((6, 9), (1, 4), (8, 3), (5, 5), (13, 196)):
        got, right = number(least(T, S), "the least value"), (S - T) ** 2 / S
        if abs(got - right) <= 1e-3 * max(right, 1e-3):
            continue
        mistakes = {
            "each word has a weight of 1 to give, so S regions get T in all, and that is not S": 0.0,
            "this is the part of one region: add up over all S": right / S,
            "the weights before one word add up to 1, those before all words to T": (S - 1) ** 2 / S,
            "here one region pays for all: squares are least when the gap is shared": (S - T) ** 2.0,
            "the squares are missing: a gap of a half counts a quarter": float(abs(S - T)),
            "T and S are exchanged: the sum runs over the S regions": (S - T) ** 2 / T,
        }
        for says, wrong in mistakes.items():
            if abs(got - wrong) <= 1e-3 * max(abs(wrong), 1e-3):
                raise Wrong(says)
        raise Wrong(f"{T} words and {S} regions: what does each region get, if all get the same?")
    return "Six words and nine regions: each region gets two thirds at best, and the term cannot fall below 1."


@exercise
def draw(look: Callable) -> str:
    """look(weights, vectors) -> the vector of one region (B, K), drawn by weights (B, S), and log_prob (B) of it."""
    for B, S, K, seed in DRAWS:
        _one(look, B, S, K, seed)
    S = 3
    weights = torch.tensor([[0.1, 0.6, 0.3]]).expand(3_000, S)
    torch.manual_seed(0)
    context, _ = parts(look(weights, torch.eye(S).expand(3_000, S, S)), 2, "what `look` returns")
    share = tensor(context, 3_000, S, what="the context").mean(dim=0)
    if share.max() > 0.999:
        most = "the likeliest region is taken every time" if share.argmax() == 1 else "all rows get the same region"
        raise Wrong(f"{most}: draw one for each row, by its weights")
    if (share - 1 / S).abs().max() < 0.04:
        raise Wrong("all regions are drawn equally often: draw them by their weights")
    if (share - weights[0]).abs().max() > 0.04:
        raise Wrong("regions are not drawn as often as their weights say")
    return "One region is read, and `log_prob` is where the policy gradient gets hold of the weights."


def _one(look: Callable, B: int, S: int, K: int, seed: int) -> None:
    weights, vectors = drawn(B, S, seed=seed).softmax(dim=1).requires_grad_(), drawn(B, S, K, seed=seed + 9)
    torch.manual_seed(seed)
    context, log_prob = parts(look(weights, vectors), 2, "what `look` returns")
    got = tensor(_detached(context), B, K, what="the context")
    same = torch.isclose(got[:, None], vectors, rtol=1e-3, atol=1e-4).all(dim=2)  # (B, S)
    if not bool(same.any(dim=1).all()):
        mean = (weights.detach()[:, None] @ vectors)[:, 0]
        recognise(got, {"that is the weighted mean, soft attention: take the vector of one region": mean})
        if all(torch.isclose(row, vectors.flatten(0, 1), atol=1e-4).all(dim=1).any() for row in got):
            raise Wrong("a row got a region of another row's image: row b takes vectors[b, index[b]]")
        raise Wrong("each row of the context must be the vector of one of its regions, as it is")
    probs = tensor(_detached(log_prob), B, what="log_prob")
    right = weights.detach()[same]
    if torch.allclose(probs, right, rtol=1e-3):
        raise Wrong("those are the probabilities of the regions that were drawn: their logarithm is asked for")
    if torch.allclose(probs, -right.log(), rtol=1e-3):
        raise Wrong("the sign is turned: the logarithm of a probability is negative")
    if not torch.allclose(probs, right.log(), rtol=1e-3, atol=1e-4):
        again = "draw once, and use the same index twice: " if probs.lt(0).all() else ""
        raise Wrong(f"{again}log_prob must be the logarithm of the weight of the region that was taken")
    if isinstance(log_prob, Tensor) and not log_prob.requires_grad:
        raise Wrong("no gradient leads from log_prob back to the weights: index the weights themselves, not a copy")


def _detached(value: object) -> object:
    return value.detach() if isinstance(value, Tensor) else value


@exercise
def disagree(weights: object, probs: object) -> str:
    """Two weights and two rows of probabilities: the plain mean and the geometric mean prefer different words."""
    w = [number(value, "a weight") for value in parts(weights, 2, "weights")]
    if min(w) < 0.1 - 1e-6 or abs(sum(w) - 1) > 1e-3:
        raise Wrong("the two weights must add up to 1, and none may be below 0.1")
    rows = [
        [number(value, "a probability") for value in parts(row, 3, "a row of probabilities")]
        for row in parts(probs, 2, "probs")
    ]
    if min(map(min, rows)) < 0 or any(abs(sum(row) - 1) > 1e-3 for row in rows):
        raise Wrong("the probabilities of a row must not be negative, and add up to 1")
    p = torch.tensor(rows, dtype=torch.float64)
    share = torch.tensor(w, dtype=torch.float64)[:, None]
    plain, product = (share * p).sum(dim=0), (p**share).prod(dim=0)
    if product.sum() == 0:
        raise Wrong("every word is ruled out by one of the rows, so that no word is left: keep one that both allow")
    geometric = product / product.sum()
    said = f"plain {_listed(plain)}, geometric {_listed(geometric)}"
    for name, mean in (("plain", plain), ("geometric", geometric)):
        first, second = mean.topk(2).values.tolist()
        if first - second < 1e-9:
            raise Wrong(f"the {name} mean prefers two words equally: {said}")
    if int(plain.argmax()) == int(geometric.argmax()):
        raise Wrong(f"both means prefer word {int(plain.argmax()) + 1}; give it next to nothing in one row: {said}")
    return f"A region that all but rules a word out has a veto in the geometric mean: {said}."


def _listed(probs: Tensor) -> str:
    return "(" + ", ".join(f"{value:.2f}" for value in probs.tolist()) + ")"


def _loss(log_p: Tensor, log_probs: Tensor, rewards: Tensor, scale: float = 1.0) -> Tensor:
    """The loss with these rewards-to-go, the mean of the others as baseline."""
    return -scale * log_p.mean() - ((rewards - leave_one_out(rewards)) * log_probs).mean()


def _wrong(log_p: Tensor, log_probs: Tensor) -> dict[str, Tensor]:
    """Typical mistakes as losses."""
    fixed, rest = log_p.detach(), -log_p.mean()
    to_go = rewards_to_go(fixed)
    return {
        "the sign of the policy's part is turned: a loss falls where rewards grow": rest
        + ((to_go - leave_one_out(to_go)) * log_probs).mean(),
        "only the policy learns: the words need their own log-probability in the loss": _loss(
            log_p, log_probs, to_go, 0.0
        ),
        "only the words learn: add the policy's part": rest,
        "the signs are turned: the loss must fall where log-probabilities grow": -_loss(log_p, log_probs, to_go),
        "each look is credited with the whole caption: words before it only add noise": _loss(
            log_p, log_probs, fixed.sum(dim=1, keepdim=True).expand_as(fixed)
        ),
        "each look is credited with the words so far: it can change only its own and later ones": _loss(
            log_p, log_probs, fixed.cumsum(dim=1)
        ),
        "each look is credited with its own word alone: what it brings stays in the LSTM": _loss(
            log_p, log_probs, fixed
        ),
        "the baseline is missing": rest - (to_go * log_probs).mean(),
        "a caption's own reward is in its baseline: take the mean of the others": rest
        - ((to_go - to_go.mean(dim=0)) * log_probs).mean(),
        "the rewards are log-probabilities; these are probabilities": _loss(
            log_p, log_probs, rewards_to_go(fixed.exp())
        ),
        "detach the rewards: they are weights, not something to differentiate": _loss(
            log_p, log_probs, rewards_to_go(log_p)
        ),
        "take the mean over all B · T words, not a sum": log_p.numel() * _loss(log_p, log_probs, to_go),
    }


@exercise
def build(made: type) -> str:
    """A loss (logits, log_probs, captions) -> a number: cross-entropy for the words, REINFORCE for the looks."""
    written_class(made, "forward")
    with blame("your class"):
        hard_loss = made()
    for B, T, V, seed in DRAWS:
        logits = drawn(B, T, V, seed=seed).requires_grad_()
        log_probs = (-drawn(B, T, seed=seed + 5).abs() - 0.1).requires_grad_()
        captions = torch.randint(V, (B, T), generator=torch.Generator().manual_seed(seed))
        log_p = logits.log_softmax(dim=2).gather(2, captions[:, :, None])[..., 0]
        right = _gradients(_loss(log_p, log_probs, rewards_to_go(log_p.detach())), logits, log_probs)
        got = _gradients(_called(hard_loss, logits, log_probs, captions), logits, log_probs)
        if close(got, right):
            continue
        for says, wrong in _wrong(log_p, log_probs).items():
            if close(got, _gradients(wrong, logits, log_probs)):
                raise Wrong(says)
        part = "looks" if close(got[: logits.numel()], right[: logits.numel()]) else "words"
        raise Wrong(f"the gradient for the {part} is another than that of the two parts together")
    share = _trained(hard_loss)
    if share < ENOUGH:
        raise Wrong(f"the gradients are right, but only {share:.0%} of the captions after training: is there a state?")
    return f"A captioner that draws its looks, trained with your loss for {STEPS} steps, writes {share:.0%} correctly."


def _called(hard_loss: Callable, logits: Tensor, log_probs: Tensor, captions: Tensor) -> Tensor:
    """What the loss returns, as one number that still has its graph."""
    with blame("your class"):
        value = hard_loss(logits.clone(), log_probs.clone(), captions.clone())
    if not isinstance(value, Tensor) or value.numel() != 1:
        raise Wrong("the loss must be one number, a tensor that still knows its gradient")
    if not value.requires_grad:
        raise Wrong("no gradient leads from the loss to the logits: use tensors, and detach the rewards alone")
    return value.reshape(())


def _gradients(loss: Tensor, *of: Tensor) -> Tensor:
    found = torch.autograd.grad(loss, of, retain_graph=True, allow_unused=True)
    return torch.cat([(0 * x if grad is None else grad).flatten() for x, grad in zip(of, found, strict=True)])


def _small(count: int) -> tuple[Tensor, Tensor]:
    """Rows of four regions, two of them with one of five things: features (N, 4, 6), and both names in order (N, 3)."""
    names = torch.randint(1, 6, (count, 2))
    there = torch.rand(count, 4).argsort(dim=1)[:, :2].sort(dim=1).values
    vectors = torch.zeros(count, 4, 6)
    vectors[:, :, 0] = 1.0  # nothing
    rows = torch.arange(count)[:, None]
    vectors[rows, there] = torch.eye(6)[names]
    return 2 * vectors, torch.cat([names, torch.zeros_like(names[:, :1])], dim=1)


def _trained(hard_loss: Callable) -> float:
    """The share of right captions of a small captioner with hard attention."""
    torch.manual_seed(3)
    model = Captioner(6, num_regions=4, feature_size=6, embedding_size=16, hidden_size=32, attention="hard")
    optimiser = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(STEPS):
        features, captions = _small(128)
        outputs = model(features, captions)
        log_probs = (outputs.weights * outputs.used).sum(dim=2).clamp(min=1e-9).log()
        optimiser.zero_grad()
        _called(hard_loss, outputs.logits, log_probs, captions).backward()
        optimiser.step()
    features, captions = _small(500)
    return (model.eval().generate(features, 3).tokens == captions).all(dim=1).float().mean().item()
