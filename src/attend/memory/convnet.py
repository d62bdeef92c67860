"""Convolutional network: the same small kernels at every position of an image, and the same wiring unshared.

Source   LeCun et al. 1998, Gradient-based learning applied to document recognition; lecture hu2019lecture16.
Departs  ReLU and max pooling; the last layer is a convolution too, so that the net reads images of any larger size.
Agrees   torch conv2d, in values and gradients, with `convolve`, and with `LocallyConnected` where all positions are
         given the same weights (tests/memory/test_convnet.py).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.functional import pad

from attend.core.expect import checked, expect
from attend.core.types import NonNegative, Positive

Pair = tuple[int, int]


@checked
def windows(
    x: Float[Tensor, "B C Y X"],
    size: Pair,
    stride: int = 1,
) -> Float[Tensor, "B C _ _ P Q"]:
    """Every window of `size` (P rows, Q columns) in an image, one each `stride` pixels: a view, nothing is copied.

    `x` holds B images of C channels, Y rows and X columns. Window (i, j) of the result begins at pixel (i·stride,
    j·stride); along each axis there are ⌊(Y − P) / stride⌋ + 1 of them. Raises ValueError for a window that does not
    fit the image, or is empty, for a stride below 1, and for numbers that are not finite.
    """
    expect(min(size) > 0, "size", size, "a row and a column at least")
    expect(stride > 0, "stride", stride, "a positive whole number")
    expect(x.shape[2] >= size[0] and x.shape[3] >= size[1], "x", x, f"an image of at least {size} pixels")
    return x.unfold(2, size[0], stride).unfold(3, size[1], stride)


@checked
def convolve(
    x: Float[Tensor, "B C Y X"],
    kernels: Float[Tensor, "F C P Q"],
    bias: Float[Tensor, "F"] | None = None,
    stride: int = 1,
    padding: NonNegative = 0,
) -> Float[Tensor, "B F _ _"]:
    """F maps of an image: the inner product of each kernel with every window, the same weights at every position.

    `padding` adds that many rows and columns of zeros on each side. Raises ValueError for a kernel that does not fit
    the padded image, a negative padding, a stride below 1, and numbers that are not finite.
    """
    x = pad(x, (padding, padding, padding, padding))  # zeros on all four sides
    seen = windows(x, tuple(kernels.shape[2:]), stride)  # (B, C, Y', X', P, Q)
    y = torch.einsum("fcpq,bcyxpq->bfyx", kernels, seen)  # (B, F, Y', X')
    return y if bias is None else y + bias[:, None, None]


@checked
def output_size(pixels: int, size: int, stride: int = 1, padding: int = 0) -> int:
    """How many windows of `size` fit a row of `pixels`: ⌊(pixels + 2·padding − size) / stride⌋ + 1.

    Raises ValueError where not one fits.
    """
    for name, value in {"pixels": pixels, "size": size, "stride": stride}.items():
        expect(value > 0, name, value, "a positive whole number")
    expect(padding >= 0, "padding", padding, "zero or more pixels")
    expect(pixels + 2 * padding >= size, "size", size, f"at most {pixels + 2 * padding}, the padded row")
    return (pixels + 2 * padding - size) // stride + 1


@dataclass(frozen=True)
class Layer:
    """What a layer does to space along one axis: a window of `size`, moved by `stride`, after `padding` zeros."""

    size: int
    stride: int = 1
    padding: int = 0


@dataclass(frozen=True)
class Field:
    """Which pixels unit i of a layer can see along one axis: from `start + i·jump`, `size` of them.

    A negative `start` says that unit 0 begins in the padding.
    """

    size: int = 1
    jump: int = 1
    start: int = 0

    @checked
    def pixels(self, unit: int) -> range:
        """The pixels that `unit` sees, those in the padding counted in. Raises ValueError for a negative unit."""
        expect(unit >= 0, "unit", unit, "the number of a unit, from 0")
        first = self.start + unit * self.jump
        return range(first, first + self.size)


@checked
def receptive_field(layers: Sequence[Layer]) -> Field:
    """The receptive field of one unit on top of a stack, by the recursion, layer by layer.

    A layer of size k, stride s and padding p turns (size, jump, start) into (size + (k − 1)·jump, jump·s, start −
    p·jump). Raises ValueError for a layer with a size or stride below 1, or a negative padding.
    """
    field = Field()
    for layer in layers:
        sane = min(layer.size, layer.stride, layer.padding + 1) > 0
        expect(sane, "layers", layer, "size, stride > 0, padding >= 0")
        field = Field(
            size=field.size + (layer.size - 1) * field.jump,
            jump=field.jump * layer.stride,
            start=field.start - layer.padding * field.jump,
        )
    return field


@checked
def measured_field(maps: Callable, images: Float[Tensor, "B C Y X"], unit: Pair) -> Float[Tensor, "Y X"]:
    """How strongly a unit listens to each pixel: the mean size of its gradient over `images`, nothing assumed.

    `maps(images)` gives maps (B, F, ·, ·); `unit` is a place (row, column) in them, and the gradient is of the sum
    over the F units of that place. A pixel outside the receptive field has exactly 0. Take many random images where a
    maximum or a ReLU lets only some paths through. Raises ValueError for a place outside the maps, and for no image.
    """
    pixels = images.detach().clone().requires_grad_()
    y = maps(pixels)
    expect(_inside(y, unit), "unit", unit, f"a place inside maps of {y.shape[2]} rows and {y.shape[3]} columns")
    (gradient,) = torch.autograd.grad(y[:, :, unit[0], unit[1]].sum(), pixels)
    return gradient.abs().mean(dim=(0, 1))


def _inside(y: Tensor, unit: Pair) -> bool:
    return 0 <= unit[0] < y.shape[2] and 0 <= unit[1] < y.shape[3]


@checked
def spans(strength: Float[Tensor, "Y X"]) -> tuple[range, range]:
    """The rows and the columns between the first and the last pixel that is not 0. Raises ValueError if all are."""
    listened: Bool[Tensor, "Y X"] = strength != 0
    expect(bool(listened.any()), "strength", strength, "at least one pixel that is not 0")
    ends = [listened.any(dim=axis).nonzero() for axis in (1, 0)]
    rows, columns = (range(int(end[0]), int(end[-1]) + 1) for end in ends)
    return rows, columns


@checked
def exciting(
    maps: Float[Tensor, "B F _ _"], images: Float[Tensor, "B Y X"], field: Field, count: int
) -> tuple[Float[Tensor, "F N P P"], Int[Tensor, "F N"]]:
    """The patches that excite each of F maps most: `count` of them (N), each from another image, strongest first.

    `maps` came from `images`, and `field` is the receptive field of their units (P wide, without padding). Returns the
    patches and the numbers of their images. Raises ValueError for more patches than images, or a field with padding.
    """
    expect(0 < count <= len(images), "count", count, f"between 1 and {len(images)}, the number of images")
    expect(field.start == 0, "field", field, "a receptive field without padding")
    strongest = maps.flatten(2).max(dim=2)
    chosen = strongest.values.topk(count, dim=0).indices.T
    seen = windows(images[:, None], (field.size, field.size), field.jump)[:, 0]
    places = strongest.indices.T.gather(1, chosen)
    return seen[chosen, places // maps.shape[3], places % maps.shape[3]], chosen


class LocallyConnected(nn.Module):
    """The wiring of a convolution without its sharing: every position has kernels and biases of its own.

    Input (B, C, Y, X) with Y = X = `image_size`, output (B, F, Y', X') with Y' = X' = `image_size` − `kernel_size` + 1.
    Weights and biases start as those of nn.Conv2d. Raises ValueError for a kernel that does not fit the image.
    """

    @checked
    def __init__(self, in_channels: Positive, out_channels: Positive, kernel_size: Positive, image_size: Positive):
        expect(kernel_size <= image_size, "kernel_size", kernel_size, f"at most {image_size}, the image")
        super().__init__()
        self.in_channels, self.image_size = in_channels, image_size
        self.kernel_size, self.stride = (kernel_size, kernel_size), (1, 1)
        self.places = image_size - kernel_size + 1
        inputs = in_channels * kernel_size**2
        self.weight = nn.Parameter(torch.empty(self.places**2, inputs, out_channels))
        self.bias = nn.Parameter(torch.empty(out_channels, self.places, self.places))
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -(inputs**-0.5), inputs**-0.5)

    @checked
    def forward(self, x: Float[Tensor, "B {self.in_channels} {self.image_size} {self.image_size}"]) -> Tensor:
        """Maps (B, F, Y', X') of images."""
        seen = windows(x, self.kernel_size)  # (B, C, Y', X', P, Q)
        seen = seen.permute(2, 3, 0, 1, 4, 5).flatten(3).flatten(0, 1)  # (Y'X', B, CPQ)
        y = seen @ self.weight  # (Y'X', B, F): a product for every position
        return y.permute(1, 2, 0).unflatten(2, (self.places, self.places)) + self.bias


class ConvNet(nn.Module):
    """Two rounds of convolution, ReLU and pooling, and a last convolution that gives the logits of the classes.

    `features` are the numbers of feature maps of the two layers. `pool` halves the maps by the maximum or the average
    of 2 x 2 windows, or ("stride") by convolutions with stride 2 and no pooling. Raises ValueError for an `image_size`
    too small for two rounds.
    """

    @checked
    def __init__(
        self,
        features: tuple[Positive, Positive] = (8, 16),
        kernel_size: Positive = 5,
        pool: Literal["max", "average", "stride"] = "max",
        image_size: Positive = 28,
        num_classes: Positive = 10,
    ):
        expect(image_size > 3 * kernel_size, "image_size", image_size, f"more than {3 * kernel_size}, for two rounds")
        super().__init__()
        first, second = features
        stride = 2 if pool == "stride" else 1
        self.conv1 = nn.Conv2d(1, first, kernel_size, stride)
        self.conv2 = nn.Conv2d(first, second, kernel_size, stride)
        self.pool = {"max": nn.MaxPool2d(2), "average": nn.AvgPool2d(2), "stride": nn.Identity()}[pool]
        size = image_size
        for _ in features:  # 28 pixels -> 12 -> 4
            size = ((size - kernel_size) // stride + 1) * stride // 2
        self.conv3 = nn.Conv2d(second, num_classes, size)

    def maps(self, images: Float[Tensor, "B Y X"]) -> dict[str, Tensor]:
        """All feature maps by name: conv1, pool1, conv2, pool2, and the logits of every position."""
        maps = {"conv1": self.conv1(images[:, None]).relu()}  # (B, 8, 24, 24)
        maps["pool1"] = self.pool(maps["conv1"])  # (B, 8, 12, 12)
        maps["conv2"] = self.conv2(maps["pool1"]).relu()  # (B, 16, 8, 8)
        maps["pool2"] = self.pool(maps["conv2"])  # (B, 16, 4, 4)
        maps["logits"] = self.conv3(maps["pool2"])  # (B, 10, 1, 1)
        return maps

    @checked
    def forward(self, images: Float[Tensor, "B Y X"]) -> Float[Tensor, "B K"]:
        """Logits of K classes for images in [0, 1].

        On an image of `image_size` the map of logits has one position. On a larger one it has a position for each
        region, and the class may stand in any of them: its logit is the logsumexp over all positions. Raises ValueError
        for a smaller image.
        """
        expect(min(images.shape[1:]) >= smallest(self), "images", images, f"images of {smallest(self)} pixels or more")
        return self.maps(images)["logits"].logsumexp(dim=(2, 3))  # (B, 10)


@checked
def layers_of(net: ConvNet) -> dict[str, Layer]:
    """The stack of a net along one axis, by the names of its maps."""
    convs = (net.conv1, net.conv2, net.conv3)
    conv1, conv2, conv3 = (Layer(conv.kernel_size[0], conv.stride[0]) for conv in convs)
    pooling = Layer(1) if isinstance(net.pool, nn.Identity) else Layer(2, stride=2)
    return {"conv1": conv1, "pool1": pooling, "conv2": conv2, "pool2": pooling, "logits": conv3}


@checked
def smallest(net: ConvNet) -> int:
    """The width of the smallest image that a net reads, in pixels."""
    return receptive_field(list(layers_of(net).values())).size
