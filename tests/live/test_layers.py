"""The Transformer in a real browser: the same pieces, logits and weights as torch; by typing, keys, mouse, touch."""

import pytest
import torch
from playwright.sync_api import expect

from attend.live.layers import Layers
from attend.recipes.translator import TransformerRecipe
from attend.tasks import numbers, translation
from attend.tasks.translation import END, ENGLISH, GERMAN
from attend.transformers.multihead import earlier

BOX = "A number of up to 15 digits"


def figure(number=64_238, model=None, **options):
    recipe = TransformerRecipe()
    model = recipe.load() if model is None else model
    return Layers(model.state_dict(), ENGLISH, GERMAN, recipe.K, number, **options)


def as_the_browser_sees(made):
    """The model with the weights of the figure, after their rounding."""
    model = TransformerRecipe().build()
    model.load_state_dict(made.seen())
    return model.eval()


def test_nothing():
    made = Layers(TransformerRecipe(D=48, F=96).build().state_dict(), ENGLISH, GERMAN, 4)
    assert len(made.buffer)
