"""Exercises of the page on self-attention."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from attend.checks.answers import floats, recognise, tensor
from attend.checks.exercise import Wrong, exercise
from attend.transformers.self_attention import causal_mask, self_attention


@exercise
def write(attend: Callable) -> str:
    """attend(x, query, key, value, visible) -> summaries (T, R): x (T, D), query and key (Q, D), value (R, D)."""
    generator = torch.Generator().manual_seed(0)
    x, query, key, value = (torch.randn(rows, 4, generator=generator) for rows in (5, 3, 3, 4))
    mask = torch.eye(5, dtype=torch.bool) | torch.eye(5, dtype=torch.bool).roll(1, 1)
    found = self_attention(x[None], query, key, value, mask[None])
    right, scores, values = found.output[0], found.scores[0], found.value[0]
    given = (part.clone() for part in (x, query, key, value, mask))
    got = floats(attend(*given), "the summaries must be a tensor of shape (5, 4)")
    if got.shape == right.shape and bool(got.isnan().any()):
        raise Wrong("nan: 0 times infinity, perhaps; put −∞ where `mask` is False, and nowhere else")
    got = tensor(got, 5, 4, what="the summaries")
    if torch.allclose(got, right, atol=1e-5):
        return "Six lines of a lecture's slide, two products of matrices: no word waits for another."

    def with_scores(scores: Tensor, of: Tensor = values) -> Tensor:
        return scores.masked_fill(~mask, -torch.inf).softmax(1) @ of

    e, shares = scores / 3**0.5, (scores / 3**0.5).softmax(1)
    recognise(
        got,
        {
            "the mask has no effect yet: hide the words where `mask` is False": shares @ values,
            "True means may look; here the visible words are hidden": e.masked_fill(mask, -torch.inf).softmax(1)
            @ values,
            "the mask comes before the softmax, or the weights no longer add up to one": (shares * mask) @ values,
            "a score of 0 still gets a weight, e⁰ = 1; a hidden word needs −∞": (e * mask).softmax(1) @ values,
            "divide by √Q, the root of the width of a query": with_scores(scores),
            "divide by √Q, the width of a query; here it was the width of x": with_scores(scores / 2),
            "divide by √Q, the root, not by Q": with_scores(scores / 3),
            "a row for each word that asks: the table of scores lies on its side": with_scores(e.T),
            "the softmax runs along each row, over the words that are looked at": e.masked_fill(
                ~mask, -torch.inf
            ).softmax(0)
            @ values,
            "the mean is taken of the values, value times x, not of x itself": with_scores(e, x),
        },
    )
    raise Wrong(f"the first summary is {_spell(got[0])}, expected {_spell(right[0])}")


@exercise
def ask(question: Callable) -> str:
    """ask(one, other, share) -> a query (d) that gives the key `one` the weight `share`, and `other` the rest."""
    generator = torch.Generator().manual_seed(3)
    for d, share in ((4, 0.9), (16, 0.25), (9, 0.5)):
        one, other = torch.randn(2, d, generator=generator)
        query = tensor(question(one.clone(), other.clone(), share), d, what="the query")
        reached, wanted = float(query @ (one - other)) / d**0.5, math.log(share / (1 - share))
        got = torch.sigmoid(torch.tensor(reached)).item()
        if abs(got - share) < 1e-4:
            continue
        length = float((one - other).norm())
        mistakes = {
            "this gives `other` the weight that `one` should have": -1.0,
            "the products are divided by √d before the softmax: make the query √d times as long": 1 / d**0.5,
            "the products are divided by √d, not by d: this query is √d times too long": d**0.5,
            "divide by the squared length of one − other: one length for the direction, one for the product": length,
            "divide by the squared length of one − other": length**2,
        }
        for says, factor in mistakes.items():
            if wanted and math.isclose(reached, wanted * factor, rel_tol=1e-3):
                raise Wrong(says)
        if math.isclose(reached, share * length**2 / d**0.5, rel_tol=1e-3):
            raise Wrong("share is a weight; the scores must be apart by log(share / (1 - share))")
        raise Wrong(f"with d = {d} the first key must get {share:g}; with this query it gets {got:.4f}")
    return "For one half, any query at a right angle to the difference will do: it cannot tell the two keys apart."


@exercise
def order(test: Callable) -> str:
    """loses_order(f, x, order) -> does f give shuffled words the same summaries, shuffled alike?"""
    generator = torch.Generator().manual_seed(2)
    x, maps = torch.randn(5, 4, generator=generator), torch.randn(3, 4, 4, generator=generator)
    marks, turn = torch.randn(5, 4, generator=generator), torch.tensor([1, 2, 4, 0, 3])

    def attend(x: Tensor, mask: Tensor | None = None) -> Tensor:
        return self_attention(x[None], *maps, mask).output[0]

    cases = (
        (attend, True, "self-attention"),
        (lambda x: torch.tanh(x @ maps[0]), True, "a map of each word by itself"),
        (lambda x: attend(x + marks), False, "self-attention with a mark added to each place"),
        (lambda x: attend(x, causal_mask(5)), False, "self-attention without later words"),
        (lambda x: attend(x).cumsum(0), False, "a running sum"),
        (lambda x: x.flip(0), False, "a function that turns the sentence round"),
        (lambda x: marks, False, "a function that always says the same"),
    )
    for f, right, name in cases:
        got = test(f, x.clone(), turn.clone())
        if isinstance(got, Tensor) and got.numel() == 1:
            got = bool(got)
        if not isinstance(got, bool):
            raise Wrong(f"the answer must be True or False, got {got!r}")
        if got is right:
            continue
        if right and not torch.equal(f(x[turn]), f(x)[turn]):
            strict = "; or is it only the last bit? torch.allclose leaves a little room"
        else:
            strict = ""
        if right:
            raise Wrong(f"{name} loses the order, and your test says no: the summaries are shuffled too{strict}")
        raise Wrong(f"{name} does not just shuffle its summaries with the words, and your test says that it does")
    return "The next page gives each place a mark, and this test then says False."


def _spell(vector: Tensor) -> str:
    return "(" + ", ".join(f"{value:.2f}" for value in vector.tolist()) + ")"
