"""Exercises of the page on learning from samples."""

import math
from collections.abc import Callable

import torch

from attend.checks.answers import recognise, tensor
from attend.checks.exercise import Wrong, exercise
from attend.hard.reinforce import exact_gradient, leave_one_out, policy_gradient, sample_gaussian, score


@exercise
def estimate(slope: Callable) -> str:
    """slope(x, f, mean, sigma) -> (A): the estimated slope of the mean of f, from samples x (N, A) and values f (N)."""
    generator, mean, sigma = torch.Generator().manual_seed(0), torch.tensor([0.5, -1.0, 2.0]), 0.7
    x = sample_gaussian(mean, sigma, 6, generator)
    f = 3 + torch.randn(6, generator=generator)
    got = tensor(slope(x.clone(), f.clone(), mean.clone(), sigma), 3, what="the slope")
    scores, apart = score(x, mean, sigma), f[:, None] * (x - mean)
    right = {b: policy_gradient(scores, f, b) for b in (0.0, leave_one_out(f))}
    if any(torch.allclose(got, one, atol=1e-4) for one in right.values()):
        return "It needs the values of f and no slope of it: f may have steps, or be a person's answer."
    plain = policy_gradient(scores, f)
    recognise(
        got,
        {
            "the sign is turned: this is the step downhill, the slope points uphill": -plain,
            "divide by σ squared: this divides by σ alone": apart.mean(0) / sigma,
            "σ is missing: a wide throw says less about the slope, so divide by σ²": apart.mean(0),
            "the mean over the samples, not their sum: ten samples do not make the slope ten times as steep": 6 * plain,
            "f is missing: these are directions without weights, and their mean says nothing": scores.mean(0),
            "directions begin at the mean: x − mean, not x": (f[:, None] * x).mean(0) / sigma**2,
            "this baseline is the mean of all samples, the own one too: it shrinks the slope": policy_gradient(
                scores, f, f.mean()
            ),
        },
    )
    raise Wrong(f"got {_spell(got)}, expected {_spell(plain)}")


@exercise
def leave_out(baseline: Callable) -> str:
    """baseline(f) -> (N): for each of N samples a baseline that uses the values f (N) and keeps the estimate right."""
    f = torch.tensor([3.0, 1.0, 8.0, 4.0, 4.0])
    got = tensor(baseline(f.clone()), 5, what="the baselines")
    moved = []
    for i in range(5):
        other = f.clone()
        other[i] += 1
        after = tensor(baseline(other), 5, what="the baselines")
        moved.append(abs(float(after[i] - got[i])))
    recognise(
        got,
        {
            "a sample's own value is in its baseline: the slope comes out as 4/5 of itself": f.mean().expand(5),
            "this baseline is f itself: nothing is left of any sample": f,
            "leave the sample out of the number as well: four others, so divide by 4": (f.sum() - f) / 5,
        },
    )
    if max(moved) > 1e-6:
        raise Wrong("when f of a sample changes, its own baseline must not move: it would know what was drawn")
    if torch.allclose(got, leave_one_out(f), atol=1e-5):
        return "Each sample is compared with the others, which were drawn without it: right, and far less noise."
    raise Wrong(f"it keeps the estimate right, but is not the mean of the others: got {_spell(got)}")


@exercise
def choice(slope: Callable) -> str:
    """slope(scores, f) -> (S): the exact slope of the expected f in each of S scores, whose softmax are the chances."""
    for scores, f in (
        (torch.tensor([0.0, 0.0, 0.0]), torch.tensor([3.0, 0.0, 0.0])),
        (torch.tensor([1.0, -0.5, 0.2, 2.0]), torch.tensor([1.0, 4.0, -2.0, 0.5])),
    ):
        got = tensor(slope(scores.clone(), f.clone()), len(f), what="the slopes")
        weights = scores.softmax(0)
        right, mean = exact_gradient(weights, f), float(weights @ f)
        if torch.allclose(got, right, atol=1e-5):
            continue
        recognise(
            got,
            {
                "the sign is turned: the slope points to where the expected f grows": -right,
                "the mean is missing: more for one place is less for the others, so compare f with E[f]": weights * f,
                "the weights are missing: a place that is hardly ever drawn has hardly any slope": f - mean,
                "E[f] is the mean with these weights, not the plain one": weights * (f - f.mean()),
                "this is the slope in the chances; the scores come before the softmax": f,
            },
        )
        raise Wrong(f"for scores {_spell(scores)} and f {_spell(f)}: got {_spell(got)}, expected {_spell(right)}")
    return "The mean of f has come in by itself: in the exact slope every place is already held to a baseline."


def _spell(vector: torch.Tensor) -> str:
    return "(" + ", ".join("0.00" if math.isclose(v, 0, abs_tol=5e-3) else f"{v:.2f}" for v in vector.tolist()) + ")"
