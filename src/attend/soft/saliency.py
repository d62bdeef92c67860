"""What a network attends to: the Jacobian of one that was given no attention, beside weights that say it outright.

Source   Simonyan, Vedaldi & Zisserman 2014, arXiv:1312.6034 (the gradient as a map); Adebayo et al. 2018,
         arXiv:1810.03292 (weights drawn anew); lecture adaloglou2020attention (implicit and explicit attention).
Departs  all rows of the Jacobian, and a way back through the layers that is written out; one learned query reads the
         places of a feature map.
Agrees   torch.autograd, for every row and every pixel (tests/soft/test_saliency.py).
"""

from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attend.core.expect import checked, expect
from attend.core.init import linear_
from attend.memory.convnet import ConvNet, Field, Layer, Pair, convolve, max_pool, receptive_field, windows
from attend.soft.read import read
from attend.soft.scores import dot


@checked
def jacobian(
    answers: Callable,
    images: Float[Tensor, "B Y X"],
) -> Float[Tensor, "B K Y X"]:
    """∂ answer k / ∂ pixel: how fast each of K answers grows when a pixel is given more ink.

    `answers(images)` gives numbers (B, K), those of an image from that image alone. One pass back for each row.
    """
    pixels = images.detach().clone().requires_grad_()
    given = answers(pixels)
    rows = [torch.autograd.grad(row.sum(), pixels, retain_graph=True)[0] for row in given.unbind(dim=1)]
    return torch.stack(rows, dim=1)


@checked
def sensitivity(
    answers: Callable,
    images: Float[Tensor, "B Y X"],
) -> Float[Tensor, "B Y X"]:
    """The size of one row of the Jacobian, that of the largest answer: the map that is called saliency."""
    pixels = images.detach().clone().requires_grad_()
    largest = answers(pixels).amax(dim=1)
    return torch.autograd.grad(largest.sum(), pixels)[0].abs()


@checked
def spread(
    slopes: Float[Tensor, "B F _ _"],
    kernels: Float[Tensor, "F C P P"],
) -> Float[Tensor, "B C _ _"]:
    """Back through a convolution: each unit hands its slope to the window that it saw, by the same weights."""
    turned = kernels.flip(2, 3).transpose(0, 1)
    return convolve(slopes, turned, padding=kernels.shape[2] - 1)


