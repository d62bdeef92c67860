"""Exercises of the page on where networks look."""

from collections.abc import Callable

import torch
from torch import Tensor

from attend.checks.answers import close, drawn, recognise, tensor
from attend.checks.exercise import Wrong, exercise


@exercise
def probability(gradient: Callable) -> str:
    """gradient(logits, gradients) -> (P): the gradient of the likeliest class's probability, from those of K logits."""
    for seed, (K, P) in enumerate(((5, 7), (3, 11), (6, 4))):
        logits, gradients = 2 * drawn(K, seed=seed), drawn(K, P, seed=seed + 10)
        p, best = logits.softmax(dim=0), int(logits.argmax())
        got = tensor(gradient(logits.clone(), gradients.clone()), P, what="the gradient")
        if close(got, p[best] * (gradients[best] - p @ gradients)):
            continue
        recognise(
            got,
            {
                "a probability falls when other logits rise: subtract the mean gradient of all logits": p[best]
                * gradients[best],
                "1 − p takes care of the class's own logit only; the other logits have gradients too": p[best]
                * (1 - p[best])
                * gradients[best],
                "that is the gradient of log p; the probability itself has one more factor p": gradients[best]
                - p @ gradients,
                "the mean gradient is weighted by the probabilities, it is not the plain one": p[best]
                * (gradients[best] - gradients.mean(dim=0)),
                "that is the gradient of the logit, before the softmax": gradients[best],
                "those are the sizes; keep the signs": (p[best] * (gradients[best] - p @ gradients)).abs(),
            },
        )
        raise Wrong(f"with p = {p[best]:.2f} for the likeliest class, yours is not the gradient of that probability")
    return "Where p is nearly 1, the mean is nearly the class's own gradient, and the two cancel."


@exercise
def moving(gradient: Callable) -> str:
    """gradient(h, w) -> (S, C): of w · Σ softmax(h q) h with respect to h, where the query q is the mean of h."""
    for seed, (S, C) in enumerate(((5, 3), (4, 7), (7, 2))):
        h, w = drawn(S, C, seed=seed), drawn(C, seed=seed + 10)
        q = h.mean(dim=0)
        a = (h @ q).softmax(dim=0)
        pull = a * ((h - a @ h) @ w)  # (S)
        values, keys, query = a[:, None] * w, pull[:, None] * q, (pull @ h / S).expand(S, C)
        got = tensor(gradient(h.clone(), w.clone()), S, C, what="the gradient")
        if close(got, values + keys + query):
            continue
        recognise(
            got,
            {
                "that is right for a query that stands still; here each h moves the mean, and so the query": values
                + keys,
                "that is the part through the values alone: h moves the weights, too": values,
                "that is the part through the weights alone: h is also what is read": keys + query,
                "h moves the query, and you have that; it is also the key that the query is compared with": values
                + query,
                "each h is 1/S of the mean: the part through the query needs that factor": values + keys + S * query,
                "compare each position with what is read, w · (h_s − c), not with nothing": values
                + (a * (h @ w))[:, None] * q
                + (a * (h @ w)) @ h / S,
            },
        )
        raise Wrong("there are three ways from h to y: as a value, as a key, and through the query; add up all three")
    return "The third part is the same at every position: one that has no weight at all may still have a gradient."


@exercise
def baseline(attributions: Callable) -> str:
    """attributions(answer, image, baseline) -> (Y, X): integrated gradients from a baseline other than a blank one."""
    for seed, (Y, X) in enumerate(((4, 5), (3, 7))):
        W, v = drawn(6, Y * X, seed=seed), drawn(6, seed=seed + 10)
        image, start = drawn(Y, X, seed=seed + 20), drawn(Y, X, seed=seed + 30)

        def answer(x: Tensor, W: Tensor = W, v: Tensor = v) -> Tensor:
            return (x.flatten() @ W.T).tanh() @ v

        got = tensor(attributions(answer, image.clone(), start.clone()), Y, X, what="the map")
        right = _integral(answer, start, image) * (image - start)
        if torch.allclose(got, right, rtol=2e-2, atol=2e-2 * float(right.abs().max())):
            continue
        near = {
            "the mean gradient along the way is right; multiply it by how far each pixel moves": right
            / (image - start),
            "a pixel moves from the baseline to the image: multiply by image − baseline": right
            / (image - start)
            * image,
            "image and baseline are exchanged: the sign is turned": -right,
            "the way begins at the baseline, not at a blank image": _integral(answer, 0 * start, image)
            * (image - start),
            "that starts from a blank image; use the baseline that is given": _integral(answer, 0 * start, image)
            * image,
            "that is the gradient at the image alone: average it along the way": _slope(answer, image)
            * (image - start),
        }
        for says, mistaken in near.items():
            if torch.allclose(got, mistaken, rtol=2e-2, atol=2e-2 * float(mistaken.abs().max())):
                raise Wrong(says)
        gap = float(got.sum() - (answer(image) - answer(start)))
        if abs(gap) > 0.02 * float(right.abs().sum()):
            raise Wrong(f"the map must add up to the answer's change from baseline to image; yours is off by {gap:.2f}")
        raise Wrong("the map adds up to the change of the answer, but shares it out in another way")
    return "What a map says depends on what it is compared with: the baseline is part of the question."


def _slope(answer: Callable, x: Tensor) -> Tensor:
    x = x.detach().requires_grad_()
    return torch.autograd.grad(answer(x), x)[0]


def _integral(answer: Callable, start: Tensor, end: Tensor, steps: int = 50) -> Tensor:
    """The mean gradient on the straight way."""
    return sum(_slope(answer, start + (k + 0.5) / steps * (end - start)) for k in range(steps)) / steps


@exercise
def occlusion(occluded: Callable) -> str:
    """occluded(answer, image, size) -> how much the answer falls where each window of size x size pixels is blanked."""
    for seed, (Y, X, size) in enumerate(((6, 5, 2), (5, 8, 3))):
        W, v = drawn(6, Y * X, seed=seed), drawn(6, seed=seed + 10)
        image = drawn(Y, X, seed=seed + 20).abs()

        def answer(x: Tensor, W: Tensor = W, v: Tensor = v) -> Tensor:
            return (x.flatten() @ W.T).relu() @ v

        rows, columns = Y - size + 1, X - size + 1
        right, shown = torch.zeros(rows, columns), torch.zeros(rows, columns)
        for i in range(rows):
            for j in range(columns):
                blank, kept = image.clone(), torch.zeros_like(image)
                blank[i : i + size, j : j + size] = 0
                kept[i : i + size, j : j + size] = image[i : i + size, j : j + size]
                right[i, j], shown[i, j] = answer(image) - answer(blank), answer(kept)
        got = tensor(occluded(answer, image.clone(), size), rows, columns, what="the map")
        if close(got, right):
            continue
        recognise(
            got,
            {
                "the sign is turned: it is the fall that counts, the answer before minus the answer after": -right,
                "that is the answer after blanking; subtract it from the answer to the whole image": answer(image)
                - right,
                "that shows the window alone; blank the window, and keep the rest": shown,
                "keep the sign: where the answer rises, the window spoke against it": right.abs(),
            },
        )
        wiped = image.clone()
        wiped[:size, :size] = 0
        if close(got[0, 0], answer(image) - answer(wiped)):
            raise Wrong(
                "the first window is right and others are not: is each one blanked in a fresh copy of the image?"
            )
        raise Wrong("blank the window that begins at row i and column j, and see how far the answer falls")
    return "No gradient is needed, so this works for any model. It asks once for every window."
