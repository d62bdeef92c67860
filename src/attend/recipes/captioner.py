"""Captions for scenes: one encoder, trained to classify things, and captioners with soft, hard or no attention.

As in Xu et al. 2015 the encoder is trained first, and stays as it is while the captioners are trained.
"""

from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attend.core.expect import recipe
from attend.core.types import NonNegativeFloat, Positive, PositiveFloat, Seed
from attend.hard.captioner import (
    Captioner,
    Encoder,
    Outputs,
    ShowAndTell,
    doubly_stochastic,
    hard_loss,
    word_log_probs,
)
from attend.hard.reinforce import leave_one_out, rewards_to_go
from attend.recipes import WEIGHTS
from attend.tasks import scenes
from attend.train.checkpoint import load, save
from attend.train.fit import fit
from attend.train.schedule import one_cycle

DATA = ("recipes/weights/captioner*",)
ENCODER = WEIGHTS / "captioner_net.safetensors"
SHEETS = 7_000
"""Steps of the encoder, a dozen full grids of things each."""
POOL = 8_192
"""So many training scenes go through the encoder once; the captioners are trained on what it found."""
DRAW = 2_015
"""Seed of the scenes that are measured."""

Attention = Literal["soft", "hard", "none"]
Layer = Literal["top", "lower"]
Baseline = Literal["none", "moving", "others"]
SIDES: dict[str, dict[str, Any]] = {
    "attention": {},
    "no attention": {"attention": "none", "steps": 800},
    "lower layer": {"layer": "lower"},
    "hard, moving mean": {"attention": "hard", "baseline": "moving"},
    "hard, no baseline": {"attention": "hard", "baseline": "none"},
}
"""What is compared. A step without attention takes half as long, so it gets twice as many."""
TUNED_ON = (100,)
GRID = (8e-3, 1.6e-2)
RATE: dict[str, float] = {
    "attention": 1.6e-2,
    "no attention": 8e-3,
    "lower layer": 1.6e-2,
    "hard, moving mean": 1.6e-2,
    "hard, no baseline": 1.6e-2,
}
"""Adam's largest rate for each side: the better of GRID on validation scenes and the seed of TUNED_ON (`tune`).

Without attention, 4e-3 was tried as well, and was worse.
"""
REGIONS: dict[str, tuple[int, int]] = {"top": (9, 48), "lower": (144, 32)}
"""How many annotation vectors each layer of the encoder has, and how wide they are."""


@recipe
class CaptionerRecipe:
    """One captioner on what the trained encoder found: at the top, or one layer lower.

    `doubly` is the weight λ of the doubly stochastic term. Hard attention has a `baseline`: none; a moving average
    over batches, for each word; or the mean of the `others`, where every caption is written twice in a batch with
    half as many images. `reinforce_weight` is λ_r; `entropy_weight` λ_e at the start, which falls to 0 on a straight
    line by 60 % of the training.
    """

    attention: Attention = "soft"
    seed: Seed = 0
    layer: Layer = "top"
    doubly: NonNegativeFloat = 0.0
    baseline: Baseline = "moving"
    reinforce_weight: NonNegativeFloat = 1.0
    entropy_weight: NonNegativeFloat = 0.1
    steps: Positive = 400
    batch: Positive = 128
    rate: PositiveFloat = 8e-3

    def build(self) -> nn.Module:
        """The captioner at initialisation."""
        torch.manual_seed(self.seed)
        S, K = REGIONS[self.layer]
        if self.attention == "none":
            return ShowAndTell(len(scenes.WORDS), S, K, end=scenes.END)
        return Captioner(len(scenes.WORDS), S, K, attention=self.attention, end=scenes.END)

    def train(self, callbacks: tuple[Callable, ...] = ()) -> nn.Module:
        """Train from the start; Adam, its rate up and down once."""
        model = self.build()
        optimiser = torch.optim.Adam(model.parameters(), lr=self.rate)
        fit(
            model,
            _Loss(self),
            seen(self.layer, self.batch, torch.Generator().manual_seed(4_000 + self.seed)),
            steps=self.steps,
            optimiser=optimiser,
            schedule=one_cycle(optimiser, self.steps),
            clip=1.0,
            callbacks=callbacks,
            label=f"learning to write captions ({self.attention}, seed {self.seed})",
        )
        return model.requires_grad_(False)


