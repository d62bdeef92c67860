"""Exercises of the page on heads and places."""

import math
from collections.abc import Callable

import torch

from attend.checks.answers import number, parts, tensor, whole
from attend.checks.exercise import Wrong, exercise
from attend.transformers.positions import frequencies, shift_matrix, sinusoids


@exercise
def untangle(both: Callable) -> str:
    """both(context, share) -> (one, other): context (V) is share · one-hot(one) plus the rest · one-hot(other)."""
    for share in (0.7, 0.6, 0.9):
        for one, other in ((2, 5), (5, 2), (4, 4), (0, 3), (3, 0), (1, 1)):
            context = torch.zeros(6)
            context[one] += share
            context[other] += 1 - share
            got = tuple(whole(value, "a letter") for value in parts(both(context.clone(), share), 2, "the answer"))
            if got == (one, other):
                continue
            told = f"for letters {one} and {other} with shares {share:g} and {1 - share:.1f}: got {got}"
            if one == other:
                raise Wrong(f"both places may hold the same letter, and then it has all of the weight; {told}")
            if got == (other, one):
                raise Wrong(f"the letter with the larger share comes first; {told}")
            raise Wrong(told)
    return "Uneven shares keep the order, but to read it takes a comparison, and no linear map compares."


@exercise
def distance(product: Callable) -> str:
    """product(away, D) -> the product of the encodings of two places that lie `away` apart."""
    for away, D in ((0, 8), (3, 8), (5, 32), (-5, 32)):
        angles = (away * frequencies(D)).double()
        got, right = number(product(away, D), "a product"), angles.cos().sum().item()
        if math.isclose(got, right, abs_tol=1e-3):
            continue
        mistakes = {
            "this is a share of the most; the product of a place with itself is D / 2": right / (D / 2),
            "there are D / 2 waves, with two numbers each; this counts every wave twice": 2 * right,
            "these are the sines; sin a sin b + cos a cos b is the cosine of the difference": angles.sin().sum().item(),
            "this has the cosines of one place and the sines of the other": (angles.sin() + angles.cos()).sum().item(),
            "all D / 2 waves add to it, not the fastest one alone": math.cos(away),
        }
        for says, mistaken in mistakes.items():
            if math.isclose(got, mistaken, abs_tol=1e-3):
                raise Wrong(says)
        raise Wrong(f"for two places {away} apart and D = {D} it is {right:.3f}, got {got:.3f}")
    return "The cosine forgets the sign: a place ahead and one behind have the same product."


@exercise
def back(turn: Callable) -> str:
    """turn(by, D) -> a matrix W (D, D): asked with W p, keys p, a head gives its weight to the place `by` before p."""
    T = 60
    for by, D in ((1, 32), (4, 32), (2, 64)):
        W = tensor(turn(by, D), D, D, what="the matrix")
        places = sinusoids(T, D)
        weights = ((places @ W.T) @ places.T / math.sqrt(D)).softmax(1)
        on = {offset: weights.diagonal(-offset).mean().item() for offset in (by, -by, 0)}
        if on[by] > 0.95:
            continue
        if on[-by] > 0.5 * on[by] + 0.3:
            raise Wrong(f"this head looks {by} ahead, with {on[-by]:.2f} of its weight: turn the hands back")
        if on[0] > 0.5:
            raise Wrong(f"this head looks at its own place, with {on[0]:.2f} of its weight: the query must be turned")
        if torch.allclose(W / W.norm(), shift_matrix(-by, D) / math.sqrt(D), atol=1e-3):
            raise Wrong(f"the right turn, but the weights are too flat: {on[by]:.2f}; make the queries longer")
        raise Wrong(f"the place {by} back gets {on[by]:.2f} of the weight, expected more than 0.95")
    return "One map serves every place: neighbours keep their distance wherever they stand."
