"""What the page on positions claims: what a mask gives away, and what becomes of positions beyond those trained on."""

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from attend.evidence import SHARE, All, OnlyIf, Reaches, recorded
from attend.recipes.positions import (
    LONGER,
    RATE_ORDER,
    T_BACK,
    T_PLAYS,
    TUNED_ON,
    BackRecipe,
    PlaysRecipe,
    by_position,
    nats,
)
from attend.tasks import plays
from attend.transformers.positioned import POSITIONS, PositionedTransformer

DATA = ("evidence/records/positions.json",)
FAR = T_BACK * LONGER
RIGHT = "share of letters named right, on 500 new rows"


@recorded(
    "Attention cannot make use of the order of tokens unless it is told about positions.",
    source="vaswani2017attention",
    quote="in order for the model to make use of the order of the sequence, we must inject some information about the "
    "relative or absolute position of the tokens in the sequence",
    rule=OnlyIf(
        "no mask hides the later tokens",
        inside=Reaches("no positions, no mask", at_most=0.4, limits=SHARE),
        outside=Reaches("no positions, causal mask", at_most=0.4, limits=SHARE),
    ),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget="two layers, 600 steps of 64 rows of 16 letters a side; for each the best of three learning rates on two "
    "other seeds",
    unit="share of letters named right, one back, on 500 new rows",
)
def order(seed):
    """Name the letter before, without positions: everything visible, or nothing that comes later."""
    sides = {"no positions, no mask": False, "no positions, causal mask": True}
    return {
        name: by_position(BackRecipe("none", seed, 1, 2, causal, 600, RATE_ORDER[causal]).train(), 1, T_BACK)
        .mean()
        .item()
        for name, causal in sides.items()
    }


@recorded(
    "Sinusoids let a model go on to rows longer than those it was trained on.",
    source="vaswani2017attention",
    quote="it may allow the model to extrapolate to sequence lengths longer than the ones encountered during training",
    rule=Reaches("sinusoids, positions 17 to 64", at_least=0.5, limits=SHARE),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget="one layer, 300 steps of 64 rows of 16 letters; the best of three learning rates, on rows of 64 letters and "
    "two other seeds",
    unit="share of letters named right, three back, on 500 new rows of 64",
)
def longer(seed):
    """Three back in a row four times as long, by groups of four positions; the other kinds stand beside it."""
    found = {}
    for kind in POSITIONS:
        T = T_BACK if kind == "learned" else FAR
        right = by_position(BackRecipe(kind, seed).train(), 3, T)  # positions 4 to T
        found[f"{kind}, positions 4 to 16"] = right[: T_BACK - 3].mean().item()
        if kind != "learned":
            found[f"{kind}, positions 17 to 64"] = right[T_BACK - 3 :].mean().item()
        for last in range(4, T + 1, 4):  # positions last - 3 to last
            found[f"{kind}, up to {last}"] = right[max(0, last - 7) : last - 3].mean().item()
    return found


@recorded(
    "Beyond the trained length RoPE stumbles over distances that it has never met: hide those, and it is as good as "
    "before. Sinusoids are not.",
    source="ours",
    rule=All(
        (
            Reaches("RoPE, all visible", at_most=0.9, limits=SHARE),
            Reaches("RoPE, window of 16", at_least=0.99, limits=SHARE),
            Reaches("sinusoids, window of 16", at_most=0.6, limits=SHARE),
        )
    ),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget="one layer, 300 steps of 64 rows of 16 letters; the best of three learning rates, on rows of 64 letters and "
    "two other seeds; the window only at the test",
    unit="share of letters named right, three back, at positions 17 to 64 of 500 new rows",
)
def window(seed):
    """The same models with and without a window as wide as the rows that they were trained on."""
    found = {}
    for kind, name in (("rope", "RoPE"), ("sinusoids", "sinusoids")):
        model = BackRecipe(kind, seed).train()
        for seen, how in ((None, "all visible"), (T_BACK, "window of 16")):
            right = by_position(model, 3, FAR, window=seen)
            found[f"{name}, {how}"] = right[T_BACK - 3 :].mean().item()
    return found


@torch.no_grad()
def beyond(model: PositionedTransformer, windows: int = 400) -> tuple[float, float]:
    """Nats a character at positions 33 to 128 of windows of test scenes, and of the very same characters when the model

    reads them in pieces of 32, of which only the last 16 count, so that each has 16 to 31 characters before it.
    """
    text, T, half = plays.stream("test"), T_PLAYS * LONGER, T_PLAYS // 2
    rows = text[torch.arange(windows)[:, None] * 200 + torch.arange(T + 1)]

    def cost(rows: Tensor, skip: int) -> float:
        logits = torch.cat([model(some[:, :-1])[:, skip:] for some in rows.split(200)])
        return cross_entropy(logits.flatten(0, 1), rows[:, 1 + skip :].flatten()).item()

    pieces = [cost(rows[:, start : start + T_PLAYS + 1], half) for start in range(half, T - half, half)]
    return cost(rows, T_PLAYS), sum(pieces) / len(pieces)


