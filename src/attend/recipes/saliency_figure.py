"""The three nets that the page on saliency shows: average pooling, the same on marked sevens, and attention pooling."""

import torch
from torch import Tensor
from torch.nn.utils import fuse_conv_bn_eval

from attend.recipes import WEIGHTS
from attend.recipes.saliency import CrowdRecipe, accuracy, held_out
from attend.soft.saliency import PooledNet
from attend.train.checkpoint import load, save

DATA = ("recipes/weights/saliency_*.safetensors",)
STEPS = 600
SHOWN = {
    "average": CrowdRecipe("average", steps=STEPS),
    "marked": CrowdRecipe("average", marked=True, steps=STEPS),
    "attention": CrowdRecipe("attention", steps=STEPS),
}
"""Trained twice as long as the nets that are judged."""


def trained(name: str) -> PooledNet:
    """One of SHOWN, from the weights that came with the package."""
    net = load(WEIGHTS / f"saliency_{name}.safetensors", SHOWN[name].build())
    return net.eval().requires_grad_(False)


def tensors(**nets: PooledNet) -> dict[str, Tensor]:
    """The tensors of nets by short names, as the live figure takes them; batch norm is folded into the convolutions."""
    found = {}
    for name, net in nets.items():
        blocks = [layer for layer in net.features if not isinstance(layer, torch.nn.ReLU | torch.nn.MaxPool2d)]
        for n, (conv, norm) in enumerate(zip(blocks[::2], blocks[1::2], strict=True), start=1):
            fused = fuse_conv_bn_eval(conv, norm)
            found |= {f"{name}_conv{n}_weight": fused.weight, f"{name}_conv{n}_bias": fused.bias}
        found |= {f"{name}_head_weight": net.classifier.weight, f"{name}_head_bias": net.classifier.bias}
        if net.pool == "attention":
            found[f"{name}_query"] = net.query
    return {name: value.detach() for name, value in found.items()}


def export() -> None:
    """Train the three and write their weights."""
    torch.set_num_threads(1)
    for name, one in SHOWN.items():
        model = one.train()
        save(WEIGHTS / f"saliency_{name}.safetensors", model, dtype=torch.float16)
        print(f"{name}: {accuracy(model, held_out(2_000)):.3f}", flush=True)
