"""The two models of the live figure: trained on questions that lead any number of turns back."""

import torch
from torch import Tensor

from attend.gating.hierarchical import HRED
from attend.recipes import WEIGHTS
from attend.recipes.hierarchical import DialogueRecipe, Kind
from attend.train.checkpoint import load, save

DATA = ("recipes/weights/hierarchical*",)
STEPS: dict[str, int] = {"hred": 800, "flat_chrono": 400}


def recipe(kind: Kind) -> DialogueRecipe:
    """How one of the two is trained."""
    return DialogueRecipe(kind, steps=STEPS[kind], rate=1.5e-2, back=None)


def trained(kind: Kind) -> HRED:
    """One of the two, from the weights that came with the package."""
    return load(WEIGHTS / f"hierarchical_{kind}.safetensors", recipe(kind).build()).eval()


def tensors(model: HRED) -> dict[str, Tensor]:
    """A model's tensors as the live figure names them: `words`, `encoder.from_input.weight` and so on."""
    named = {name: tensor for name, tensor in model.named_parameters() if not name.startswith("embed.")}
    return {"words": model.embed.weight} | named


def export() -> None:
    """Train both and write their weights."""
    torch.set_num_threads(1)
    for kind in STEPS:
        one = recipe(kind)
        model = one.train()
        save(WEIGHTS / f"hierarchical_{kind}.safetensors", model, dtype=torch.float16)
        print(f"{kind}: {[one.accuracy(model, back) for back in (1, 2, 3)]}", flush=True)
