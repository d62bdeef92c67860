"""Each checker knows the solution, the typical wrong answers and the stub."""

import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import saliency


def slope_of(number):
    """A map made of the slope of one number that is computed from the answers."""

    def mapped(answers, image):
        pixels = image.clone().requires_grad_()
        number(answers(pixels[None])[0]).backward()
        return pixels.grad

    return mapped


def ok_slope(answers, image):
    return slope_of(lambda y: y.max())(answers, image).abs()


def ok_share(values, box):
    size = values.abs()
    return (size * box).sum() / size.sum() / box.mean()


def ok_chance(scores, slopes):
    p, k = scores.softmax(0), scores.argmax()
    return p[k] * (slopes[k] - p @ slopes)


@pytest.mark.parametrize(
    ("check", "answer"), [(saliency.slope, ok_slope), (saliency.share, ok_share), (saliency.chance, ok_chance)]
)
def test_solution_and_stub(check, answer):
    accepts(check, answer)


def named(scores):
    return scores.softmax(0), scores.argmax()


@pytest.mark.parametrize(
    ("check", "answer", "says"),
    [
        (saliency.slope, slope_of(lambda y: y.max()), "absolute value"),
        (saliency.slope, lambda f, x: slope_of(lambda y: y.softmax(0).max())(f, x).abs(), "probability"),
        (saliency.slope, lambda f, x: slope_of(lambda y: y.sum())(f, x).abs(), "all answers together"),
        (
            saliency.slope,
            lambda f, x: sum(slope_of(lambda y, k=k: y[k])(f, x).abs() for k in range(3)),
            "of one row",
        ),
        (saliency.slope, lambda f, x: slope_of(lambda y: y.min())(f, x).abs(), "smallest"),
        (saliency.slope, lambda f, x: (ok_slope(f, x) * x).abs(), "times the ink"),
        (saliency.slope, lambda f, x: slope_of(lambda y: y[0])(f, x).abs(), "first answer"),
        (saliency.slope, lambda f, x: x, "not the slope of the largest answer"),
        (saliency.slope, lambda f, x: ok_slope(f, x)[None], "(4, 5), got (1, 4, 5)"),
        (saliency.share, lambda m, b: (m.abs() * b).sum() / m.abs().sum(), "divide it by the box's share"),
        (saliency.share, lambda m, b: (m * b).sum() / m.sum() / b.mean(), "both signs cancel"),
        (
            saliency.share,
            lambda m, b: m.abs()[b > 0].mean() / m.abs()[b == 0].mean(),
            "with the whole map",
        ),
        (saliency.share, lambda m, b: (m.abs() * b).sum() / m.abs().sum() / b.sum(), "not by their number"),
        (saliency.share, lambda m, b: 1.0, "got 1.000, expected"),
        (saliency.chance, lambda s, d: named(s)[0].max() * d[s.argmax()], "subtract the mean slope"),
        (saliency.chance, lambda s, d: named(s)[0].max() * (1 - named(s)[0].max()) * d[s.argmax()], "own score only"),
        (saliency.chance, lambda s, d: d[s.argmax()] - s.softmax(0) @ d, "factor p"),
        (
            saliency.chance,
            lambda s, d: s.softmax(0).max() * (d[s.argmax()] - d.mean(0)),
            "weighed by the probabilities",
        ),
        (saliency.chance, lambda s, d: d[s.argmax()], "before the softmax"),
        (saliency.chance, lambda s, d: torch.zeros(7), "for p ="),
        (saliency.chance, lambda s, d: torch.zeros(5), "(7,), got (5,)"),
    ],
)
def test_wrong_answers_are_named(check, answer, says):
    refuses(check, answer, says=says)
