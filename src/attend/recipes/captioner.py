"""Captions for scenes: one encoder, trained to classify things, and captioners with soft, hard or uniform attention.

As in Xu et al. 2015 the encoder is trained first, and stays as it is while the captioners are trained.
"""

import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attend.core.expect import recipe
from attend.core.init import linear_
from attend.core.types import NonNegativeFloat, Positive, Seed
from attend.hard.captioner import (
    KINDS,
    Captioner,
    Kind,
    doubly_stochastic,
    hard_loss,
    moving_baseline,
    negative_log_likelihood,
    rewards_to_go,
)
from attend.hard.nwgm import attend_to_each, expected_probs, monte_carlo, nwgm, total_variation
from attend.memory.supervision import shift_right
from attend.recipes import WEIGHTS, read_record, write_record
from attend.tasks import scenes
from attend.train.checkpoint import load, save
from attend.train.fit import History, fit

DATA = ("recipes/weights/captioner*",)
SEEDS, RATE = (0, 1, 2), 8e-3
CONVS = ("conv1", "conv2", "conv3")
"""The layers of the convolutional encoder, which all captioners share."""

NET = WEIGHTS / "captioner_net.safetensors"
FEATURES, K, H = (12, 32), 48, 48
SHEETS = 7_000
"""Steps of the encoder, a dozen full grids of things each."""

POOL = 20_480
"""So many training scenes go through the encoder once; the captioners are trained on their feature maps."""
STEPS = {"soft": 2_000, "hard": 1_800, "mean": 3_000}
"""Steps that take about the same processor time, some 40 s."""

REINFORCE_WEIGHT, ENTROPY_WEIGHT, UNTIL = 0.5, 0.15, 0.6
"""Hard attention: λ_r, and λ_e at the start; it falls to 0 on a straight line, by this share of the training."""

DRAW = 2_015
"""Seed of the scenes that are measured. After a test on others (seed 7) position embeddings moved behind the ReLU and

the encoder got more steps; this form was then chosen on validation scenes, so the test needs scenes not seen before.
"""


@recipe
class CaptionerRecipe:
    """One captioner on top of the trained encoder.

    `doubly` is the weight λ of the doubly stochastic term. Hard attention can be trained without a moving `baseline`,
    and with another `entropy_weight` at the start.
    """

    attention: Kind = "soft"
    seed: Seed = 0
    doubly: NonNegativeFloat = 0.0
    baseline: bool = True
    entropy_weight: NonNegativeFloat = ENTROPY_WEIGHT
    steps: Positive | None = None
    batch: Positive = 64

    def build(self) -> Captioner:
        """The captioner before it has seen a scene."""
        words, generator = len(scenes.WORDS), torch.Generator().manual_seed(self.seed)
        sizes = {"hidden_size": H, "feature_size": K, "features": FEATURES}
        return Captioner(words, attention=self.attention, end=scenes.END, generator=generator, **sizes)

    def train(self, callbacks: tuple[Callable, ...] = ()) -> tuple[Captioner, History]:
        """Train the decoder on the feature maps of the pool: about 40 seconds. The encoder stays as it is."""
        model, steps = self.build(), self.steps or STEPS[self.attention]
        model.load_state_dict(model.state_dict() | encoder())
        _encoder_of(model).requires_grad_(False)
        learning = [part for part in model.parameters() if part.requires_grad]
        optimiser = torch.optim.Adam(learning, lr=RATE)
        history = fit(
            model,
            Charge(self, steps),
            seen(self.batch, torch.Generator().manual_seed(4_000 + self.seed)),
            steps=steps,
            optimiser=optimiser,
            schedule=torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps),
            clip=1.0,
            callbacks=callbacks,
            label=f"learning to write captions ({self.attention})",
        )
        return model.requires_grad_(False), history

    def path(self) -> Path:
        """Where the weights of the writer and its conv net lie."""
        return WEIGHTS / f"captioner_{self.attention}.safetensors"

    def load(self) -> Captioner:
        """The trained captioner of seed 0, from the weights that came with the package: "soft" or "hard"."""
        return load(self.path(), self.build()).requires_grad_(False)


