"""The exercises of the page on attention as reading."""

from collections.abc import Callable

import torch
from torch import Tensor

from attend.checks.answers import parts, tensor
from attend.checks.exercise import Wrong, exercise
from attend.soft.read import read

B, S, H, V = 2, 5, 4, 6
HIDDEN = torch.arange(S) < torch.tensor([[S], [3]])


def _drawn(*shape: int, seed: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


class _Decoder:
    """A unit and a readout with drawn weights, that refuse what does not fit by name."""

    def __init__(self, seed: int):
        self.E, self.U = _drawn(V, H, seed=seed), _drawn(H, H, seed=seed + 1)
        self.readout = _drawn(V, 2 * H, seed=seed + 2)

    def unit(self, token: Tensor, h: Tensor) -> Tensor:
        return torch.tanh(self.E[token] + h @ self.U.T)

    def say(self, context: Tensor, h: Tensor) -> Tensor:
        if context.shape == (B, S, H):
            raise Wrong(
                f"the context is one vector of {H} numbers a row, not one for each of the {S} places: "
                "add the weighted summaries up"
            )
        if context.shape != (B, H) or h.shape != (B, H):
            got = f"{tuple(context.shape)} and {tuple(h.shape)}"
            raise Wrong(f"say(context, h) takes two tensors of shape {(B, H)}, got {got}")
        return torch.cat([context, h], dim=1) @ self.readout.T


def _mistakes(made: _Decoder, h: Tensor, new: Tensor, all_h: Tensor, mask: Tensor) -> dict[str, tuple]:
    """(weights, context) of the typical wrong answers, by what is said about them."""
    scores = (all_h @ new[:, :, None])[:, :, 0]
    masked = scores.masked_fill(~mask, -torch.inf)
    right, bare, old = masked.softmax(1), scores.softmax(1), (all_h @ h[:, :, None])[:, :, 0]
    across = scores.masked_fill(~mask, -1e9).softmax(0)
    dropped, zeroed = bare * mask, (scores * mask).softmax(1)
    even = mask / mask.sum(1, keepdim=True)

    def mean(weights: Tensor) -> Tensor:
        return (weights[:, None] @ all_h)[:, 0]

    named = {
        "padding was read: hide the places that are not visible before the softmax": bare,
        "the softmax runs over the wrong axis: the weights of one row's places add up to 1": across,
        "the softmax runs over the wrong axis, and padding was read": scores.softmax(0),
        "weights set to 0 after the softmax leave the others adding up to less than 1: hide before it": dropped,
        "a score of 0 is not a weight of 0: hide with -inf": zeroed,
        "all places have the same weight: score them first": even,
        "the look was taken with the summary from before the token was read; read the token first": old.masked_fill(
            ~mask, -torch.inf
        ).softmax(1),
    }
    found = {says: (weights, mean(weights)) for says, weights in named.items()}
    found["the context was not made of the source's summaries, but of the writer's own"] = (right, new)
    found["the context is the last summary alone; the weights were not used"] = (
        right,
        all_h[torch.arange(B), mask.sum(1) - 1],
    )
    return found


def _same(one: Tensor, other: Tensor) -> bool:
    return one.shape == other.shape and torch.allclose(one, other, atol=1e-5)


@exercise
def step(decode_step: Callable) -> str:
    """decode_step(token, h, all_h, visible, unit, say) -> logits (B, V), the new h (B, H) and the weights (B, S)."""
    for seed in range(3):
        made = _Decoder(10 * seed)
        token, h = torch.tensor([seed, 4]), _drawn(B, H, seed=50 + seed)
        all_h = 2 * _drawn(B, S, H, seed=60 + seed)
        answer = decode_step(token.clone(), h.clone(), all_h.clone(), HIDDEN.clone(), made.unit, made.say)
        logits, state, weights = parts(answer, 3, "the step")
        new = made.unit(token, h)
        context, seen = read((new[:, None] @ all_h.mT), all_h, HIDDEN)
        state, weights = tensor(state, B, H, what="the new summary"), tensor(weights, B, S, what="the weights")
        logits = tensor(logits, B, V, what="the logits")
        for says, (theirs, mistaken) in _mistakes(made, h, new, all_h, HIDDEN).items():
            if _same(logits, made.say(mistaken, new)) and _same(weights, theirs):
                raise Wrong(says)
        if _same(logits, made.say(context[:, 0], h)):
            raise Wrong("what is said next hangs on the new summary, not on the old one")
        if not _same(state, new):
            raise Wrong("the summary that goes on to the next step is unit(token, h), nothing else")
        sums = weights.sum(1)
        if not _same(sums, torch.ones(B)):
            raise Wrong(f"the weights of a row must add up to 1, got {sums[0]:.3f} and {sums[1]:.3f}")
        if not _same(weights, seen[:, 0]):
            raise Wrong("the weights are not the softmax of h_s · h over the visible places")
        if not _same(logits, made.say(context[:, 0], new)):
            raise Wrong("the weights are right, but say did not get their mean of the summaries, and the new summary")
    return "That is a decoder with attention: one line more than one without."


@exercise
def query(ask: Callable) -> str:
    """ask(all_h, s) -> a query (H) that puts at least 0.99 of the weight on place s; the rows have length 1."""
    for seed in range(4):
        all_h = torch.linalg.qr(_drawn(6, 6, seed=seed))[0][: 3 + seed % 3]
        S, H = all_h.shape
        for s in range(S):
            got = tensor(ask(all_h.clone(), s), H, what="the query")
            weights = (all_h @ got).softmax(0)
            if weights[s] >= 0.99:
                continue
            if _same(got, all_h[s]):
                raise Wrong(
                    f"the direction is right, but a score of 1 beside scores of 0 is worth a weight of "
                    f"{weights[s]:.2f} among {S} places: ask louder"
                )
            if (got != 0).sum() <= 1:
                raise Wrong("the query speaks the language of the summaries, not of the places: use the row all_h[s]")
            best = int(weights.argmax())
            raise Wrong(
                f"place {s} of {S} got a weight of {weights[s]:.2f}; the largest, {weights[best]:.2f}, is on {best}"
            )
    return "The direction says where to look, and the length how sharply."


@exercise
def twins(pair: tuple) -> str:
    """Two different rows of letters that no reader by content can tell apart when the keys are the letters' vectors."""
    rows = parts(pair, 2, "the answer")
    one, other = (list(row) if isinstance(row, str | list | tuple) else [row] for row in rows)
    if len(one) < 2 or not all(isinstance(letter, str) and len(letter) == 1 for letter in one + other):
        raise Wrong("give two rows of at least two letters, such as ('abc', 'abd')")
    if one == other:
        raise Wrong("the two rows are the same; they must differ")
    alphabet = sorted({*one, *other})
    vectors = _drawn(len(alphabet), 8, seed=1)
    rows = [vectors[[alphabet.index(letter) for letter in row]][None] for row in (one, other)]
    questions = _drawn(1, 20, 8, seed=2)
    contexts = [read(questions @ keys.mT, keys).context for keys in rows]
    gap = (contexts[0] - contexts[1]).abs().max().item()
    if gap > 1e-5:
        counts = "the same letters, but not equally often" if set(one) == set(other) else "different letters"
        raise Wrong(f"the two rows hold {counts}: some query reads contexts that are {gap:.2f} apart")
    return (
        "The weights move with the letters, and the sum does not mind the order: only keys that know their place help."
    )
