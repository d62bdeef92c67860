"""The model that the page on ELMo opens: its 1,500 most frequent words, each number in one byte."""

import safetensors.torch
import torch

from attend.core import files
from attend.recipes import WEIGHTS
from attend.recipes.elmo import ElmoRecipe, vocabulary
from attend.transformers.elmo import BiLM

DATA = ("recipes/weights/elmo_figure.safetensors",)
FILE = WEIGHTS / "elmo_figure.safetensors"
RECIPE = ElmoRecipe(seed=100)


def words() -> tuple[str, ...]:
    """The words of the model, in the order of their tokens; unknown and edge first."""
    return vocabulary(RECIPE.num_targets)


def trained() -> BiLM:
    """The model of RECIPE with fewer words, from the weights of the package."""
    packed = safetensors.torch.load(files.read(FILE))
    model = BiLM(RECIPE.num_targets, RECIPE.d_model, num_targets=RECIPE.num_targets)
    names = model.state_dict()
    model.load_state_dict({name: packed[name] * packed[f"{name}.scale"].float() for name in names})
    return model.eval().requires_grad_(False)


def pack(model: BiLM) -> dict[str, torch.Tensor]:
    """Whole numbers from -127 to 127 by name, and for each row of them what they are to be multiplied by."""
    packed = {}
    for name, value in model.state_dict().items():
        kept = value[: RECIPE.num_targets] if name == "token.weight" else value
        scale = kept.abs().amax(dim=-1, keepdim=True).clamp(min=1e-4) / 127
        packed |= {name: (kept / scale).round().to(torch.int8), f"{name}.scale": scale.half()}
    return packed


def export() -> None:
    """Train the recipe and write its weights."""
    files.write(FILE, safetensors.torch.save(pack(RECIPE.train())))
