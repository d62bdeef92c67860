"""The model of the live figure: RAM on the same small canvases, trained for longer."""

import torch

from attend.hard.ram import RAM
from attend.recipes import WEIGHTS
from attend.recipes.ram import SignRecipe, held_out, right, search
from attend.train.checkpoint import load, save

DATA = ("recipes/weights/ram.safetensors",)
PATH = WEIGHTS / "ram.safetensors"
STEPS = 1_500


def trained() -> RAM:
    """The trained model whose weights come with the package."""
    return load(PATH, SignRecipe().build()).requires_grad_(False)


def export() -> None:
    """Train it, write its weights, and print how many of the limits on validation canvases it names right."""
    save(PATH, SignRecipe(steps=STEPS).train(), dtype=torch.float16)
    of = held_out("validation", 0)
    print(right(search(trained(), of, steps=4).logits, of.labels))