class Charge:
    """The loss of a batch. It keeps the moving baseline of hard attention, and the generator of its samples."""

    def __init__(self, of: CaptionerRecipe, steps: int):
        """For a training of so many `steps`."""
        self.of, self.steps, self.step, self.baseline = of, steps, 0, torch.zeros(scenes.LENGTH)
        self.generator = torch.Generator().manual_seed(2_000 + of.seed)

    def __call__(self, model: Captioner, batch: tuple[Tensor, Tensor]) -> Tensor:
        """The cost of maps (B, K, 3, 3) and their captions (B, T), a word."""
        maps, captions = batch
        outputs = model(model.annotate(maps), captions, self.generator)
        if model.attention != "hard":
            cost = scenes.cost(outputs.logits, captions)
            return cost + self.of.doubly / scenes.LENGTH * doubly_stochastic(outputs.weights)
        baseline = self._moved(rewards_to_go(negative_log_likelihood(outputs.logits, captions)))
        entropy_weight = self.of.entropy_weight * max(0.0, 1 - self.step / (UNTIL * self.steps))
        return hard_loss(outputs, captions, baseline, REINFORCE_WEIGHT, entropy_weight)

    def _moved(self, rewards: Tensor) -> Tensor:
        """The baseline for this batch; it moves on for the next. The first batch has its own mean."""
        baseline = self.baseline if self.step or not self.of.baseline else rewards.mean(dim=0)
        self.baseline = moving_baseline(baseline, rewards) if self.of.baseline else baseline
        self.step += 1
        return baseline


def train_encoder() -> tuple[nn.ModuleDict, float]:
    """An encoder trained to classify what stands in each cell of full grids, and its accuracy on test scenes.

    The layer that gives the classes is left out of the captioner. At the end the last convolution is scaled, so that
    the mean square of its features, after the ReLU, is 1.
    """
    generator, draws = torch.Generator().manual_seed(0), torch.Generator().manual_seed(3_000)
    model = Captioner(len(scenes.WORDS), feature_size=K, features=FEATURES, generator=generator)
    net = nn.ModuleDict({"encoder": model, "name": linear_(nn.Linear(K, scenes.NOTHING + 1), generator)})
    learning = [*_encoder_of(model).parameters(), *net["name"].parameters()]
    optimiser = torch.optim.Adam(learning, lr=4e-3)

    def said(net: nn.ModuleDict, images: Tensor) -> Tensor:
        return net["name"](net["encoder"].feature_maps(images).relu().flatten(2).mT)

    fit(
        net,
        lambda net, batch: cross_entropy(said(net, batch.images).flatten(0, 1), batch.labels.flatten()),
        scenes.sheet_batches(12, draws),
        steps=SHEETS,
        optimiser=optimiser,
        schedule=torch.optim.lr_scheduler.OneCycleLR(optimiser, 4e-3, total_steps=SHEETS),
        clip=1.0,
        label="learning to name things",
    )
    with torch.no_grad():
        asked = scenes.sheets("test", 300, torch.Generator().manual_seed(DRAW))
        thing = asked.labels != scenes.NOTHING
        right = (said(net, asked.images).argmax(dim=2) == asked.labels)[thing].double().mean().item()
        some = scenes.sheets("train", 300, torch.Generator().manual_seed(3_001))
        size = model.feature_maps(some.images).relu().square().mean().sqrt()
        model.conv3.weight /= size
        model.conv3.bias /= size
    return _encoder_of(model), right


def _encoder_of(model: Captioner) -> nn.ModuleDict:
    return nn.ModuleDict({name: getattr(model, name) for name in CONVS})


@cache
def encoder() -> dict[str, Tensor]:
    """The weights of the encoder that came with the package, by name; all captioners share it."""
    return load(NET, _encoder_of(CaptionerRecipe().build())).requires_grad_(False).state_dict()


@cache
@torch.no_grad()
def pool() -> tuple[Tensor, Tensor]:
    """The feature maps of POOL training scenes (N, K, 3, 3), and their captions (N, 6)."""
    of, model = scenes.scenes("train", POOL, torch.Generator().manual_seed(1_000)), CaptionerRecipe().build()
    model.load_state_dict(model.state_dict() | encoder())
    return torch.cat([model.feature_maps(part) for part in of.images.split(128)]), of.captions


def seen(size: int, generator: torch.Generator):
    """Endless batches from the pool, in a new order each round."""
    saw, captions = pool()
    while True:
        for rows in torch.randperm(len(saw), generator=generator).split(size):
            yield saw[rows], captions[rows]


def held_out(count: int = 2_000, split: str = "test") -> scenes.Scenes:
    """Scenes from images that no training has seen, the same every time (DRAW)."""
    return scenes.scenes(split, count, torch.Generator().manual_seed(DRAW))


