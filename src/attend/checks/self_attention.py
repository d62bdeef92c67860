"""Exercises of the page on self-attention."""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attend.checks.answers import floats, parts, recognise, tensor, truth
from attend.checks.exercise import Wrong, blame, exercise
from attend.checks.made import trainable
from attend.tasks import plays
from attend.train.characters import train_on_windows


@exercise
def attend(attend: Callable) -> str:
    """attend(x, W_q, W_k, W_v) -> causal self-attention (T, d_v): x (T, D), W_q and W_k (D, d), W_v (D, d_v)."""
    for seed, (T, D, d, d_v) in enumerate(((5, 4, 3, 6), (7, 3, 5, 2))):
        generator = torch.Generator().manual_seed(seed)
        x, W_q, W_k, W_v = (torch.randn(*size, generator=generator) for size in ((T, D), (D, d), (D, d), (D, d_v)))
        query, key, value = x @ W_q, x @ W_k, x @ W_v
        scores, mask = query @ key.T, torch.ones(T, T, dtype=torch.bool).tril()
        scaled = scores / d**0.5

        def mixed(scores: Tensor, mask: Tensor = mask, axis: int = 1, of: Tensor = value) -> Tensor:
            return scores.masked_fill(~mask, -torch.inf).softmax(axis) @ of

        right, everywhere = mixed(scaled), torch.ones_like(mask)
        got = floats(attend(x, W_q, W_k, W_v), f"the answer must be a tensor of shape ({T}, {d_v})")
        if got.shape == right.shape and bool(got.isnan().any()):
            raise Wrong("nan: 0 times infinity, perhaps; put −∞ where the mask is False, and nowhere else")
        got = tensor(got, T, d_v)
        if torch.allclose(got, right, rtol=1e-3, atol=1e-5):
            continue
        recognise(
            got,
            {
                "it sees what comes later: mask the scores above the diagonal": mixed(scaled, everywhere),
                "the mask is upside down: row t may look at columns 0 to t": mixed(scaled, mask.T),
                "a token may look at itself, too": mixed(scaled, mask & ~torch.eye(T, dtype=torch.bool)).nan_to_num(),
                "mask before the softmax, or the rows no longer add up to 1": (scaled.softmax(1) * mask) @ value,
                "a score of 0 still gets a weight, e⁰ = 1; what is masked needs −∞": (scaled * mask).softmax(1) @ value,
                "the scores want dividing by √d": mixed(scores),
                "divide by √d, the root, not by d": mixed(scores / d),
                "√d is the width of a query, not that of x": mixed(scores / D**0.5),
                "the table lies on its side: a row for each token that asks": mixed(scaled.T),
                "the softmax runs along each row, over the keys": mixed(scaled, axis=0),
                "average the values x W_v, not x itself": mixed(scaled, of=x),
            },
        )
        raise Wrong("the shape is right and the numbers are not; compare with the table worked out by hand above")
    return "Two products of matrices, a mask and a softmax: no token waits for another."


@exercise
def one_back(one_back: Callable) -> str:
    """one_back(T) -> W_q and W_k (T, T) with which each position attends to the one before it."""
    for T in (6, 9):
        maps = (tensor(part, T, T, what="each map") for part in parts(one_back(T), 2, "the answer"))
        W_q, W_k = maps
        mask = torch.ones(T, T, dtype=torch.bool).tril()
        weights = (W_q @ W_k.T / T**0.5).masked_fill(~mask, -torch.inf).softmax(1)  # x is the identity
        back, here = weights.diagonal(-1), weights.diagonal()[1:]
        if bool((back >= 0.99).all()):
            continue
        t = int(back.argmin()) + 1
        if bool((here >= 0.9).all()):
            raise Wrong("every position attends to itself: shift the queries or the keys by one")
        ahead = (W_q @ W_k.T / T**0.5).softmax(1).diagonal(1)
        if bool((ahead >= 0.9).all()):
            raise Wrong("the shift goes the wrong way: without the mask every position would look one ahead")
        if int(weights[t].argmax()) == t - 1:
            raise Wrong(
                f"with T = {T}, position {t} gives {back[t - 1]:.2f} of its weight to the one before: make the scores "
                "larger (they are divided by √d, and d is T here)"
            )
        raise Wrong(f"with T = {T}, position {t} gives {back[t - 1]:.2f} of its weight to the one before it")
    return "A previous-token head. Trained models find it by themselves."


