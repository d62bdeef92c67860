"""The writer of the live figure: trained three times as long as those that the page on the window judges."""

import copy

import torch

from attend.recipes import WEIGHTS
from attend.recipes.window import WindowRecipe, build
from attend.soft.window import Handwriter
from attend.train.checkpoint import load, save

DATA = ("recipes/weights/window_figure.safetensors",)
FILE = WEIGHTS / "window_figure.safetensors"
STEPS = 1_200


def trained() -> Handwriter:
    """The writer after STEPS steps, from the weights of the package."""
    return load(FILE, build("window", 0)).eval().requires_grad_(False)


def rounded() -> Handwriter:
    """The same with its weights as they travel: whole numbers of 8 bits, times one number for each row of a matrix."""
    model = copy.deepcopy(trained())
    for weight in model.parameters():
        rows = weight.reshape(weight.shape[0] if weight.ndim > 1 else 1, -1)
        scales = rows.abs().amax(dim=1, keepdim=True) / 127
        weight.copy_(((rows / scales).round() * scales).view_as(weight))
    return model


def export() -> None:
    """Train the writer of the live figure and keep its weights."""
    save(FILE, WindowRecipe(steps=STEPS, rate=2e-2).train()[0], dtype=torch.float16)
