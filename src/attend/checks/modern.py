"""Exercises of the page on today's block."""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, layer_norm

from attend.checks.answers import floats, parts, recognise, tensor
from attend.checks.exercise import Wrong, blame, exercise
from attend.checks.made import Layer
from attend.tasks import plays
from attend.train.characters import train_on_windows
from attend.transformers.modern import ModernTransformer

X = torch.tensor([3.0, -1.0, 5.0, 1.0])


@exercise
def rms(answer: tuple) -> str:
    """Two rows of four numbers: RMSNorm, with gain 1, of (3, −1, 5, 1) and of (−6, 2, −10, −2)."""
    first, second = (tensor(row, 4, what="each row") for row in parts(answer, 2, "the answer"))
    right = X / 3
    if not torch.allclose(first, right, atol=0.01):
        recognise(
            (100 * first).round(),
            {
                "that is LayerNorm: RMSNorm subtracts no mean": (100 * layer_norm(X, (4,))).round(),
                "divide by the root of the *mean* of the squares, not of their sum": (100 * X / 6).round(),
                "take the root of the mean square": (100 * X / 9).round(),
                "divide by the root of the mean square, not by the mean": (100 * X / 2).round(),
            },
        )
        raise Wrong("square the four numbers, take their mean, then the root; divide all four by it")
    if not torch.allclose(second, -right, atol=0.01):
        if torch.allclose(second, right, atol=0.01):
            raise Wrong("the size is lost, and the sign is not: the root of the mean square is never below 0")
        raise Wrong("the second row is the first, times −2: so is the root of its mean square, but for the sign")
    return "RMSNorm keeps the direction of a vector, and forgets its length."


@exercise
def grouped(attend: Callable) -> str:
    """attend(q, k, v) -> (B, heads, T, d), for k and v (B, kv_heads, S, d), queries at the last T of S."""
    for seed, (B, kv, group, T, S, d) in enumerate(((2, 2, 3, 5, 5, 4), (1, 3, 2, 1, 7, 6), (3, 2, 2, 3, 8, 5))):
        generator = torch.Generator().manual_seed(seed)
        q = torch.randn(B, kv * group, T, d, generator=generator)
        k, v = (torch.randn(B, kv, S, d, generator=generator) for _ in "kv")
        said = floats(attend(q, k, v), f"the answer must be a tensor of shape ({B}, {kv * group}, {T}, {d})")
        if said.shape == q.shape and bool(said.isnan().any()):
            raise Wrong("nan: some query sees no key at all")
        got = tensor(said, B, kv * group, T, d)
        causal = torch.ones(T, S, dtype=torch.bool).tril(S - T)
        top_left = torch.ones(T, S, dtype=torch.bool).tril()
        blocks, turns = (k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)), _repeated(k, v, group)
        if torch.allclose(got, _read(q, *blocks, causal), atol=1e-4):
            continue
        cache = f"with {T} queries beside {S} keys, as with a cache, query 0 stands at position {S - T}, not at 0"
        recognise(
            got,
            {
                "neighbouring heads share a key, heads 0 and 1 the first, not 0 and 2": _read(q, *turns, causal),
                cache: _read(q, *blocks, top_left),
                f"two faults are left: which heads share, and {cache}": _read(q, *turns, top_left),
                "a query sees later keys: where is the mask?": _read(q, *blocks, torch.ones_like(causal)),
                "the scores want dividing by √d": _read(q * d**0.5, *blocks, causal),
            },
        )
        raise Wrong(
            f"the shape is right and the numbers are not, with {kv * group} heads, {kv} of keys, T = {T}, S = {S}"
        )
    return "Shapes cannot tell these faults; a test beside a loop over heads can."


def _repeated(k: Tensor, v: Tensor, group: int) -> tuple[Tensor, Tensor]:
    return k.repeat(1, group, 1, 1), v.repeat(1, group, 1, 1)


def _read(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    scores = q @ k.mT / q.shape[-1] ** 0.5
    return scores.masked_fill(~mask, -torch.inf).softmax(-1) @ v


STEPS = 250
ENOUGH = 2.3
"""Training steps, and the nats a character that a learner's blocks must reach."""
MOST = 52_500
"""Weights that a block of theirs may have; those of the page have 51,968."""


@exercise
def build(make: Callable) -> str:
    """make(d_model, num_heads) -> a block: (B, T, d_model) to the same shape, causal, with positions of its own."""
    torch.manual_seed(3)
    model = ModernTransformer(len(plays.ALPHABET))
    model.blocks = nn.Sequential(*(Layer(make(64, 4), "your block") for _ in range(2)))
    for block in model.blocks:
        if (size := sum(p.numel() for p in block.parameters())) > MOST:
            raise Wrong(f"your block has {size:,} weights, and may have {MOST:,}: did you shrink the width by a third?")
    first = model.blocks[0]
    first.refuse_looking_ahead(64, (3, 5), (2, 64))
    with torch.no_grad():
        x = torch.randn(3, 9, 64)
        if torch.allclose(first(x[:, [1, 0, *range(2, 9)]])[:, -1], first(x)[:, -1], atol=1e-6):
            raise Wrong("exchange the first two tokens, and the last output stays as it was: where are the positions?")
    optimiser = torch.optim.AdamW(model.parameters(), lr=6e-3)
    with blame("your model", "in training"):
        train_on_windows(model, optimiser, seed=0, steps=STEPS)
    unseen = plays.stream("validation")[: 200 * 64 + 1]
    with torch.no_grad():
        found = cross_entropy(model(unseen[:-1].view(-1, 64)).flatten(0, 1), unseen[1:]).item()
    if found <= ENOUGH:
        return f"{found:.2f} nats a character on unseen scenes: the block of a language model of today, made by you."
    raise Wrong(
        f"after training it is at {found:.2f} nats a character, and {ENOUGH} are asked for: are there both additions "
        "to x, a norm before each part, and a division by the root of d_head?"
    )
