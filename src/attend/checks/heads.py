"""Exercises of the page on heads."""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attend.checks.answers import parts, recognise, tensor, whole
from attend.checks.exercise import Wrong, exercise
from attend.checks.made import Layer
from attend.tasks import repeats
from attend.transformers.attention_only import AttentionOnly
from attend.transformers.heads import MultiHeadAttention


@exercise
def sizes(answer: tuple) -> str:
    """Numbers for D = 64, 8 heads and T = 100: d_head, weights of W_q, entries of all tables of attention weights."""
    width, weights, entries = (whole(part, "each of the three") for part in parts(answer, 3, "the answer"))
    if width != 8:
        if width == 64:
            raise Wrong("the heads share the width: each gets 64 / 8 numbers, not all 64")
        raise Wrong("d_head is the width of one head, D divided by the number of heads")
    if weights != 64 * 64:
        if weights == 64 * 8:
            raise Wrong("that is the W_q of a single head; all eight together have as many as one wide head")
        if weights == 64 * 64 * 8:
            raise Wrong("that would be eight heads of full width; here they share it, and W_q stays as large as it was")
        raise Wrong("W_q maps D numbers to the queries of all heads, which are D numbers together")
    if entries != 8 * 100 * 100:
        if entries == 100 * 100:
            raise Wrong("that is the table of one head, and each head has its own")
        raise Wrong("each head has a table with a row and a column for every token")
    return "The weights of the layer do not grow with the heads; the tables do."


@exercise
def induction(look: Callable) -> str:
    """look(tokens) -> two tables of weights (T, T): of a previous-token head, and of the induction head after it."""
    for seed, T in ((0, 7), (1, 11), (2, 9)):
        tokens = torch.randint(4, (T,), generator=torch.Generator().manual_seed(seed))
        first, second = (tensor(part, T, T, what="each table") for part in parts(look(tokens), 2, "the answer"))
        for name, table in (("first", first), ("second", second)):
            if bool((table < -1e-4).any()):
                raise Wrong(f"a weight of the {name} table is below 0: weights are shares")
            if bool((table.triu(1) > 1e-3).any()):
                raise Wrong(f"the {name} table looks ahead: row t may have weight in columns 0 to t only")
            if not torch.allclose(table.sum(1), torch.ones(T), atol=1e-3):
                raise Wrong(f"the rows of the {name} table must add up to 1, those without a match included")
        back = first.diagonal(-1)
        if not torch.allclose(back, torch.ones(T - 1), atol=1e-2):
            if torch.allclose(first.diagonal(), torch.ones(T), atol=1e-2):
                raise Wrong("the first head looks at its own place; it is to look at the token before")
            raise Wrong("in the first table each row but row 0 gives all of its weight to the token before")
        for t in range(T):
            after = torch.tensor([s > 0 and s <= t and bool(tokens[s - 1] == tokens[t]) for s in range(T)])
            if not bool(after.any()):
                continue
            on, same = second[t][after].sum().item(), (tokens == tokens[t]) & (torch.arange(T) < t)
            if on >= 0.99:
                continue
            if bool(same.any()) and second[t][same & ~after].sum() > 0.5:
                raise Wrong("the second head looks at the same token; it is to look at the token after it")
            raise Wrong(
                f"for the tokens {tokens.tolist()}, row {t} of the second table gives {on:.2f} of its weight to tokens "
                f"that come right after an earlier {int(tokens[t])}; it should be all of it"
            )
    return "The second table can be made only because the first one has told each token who stands before it."


