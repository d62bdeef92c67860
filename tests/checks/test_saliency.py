"""Each checker knows the solution, the typical wrong answers, unusual right ones, and the stub."""

import numpy as np
import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import saliency


def probability(logits, gradients):
    p, k = logits.softmax(dim=0), logits.argmax()
    return p[k] * (gradients[k] - p @ gradients)


def moving(h, w):
    q = h.mean(dim=0)
    a = (h @ q).softmax(dim=0)
    pull = a * ((h - a @ h) @ w)
    return a[:, None] * w + pull[:, None] * q + pull @ h / len(h)


def mean_gradient(answer, start, end, steps=20):
    total = 0
    for step in range(steps):
        x = (start + (step + 0.5) / steps * (end - start)).requires_grad_()
        total = total + torch.autograd.grad(answer(x), x)[0]
    return total / steps


def baseline(answer, image, start):
    return (image - start) * mean_gradient(answer, start, image)


def occluded(answer, image, size):
    rows, columns = (n - size + 1 for n in image.shape)
    falls = torch.zeros(rows, columns)
    for i in range(rows):
        for j in range(columns):
            blank = image.clone()
            blank[i : i + size, j : j + size] = 0
            falls[i, j] = answer(image) - answer(blank)
    return falls


def test_solutions_and_stubs():
    accepts(saliency.probability, probability)
    accepts(saliency.moving, moving)
    accepts(saliency.baseline, baseline)
    accepts(saliency.occlusion, occluded)


def by_autograd(h, w):
    h = h.double().requires_grad_()
    y = ((h @ h.mean(dim=0)).softmax(dim=0) @ h) @ w.double()
    return torch.autograd.grad(y, h)[0]


def test_other_right_answers_are_right():
    assert saliency.probability(lambda *given: probability(*given).numpy()).state == "right"
    assert saliency.probability(lambda *given: probability(*given).tolist()).state == "right"
    assert saliency.moving(by_autograd).state == "right"
    right = saliency.baseline(lambda *given: baseline(*given).detach().numpy().astype(np.float64))
    assert right.state == "right", right
    assert saliency.occlusion(lambda *given: [row.tolist() for row in occluded(*given)]).state == "right"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda y, g: g[y.argmax()], "before the softmax"),
        (lambda y, g: y.softmax(0).max() * g[y.argmax()], "subtract the mean gradient"),
        (lambda y, g: g[y.argmax()] - y.softmax(0) @ g, "gradient of log p"),
        (lambda y, g: y.softmax(0).max() * (1 - y.softmax(0).max()) * g[y.argmax()], "the other logits"),
        (lambda y, g: y.softmax(0).max() * (g[y.argmax()] - g.mean(0)), "weighted by the probabilities"),
        (lambda y, g: probability(y, g).abs(), "keep the signs"),
        (lambda y, g: -probability(y, g), "not the gradient of that probability"),
        (lambda y, g: probability(y, g)[:2], "shape"),
    ],
)
def test_slips_of_the_probability_are_named(answer, says):
    refuses(saliency.probability, answer, says=says)


def terms(h, w, q=None):
    q = h.mean(dim=0) if q is None else q
    a = (h @ q).softmax(dim=0)
    pull = a * ((h - a @ h) @ w)
    return a[:, None] * w, pull[:, None] * q, (pull @ h).expand_as(h)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda h, w: sum(terms(h, w)[:2]), "a query that stands still"),
        (lambda h, w: terms(h, w)[0], "through the values alone"),
        (lambda h, w: terms(h, w)[1] + terms(h, w)[2] / len(h), "through the weights alone"),
        (lambda h, w: terms(h, w)[0] + terms(h, w)[2] / len(h), "it is also the key"),
        (lambda h, w: sum(terms(h, w)), "1/S of the mean"),
        (lambda h, w: h, "three ways"),
        (lambda h, w: h.mT, "shape"),
    ],
)
def test_slips_of_the_moving_query_are_named(answer, says):
    refuses(saliency.moving, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda f, x, b: mean_gradient(f, b, x), "how far each pixel moves"),
        (lambda f, x, b: x * mean_gradient(f, b, x), "image − baseline"),
        (lambda f, x, b: -baseline(f, x, b), "exchanged"),
        (lambda f, x, b: (x - b) * mean_gradient(f, 0 * b, x), "begins at the baseline"),
        (lambda f, x, b: x * mean_gradient(f, 0 * b, x), "starts from a blank image"),
        (lambda f, x, b: (x - b) * mean_gradient(f, x, x, 1), "gradient at the image alone"),
        (lambda f, x, b: 2 * baseline(f, x, b), "must add up"),
        (lambda f, x, b: baseline(f, x, b).flip(0), "another way"),
    ],
)
def test_slips_of_the_baseline_are_named(answer, says):
    refuses(saliency.baseline, answer, says=says)


def in_one_copy(answer, image, size):
    before, falls = answer(image), torch.zeros([n - size + 1 for n in image.shape])
    for i in range(falls.shape[0]):
        for j in range(falls.shape[1]):
            image[i : i + size, j : j + size] = 0
            falls[i, j] = before - answer(image)
    return falls


def alone(answer, image, size):
    return occluded(lambda x: -answer(image - x), image, size) - answer(0 * image)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda *given: -occluded(*given), "the sign is turned"),
        (lambda f, x, size: f(x) - occluded(f, x, size), "after blanking"),
        (lambda *given: occluded(*given).abs(), "keep the sign"),
        (alone, "shows the window alone"),
        (in_one_copy, "a fresh copy"),
        (lambda *given: 0 * occluded(*given), "see how far the answer falls"),
        (lambda f, x, size: x, "shape"),
    ],
)
def test_slips_of_the_occlusion_are_named(answer, says):
    refuses(saliency.occlusion, answer, says=says)
