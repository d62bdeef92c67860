"""The exercises of the page on soft attention."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from attend.checks.answers import close, drawn, parts, tensor
from attend.checks.exercise import Wrong, blame, exercise
from attend.checks.made import trainable
from attend.soft.read import read
from attend.tasks import faces

B, S, H, V = 2, 5, 4, 6
HIDDEN = torch.arange(S) < torch.tensor([[S], [3]])


class _Decoder:
    """A unit and a readout with drawn weights, that refuse what does not fit by name."""

    def __init__(self, seed: int):
        self.E, self.U = drawn(V, H, seed=seed), drawn(H, H, seed=seed + 1)
        self.readout = drawn(V, 2 * H, seed=seed + 2)

    def unit(self, token: Tensor, h: Tensor) -> Tensor:
        return torch.tanh(self.E[token] + h @ self.U.T)

    def say(self, context: Tensor, h: Tensor) -> Tensor:
        if context.shape == (B, S, H):
            raise Wrong(
                f"the context is one vector of {H} numbers a row, not one for each of the {S} positions: "
                "add the weighted hidden states up"
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
        "padding was read: mask the positions where mask is False before the softmax": bare,
        "the softmax runs over the wrong axis: the weights of one row's positions add up to 1": across,
        "the softmax runs over the wrong axis, and padding was read": scores.softmax(0),
        "weights set to 0 after the softmax leave the others adding up to less than 1: mask before it": dropped,
        "a score of 0 is not a weight of 0: mask with -inf": zeroed,
        "all positions have the same weight: score them first": even,
        "the query was the state from before the token was read; read the token first": old.masked_fill(
            ~mask, -torch.inf
        ).softmax(1),
    }
    found = {says: (weights, mean(weights)) for says, weights in named.items()}
    found["the context was not made of the encoder's states, but of the decoder's own"] = (right, new)
    found["the context is the last hidden state alone; the weights were not used"] = (
        right,
        all_h[torch.arange(B), mask.sum(1) - 1],
    )
    return found


@exercise
def step(decode_step: Callable) -> str:
    """decode_step(token, h, all_h, mask, unit, say) -> logits (B, V), the new h (B, H) and the weights (B, S)."""
    for seed in range(3):
        made = _Decoder(10 * seed)
        token, h = torch.tensor([seed, 4]), drawn(B, H, seed=50 + seed)
        all_h = 2 * drawn(B, S, H, seed=60 + seed)
        answer = decode_step(token.clone(), h.clone(), all_h.clone(), HIDDEN.clone(), made.unit, made.say)
        logits, state, weights = parts(answer, 3, "the step")
        new = made.unit(token, h)
        context, seen = read((new[:, None] @ all_h.mT), all_h, HIDDEN)
        state, weights = tensor(state, B, H, what="the new state"), tensor(weights, B, S, what="the weights")
        logits = tensor(logits, B, V, what="the logits")
        for says, (theirs, mistaken) in _mistakes(made, h, new, all_h, HIDDEN).items():
            if close(logits, made.say(mistaken, new)) and close(weights, theirs):
                raise Wrong(says)
        if close(logits, made.say(context[:, 0], h)):
            raise Wrong("what is said next depends on the new state, not on the old one")
        if not close(state, new):
            raise Wrong("the state that goes on to the next step is unit(token, h), nothing else")
        sums = weights.sum(1)
        if not close(sums, torch.ones(B)):
            raise Wrong(f"the weights of a row must add up to 1, got {sums[0]:.3f} and {sums[1]:.3f}")
        if not close(weights, seen[:, 0]):
            raise Wrong("the weights are not the softmax of h_s · h over the positions where mask is True")
        if not close(logits, made.say(context[:, 0], new)):
            raise Wrong("the weights are right, but say did not get their mean of the hidden states, and the new state")
    return "That is a decoder with attention. Nothing else was added to the one without."


@exercise
def query(ask: Callable) -> str:
    """ask(all_h, s) -> a query (H) that puts at least 0.99 of the weight on position s; the rows have length 1."""
    for seed in range(4):
        all_h = torch.linalg.qr(drawn(6, 6, seed=seed))[0][: 3 + seed % 3]
        S, H = all_h.shape
        for s in range(S):
            got = tensor(ask(all_h.clone(), s), H, what="the query")
            weights = (all_h @ got).softmax(0)
            if weights[s] >= 0.99:
                continue
            if close(got, all_h[s]):
                raise Wrong(
                    f"the direction is right, but a score of 1 beside scores of 0 is worth a weight of "
                    f"{weights[s]:.2f} among {S} positions: ask louder"
                )
            if not got.any():
                raise Wrong("a query of zeros gives every row the same score: it asks for nothing")
            if (got != 0).sum() <= 1:
                raise Wrong(
                    "the query is compared with what the rows hold, not with their numbers: use the row all_h[s]"
                )
            best = int(weights.argmax())
            raise Wrong(
                f"position {s} of {S} gets a weight of {weights[s]:.2f}; the largest, {weights[best]:.2f}, is on {best}"
            )
    return "The direction says where to look, and the length how sharply."


@exercise
def twins(pair: tuple) -> str:
    """Two different rows of letters that attention cannot tell apart when keys and values are the letters' vectors."""
    rows = parts(pair, 2, "the answer")
    one, other = (list(row) if isinstance(row, str | list | tuple) else [row] for row in rows)
    if not one or not other or not all(isinstance(letter, str) and len(letter) == 1 for letter in one + other):
        raise Wrong("give two rows of letters, such as ('abc', 'abd')")
    if one == other:
        raise Wrong("the two rows are the same; they must differ")
    alphabet = sorted({*one, *other})
    vectors = drawn(len(alphabet), 8, seed=1)
    rows = [vectors[[alphabet.index(letter) for letter in row]][None] for row in (one, other)]
    questions = drawn(1, 20, 8, seed=2)
    contexts = [read(questions @ keys.mT, keys).context for keys in rows]
    gap = (contexts[0] - contexts[1]).abs().max().item()
    if gap > 1e-5:
        counts = "the same letters, but not in the same proportions" if set(one) == set(other) else "different letters"
        raise Wrong(f"the two rows hold {counts}: some query reads contexts that are {gap:.2f} apart")
    return (
        "The weights go with the letters, and a weighted mean knows neither order nor number: "
        "only keys that hold their position could tell."
    )