def side(name: str, seed: int, **more) -> CaptionerRecipe:
    """One side of a comparison, at the rate that was chosen for it."""
    return CaptionerRecipe(seed=seed, **{"rate": RATE[name]} | SIDES[name] | more)


class _Loss:
    """The loss of a batch of features (B, S, K) and captions (B, T); it keeps count, and the moving baseline."""

    def __init__(self, of: CaptionerRecipe):
        self.of, self.step, self.average = of, 0, None

    def __call__(self, model: nn.Module, batch: tuple[Tensor, Tensor]) -> Tensor:
        of, (features, captions) = self.of, batch
        if of.attention == "none":
            return scenes.cost(model(features, captions), captions)
        twice = of.attention == "hard" and of.baseline == "others"
        if twice:
            half = len(captions) // 2
            features, captions = features[:half].repeat(2, 1, 1), captions[:half].repeat(2, 1)
        outputs = model(features, captions)
        if of.attention == "soft":
            loss = scenes.cost(outputs.logits, captions)
            return loss + of.doubly / scenes.LENGTH * doubly_stochastic(outputs.weights) if of.doubly else loss
        entropy_weight = of.entropy_weight * max(0.0, 1 - self.step / (0.6 * of.steps))
        self.step += 1
        return hard_loss(outputs, captions, self._baseline(outputs, captions), of.reinforce_weight, entropy_weight)

    def _baseline(self, outputs: Outputs, captions: Tensor) -> Tensor | float:
        if self.of.baseline == "none":
            return 0.0
        to_go = rewards_to_go(word_log_probs(outputs.logits.detach(), captions))  # (B, T)
        if self.of.baseline == "others":
            return leave_one_out(to_go.view(2, -1, scenes.LENGTH)).flatten(0, 1)
        now = to_go.mean(dim=0)
        before = now if self.average is None else self.average
        self.average = 0.9 * before + 0.1 * now
        return before


@cache
def encoder() -> Encoder:
    """The trained encoder that came with the package; all captioners share it."""
    return load(ENCODER, Encoder()).requires_grad_(False)


@torch.no_grad()
def features(images: Tensor, layer: str = "top") -> Tensor:
    """What the trained encoder finds in images (N, 48, 48): annotation vectors (N, S, K), mean square about 1."""
    if layer == "top":
        return torch.cat([encoder()(part) for part in images.split(128)])
    maps = torch.cat([encoder().lower(part) for part in images.split(128)])
    return (maps / _size()).flatten(2).mT.contiguous()


@cache
def _size() -> Tensor:
    """The root mean square of the lower layer's features."""
    some = scenes.scenes("train", 200, torch.Generator().manual_seed(3_001))
    return encoder().lower(some.images).square().mean().sqrt()


@lru_cache(maxsize=1)
def _scenes() -> scenes.Scenes:
    return scenes.scenes("train", POOL, torch.Generator().manual_seed(1_000))


@lru_cache(maxsize=2)
def pool(layer: str = "top") -> tuple[Tensor, Tensor]:
    """The features of POOL training scenes, and their captions (N, 6)."""
    return features(_scenes().images, layer), _scenes().captions


def seen(layer: str, size: int, generator: torch.Generator) -> Iterator[tuple[Tensor, Tensor]]:
    """Endless batches from the pool, in a new order each round."""
    saw, captions = pool(layer)
    while True:
        for rows in torch.randperm(len(saw), generator=generator).split(size):
            yield saw[rows], captions[rows]


