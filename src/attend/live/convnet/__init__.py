"""A digit to draw and to push about, and a trained ConvNet that names it in the browser."""

from collections.abc import Mapping
from typing import Any

from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure


class ConvNet(LiveFigure):
    """A drawing of 28 x 28 pixels, every feature map of a small ConvNet, and the probabilities of the ten classes.

    `images` (N, 28, 28), float in [0, 1], are real digits to begin with, `start` the number of the first; `weights` are
    those of a net of two rounds of convolution, ReLU and max pooling, by name: conv1.weight, conv1.bias and so
    on; `fields` gives (size, jump) of the receptive field of each map, by the names conv1, pool1,
    conv2 and pool2. Raises ValueError for images of another size and for a start outside them.
    """

    @checked
    def __init__(
        self,
        images: Float[Tensor, "N 28 28"],
        weights: Mapping[str, Any],
        fields: Mapping[str, tuple[int, int]],
        start: int = 0,
    ):
        expect(len(images) <= 12, "images", images, "1 to 12 images of 28 x 28")
        expect(0 <= start < len(images), "start", start, f"a whole number from 0 to {len(images) - 1}")
        wanted = [f"conv{n}.{part}" for n in (1, 2, 3) for part in ("weight", "bias")]
        expect(sorted(weights) == sorted(wanted), "weights", sorted(weights), f"tensors named {', '.join(wanted)}")
        maps = ("conv1", "pool1", "conv2", "pool2")
        expect(sorted(fields) == sorted(maps), "fields", sorted(fields), f"pairs named {', '.join(maps)}")
        super().__init__(
            alt=(
                "A handwritten digit on a grid of 28 by 28 pixels, beside it a bar for each class from 0 to 9. Below "
                "stand the feature maps of a trained net, layer by layer: 8 maps of 24 by 24 units, the same pooled to "
                "12 by 12, 16 maps of 8 by 8, and the same pooled to 4 by 4. One unit is marked, and so is the square "
                "of the digit that it sees. Moving the digit by four pixels is often enough to change the answer."
            ),
            invite="Push the digit sideways. Which maps move along with it, and when does the answer change?",
            data={"fields": {name: list(pair) for name, pair in fields.items()}, "start": start},
            tensors={**weights, "digits": (images * 255).round().byte()},
            precision="float16",
        )