ENOUGH = 0.9
"""The share of right numbers in lists of 8; one fixed kernel for all of a face reaches about 0.45."""


@exercise
def build(make: Callable) -> str:
    """make(query_size, key_size, width) -> a module (query, key, value, mask) -> context, to be trained on faces."""
    torch.manual_seed(5)
    for sizes in ((3, 2, 5, 4, 6, 7), (2, 3, 7, 5, 3, 4)):
        _looks_up(make, *sizes)
    right = _trained(make(16, 16, 8))
    if right >= ENOUGH:
        return f"{right:.1%} of the numbers are right: it has found out by itself which part of a face to compare."
    raise Wrong(
        f"after 200 steps {right:.1%} of the numbers are right, and 90 % are asked for: are query and key each "
        "multiplied by a matrix of their own that is trained, and is nothing else done to the scores?"
    )


def _looks_up(make: Callable, B: int, T: int, S: int, Q: int, K: int, V: int) -> None:
    """Refuse a module that is not a masked look-up, before anything is trained."""
    model = trainable(make(Q, K, 6), "make(query_size, key_size, width)")
    query, key, value = torch.randn(B, T, Q), torch.randn(B, S, K), torch.randn(B, S, V)
    mask = torch.arange(S) < torch.arange(S, S - B, -1)[:, None]
    found = _context(model, query, key, value, mask)
    for allowed, asks in (
        (torch.ones_like(mask), "does the softmax run over the keys, and is nothing done to it afterwards?"),
        (mask, "mask the scores before the softmax, not the weights after it"),
    ):
        ones = _context(model, query, key, torch.ones_like(value), allowed)
        if not torch.allclose(ones, torch.ones_like(ones), atol=1e-4):
            raise Wrong(f"if every value is 1, the context must be 1, for the weights of a query add up to 1: {asks}")
    noise = ~mask[:, :, None] * 9.0
    padded = _context(model, query, key + noise, value + noise, mask)
    if not torch.allclose(padded, found, atol=1e-4):
        raise Wrong("what stands where mask is False changes the context: give it a score of -inf before the softmax")
    order = torch.randperm(S)
    turned = _context(model, query, key[:, order], value[:, order], mask[:, order])
    if not torch.allclose(turned, found, atol=1e-4):
        raise Wrong(
            "another order of the pairs gives another context: is each value multiplied by its own key's weight?"
        )
    if T > 1 and torch.allclose(found[:, 0], found[:, 1], atol=1e-6):
        raise Wrong("all queries read the same context: the scores must depend on the query")
    if torch.allclose(_context(model, query, key.roll(1, dims=1), value, mask), found, atol=1e-6):
        raise Wrong("the keys have no say: the scores must depend on them")


def _context(model: nn.Module, *inputs: Tensor) -> Tensor:
    shapes = ", ".join(str(tuple(one.shape)) for one in inputs)
    with blame("your module", f"at inputs of the shapes {shapes}"), torch.no_grad():
        found = model(*(one.clone() for one in inputs))
    found = found[0] if isinstance(found, tuple) and found else found
    return tensor(found, *inputs[0].shape[:2], inputs[2].shape[2], what="the context")


def _trained(model: nn.Module) -> float:
    """The share of right numbers in lists of 8 after 200 steps of the page's loop."""
    optimiser = torch.optim.Adam(model.parameters(), lr=2e-2)
    everybody = torch.ones(64, 8, dtype=torch.bool)
    for _ in range(200):
        query, key, value, answer = faces.sample(64, 8)
        found = model(query, key, value, everybody)
        found = found[0] if isinstance(found, tuple) else found
        loss = torch.nn.functional.nll_loss((found[:, 0] + 1e-9).log(), answer)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    query, key, value, answer = faces.sample(1_000, 8)
    found = _context(model, query, key, value, torch.ones(1_000, 8, dtype=torch.bool))
    return (found[:, 0].argmax(dim=1) == answer).float().mean().item()