@recorded(
    "With ALiBi a language model reads on beyond the length that it was trained on and gets no worse; with sinusoids "
    "and with RoPE it gets worse.",
    source="ours",
    rule=All(
        (
            Reaches("ALiBi: lost", at_most=0.02),
            Reaches("sinusoids: lost", at_least=0.2),
            Reaches("RoPE: lost", at_least=0.2),
        )
    ),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget="two layers of width 48, 400 steps of 32 windows of 32 characters; for each the best of four learning "
    "rates, on validation scenes in windows of 128 and two other seeds",
    unit="nats a character at positions 33 to 128, more than for the same characters read in pieces of 32",
)
def text(seed):
    """Also the loss by position, in groups of eight, and for learned positions up to the 32 that there are."""
    found = {}
    for kind, name in zip(POSITIONS, ("none", "learned", "sinusoids", "ALiBi", "RoPE"), strict=True):
        model = PlaysRecipe(kind, seed).train()
        if kind != "learned":
            whole, pieces = beyond(model)
            found |= {f"{name}: lost": whole - pieces, f"{name}: in pieces": pieces}
        by_place = nats(model, T_PLAYS if kind == "learned" else T_PLAYS * LONGER, windows=400)
        found[f"{name}: positions 17 to 32"] = by_place[16:32].mean().item()
        for last in range(8, len(by_place) + 1, 8):
            found[f"{name}: up to {last}"] = by_place[last - 8 : last].mean().item()
    return found


@recorded(
    "One layer with ALiBi cannot name the letter ten back, where one with RoPE can.",
    source="ours",
    rule=All(
        (
            Reaches("ALiBi, 10 back", at_most=0.5, limits=SHARE),
            Reaches("RoPE, 10 back", at_least=0.99, limits=SHARE),
        )
    ),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget="one layer, 300 steps of 64 rows of 16 letters; for each the best of three learning rates at three back, on "
    "two other seeds",
    unit=f"{RIGHT} of 16 letters",
)
def exact(seed):
    """The task of the page, with ten in the place of three."""
    return {
        f"{name}, 10 back": by_position(BackRecipe(kind, seed, 10).train(), 10, T_BACK).mean().item()
        for kind, name in (("alibi", "ALiBi"), ("rope", "RoPE"))
    }


@torch.no_grad()
def states(model: PositionedTransformer, part: str, windows: int = 400) -> list[Tensor]:
    """The vectors of a text in windows of 32 as a model holds them: embeddings, and after each layer; (windows, 32, D).

    For a model without positions.
    """
    rows = plays.stream(part)[torch.arange(windows)[:, None] * 150 + torch.arange(T_PLAYS)]
    x = model.token(rows)
    found = [x]
    for norm1, attention, norm2, feed_forward in model.layers:
        x = x + attention(norm1(x))
        x = x + feed_forward(norm2(x))
        found.append(x)
    return found


def misses(known: Tensor, asked: Tensor) -> float:
    """By how many positions a linear probe misses on average: fitted to `known` vectors, and asked of others."""
    T = known.shape[1]
    design = [torch.cat([x, torch.ones(*x.shape[:2], 1)], 2).flatten(0, 1).double() for x in (known, asked)]
    places = [torch.arange(T, dtype=torch.double).repeat(len(x)) for x in (known, asked)]
    ridge = torch.eye(design[0].shape[1], dtype=torch.double)
    weights = torch.linalg.solve(design[0].T @ design[0] + ridge, design[0].T @ places[0])
    return (design[1] @ weights - places[1]).abs().mean().item()


@recorded(
    "A causal mask alone tells our small language model where a token stands: what a probe misses by is at most half "
    "of what a guess misses by.",
    source="ours",
    rule=Reaches("after layer 2", at_most=4.0),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget="two layers of width 48, 400 steps of 32 windows of 32 characters, the best of four learning rates; the "
    "probe is fitted to 400 windows of validation scenes",
    unit="positions that a linear probe misses by on average, of 32, on 400 windows of test scenes",
)
def counts(seed):
    """Always to guess the middle misses by 8. Also before the training, and from the embeddings alone."""
    trained, fresh = PlaysRecipe("none", seed).train(), PlaysRecipe("none", seed).build()
    found = {"always the middle": 8.0}
    for model, when in ((trained, ""), (fresh, "untrained, ")):
        known, asked = states(model, "validation"), states(model, "test")
        for n, pair in enumerate(zip(known, asked, strict=True)):
            found[f"{when}{'embeddings' if n == 0 else f'after layer {n}'}"] = misses(*pair)
    return found