@lru_cache(maxsize=2)
def held_out(count: int = 2_000, split: str = "test") -> scenes.Scenes:
    """Scenes from images that no training has seen, the same every time (DRAW)."""
    return scenes.scenes(split, count, torch.Generator().manual_seed(DRAW))


@torch.no_grad()
def judge(model: nn.Module, of: scenes.Scenes, layer: str = "top") -> dict[str, float]:
    """How well a captioner writes, and where it attends.

    `exact`: the share of captions right in every word, where hard attention takes the likeliest region; `first`,
    `names`, `relation`: of first words, of the two names, of the word between them. With attention over nine cells,
    `weight`: how much weight is on the named cell, given the true words; `misread`: of the names that it wrote wrong,
    the share with the largest weight there.
    """
    saw = features(of.images, layer)
    written = model.generate(saw, scenes.LENGTH)
    tokens = written if isinstance(written, Tensor) else written.tokens
    right = (tokens == of.captions).double()
    found = {"exact": scenes.exact(tokens, of.captions).double().mean().item()}
    found |= {"first": right[:, 0].mean().item(), "names": right[:, [1, 4]].mean().item()}
    found["relation"] = right[:, 2].mean().item()
    if isinstance(written, Tensor) or layer == "lower":
        return found
    found["weight"] = scenes.found(model(saw, of.captions).weights, of.cells).mean().item()
    wrong = (tokens != of.captions) & (of.cells != scenes.NOWHERE)
    there = (written.weights.argmax(dim=2) == of.cells)[wrong]
    return found | {"misread": there.double().mean().item() if len(there) else 1.0}


def tune() -> None:
    """Print the shares of validation captions that are right, for each side and rate."""
    of = held_out(split="validation")
    for name in SIDES:
        for rate in GRID:
            one = side(name, TUNED_ON[0], rate=rate)
            found = judge(one.train(), of, one.layer)
            print(name, rate, {what: round(value, 3) for what, value in found.items()}, flush=True)


def path(attention: str) -> Path:
    """Where the weights of a captioner lie that came with the package."""
    return WEIGHTS / f"captioner_{attention}.safetensors"


def trained(attention: Literal["soft", "hard"]) -> Captioner:
    """A captioner that was trained for some 2,000 steps, from the weights that came with the package."""
    return load(path(attention), CaptionerRecipe(attention).build()).requires_grad_(False).eval()


def train_encoder() -> Encoder:
    """An encoder trained to classify what stands in each cell of full grids, in about two minutes.

    The layer that gives the classes is left out. At the end the last convolution is scaled, so that the mean square
    of the annotation vectors is 1.
    """
    torch.manual_seed(0)
    net = nn.Sequential(Encoder(), nn.Linear(REGIONS["top"][1], scenes.NOTHING + 1))
    optimiser = torch.optim.Adam(net.parameters(), lr=4e-3)
    fit(
        net,
        lambda net, batch: cross_entropy(net(batch.images).flatten(0, 1), batch.labels.flatten()),
        scenes.sheet_batches(12, torch.Generator().manual_seed(3_000)),
        steps=SHEETS,
        optimiser=optimiser,
        schedule=torch.optim.lr_scheduler.OneCycleLR(optimiser, 4e-3, total_steps=SHEETS),
        clip=1.0,
        label="learning to name things",
    )
    with torch.no_grad():
        some = scenes.sheets("train", 300, torch.Generator().manual_seed(3_001))
        size = net[0](some.images).square().mean().sqrt()
        net[0].conv3.weight /= size
        net[0].conv3.bias /= size
    return net[0].requires_grad_(False)


def export() -> None:
    """Train the encoder and both captioners of the live figure, some five minutes in all, and write their weights."""
    torch.set_num_threads(1)
    save(ENCODER, train_encoder(), dtype=torch.float16)
    for cached in (encoder, pool, _size):
        cached.cache_clear()
    for attention in ("soft", "hard"):
        save(path(attention), CaptionerRecipe(attention, steps=2_000).train(), dtype=torch.float16)


if __name__ == "__main__":
    tune()
