"""Canvases: images laid on empty paper, and pieces cut from them to lie about as clutter."""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attend.core.expect import checked, expect


@checked
def lay(images: Float[Tensor, "N P P"], corners: Int[Tensor, "N 2"], width: int) -> Float[Tensor, "N W W"]:
    """Each image on an empty canvas of `width` x `width` pixels, from its corner (row, column) on.

    Raises ValueError for a canvas smaller than the images, and for a corner from which one would stick out.
    """
    expect(width >= images.shape[1], "width", width, f"at least {images.shape[1]} pixels")
    return overlay(images.new_zeros(len(images), width, width), images, corners)


@checked
def overlay(
    canvases: Float[Tensor, "N Y X"], images: Float[Tensor, "N P P"], corners: Int[Tensor, "N 2"]
) -> Float[Tensor, "N Y X"]:
    """Canvases with an image laid on each, from its corner (row, column) on; the darker of two pixels is seen.

    Raises ValueError for a corner from which the image would stick out.
    """
    size = images.shape[1]
    most = corners.new_tensor(canvases.shape[1:]) - size
    inside = bool((corners >= 0).all()) and bool((corners <= most).all())
    expect(inside, "corners", corners, f"rows and columns from 0 to {tuple(most.tolist())}")
    under = torch.arange(len(images))[:, None, None], *_square(corners, size)
    laid = canvases.clone()
    laid[under] = torch.maximum(canvases[under], images)
    return laid


@checked
def cut(
    pool: Float[Tensor, "M Y X"], count: int, size: int, ink: float, least: int, generator: torch.Generator
) -> Float[Tensor, "N P P"]:
    """`count` windows of `size` x `size` pixels, cut at random from a pool of images.

    Only windows in which at least `least` pixels are as dark as `ink` are taken. Raises ValueError for windows larger
    than the images, for ink that is no finite number, and for less than one pixel of ink or more than a window has.
    """
    expect(count > 0, "count", count, "a positive whole number")
    expect(0 < size <= min(pool.shape[1:]), "size", size, f"between 1 and {min(pool.shape[1:])}")
    expect(math.isfinite(ink), "ink", ink, "a finite number")
    expect(0 < least <= size**2, "least", least, f"between 1 and {size**2}, the pixels of a window")
    found = pool.new_zeros(0, size, size)
    for _ in range(1_000):
        which = torch.randint(len(pool), (2 * count, 1, 1), generator=generator)
        corners = torch.randint(pool.shape[1] - size + 1, (2 * count, 2), generator=generator)
        window = pool[which, *_square(corners, size)]
        found = torch.cat((found, window[(window >= ink).sum((1, 2)) >= least]))
        if len(found) >= count:
            return found[:count]
    raise ValueError(f"pool: got images in which no window has {least} pixels of ink {ink}, expected some that have")


def _square(corners: Tensor, side: int) -> tuple[Tensor, Tensor]:
    """Indices (N, side, 1) and (N, 1, side) of the square that begins at each corner."""
    reach = torch.arange(side)
    return corners[:, 0, None, None] + reach[:, None], corners[:, 1, None, None] + reach
