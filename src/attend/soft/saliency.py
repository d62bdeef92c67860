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
from torch.nn.functional import max_pool2d, one_hot

from attend.core.expect import checked, expect
from attend.core.init import linear_
from attend.core.types import Positive
from attend.memory.convnet import ConvNet, Field, Layer, convolve, receptive_field, smallest, windows
from attend.soft.read import read
from attend.soft.scores import dot


@checked
def jacobian(
    answers: Callable,
    images: Float[Tensor, "B Y X"],
) -> Float[Tensor, "B K Y X"]:
    """∂ answer k / ∂ pixel: the gradients of K answers with respect to every pixel.

    `answers(images)` gives numbers (B, K), those of an image from that image alone. One backward pass for each row.
    """
    pixels = images.detach().clone().requires_grad_()
    given = answers(pixels)
    rows = [torch.autograd.grad(row.sum(), pixels, retain_graph=True)[0] for row in given.unbind(dim=1)]
    return torch.stack(rows, dim=1)


@checked
def saliency_map(
    answers: Callable,
    images: Float[Tensor, "B Y X"],
) -> Float[Tensor, "B Y X"]:
    """The saliency map: the absolute gradient of the largest answer with respect to each pixel."""
    pixels = images.detach().clone().requires_grad_()
    largest = answers(pixels).amax(dim=1)
    return torch.autograd.grad(largest.sum(), pixels)[0].abs()


@checked
def conv_backward(
    grads: Float[Tensor, "B F _ _"],
    kernels: Float[Tensor, "F C P P"],
) -> Float[Tensor, "B C _ _"]:
    """The gradient of a convolution with respect to its input: a convolution again, with the kernels turned round."""
    turned = kernels.flip(2, 3).transpose(0, 1)
    return convolve(grads, turned, padding=kernels.shape[2] - 1)