@checked
def unpool(slopes: Float[Tensor, "B F _ _"], x: Float[Tensor, "B F Y X"]) -> Float[Tensor, "B F Y X"]:
    """Back through max pooling of 2 x 2 units `x`: the slope goes to the largest of each window.

    Units that are equally large get equal parts. Raises ValueError unless there is one slope for each window.
    """
    fits = slopes.shape[2:] == (x.shape[2] // 2, x.shape[3] // 2)
    expect(fits, "slopes", slopes, f"one for each window of 2 x 2 units of maps {tuple(x.shape)}")
    seen = windows(x, (2, 2), 2)
    largest = (seen == seen.amax(dim=(4, 5), keepdim=True)).to(x.dtype)
    given = slopes[..., None, None] * largest / largest.sum(dim=(4, 5), keepdim=True)
    back = torch.zeros_like(x)
    back[:, :, : 2 * given.shape[2], : 2 * given.shape[3]] = given.transpose(3, 4).flatten(4, 5).flatten(2, 3)
    return back


@checked
def backward(
    net: ConvNet,
    images: Float[Tensor, "B Y X"],
    wanted: Float[Tensor, "B K"],
) -> Float[Tensor, "B Y X"]:
    """∂ Σ wanted·score / ∂ pixel of a net with max pooling, by hand: the layers again, from the last to the first.

    With `wanted` 1 for one class and 0 for the others it is a row of the Jacobian. Raises ValueError for another way to
    pool, and for images that leave the last layer more than one place.
    """
    expect(net.pool == "max", "net", net.pool, "a net with max pooling")
    _, maps = net(images)
    whole = maps["scores"].shape[2:] == (1, 1)
    expect(whole, "images", images, "images of the size it is made for")
    slopes = spread(wanted[:, :, None, None], net.kernels3)
    slopes = unpool(slopes, maps["conv2"]) * (maps["conv2"] > 0)
    slopes = spread(slopes, net.kernels2)
    slopes = unpool(slopes, maps["conv1"]) * (maps["conv1"] > 0)
    return spread(slopes, net.kernels1)[:, 0]


class Attending(nn.Module):
    """A net with explicit attention: two convolutions, one learned query that weighs all places, and one mean of them.

    `features` are the numbers of maps of the two layers, `size` their kernels' width. The maps of the second are keys
    and values both: at each place a vector, of the pixels that its units see. The weighted mean names the class.
    """

    @checked
    def __init__(
        self,
        features: Pair = (8, 24),
        size: int = 5,
        classes: int = 10,
        generator: torch.Generator | None = None,
    ):
        expect(min(features) > 0, "features", features, "at least one map in each layer")
        expect(size > 0, "size", size, "a positive whole number")
        expect(classes > 0, "classes", classes, "a positive whole number")
        super().__init__()
        first, second = features
        self.size = size
        self.kernels1, self.bias1 = _filters(first, 1, size, generator)
        self.kernels2, self.bias2 = _filters(second, first, size, generator)
        self.query = nn.Parameter(0.1 * torch.randn(second, generator=generator))
        self.readout = linear_(nn.Linear(second, classes), generator)

    @property
    def field(self) -> Field:
        """What one place of the last maps sees, along one axis."""
        return receptive_field([Layer(self.size), Layer(2, stride=2), Layer(self.size)])

    @checked
    def see(self, images: Float[Tensor, "B Y X"]) -> Float[Tensor, "B K R C"]:
        """The maps of the second layer: at each of R x C places a vector of K numbers, of the pixels around it.

        Raises ValueError for images smaller than what one place sees.
        """
        least = self.field.size
        expect(min(images.shape[1:]) >= least, "images", images, f"images of at least {least} x {least} pixels")
        maps = max_pool(convolve(images[:, None], self.kernels1, self.bias1).relu())
        return convolve(maps, self.kernels2, self.bias2).relu()

    @checked
    def look(
        self,
        maps: Float[Tensor, "B K R C"],
    ) -> tuple[Float[Tensor, "B _"], Float[Tensor, "B R C"]]:
        """Class scores and the weight of each place, from the maps of the second layer."""
        K = len(self.query)
        expect(maps.shape[1] == K, "maps", maps, f"K = {K} maps")
        places = maps.flatten(2).mT  # B S K: all places, one after the other
        query = self.query.expand(len(maps), 1, -1)
        context, weights = read(dot(query, places), places)
        return self.readout(context[:, 0]), weights.view(-1, *maps.shape[2:])

    @checked
    def forward(self, images: Float[Tensor, "B Y X"]) -> tuple[Float[Tensor, "B _"], Float[Tensor, "B R C"]]:
        """Class scores (B, classes) of images in [0, 1], and the weight of each place, R rows and C columns of them."""
        return self.look(self.see(images))


def _filters(out: int, channels: int, size: int, generator: torch.Generator | None) -> list[nn.Parameter]:
    bound = (channels * size * size) ** -0.5
    shapes = (out, channels, size, size), (out,)
    return [nn.Parameter(torch.empty(shape).uniform_(-bound, bound, generator=generator)) for shape in shapes]


@checked
def on_pixels(weights: Float[Tensor, "B R C"], field: Field, width: int) -> Float[Tensor, "B Y X"]:
    """Weights of places as a map of an image `width` pixels wide: each is spread evenly over the pixels that it saw.

    Raises ValueError for places that see pixels outside the image.
    """
    inside = field.start == 0 and (max(weights.shape[1:]) - 1) * field.jump + field.size <= width
    expect(inside, "weights", weights, f"places that see pixels of an image of {width} x {width}")
    ones = weights.new_ones(1, 1, field.size, field.size) / field.size**2
    apart = weights.new_zeros(len(weights), 1, width - field.size + 1, width - field.size + 1)
    rows, columns = weights.shape[1:]
    apart[:, 0, : rows * field.jump : field.jump, : columns * field.jump : field.jump] = weights
    return spread(apart, ones)[:, 0]


@checked
def inside(maps: Float[Tensor, "B Y X"], boxes: Float[Tensor, "B Y X"]) -> Float[Tensor, "B"]:
    """The share of each map's mass that lies in its box (1 inside, 0 outside); 0 for a map that is 0 everywhere."""
    size = maps.abs()
    return _share((size * boxes).sum(dim=(1, 2)), size.sum(dim=(1, 2)))


@checked
def agreement(one: Float[Tensor, "B Y X"], other: Float[Tensor, "B Y X"]) -> Float[Tensor, "B"]:
    """The correlation of two maps of the same image, pixel by pixel: 1 for the same map, 0 for unrelated ones.

    It is 0, too, where a map has the same value everywhere and so points nowhere.
    """
    a, b = (maps.flatten(1) - maps.flatten(1).mean(dim=1, keepdim=True) for maps in (one, other))
    return _share((a * b).sum(dim=1), a.norm(dim=1) * b.norm(dim=1))


def _share(part: Tensor, whole: Tensor) -> Tensor:
    """part / whole, and 0 where the whole is 0."""
    return torch.where(whole > 0, part / whole.clamp(min=torch.finfo(whole.dtype).tiny), 0)


@checked
def heaviest(maps: Float[Tensor, "B Y X"], size: int) -> Int[Tensor, "B 2"]:
    """Where the window of `size` x `size` pixels begins that holds most of each map: row and column."""
    held = _held(maps, size)
    best = held.flatten(1).argmax(dim=1)
    return torch.stack([best // held.shape[2], best % held.shape[2]], dim=1)


@checked
def elsewhere(images: Float[Tensor, "B Y X"], corners: Int[Tensor, "B 2"], size: int) -> Int[Tensor, "B 2"]:
    """The control of a window: another one, nowhere overlapping, whose ink is nearest to that in the first.

    Raises ValueError for a corner whose window leaves the image, and for a window that leaves no room beside it.
    """
    held = _held(images, size)
    _fits(corners, held)
    rows, columns = corners.unbind(dim=1)
    own = held[torch.arange(len(held)), rows, columns]
    reach = torch.arange(held.shape[1])
    near = (reach - rows[:, None]).abs() < size, (reach - columns[:, None]).abs() < size
    overlap = near[0][:, :, None] & near[1][:, None]
    expect(not bool(overlap.flatten(1).all(dim=1).any()), "size", size, "a window with room for another beside it")
    best = (held - own[:, None, None]).abs().masked_fill(overlap, torch.inf).flatten(1).argmin(dim=1)
    return torch.stack([best // held.shape[2], best % held.shape[2]], dim=1)


def _fits(corners: Tensor, held: Tensor) -> None:
    most = torch.tensor(held.shape[1:]) - 1
    there = bool(((corners >= 0) & (corners <= most)).all())
    expect(there, "corners", corners, f"rows and columns from 0 to {tuple(most.tolist())}")


def _held(maps: Tensor, size: int) -> Tensor:
    """What each window of `size` x `size` pixels holds in all."""
    return windows(maps[:, None], (size, size))[:, 0].sum(dim=(3, 4))


@checked
def blank(images: Float[Tensor, "B Y X"], corners: Int[Tensor, "B 2"], size: int) -> Float[Tensor, "B Y X"]:
    """The images with one window of `size` x `size` pixels made into empty paper.

    Raises ValueError for a corner whose window leaves the image.
    """
    _fits(corners, _held(images, size))
    rows, columns = (torch.arange(n) - at[:, None] for n, at in zip(images.shape[1:], corners.unbind(1), strict=True))
    hidden = ((rows >= 0) & (rows < size))[:, :, None] & ((columns >= 0) & (columns < size))[:, None]
    return images.masked_fill(hidden, 0)