@exercise
def multi_head(multi_head: Callable) -> str:
    """multi_head(x, W_q, W_k, W_v, W_o, K) -> attention (T, D) by K heads: x (T, D), maps (D, D), from the right."""
    for seed, (T, K, d) in enumerate(((5, 3, 2), (7, 2, 5))):
        generator, D = torch.Generator().manual_seed(seed), K * d
        x, *maps = (torch.randn(size, D, generator=generator) for size in (T, D, D, D, D))
        *three, W_o = maps
        parts = [x @ W for W in three]
        blocks = [part.unflatten(1, (K, d)).transpose(0, 1) for part in parts]  # (K, T, d) each
        every_kth = [part.unflatten(1, (d, K)).movedim(2, 0) for part in parts]
        viewed = [part.reshape(K, T, d) for part in parts]
        heads = _attend(blocks, d)
        got = tensor(multi_head(x, *maps, K), T, D)
        if torch.allclose(got, _joined(heads) @ W_o, rtol=1e-3, atol=1e-4):
            continue
        recognise(
            got,
            {
                "that is one head of full width: cut queries, keys and values into K parts first": _joined(
                    _attend([part[None] for part in parts], D)
                )
                @ W_o,
                "the scores are divided by the root of a head's own width, D / K": _joined(_attend(blocks, D)) @ W_o,
                "the scores want dividing by the root of a head's width, D / K": _joined(_attend(blocks, 1)) @ W_o,
                "W_o is missing: one more map after the heads stand side by side": _joined(heads),
                "`reshape(K, T, d)` mixes tokens: cut each row of D numbers, (T, K, d), and then exchange two axes": (
                    _joined(_attend(viewed, d)) @ W_o
                ),
                "`reshape(K, T, d)` mixes tokens; (T, K, d) first, and then exchange two axes": (
                    _attend(viewed, d).reshape(T, D) @ W_o
                ),
                "head i has the numbers i·d to (i + 1)·d, a block, not every K-th number": (
                    _joined(_attend(every_kth, d)) @ W_o
                ),
                "exchange the axes again before you put the heads side by side": heads.reshape(T, D) @ W_o,
                "the softmax runs along each row, over the keys": _joined(_attend(blocks, d, axis=-2)) @ W_o,
                "the heads stand side by side, (T, D), before W_o; they are not averaged": (
                    heads.mean(0).repeat(1, K) @ W_o
                ),
            },
        )
        raise Wrong("the shape is right and the numbers are not: check one head against the formula, then the order")
    return "K attentions, and not a weight more than one."


def _attend(parts: list[Tensor], d: int, axis: int = -1) -> Tensor:
    """What each head reads (K, T, d), from its queries, keys and values."""
    query, key, value = parts
    return (query @ key.mT / d**0.5).softmax(axis) @ value


def _joined(heads: Tensor) -> Tensor:
    """The heads (K, T, d) side by side, (T, D)."""
    return heads.transpose(0, 1).flatten(1)


ENOUGH = 0.8
"""The share of known tokens that a learner's two layers must predict."""
PRACTICE = {"d_model": 64, "num_heads": 2, "num_layers": 2, "context": 24}
"""The model of the page, which gets the learner's layers."""


@exercise
def build(make: Callable) -> str:
    """make(d_model, num_heads) -> a module: causal multi-head attention, (B, T, d_model) to the same shape."""
    torch.manual_seed(3)
    model = AttentionOnly(repeats.VOCAB, **PRACTICE)
    model.layers = nn.ModuleList(_Heads(make(64, 2), layer) for layer in model.layers)
    model.layers[0].refuse_looking_ahead(64, (3, 5), (2, 24))
    practise(model)
    tokens, known = repeats.sample(500, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        right = (model(tokens)[0][:, :-1].argmax(2) == tokens[:, 1:])[known[:, :-1]].float().mean().item()
    if right >= ENOUGH:
        return f"Two layers of yours continue {right:.0%} of what they have seen once. Now look at their weights."
    raise Wrong(
        f"after training, {right:.0%} of the known tokens are predicted, and {ENOUGH:.0%} are asked for: are there "
        "several heads, each with its own softmax, a division by the root of d_head, and an output map?"
    )


class _Heads(Layer):
    """A learner's layer in the place of MultiHeadAttention."""

    def __init__(self, made: object, instead: MultiHeadAttention):
        super().__init__(made)
        self.num_heads = instead.num_heads

    def keys_values(self, x: Tensor) -> None:
        return None

    def attend(self, x: Tensor, cache: None, mask: Tensor) -> tuple[Tensor, Tensor]:
        return self(x), x.new_zeros(len(x), self.num_heads, x.shape[1], x.shape[1])


def practise(model: nn.Module, steps: int = 400, rate: float = 5e-3) -> None:
    """Train on repeats as the page does."""
    optimiser = torch.optim.Adam(model.parameters(), lr=rate)
    for _ in range(steps):
        tokens, known = repeats.sample(32)
        loss = cross_entropy(model(tokens)[0][:, :-1][known[:, :-1]], tokens[:, 1:][known[:, :-1]])
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
