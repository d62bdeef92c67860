"""The exercises of the page on implicit and explicit attention."""

from collections.abc import Callable

import torch
from torch import Tensor

from attend.checks.answers import number, recognise, tensor
from attend.checks.exercise import Wrong, exercise
from attend.soft.saliency import jacobian, saliency_map


def _drawn(*shape: int, seed: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@exercise
def slope(mapped: Callable) -> str:
    """mapped(answers, image) -> (Y, X): the size of the slope of the largest answer at every pixel."""
    for seed in (2, 0, 5, 3):
        W, V = _drawn(6, 20, seed=seed), _drawn(3, 6, seed=seed + 10)
        image = _drawn(4, 5, seed=seed + 20)

        def answers(images: Tensor, W: Tensor = W, V: Tensor = V) -> Tensor:
            return (images.flatten(1) @ W.T).relu() @ V.T

        rows = jacobian(answers, image[None])[0]
        chances = jacobian(lambda x, answers=answers: answers(x).softmax(dim=1), image[None])[0]
        best = int(answers(image[None]).argmax())
        got = tensor(mapped(answers, image.clone()), 4, 5, what="the map")
        if torch.allclose(got, saliency_map(answers, image[None])[0], atol=1e-5):
            continue
        mistakes = {
            "a slope may be negative, and its size counts: take the absolute value": rows[best],
            "that is the slope of the probability; the softmax flattens it where the net is sure": chances[best].abs(),
            "that is the slope of all answers together, take the largest alone": rows.sum(dim=0).abs(),
            "sizes are taken of one row, not added up over all answers": rows.abs().sum(dim=0),
            "that is the slope of the smallest answer": rows[int(answers(image[None]).argmin())].abs(),
            "that is the slope times the ink; the slope alone is asked for": (rows[best] * image).abs(),
        }
        recognise(got, mistakes)
        recognise(got, {"that is the slope of the first answer, whichever is the largest": rows[0].abs()})
        raise Wrong(
            f"the map is not the slope of the largest answer, which at the first pixel is {rows[best, 0, 0]:.3f}"
        )
    return "The map costs one pass back, whatever the size of the image: that is why gradients are cheap to look at."


@exercise
def share(times: Callable) -> str:
    """times(map, box) -> how many times more of the map's mass lies in the box than an even map would put there."""
    for seed in range(3):
        values, box = _drawn(6, 6, seed=seed), torch.zeros(6, 6)
        box[1 : 3 + seed, 2:5] = 1
        got, size, area = number(times(values.clone(), box.clone())), values.abs(), float(box.mean())
        held = float((size * box).sum() / size.sum())
        if abs(got - held / area) < 1e-4:
            continue
        outside = 1 - box
        wrong = {
            "that is the box's share of the mass; divide it by the box's share of the pixels": held,
            "slopes of both signs cancel in a sum; take their size first": float((values * box).sum() / values.sum())
            / area,
            "compare the box with the whole map, not with the pixels around it": float(
                (size * box).sum() / box.sum() / ((size * outside).sum() / outside.sum())
            ),
            "divide by the box's share of the pixels, not by their number": held / float(box.sum()),
        }
        for says, mistaken in wrong.items():
            if abs(got - mistaken) < 1e-4:
                raise Wrong(says)
        raise Wrong(
            f"a box of {area:.0%} of the pixels with {held:.0%} of the mass: got {got:.3f}, expected {held / area:.3f}"
        )
    return "1 means that the map knows nothing of the box. It says nothing about pixels, only about shares."


@exercise
def chance(faded: Callable) -> str:
    """faded(scores, slopes) -> (P): the slope of the probability of the largest of K scores, from their own (K, P)."""
    for seed in range(4):
        scores, slopes = 2 * _drawn(5, seed=seed), _drawn(5, 7, seed=seed + 10)
        p, best = scores.softmax(dim=0), int(scores.argmax())
        got = tensor(faded(scores.clone(), slopes.clone()), 7, what="the slope")
        if torch.allclose(got, p[best] * (slopes[best] - p @ slopes), atol=1e-5):
            continue
        recognise(
            got,
            {
                "a probability falls when other scores rise: subtract the mean slope of all scores": p[best]
                * slopes[best],
                "1 − p is right for the class's own score only; the other scores have slopes too": p[best]
                * (1 - p[best])
                * slopes[best],
                "the factor p of the class itself is missing": slopes[best] - p @ slopes,
                "the mean slope is weighed by the probabilities, it is not the plain one": p[best]
                * (slopes[best] - slopes.mean(dim=0)),
                "that is the slope of the score, before the softmax": slopes[best],
            },
        )
        right = p[best] * (slopes[best] - p @ slopes)
        raise Wrong(f"for p = {p[best]:.3f} the first slope is {right[0]:.4f}, got {got[0]:.4f}")
    return (
        "Where p is nearly 1, the mean is nearly the class's own slope, and the two cancel: a sure answer has no slope."
    )
