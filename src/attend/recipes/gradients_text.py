"""The four language models of the live figure, as they come with the package, from seed 0."""

from torch import nn

from attend.recipes.gradients import KINDS, TextRecipe

DATA = ("recipes/weights/gradients_*.safetensors",)


def trained() -> dict[str, nn.Module]:
    """The models by kind, from the weights of the package; `python -m attend.recipes gradients` makes them."""
    return {kind: TextRecipe(kind).load() for kind in KINDS}
