"""Superpixels: the ink of a canvas cut into small patches, and the graph of who touches whom.

Paper is told from ink by its brightness alone, so it is left out.
"""

from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.functional import cross_entropy

from attend.core.expect import checked, expect
from attend.tasks.clutter import INK, Canvases

PATCH = 6
"""About how many pixels a patch holds."""

FEATURES = ("size", "darkness", "height", "width", "slant", "row", "column")
"""What is known of a patch: its pixels / 10, its mean darkness, its spread along rows and columns (standard deviations
in pixels), how the two go together (covariance), and its centre, from -1 to 1."""


class Graphs(NamedTuple):
    """B canvases as graphs of up to N patches with up to K neighbours each.

    `features` (B, N, D), zero where there is no patch; `neighbours` (B, N, K), -1 where there is none; `labels` (B, N),
    0 digit, 1 clutter; `mask` (B, N), True where there is a patch; `patch` (B, Y, X), the patch of each pixel, -1
    for paper.
    """

    features: Float[Tensor, "B N D"]
    neighbours: Int[Tensor, "B N K"]
    labels: Int[Tensor, "B N"]
    mask: Bool[Tensor, "B N"]
    patch: Int[Tensor, "B Y X"]


@checked
def segment(image: Float[Tensor, "Y X"]) -> Int[Tensor, "Y X"]:
    """The patch of each pixel of ink, -1 for paper: k-means on the places of the ink, the same every time.

    The first centres are chosen one by one, each the pixel that lies furthest from those before. Raises ValueError for
    an image without ink.
    """
    dark = image.numpy() >= INK
    expect(bool(dark.any()), "image", image, f"at least one pixel of ink, {INK} or darker")
    places = np.argwhere(dark).astype(float)
    patch = np.full(dark.shape, -1)
    patch[dark] = _k_means(places, max(1, round(len(places) / PATCH)))
    return torch.from_numpy(patch)


def _k_means(places: np.ndarray, count: int, rounds: int = 5) -> np.ndarray:
    """Which of `count` cells each place (P, 2) belongs to, without empty cells."""
    nearest, centres = np.full(len(places), np.inf), [places[0]]
    for _ in range(count - 1):
        nearest = np.minimum(nearest, ((places - centres[-1]) ** 2).sum(1))
        centres.append(places[nearest.argmax()])
    middle = np.array(centres)
    for _ in range(rounds):
        cell = ((places[:, None] - middle) ** 2).sum(-1).argmin(1)
        held = np.bincount(cell, minlength=len(middle))
        sums = np.stack([np.bincount(cell, axis, len(middle)) for axis in places.T], 1)
        middle = np.where(held[:, None] > 0, sums / np.maximum(held, 1)[:, None], middle)
    cell = ((places[:, None] - middle) ** 2).sum(-1).argmin(1)
    return np.unique(cell, return_inverse=True)[1].reshape(-1)


@checked
def graphs(of: Canvases) -> Graphs:
    """The ink of canvases cut into patches, each digit or clutter by most of its pixels, with those that touch it.

    Two patches touch when a pixel of one lies beside, above or at a corner of a pixel of the other.
    """
    made = [_graph(image, labels) for image, labels in zip(of.images, of.labels, strict=True)]
    N = max(len(features) for features, *_ in made)
    K = max(1, *(int(touch.sum(1).max()) for _, touch, *_ in made))
    features = torch.zeros(len(made), N, len(FEATURES))
    neighbours = torch.full((len(made), N, K), -1)
    labels = torch.zeros((len(made), N), dtype=torch.long)
    mask = torch.zeros(len(made), N, dtype=torch.bool)
    for b, (known, touch, label, _) in enumerate(made):
        features[b, : len(known)] = torch.from_numpy(known).float()
        labels[b, : len(known)] = torch.from_numpy(label)
        mask[b, : len(known)] = True
        for node, row in enumerate(touch):
            near = np.flatnonzero(row)
            neighbours[b, node, : len(near)] = torch.from_numpy(near)
    return Graphs(features, neighbours, labels, mask, torch.stack([patch for *_, patch in made]))


def _graph(image: Tensor, labels: Tensor) -> tuple[np.ndarray, np.ndarray, np.ndarray, Tensor]:
    """Features (N, D), who touches whom (N, N), labels (N) and the map of patches of one canvas."""
    patch = segment(image)
    dark = (patch >= 0).numpy()
    where, count = patch.numpy()[dark], int(patch.max()) + 1
    size = np.bincount(where)
    rows, columns = (part.astype(float) for part in np.nonzero(dark))

    def mean(values: np.ndarray) -> np.ndarray:
        return np.bincount(where, values, count) / size

    row, column = mean(rows), mean(columns)
    down, across = rows - row[where], columns - column[where]
    half = (np.array(dark.shape) - 1) / 2
    centre = [row / half[0] - 1, column / half[1] - 1]
    spread = [mean(down**2) ** 0.5, mean(across**2) ** 0.5, mean(down * across)]
    features = np.stack([size / 10, mean(image.numpy()[dark]), *spread, *centre], axis=1)
    votes = np.stack([np.bincount(where, labels.numpy()[dark] == c, count) for c in range(2)])
    return features, _touching(patch.numpy(), count), votes.argmax(0), patch


def _touching(patch: np.ndarray, count: int) -> np.ndarray:
    touch = np.zeros((count + 1, count + 1), dtype=bool)  # the last row and column are the paper
    pairs = [(patch[1:], patch[:-1]), (patch[:, 1:], patch[:, :-1])]
    pairs += [(patch[1:, 1:], patch[:-1, :-1]), (patch[1:, :-1], patch[:-1, 1:])]
    for one, other in pairs:
        touch[one, other] = touch[other, one] = True
    np.fill_diagonal(touch, False)
    return touch[:count, :count]


@checked
def cost(scores: Float[Tensor, "B N C"], of: Graphs) -> Float[Tensor, ""]:
    """The mean surprise at the true label of a patch, in nats. Raises ValueError for scores of other graphs."""
    _fits(scores, of)
    return cross_entropy(scores[of.mask], of.labels[of.mask])


@checked
def accuracy(scores: Float[Tensor, "B N C"], of: Graphs) -> float:
    """The share of patches whose largest score is that of the true label."""
    _fits(scores, of)
    return (scores[of.mask].argmax(-1) == of.labels[of.mask]).double().mean().item()


def _fits(scores: Tensor, of: Graphs) -> None:
    shape = tuple(of.labels.shape)
    expect(tuple(scores.shape[:2]) == shape, "scores", scores, f"scores of shape (B, N, C) with (B, N) = {shape}")
    expect(scores.shape[2] >= 2, "scores", scores, "at least two classes")
