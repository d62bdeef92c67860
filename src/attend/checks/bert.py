"""Exercises of the page on BERT."""

from collections.abc import Callable

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from attend.checks.answers import number, parts, tensor
from attend.checks.exercise import Wrong, blame, exercise
from attend.checks.made import trainable


@exercise
def shares(answer: tuple) -> str:
    """Three numbers: the words of 2,000 that are asked for, that are seen as [MASK], and that are seen unchanged."""
    asked, hidden, same = (number(part, "each of the three") for part in parts(answer, 3, "the answer"))
    if abs(asked - 300) > 0.5:
        raise Wrong("all that were chosen are asked for, hidden or not: 15 % of 2,000")
    if abs(hidden - 240) > 0.5:
        raise Wrong("80 % of those that were chosen become [MASK], not 80 % or 15 % of all")
    if abs(same - 1_700) < 0.5:
        raise Wrong("some of those that were chosen stay as they are, too")
    if abs(same - 1_730) > 0.5:
        raise Wrong("unchanged are all that were not chosen, and 10 % of those that were")
    return "And the model cannot tell the 30 that are asked for from the 1,700 that are not."


@exercise
def masked_loss(loss: Callable) -> str:
    """loss(logits, tokens, chosen) -> the mean surprise at the chosen words; logits are (B, T, V)."""
    for seed, (B, T, V) in enumerate(((3, 7, 11), (2, 5, 9))):
        generator = torch.Generator().manual_seed(seed)
        logits = torch.randn(B, T, V, generator=generator)
        tokens = torch.randint(1, V, (B, T), generator=generator)
        tokens[-1, -2:] = 0
        chosen = (torch.rand(B, T, generator=generator) < 0.4) & (tokens > 0)
        chosen[0, 0] = True
        got = torch.tensor(number(loss(logits, tokens, chosen)))
        each = cross_entropy(logits.mT, tokens, reduction="none")
        if torch.allclose(got, each[chosen].mean(), rtol=1e-3):
            continue
        for wrong, why in (
            (each[~chosen].mean(), "it asks for every word but the chosen ones, and those stand in the input"),
            (each.mean(), "it asks for every word, and most of them stand in the input: copying is rewarded"),
            (
                each[tokens > 0].mean(),
                "it asks for every word, and most of them stand in the input: copying is rewarded",
            ),
            (each[chosen].sum(), "the chosen words are right; take their mean, not their sum"),
            ((each * chosen).mean(), "divide by the number of chosen words, not by that of all positions"),
        ):
            if torch.allclose(got, wrong, rtol=1e-3):
                raise Wrong(why)
        raise Wrong("the mean of -log p of the true word, over the chosen positions, is another number")
    return "Only what was chosen is asked for."


ENOUGH, STEPS, MOST = 0.78, 150, 2_500
"""The share of right pairs that is asked for, in so many steps, with so many new weights."""


@exercise
def tune(make: Callable, trained: Callable, labelled: Callable) -> str:
    """make(encoder) -> a module: (tokens, segments) to two logits a pair; the encoder is trained with it.

    `trained()` is the encoder; `labelled(task, count, seed, draw)` gives pairs with their labels, as ((tokens, segments),
    label).
    """
    with blame("what should give the encoder and the pairs"):
        encoder = trained().requires_grad_(True)
        (tokens, segments), label = labelled("same people", 200, 3, 8)
        asked, right = labelled("same people", 1_000, 1, 0)
        label, right = torch.as_tensor(label), torch.as_tensor(right)
    size = sum(p.numel() for p in encoder.parameters())
    torch.manual_seed(4)
    model = trainable(make(encoder), "make(encoder)")
    own = {id(p) for p in encoder.parameters()}
    new = sum(p.numel() for p in model.parameters() if id(p) not in own)
    if new > MOST:
        raise Wrong(f"you add {new:,} weights, and may add {MOST:,}: one layer is enough, for {size:,} are there")
    if not own & {id(p) for p in model.parameters()}:
        raise Wrong("the encoder is no part of your module: keep it in an attribute, so that it is trained, too")
    optimiser = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-3)
    order = torch.Generator().manual_seed(0)
    with blame("your model", "in training"):
        for _ in range(STEPS):
            rows = torch.randint(len(label), (32,), generator=order)
            logits = model(tokens[rows], segments[rows])
            tensor(logits, 32, 2, what="the logits")
            optimiser.zero_grad()
            cross_entropy(logits, label[rows]).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
        model.eval()
        with torch.no_grad():
            found = (tensor(model(*asked), len(right), 2).argmax(1) == right).double().mean().item()
    if found < ENOUGH:
        raise Wrong(
            f"{found:.2f} of the unseen pairs are right, and {ENOUGH} are asked for: does your layer read a vector "
            "that has seen both sentences, and is the encoder given the segments?"
        )
    return f"{found:.2f} of the unseen pairs are right, with {new:,} new weights."
