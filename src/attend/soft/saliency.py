"""Where a network looks: the gradient of its answer, two maps made of it, and pooling that says outright what it reads.

Source   Simonyan, Vedaldi & Zisserman 2014, arXiv:1312.6034 (the gradient as a map); Sundararajan, Taly & Yan 2017,
         arXiv:1703.01365, eq. 1 (integrated gradients); Selvaraju et al. 2017, arXiv:1610.02391, eqs. 1-2 (Grad-CAM);
         lecture adaloglou2020attention (implicit and explicit attention).
Departs  integrated gradients by the midpoint rule; attention pooling with one learned query.
Agrees   torch.autograd, differences of logits, and torch.nn.functional.scaled_dot_product_attention
         (tests/soft/test_saliency.py).
"""

from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import interpolate

from attend.core.expect import checked, expect
from attend.core.types import Positive, Tokens

Pool = Literal["average", "max", "attention"]


@checked
def conv_block(in_channels: Positive, out_channels: Positive) -> list[nn.Module]:
    """Convolution, batch norm and ReLU; the maps keep their size."""
    conv = nn.Conv2d(in_channels, out_channels, 3, padding=1, bias=False)
    return [conv, nn.BatchNorm2d(out_channels), nn.ReLU()]


class PooledNet(nn.Module):
    """Four convolutions, then one vector for the whole image: average, maximum or attention over all positions.

    Images of 36 x 36 pixels have 9 x 9 positions in the last feature maps; others work as well.
    """

    @checked
    def __init__(self, pool: Pool = "average", num_classes: Positive = 10):
        super().__init__()
        self.pool = pool
        self.features = nn.Sequential(
            *conv_block(1, 16),
            nn.MaxPool2d(2),  # (B, 16, 18, 18)
            *conv_block(16, 32),
            nn.MaxPool2d(2),  # (B, 32, 9, 9)
            *conv_block(32, 48),
            *conv_block(48, 48),  # (B, 48, 9, 9)
        )
        if pool == "attention":
            self.query = nn.Parameter(torch.zeros(48))
        self.classifier = nn.Linear(48, num_classes)

    def weights(self, maps: Float[Tensor, "B C R S"]) -> Float[Tensor, "B R S"]:
        """Attention weights of all positions: a softmax of how well each fits the query."""
        scores = torch.einsum("c,bcrs->brs", self.query, maps)
        return scores.flatten(1).softmax(dim=1).view_as(scores)

    def classify(self, maps: Float[Tensor, "B C R S"]) -> Float[Tensor, "B K"]:
        """Logits from the last feature maps."""
        if self.pool == "average":
            pooled = maps.mean(dim=(2, 3))  # (B, C)
        elif self.pool == "max":
            pooled = maps.amax(dim=(2, 3))
        else:
            pooled = torch.einsum("brs,bcrs->bc", self.weights(maps), maps)
        return self.classifier(pooled)  # (B, K)

    @checked
    def forward(self, images: Float[Tensor, "B Y X"]) -> Float[Tensor, "B K"]:
        """Logits of images in [0, 1], 4 x 4 pixels or more."""
        expect(min(images.shape[1:]) >= 4, "images", images, "images of at least 4 x 4 pixels")
        return self.classify(self.features(images[:, None]))


Labels = Tokens["B", "model.classifier.out_features"]


@checked
def gradient_map(model: PooledNet, images: Float[Tensor, "B Y X"], labels: Labels) -> Float[Tensor, "B Y X"]:
    """The gradient of each image's own logit, that of its label, with respect to its pixels."""
    pixels = images.detach().clone().requires_grad_()
    logits = model(pixels).gather(1, labels[:, None])  # (B, 1)
    return torch.autograd.grad(logits.sum(), pixels)[0]


@checked
def integrated_gradients(
    model: PooledNet, images: Float[Tensor, "B Y X"], labels: Labels, steps: Positive = 32
) -> Float[Tensor, "B Y X"]:
    """What each pixel adds to the logit on the straight way from a blank image to this one."""
    total = torch.zeros_like(images)
    for step in range(steps):
        t = (step + 0.5) / steps
        total += gradient_map(model, t * images, labels)
    return images * total / steps


@checked
def grad_cam(model: PooledNet, images: Float[Tensor, "B Y X"], labels: Labels) -> Float[Tensor, "B Y X"]:
    """Grad-CAM: the last feature maps, each weighted by its mean gradient; what speaks for the label."""
    # (B, C, R, S)
    maps = model.features(images[:, None]).detach().requires_grad_()
    logits = model.classify(maps).gather(1, labels[:, None])  # (B, 1)
    (grads,) = torch.autograd.grad(logits.sum(), maps)  # (B, C, R, S)
    weights = grads.mean(dim=(2, 3))  # (B, C)
    cam = torch.einsum("bc,bcrs->brs", weights, maps.detach()).relu()
    return interpolate(
        cam[:, None],
        size=images.shape[1:],
        mode="bilinear",
    )[:, 0]


@checked
def share_inside(maps: Float[Tensor, "B Y X"], boxes: Float[Tensor, "B Y X"]) -> Float[Tensor, "B"]:
    """The share of each map's size inside its box (1 inside, 0 outside); 0 for a map that is 0 everywhere."""
    size = maps.abs()
    inside, whole = (size * boxes).sum(dim=(1, 2)), size.sum(dim=(1, 2))
    return torch.where(whole > 0, inside / whole.clamp(min=torch.finfo(whole.dtype).tiny), 0)