class _Leaky(nn.Module):
    """Logits that are sums over what `sees` (T, T) lets each position see."""

    def __init__(self, sees: Tensor, vocab_size: int):
        super().__init__()
        self.sees = sees
        self.table = torch.randn(vocab_size, vocab_size, generator=torch.Generator().manual_seed(4))

    def forward(self, tokens: Tensor) -> Tensor:
        return self.sees.float() @ self.table[tokens]


@exercise
def leaks(leaks: Callable) -> str:
    """leaks(model, T, vocab_size) -> does an output (1, T, V) change when a later token does?"""
    T, vocab_size = 9, 7
    past = torch.ones(T, T, dtype=torch.bool).tril()
    one_ahead, only_last, only_once = past.clone(), past.clone(), past.clone()
    one_ahead |= torch.eye(T, dtype=torch.bool).roll(1, 1).triu()
    only_last[-2, -1] = True
    only_once[2, 6] = True
    cases = (
        (past, False, "A model that sees only the past"),
        (past.tril(-1), False, "A model that does not even see its own token"),
        (torch.ones_like(past), True, "A model without any mask"),
        (one_ahead, True, "A model that sees one token ahead"),
        (only_last, True, "A model whose last token but one sees the last"),
        (only_once, True, "A model in which position 2 sees position 6"),
    )
    for sees, right, name in cases:
        got = truth(leaks(_Leaky(sees, vocab_size), T, vocab_size))
        if got and not right:
            raise Wrong(
                f"{name} does not leak, and your test says that it does: look only at outputs before the change"
            )
        if right and not got:
            raise Wrong(f"{name} leaks, and your test misses it: change every token in turn")
    return "Run it on every model that you are about to train for a night."


@exercise
def build(make: Callable) -> str:
    """make(vocab_size) -> a module from tokens (B, T), T up to 64, to logits (B, T, vocab_size), to be trained."""
    torch.manual_seed(6)
    V, context = len(plays.ALPHABET), 64
    model = trainable(make(V), "make(vocab_size)")
    unseen = plays.stream("validation")[: 200 * context + 1]
    for B, T in ((3, 5), (2, context)):
        tokens = unseen[: B * T].view(B, T)
        before = _logits(model, tokens, V)
        changed = tokens.clone()
        changed[:, T // 2 :] = (changed[:, T // 2 :] + 1) % V
        after = _logits(model, changed, V)
        if not torch.allclose(before[:, : T // 2], after[:, : T // 2], atol=1e-5):
            raise Wrong(f"with T = {T}, an output changes when a later token does: it leaks")
    steps, optimiser = 500, torch.optim.AdamW(model.parameters(), lr=6e-3)
    with blame("your model", "in training"):
        train_on_windows(model, optimiser, seed=0, steps=steps)
    with torch.no_grad():
        logits = model.eval()(unseen[:-1].view(-1, context))
    loss = cross_entropy(logits.flatten(0, 1), unseen[1:]).item()
    if loss <= ENOUGH:
        return f"{loss:.2f} nats a character on unseen scenes after {steps} steps, and every line of it is yours."
    if not loss <= UNTAUGHT:
        raise Wrong(
            f"after {steps} steps it is at {loss:.2f} nats a character, and a blind guess at 4.14: does it train?"
        )
    raise Wrong(
        f"it learns, and after {steps} steps it is at {loss:.2f} nats a character on unseen scenes; at most {ENOUGH} "
        "is asked for, and about 2.45 is what one gets without knowing where a character stands: are there positions, "
        "residual connections and a norm before each part?"
    )


ENOUGH, UNTAUGHT = 2.25, 4.0
"""Nats a character on 200 windows of unseen scenes: what must be reached, and what shows that nothing was learned."""


def _logits(model: nn.Module, tokens: Tensor, vocab_size: int) -> Tensor:
    try:
        with blame("your model", f"at tokens of shape {tuple(tokens.shape)}"), torch.no_grad():
            return tensor(model.eval()(tokens), *tokens.shape, vocab_size, what="the logits")
    finally:
        model.train()