@torch.no_grad()
def judge(model: Captioner, of: scenes.Scenes) -> dict[str, Any]:
    """How well a captioner writes, and where it attends.

    `exact`: the share of captions right in every word, where hard attention takes the likeliest region; `words`: of
    each word; `weight`: how much weight is on the named cell, given the true words; `hit`: how often the largest weight
    is there; `misread`: of the names that it wrote wrong, the share with the largest weight on the named cell.
    """
    regions = torch.cat([model.annotate(model.feature_maps(part)) for part in of.images.split(128)])
    written, outputs = model.generate(regions, scenes.LENGTH), model(regions, of.captions)
    top = torch.nn.functional.one_hot(outputs.weights.argmax(dim=2), regions.shape[1]).double()
    judged = {"exact": scenes.exact(written.tokens, of.captions).double().mean().item()}
    judged["words"] = [round(share, 4) for share in (written.tokens == of.captions).double().mean(dim=0).tolist()]
    judged["weight"] = scenes.found(outputs.weights, of.cells).mean().item()
    judged["hit"] = scenes.found(top, of.cells).mean().item()
    wrong = (written.tokens != of.captions) & (of.cells != scenes.NOWHERE)
    there = (written.weights.argmax(dim=2) == of.cells)[wrong]
    judged["misread"] = there.sum().item() / max(len(there), 1)
    if model.attention == "hard":
        drawn = model.generate(regions, scenes.LENGTH, torch.Generator().manual_seed(8))
        judged["exact, drawn"] = scenes.exact(drawn.tokens, of.captions).double().mean().item()
    return judged


@torch.no_grad()
def averages(model: Captioner, of: scenes.Scenes, draws: tuple[int, ...] = (1, 10, 100)) -> dict[str, Any]:
    """The total variation between other averages and the mean over all regions, on average over all words.

    "nwgm" is the softmax of the mean logits, "soft" one step with the mean context, "1" and so on Monte Carlo with so
    many samples; "spread" is the entropy of the attention weights, in nats. True words are given, the state is that of
    soft attention.
    """
    regions, generator = model.annotate(model.feature_maps(of.images)), torch.Generator().manual_seed(9)
    state, found = model.start(len(regions)), []
    for token in shift_right(of.captions, scenes.END).unbind(1):
        each = attend_to_each(model, token, state, regions)
        weights, truth = each.weights, expected_probs(each)
        far = {"nwgm": total_variation(nwgm(each), truth)}
        context = (weights[:, None] @ regions).squeeze(1)
        vector = model.embed(token)
        state = model.decoder.step(torch.cat([vector, context], dim=1), state)
        h, _ = state
        far["soft"] = total_variation(model.deep_output(vector, h, context).softmax(dim=1), truth)
        far |= {str(count): total_variation(monte_carlo(each, count, generator), truth) for count in draws}
        far["spread"] = -torch.special.xlogy(weights, weights).sum(dim=1)
        found.append(far)
    return {name: torch.stack([far[name] for far in found]).mean().item() for name in far}


def measured() -> dict[str, Any]:
    """What `export` measured on the test scenes."""
    return read_record(WEIGHTS / "captioner.json")


def writers(seed: int) -> dict[str, CaptionerRecipe]:
    """The captioners of one seed by name: three kinds of attention, and ablations of soft and of hard attention."""
    of = {kind: CaptionerRecipe(kind, seed) for kind in KINDS}
    of["doubly stochastic"] = CaptionerRecipe("soft", seed, doubly=1.0)
    of["no baseline"] = CaptionerRecipe("hard", seed, baseline=False)
    return of | {"no entropy": CaptionerRecipe("hard", seed, entropy_weight=0.0)}


def export() -> None:
    """Train the conv net and all writers, a quarter of an hour in all; keep what was measured and some weights."""
    torch.set_num_threads(1)
    began = time.process_time()
    net, right = train_encoder()
    save(NET, net, dtype=torch.float16)
    _record("conv", 0, {"seconds": round(time.process_time() - began, 1), "right": round(right, 4)})
    encoder.cache_clear()
    for seed in SEEDS:
        for name in writers(seed):
            export_writer(name, seed)


def export_writer(name: str, seed: int) -> None:
    """Train one of the writers."""
    recipe, of, others = writers(seed)[name], held_out(), held_out(split="validation")
    pool()
    began = time.process_time()
    model, history = recipe.train()
    run = {"seconds": round(time.process_time() - began, 1), "steps": len(history.losses)} | judge(model, of)
    run["exact, validation"] = judge(model, others)["exact"]
    _record(name, seed, run)
    if name in ("soft", "hard"):
        _record(f"averages, {name}", seed, averages(model, of))
        if seed == 0:
            save(recipe.path(), model, dtype=torch.float16)


def _record(name: str, seed: int, run: dict[str, Any]) -> None:
    """Put one run into the record: for each name, by what was measured, a list over the seeds."""
    path = WEIGHTS / "captioner.json"
    found = read_record(path) if path.is_file() else {}
    for what, value in run.items():
        runs = found.setdefault(name, {}).setdefault(what, [None] * (1 if name == "conv" else len(SEEDS)))
        runs[seed] = round(value, 5) if isinstance(value, float) else value
    write_record(path, found | {"torch": torch.__version__})
    print(f"{name}, seed {seed}: {run}", flush=True)
