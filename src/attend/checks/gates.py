"""Exercises of the page on the way from gates to attention."""

from collections.abc import Callable

import torch

from attend.checks.answers import number, parts, recognise, tensor
from attend.checks.exercise import Wrong, exercise
from attend.transformers.gates import gate_weights, gate_weights_as_printed, softmax_update


@exercise
def shares(share: Callable) -> str:
    """share(keep) -> how much of each of T candidates is in the last summary, for T gates (T)."""
    keep = torch.tensor([0.5, 0.9, 0.2, 0.7, 0.6])
    right = gate_weights(keep[None, :, None])[0, -1, :, 0]
    got = tensor(share(keep.clone()), len(keep), what="the shares")
    if torch.allclose(got, right, atol=1e-5):
        return "What is missing to one, the product of all gates, is the share of h₀."
    after = torch.tensor([keep[i + 1 :].prod() for i in range(len(keep))])
    before = torch.tensor([keep[:i].prod() for i in range(len(keep))])
    taking = torch.tensor([(1 - keep)[i + 1 :].prod() for i in range(len(keep))])
    recognise(
        got,
        {
            "1 - z_i is missing: that is how much of its own candidate step i takes in": after,
            "the product must begin after i: z_i keeps what was there before candidate i": keep * after * (1 - keep),
            "only 1 - z_i: what is taken in shrinks again at every later step": 1 - keep,
            "these are the gates before i; candidate i meets those after it": before * (1 - keep),
            "the gates' roles are exchanged: here z keeps and 1 - z takes in": keep * taking,
            "these are the indices of the lecture": gate_weights_as_printed(keep[None, :, None])[0, -1, :, 0],
            "do not divide by the sum: what is missing to one is left of h₀": right / right.sum(),
        },
    )
    raise Wrong(f"for z = {_spell(keep)} the shares in h_5 are {_spell(right)}, got {_spell(got)}")


@exercise
def wishes(keep: object) -> str:
    """Eight gates with which step 2 has half of h_6, and step 5 has half of h_7."""
    values = [number(value, "a gate") for value in parts(keep, 8, "the gates")]
    for step, value in enumerate(values, 1):
        if not 0 <= value <= 1:
            raise Wrong(f"gates lie between 0 and 1, and z_{step} is {value:g}")
    table = gate_weights(torch.tensor(values, dtype=torch.float64)[None, :, None])[0, :, :, 0]
    two, five = float(table[5, 1]), float(table[6, 4])
    told = f"step 2 has {two:.2f} of h_6, step 5 has {five:.2f} of h_7"
    if abs(two - 0.5) < 0.01 and abs(five - 0.5) < 0.01:
        return f"And more than this no gates can do: {told}."
    if two > 0.51:
        raise Wrong(f"what h_6 gives to step 2 is lost to step 5, for good: {told}")
    if values[1] > 0.5:
        raise Wrong(f"step 2 takes in only 1 - z_2 of its candidate: {told}")
    if five > 0.51:
        raise Wrong(f"step 5 overwrites too much of step 2: {told}")
    raise Wrong(f"both must be one half: {told}")


@exercise
def at_once(summaries: Callable) -> str:
    """summaries(scores, candidates) -> all T summaries: scores (T, T), candidates (T, H), and none looks ahead."""
    generator = torch.Generator().manual_seed(0)
    scores, candidates = torch.randn(4, 4, generator=generator), torch.randn(4, 3, generator=generator)
    right = softmax_update(scores[None], candidates[None])[0][0]
    answer = summaries(scores.clone(), candidates.clone())
    if isinstance(answer, torch.Tensor) and answer.shape == right.shape and bool(answer[0].isnan().any()):
        raise Wrong("a step may look at itself too: the first one has nothing else to look at")
    got = tensor(answer, 4, 3, what="the summaries")
    if torch.allclose(got, right, atol=1e-5):
        return "No step waits for another: the loop over time is gone."
    lower, later = torch.ones(4, 4).tril(), torch.ones(4, 4).triu(1) > 0
    mistakes = {
        "every step looks at all steps, later ones too: hide those before the softmax": scores.softmax(1),
        "a score of 0 hides nothing, e⁰ is 1: hide with minus infinity": (scores * lower).softmax(1),
        "weights that are set to 0 after the softmax no longer add up to one": scores.softmax(1) * lower,
        "the softmax must make each row add up to one, not each column": scores.masked_fill(later, -torch.inf).softmax(
            0
        ),
        "these look ahead: step t may look at steps 1 to t": scores.masked_fill(later.T, -torch.inf).softmax(1),
        "the scores are not used: this is the plain mean up to each step": lower / lower.sum(1, keepdim=True),
        "these are sums of scores; a softmax makes weights of them": scores * lower,
    }
    recognise(got, {says: weights @ candidates for says, weights in mistakes.items()})
    raise Wrong(f"the last summary is {_spell(right[3])}, got {_spell(got[3])}")


def _spell(vector: torch.Tensor) -> str:
    return "(" + ", ".join(f"{value:.2f}" for value in vector.tolist()) + ")"