@checked
def max_pool_backward(grads: Float[Tensor, "B F _ _"], x: Float[Tensor, "B F Y X"]) -> Float[Tensor, "B F Y X"]:
    """The gradient of max pooling with respect to its input `x`: it goes to the largest unit of each 2 x 2 window.

    Of units that are equally large the first one gets it. Raises ValueError unless there is one gradient for each
    window.
    """
    fits = grads.shape[2:] == (x.shape[2] // 2, x.shape[3] // 2)
    expect(fits, "grads", grads, f"one for each window of 2 x 2 units of maps {tuple(x.shape)}")
    seen = windows(x, (2, 2), 2).flatten(4)
    largest = one_hot(seen.argmax(dim=4), 4).to(x.dtype).unflatten(4, (2, 2))
    given = grads[..., None, None] * largest
    back = torch.zeros_like(x)
    back[:, :, : 2 * given.shape[2], : 2 * given.shape[3]] = given.transpose(3, 4).flatten(4, 5).flatten(2, 3)
    return back


@checked
def backward(
    net: ConvNet,
    images: Float[Tensor, "B Y X"],
    wanted: Float[Tensor, "B K"],
) -> Float[Tensor, "B Y X"]:
    """∂ Σ wanted·logit / ∂ pixel of a net with max pooling, by hand: backpropagation, layer by layer.

    With `wanted` 1 for one class and 0 for the others it is a row of the Jacobian. Raises ValueError for another way to
    pool, and for images that leave the last layer more than one place.
    """
    expect(isinstance(net.pool, nn.MaxPool2d), "net", net.pool, "a net with max pooling")
    expect(min(images.shape[1:]) >= smallest(net), "images", images, f"images of {smallest(net)} pixels or more")
    maps = net.maps(images)
    whole = maps["logits"].shape[2:] == (1, 1)
    expect(whole, "images", images, "images of the size it is made for")
    grads = conv_backward(wanted[:, :, None, None], net.conv3.weight)
    grads = max_pool_backward(grads, maps["conv2"]) * (maps["conv2"] > 0)
    grads = conv_backward(grads, net.conv2.weight)
    grads = max_pool_backward(grads, maps["conv1"]) * (maps["conv1"] > 0)
    return conv_backward(grads, net.conv1.weight)[:, 0]


class AttentionNet(nn.Module):
    """A convolutional network with attention: one learned query over all positions of the last feature maps.

    `features` are the numbers of maps of the two convolutions. At each position the second gives a vector, which is key
    and value at once; the classes are read from the weighted mean of the vectors.
    """

    @checked
    def __init__(
        self,
        features: tuple[Positive, Positive] = (8, 24),
        kernel_size: Positive = 5,
        num_classes: Positive = 10,
        generator: torch.Generator | None = None,
    ):
        super().__init__()
        first, second = features
        self.conv1 = nn.Conv2d(1, first, kernel_size)
        self.conv2 = nn.Conv2d(first, second, kernel_size)
        for conv in (self.conv1, self.conv2):
            bound = (conv.in_channels * kernel_size**2) ** -0.5
            nn.init.uniform_(conv.weight, -bound, bound, generator=generator)
            nn.init.uniform_(conv.bias, -bound, bound, generator=generator)
        self.query = nn.Parameter(0.1 * torch.randn(second, generator=generator))
        self.readout = linear_(nn.Linear(second, num_classes), generator)

    @property
    def field(self) -> Field:
        """The receptive field of one position of the last maps, along one axis."""
        (size, _) = self.conv1.kernel_size
        return receptive_field([Layer(size), Layer(2, stride=2), Layer(size)])

    @checked
    def feature_maps(self, images: Float[Tensor, "B Y X"]) -> Float[Tensor, "B K R C"]:
        """The K maps of the second convolution, of R rows and C columns.

        Raises ValueError for images smaller than the receptive field of one position.
        """
        least = self.field.size
        expect(min(images.shape[1:]) >= least, "images", images, f"images of at least {least} x {least} pixels")
        maps = max_pool2d(self.conv1(images[:, None]).relu(), 2)
        return self.conv2(maps).relu()

    @checked
    def attend(self, maps: Float[Tensor, "B K R C"]) -> tuple[Float[Tensor, "B _"], Float[Tensor, "B R C"]]:
        """Logits of the classes and the attention weights of all positions, from the feature maps."""
        K = len(self.query)
        expect(maps.shape[1] == K, "maps", maps, f"K = {K} maps")
        values = maps.flatten(2).mT  # (B, S, K): all positions, one after the other
        query = self.query.expand(len(maps), 1, -1)  # (B, 1, K)
        context, weights = read(dot(query, values), values)
        return self.readout(context[:, 0]), weights.view(-1, *maps.shape[2:])

    @checked
    def forward(self, images: Float[Tensor, "B Y X"]) -> tuple[Float[Tensor, "B _"], Float[Tensor, "B R C"]]:
        """Logits of the classes for images in [0, 1], and the attention weights of R x C positions."""
        return self.attend(self.feature_maps(images))


@checked
def to_pixels(weights: Float[Tensor, "B R C"], field: Field, width: int) -> Float[Tensor, "B Y X"]:
    """Attention weights of positions as a map of an image `width` pixels wide.

    Each weight is spread evenly over the receptive field of its position. Raises ValueError for positions whose
    receptive fields leave the image.
    """
    fits = field.start == 0 and (max(weights.shape[1:]) - 1) * field.jump + field.size <= width
    expect(fits, "weights", weights, f"positions with receptive fields in an image of {width} x {width}")
    ones = weights.new_ones(1, 1, field.size, field.size) / field.size**2
    apart = weights.new_zeros(len(weights), 1, width - field.size + 1, width - field.size + 1)
    rows, columns = weights.shape[1:]
    apart[:, 0, : rows * field.jump : field.jump, : columns * field.jump : field.jump] = weights
    return conv_backward(apart, ones)[:, 0]


@checked
def share_inside(maps: Float[Tensor, "B Y X"], boxes: Float[Tensor, "B Y X"]) -> Float[Tensor, "B"]:
    """The share of each map inside its bounding box (1 inside, 0 outside); 0 for a map that is 0 everywhere."""
    size = maps.abs()
    return _share((size * boxes).sum(dim=(1, 2)), size.sum(dim=(1, 2)))


@checked
def correlation(one: Float[Tensor, "B Y X"], other: Float[Tensor, "B Y X"]) -> Float[Tensor, "B"]:
    """The correlation of two maps of the same image, pixel by pixel: 1 for the same map, 0 for unrelated ones.

    It is 0, too, where a map has the same value everywhere and so points nowhere.
    """
    a, b = (maps.flatten(1) - maps.flatten(1).mean(dim=1, keepdim=True) for maps in (one, other))
    return _share((a * b).sum(dim=1), a.norm(dim=1) * b.norm(dim=1))


def _share(part: Tensor, whole: Tensor) -> Tensor:
    """part / whole, and 0 where the whole is 0."""
    return torch.where(whole > 0, part / whole.clamp(min=torch.finfo(whole.dtype).tiny), 0)


@checked
def largest_window(maps: Float[Tensor, "B Y X"], size: int) -> Int[Tensor, "B 2"]:
    """The window of `size` x `size` pixels with the largest sum of each map: row and column of its first pixel."""
    held = _held(maps, size)
    best = held.flatten(1).argmax(dim=1)
    return torch.stack([best // held.shape[2], best % held.shape[2]], dim=1)


@checked
def control_window(images: Float[Tensor, "B Y X"], corners: Int[Tensor, "B 2"], size: int) -> Int[Tensor, "B 2"]:
    """A control for each window: of all that do not overlap it, the one with most nearly the same amount of ink.

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
def occlude(images: Float[Tensor, "B Y X"], corners: Int[Tensor, "B 2"], size: int) -> Float[Tensor, "B Y X"]:
    """The images with one window of `size` x `size` pixels set to 0.

    Raises ValueError for a corner whose window leaves the image.
    """
    _fits(corners, _held(images, size))
    rows, columns = (torch.arange(n) - at[:, None] for n, at in zip(images.shape[1:], corners.unbind(1), strict=True))
    hidden = ((rows >= 0) & (rows < size))[:, :, None] & ((columns >= 0) & (columns < size))[:, None]
    return images.masked_fill(hidden, 0)
