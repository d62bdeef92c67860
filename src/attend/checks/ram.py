"""The exercises of the page on the recurrent attention model."""

from collections.abc import Callable

import torch

from attend.checks.answers import number, recognise, tensor
from attend.checks.exercise import Wrong, exercise
from attend.hard.ram import rewards


@exercise
def paid(pay: Callable) -> str:
    """pay(right) -> (T): what each of T places earns, from the chance of the right class after each glimpse."""
    for seed in range(3):
        T = 4 + seed
        right = torch.rand(T, generator=torch.Generator().manual_seed(seed))
        got, wanted = tensor(pay(right.clone()), T, what="the pay"), rewards(right[None])[0]
        if torch.allclose(got, wanted, atol=1e-5):
            continue
        later, steps = right.flip(0).cumsum(0).flip(0), torch.arange(1, T + 1)
        recognise(
            got,
            {
                "that is what came before; a place cannot be paid for glimpses that were over": right.cumsum(0) / steps,
                "that is the sum; divide by the number of glimpses, or early places are paid more": later,
                "each sum has its own number of glimpses: the last place has one, the first all": later / T,
                "that pays a place for its own glimpse alone; it earns from those that follow, too": right,
                "that pays every place the same; a place has no part in what was said before it": right.mean().expand(
                    T
                ),
                "a place earns from its own glimpse, too, not only from those after it": torch.cat(
                    [(later - right)[:-1] / (T - steps[:-1]), torch.zeros(1)]
                ),
            },
        )
        raise Wrong(f"the first of {T} places should be paid {wanted[0]:.3f}, got {got[0]:.3f}")
    return "The last place earns from one glimpse, the first from all: each is paid for what it could still change."


@exercise
def steered(aim: Callable) -> str:
    """aim(mean, place, advantage, sigma) -> (2): the way in which the mean moves that makes the reward grow."""
    for seed in range(3):
        generator = torch.Generator().manual_seed(seed)
        mean, place = torch.randn(2, 4, 2, generator=generator).unbind(0)
        advantage, sigma = torch.randn(4, generator=generator), 0.3 + 0.1 * seed
        got = tensor(aim(mean.clone(), place.clone(), advantage.clone(), sigma), 2, what="the way")
        each = advantage[:, None] * (place - mean) / sigma**2
        if torch.allclose(got, each.mean(dim=0), atol=1e-4):
            continue
        recognise(
            got,
            {
                "that makes the reward fall: move towards places that paid more than expected": -each.mean(dim=0),
                "that is the sum over the glimpses; take the mean": each.sum(dim=0),
                "the score of a normal distribution has σ² below, not σ": sigma * each.mean(dim=0),
                "divide by σ²: a step aside counts for more where steps are small": sigma**2 * each.mean(dim=0),
                "weigh each glimpse by its advantage": ((place - mean) / sigma**2).mean(dim=0),
                "advantages and steps belong together: multiply first, then take the mean": advantage.mean()
                * ((place - mean) / sigma**2).mean(dim=0),
            },
        )
        raise Wrong(f"down, the mean should move by {each.mean(dim=0)[0]:.3f}, got {got[0]:.3f}")
    return "No slope of the image was asked for: only where the glimpse fell, and how it paid."


@exercise
def seen(share: Callable) -> str:
    """share(T, width) -> what part of a canvas T glimpses of 12 x 12 numbers at 3 scales cover side by side."""
    for T, width in ((5, 60), (5, 480), (1, 96), (3, 96), (8, 240)):
        got, wanted = number(share(T, width)), min(1.0, T * 48**2 / width**2)
        if abs(got - wanted) < 1e-6:
            continue
        wrong = {
            "a glimpse covers more than its finest crop: the third is 12·2² pixels wide": min(1, T * 12**2 / width**2),
            "the crops lie on top of each other; only the widest adds to what is covered": T * 3 * 48**2 / width**2,
            "count the pixels that are covered, not the numbers that are handed on": T * 432 / width**2,
            "no more than the whole canvas can be covered": T * 48**2 / width**2,
            "each crop is twice as wide as the one before: 12, 24, 48": min(1, T * 36**2 / width**2),
            "that is for one glimpse": min(1, 48**2 / width**2),
        }
        for says, mistaken in wrong.items():
            if abs(got - mistaken) < 1e-6:
                raise Wrong(says)
        raise Wrong(f"{T} glimpses at a canvas of {width} x {width} pixels: got {got:.4f}, expected {wanted:.4f}")
    return "At 480 pixels, five glimpses can cover a twentieth: the price of a cost that does not grow."
