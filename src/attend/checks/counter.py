"""Exercises of the page on the counter that is learned."""

from collections.abc import Callable

import torch

from attend.checks.answers import number, parts, recognise, tensor
from attend.checks.exercise import Wrong, exercise
from attend.gating.counter import auc


@exercise
def surprise(cost: Callable) -> str:
    """cost(logits, counts) -> number: logits (B, T, V), counts (B, T); the mean cross-entropy of all steps, in nats."""
    generator = torch.Generator().manual_seed(0)
    logits = 2 * torch.randn(3, 5, 4, generator=generator)
    counts = torch.randint(4, (3, 5), generator=generator)
    each = -logits.log_softmax(-1).gather(2, counts[:, :, None])[:, :, 0]
    over_time = -logits.log_softmax(1).gather(2, counts[:, :, None])[:, :, 0]
    got = tensor(number(cost(logits.clone(), counts.clone())))
    recognise(
        got,
        {
            "every step has a label: take the mean over all of them, not the last one alone": each[:, -1].mean(),
            "take the mean over series and steps, not their sum": each.sum(),
            "take the mean over the series too: this is their sum": each.mean(1).sum(),
            "take the mean over the steps too: this is their sum": each.sum(1).mean(),
            "surprise is minus the logarithm of the chance: this is the mean chance": (-each).exp().mean(),
            "surprise is minus the logarithm: the sign is the other one": -each.mean(),
            "the chances of all counts at one step add up to 1: take the softmax over the last axis": over_time.mean(),
            "scores are not yet chances: put a softmax before the logarithm": -logits.gather(
                2, counts[..., None]
            ).mean(),
        },
    )
    if not torch.allclose(got, each.mean(), atol=1e-4):
        raise Wrong(f"for 3 series of 5 steps the mean surprise is {each.mean():.4f}, got {got:.4f}")
    return "Every step of every series is an example of its own: 60 for the price of one."


@exercise
def apart(share: Callable) -> str:
    """share(feature, label) -> number: feature (N) and label (N, True inside); the AUC, of the better direction."""
    for seed, flip in ((0, 1.0), (1, -1.0), (2, 1.0)):
        generator = torch.Generator().manual_seed(seed)
        label = torch.arange(14) % 3 == 0
        feature = flip * (torch.randint(0, 9, (14,), generator=generator).float() + 4.0 * label)
        wanted = auc(feature[:, None], label)
        got = tensor(number(share(feature.clone(), label.clone())))[None]
        over = feature[label][:, None] - feature[~label]
        wins, ties = (over > 0).float().mean(), (over == 0).float().mean()
        recognise(got, _mistakes(wins, ties, wanted))
        if not torch.allclose(got, wanted, atol=1e-4):
            raise Wrong(
                f"for {feature.tolist()} with label {label.int().tolist()} it is {wanted[0]:.4f}, got {got[0]:.4f}"
            )
    return "It asks for no threshold and no unit: only whether the one kind comes out above the other."


def _mistakes(wins: torch.Tensor, ties: torch.Tensor, wanted: torch.Tensor) -> dict[str, torch.Tensor]:
    area = wins + ties / 2
    found = {
        "a unit that is low inside tells it as well: of both directions, take the better": torch.stack([area]),
        "equal values are neither won nor lost: count such a pair half": torch.stack(
            [torch.maximum(wins, 1 - wins - ties)]
        ),
        "an equal value is no win: count such a pair half": torch.stack([torch.maximum(wins + ties, 1 - wins)]),
    }
    return {says: value for says, value in found.items() if not torch.allclose(value, wanted, atol=1e-5)}


@exercise
def gated(decide: Callable) -> str:
    """decide(h, entered) -> (keep, candidate): h is the count / 20, and keep h + (1 - keep) candidate must be the next.

    While nothing is entered, the checker disturbs the candidate, as a network would.
    """
    generator = torch.Generator().manual_seed(0)
    entered = (torch.rand(200, generator=generator) < 0.06).tolist()
    noise = torch.empty(200).uniform_(-0.5, 0.5, generator=generator).tolist()
    h = count = 0.0
    for t, (now, disturbed) in enumerate(zip(entered, noise, strict=True), start=1):
        keep, candidate = (number(part, "keep and candidate") for part in parts(decide(h, now), 2, "the answer"))
        if not 0 <= keep <= 1:
            raise Wrong(f"a gate lies between 0 and 1: got keep = {keep:g}")
        if abs(candidate) > 1:
            raise Wrong(f"a candidate comes out of tanh, between -1 and 1: got {candidate:g}")
        before, count = h, count + now
        h = keep * h + (1 - keep) * (candidate if now else candidate + disturbed)
        if abs(h - count / 20) > 1e-6:
            _why(bool(now), keep, candidate, before, f"step {t}: expected {count:.0f} / 20, got {20 * h:.3g} / 20")
    return f"Right for 200 steps and {count:.0f} entrances, whatever the candidate said in between: so much for a gate."


def _why(now: bool, keep: float, candidate: float, before: float, told: str) -> None:
    if not now and keep < 1:
        raise Wrong(f"while nothing is entered the gate must keep (z = 1), or the candidate gets in; {told}")
    if keep == 1:
        raise Wrong(f"at an entrance the gate must let the candidate in: z = 1 keeps the old count; {told}")
    if abs(candidate - 0.05) < 1e-9 and before > 0:
        raise Wrong(f"the candidate takes the place of the count, so it must hold the old count too; {told}")
    if keep == 0 and abs(candidate - before - 1) < 1e-9:
        raise Wrong(f"the summary holds the count in twentieths, so one entrance adds 1/20; {told}")
    if 0 < keep < 1:
        raise Wrong(f"with z between 0 and 1 only a part of the candidate gets in; {told}")
    raise Wrong(told)
