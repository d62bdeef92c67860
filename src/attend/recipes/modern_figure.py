"""The model whose attention the live figure of the page on today's block opens."""

import torch

from attend.recipes import WEIGHTS
from attend.recipes.modern import ModernRecipe, build
from attend.train.checkpoint import load, save
from attend.transformers.modern import ModernTransformer

DATA = ("recipes/weights/modern_figure.safetensors",)
FILE = WEIGHTS / "modern_figure.safetensors"
STEPS = 1_000


def trained() -> ModernTransformer:
    """Today's model after STEPS steps on the plays, from the weights of the package."""
    return load(FILE, build("today", 0)).eval().requires_grad_(False)


def export() -> None:
    """Train the model of the live figure and write its weights."""
    save(FILE, ModernRecipe(steps=STEPS).train(), dtype=torch.float16)
