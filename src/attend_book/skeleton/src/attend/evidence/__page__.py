"""__open__: what the page claims, a function a claim, declared before it is measured."""

import torch
from torch import nn

from attend.evidence import Reaches, measured_here
from attend.recipes.__page__ import __Page__Recipe
from attend.tasks import distractors


@torch.no_grad()
def accuracy(model: nn.Module, lag: int, seed: int) -> float:
    """The share of 1,000 new sequences whose key is recalled."""
    x, key = distractors.sample(1_000, lag, torch.Generator().manual_seed(2_000 + seed))
    return (model(x).argmax(dim=1) == key).double().mean().item()


@measured_here(
    "__open__: the sentence that is judged, no stronger than its source. Until then: it recalls the first symbol.",
    source="ours",
    rule=Reaches("right", at_least=0.9),
    seeds=range(5),
    unit="share of right answers (guessing: 0.25)",
)
def recalls(seed):
    """__open__: what is compared, and under which budget."""
    recipe = __Page__Recipe(seed)
    model, _ = recipe.train()
    return {"right": accuracy(model, recipe.lag, seed)}
