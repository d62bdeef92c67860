"""The two recognisers that the page on hybrid attention opens: each number in one byte, as they travel."""

from typing import Literal

import safetensors.torch
import torch
from torch import Tensor, nn

from attend.core import files
from attend.recipes import WEIGHTS
from attend.recipes.hybrid import HybridRecipe, build, cost, error
from attend.soft.hybrid import Recogniser
from attend.tasks import speech

DATA = ("recipes/weights/hybrid_*.safetensors",)
Shown = Literal["content", "hybrid"]
KINDS: tuple[Shown, ...] = ("content", "hybrid")


def trained(kind: Shown) -> Recogniser:
    """A recogniser after 500 steps, from the weights of the package."""
    packed = safetensors.torch.load(files.read(WEIGHTS / f"hybrid_{kind}.safetensors"))
    return unpacked(packed, build(kind, 0)).eval().requires_grad_(False)


def pack(model: nn.Module) -> dict[str, Tensor]:
    """Whole numbers from -127 to 127 by name, and for each row of them what they are to be multiplied by."""
    packed = {}
    for name, value in model.state_dict().items():
        rows = value.reshape(value.shape[0] if value.ndim > 1 else 1, -1)
        scale = rows.abs().amax(dim=1, keepdim=True).clamp(min=1e-30) / 127
        packed |= {name: (rows / scale).round().to(torch.int8).view_as(value), f"{name}.scale": scale}
    return packed


def unpacked(packed: dict[str, Tensor], model: Recogniser) -> Recogniser:
    """The model, with the weights that were packed."""
    weights = {}
    for name in model.state_dict():
        scale = packed[f"{name}.scale"]
        weights[name] = (packed[name].view(len(scale), -1) * scale).view_as(packed[name])
    model.load_state_dict(weights)
    return model


@torch.no_grad()
def nats(model: nn.Module) -> float:
    """The mean loss of a token of the validation recordings."""
    return cost(model, speech.load("validation")).item()


def export() -> None:
    """Train both recognisers, write their weights, and print what rounding costs on validation voices."""
    for kind in KINDS:
        model = HybridRecipe(kind).train()[0]
        packed = pack(model)
        files.write(WEIGHTS / f"hybrid_{kind}.safetensors", safetensors.torch.save(packed))
        for name, one in (("trained", model), ("rounded", unpacked(packed, build(kind, 0)).eval())):
            found = error(one, speech.load("validation"))
            print(f"{kind}, {name}: {nats(one):.5f} nats a token, label error {found:.4f}")
