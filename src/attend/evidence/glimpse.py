"""What the page on glimpses claims: what scales and place are worth, where steps lead, sizes, and a gradient."""

from functools import cache

import torch
from torch import Tensor

from attend.evidence import All, More, recorded
from attend.hard.glimpse import GlimpseNet, glimpse, smooth_glimpse
from attend.recipes.glimpse import FAR, SENSORS, SIDES, TUNED_ON, GlimpseRecipe, around, follow
from attend.tasks import search

DATA = ("evidence/records/glimpse.json",)
JUDGES = range(10, 15)
BUDGET = (
    "400 steps of 256 glimpses at the same 12,000 canvases; the best of four learning rates on another seed, each; "
    "3,000 canvases of test digits"
)
GROUPS = 7
"""Groups of distances between the location and the middle of the digit, of 4 pixels each."""
SIGMA = 0.15
"""The standard deviation of locations that are tried: 4.5 pixels."""


@cache
@torch.enable_grad()
def trained(sensor: str, seed: int, sizes: str = "one") -> GlimpseNet:
    """A network after training, the same for all claims."""
    return GlimpseRecipe(sensor, seed, sizes).train()


def held_out(seed: int, side: int = search.SIDE, count: int = 3_000) -> tuple[Tensor, Tensor, Tensor]:
    """Test canvases with digits `side` pixels wide, other ones for each seed: images, labels and middles."""
    return search.resized("test", count, torch.Generator().manual_seed(3_000 + seed), (side,))


@torch.no_grad()
def named(sensor: str, seed: int, sizes: str = "one", side: int = search.SIDE) -> float:
    """The share of digits named right by one glimpse, at most 4 pixels from their middles."""
    images, labels, middles = held_out(seed, side)
    locations = GlimpseRecipe(sensor, seed).locations(middles, torch.Generator().manual_seed(4_000 + seed), 4)
    logits, _ = trained(sensor, seed, sizes)(SENSORS[sensor](images, locations))
    return (logits.argmax(dim=1) == labels).float().mean().item()


@torch.no_grad()
def by_distance(sensor: str, seed: int) -> dict[str, list[float]]:
    """By the distance of one glimpse: the share `named` right, and how many pixels are `left` after the step."""
    images, labels, middles = held_out(seed)
    locations = around(middles, FAR, torch.Generator().manual_seed(4_000 + seed))
    logits, step = trained(sensor, seed)(SENSORS[sensor](images, locations))
    pixels = search.WIDTH / 2
    before, after = (pixels * (at - middles).norm(dim=1) for at in (locations, locations + step))
    groups = [before // 4 == group for group in range(GROUPS)]
    right = (logits.argmax(dim=1) == labels).float()
    return {
        "named": [right[group].mean().item() for group in groups],
        "left": [after[group].mean().item() for group in groups],
    }


@recorded(
    "Three scales name more digits close by than one coarse crop, and from afar they find the digit better than one "
    "sharp crop.",
    source="ours",
    rule=All(
        (
            More("three scales, named on the digit", "coarse crop, named on the digit", by=0.05),
            More("sharp crop, pixels left from afar", "three scales, pixels left from afar", by=10),
        )
    ),
    seeds=JUDGES,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="share of digits named right (guessing: 0.1); pixels left after one step from 20 to 28 pixels away",
)
def scales(seed):
    """Guessing names a tenth. And all groups of distances, for the pictures."""
    found = {}
    for sensor in ("three scales", "sharp crop", "coarse crop"):
        by = by_distance(sensor, seed)
        found[f"{sensor}, named on the digit"] = by["named"][0]
        found[f"{sensor}, pixels left from afar"] = (by["left"][5] + by["left"][6]) / 2
        for group in range(GROUPS):
            found |= {f"{sensor}, {what}, group {group}": by[what][group] for what in ("named", "left")}
    return found


@recorded(
    "From 60 x 60 pixels around the location more digits are named than from the whole canvas and the location, and "
    "from three scales still more.",
    source="ours",
    rule=All(
        (
            More("window", "canvas and location", by=0.1),
            More("three scales", "window", by=0.03),
        )
    ),
    seeds=JUDGES,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="share of digits named right from at most 4 pixels away (guessing: 0.1)",
)
def place(seed):
    """3,600, 3,602 and 432 numbers."""
    sensors = ("window", "canvas and location", "three scales")
    return {sensor: named(sensor, seed) for sensor in sensors}


@recorded(
    "Following its own steps, the network names more digits at its third glimpse than at its first.",
    source="ours",
    rule=More("glimpse 3", "glimpse 1", by=0.15),
    seeds=JUDGES,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="share of digits named right (guessing: 0.1)",
)
def steps(seed):
    """In training it was shown where the digits are. All four glimpses, and how far from the digits they lie."""
    images, labels, middles = held_out(seed)
    found = {}
    start, sensor = torch.zeros(len(images), 2), "three scales"
    locations, logits = follow(trained(sensor, seed), sensor, images, start, 4)
    right = (logits.argmax(dim=2) == labels[:, None]).float().mean(dim=0)
    away = (locations - middles[:, None]).norm(dim=2).mean(dim=0) * search.WIDTH / 2
    for t in range(4):
        found |= {f"glimpse {t + 1}": right[t], f"pixels away at glimpse {t + 1}": away[t]}
    return found


@recorded(
    "Several scales alone do not make a network scale-invariant: trained on digits of one size it names fewer of half "
    "and of twice that size. Trained on all sizes it names more of twice the size, and fewer of the first.",
    source="ours",
    rule=All(
        (
            More("one size, at 1", "one size, at 0.5", by=0.15),
            More("one size, at 1", "one size, at 2", by=0.15),
            More("all sizes, at 2", "one size, at 2", by=0.2),
            More("one size, at 1", "all sizes, at 1", by=0.1),
        )
    ),
    seeds=JUDGES,
    tuned_on=TUNED_ON,
    budget="400 steps of 256 glimpses at 12,000 canvases, the learning rate found for one size; 3,000 canvases a size",
    unit="share of digits named right, the location at most 4 pixels from the digit's middle (guessing: 0.1)",
)
def sizes(seed):
    """Digits 14, 20, 28, 40 and 56 pixels wide; the pieces around them keep their size."""
    return {
        f"{which}, at {size:g}": named("three scales", seed, which.split()[0], side)
        for which in ("one size", "all sizes")
        for size, side in SIDES.items()
    }


def log_prob(net: GlimpseNet, crops: Tensor, labels: Tensor) -> Tensor:
    """What the network gives to the right name after this glimpse, (B)."""
    return net(crops)[0].log_softmax(dim=1).gather(1, labels[:, None])[:, 0]


def sampled(net: GlimpseNet, images: Tensor, labels: Tensor, at: Tensor, noise: Tensor) -> Tensor:
    """The REINFORCE estimate (B, 2) from locations at + noise (N, B, 2), the mean of the others as the baseline."""
    with torch.no_grad():
        f = torch.stack([log_prob(net, glimpse(images, at + one), labels) for one in noise])  # (N, B)
    advantage = (f - f.mean(dim=0)) * len(noise) / (len(noise) - 1)
    return (advantage[:, :, None] * noise).mean(dim=0) / SIGMA**2


def interpolated(net: GlimpseNet, images: Tensor, labels: Tensor, at: Tensor, noise: Tensor) -> Tensor:
    """The mean gradient (B, 2) of interpolated glimpses at locations at + noise (N, B, 2)."""
    spot = at.clone().requires_grad_()
    total = torch.zeros_like(at)
    for one in noise:
        f = log_prob(net, smooth_glimpse(images, spot + one), labels).sum()
        total += torch.autograd.grad(f, spot)[0]
    return total / len(noise)


def towards(direction: Tensor, goal: Tensor) -> float:
    """How often a direction leads to the goal's side."""
    return ((direction * goal).sum(dim=1) > 0).float().mean().item()


@recorded(
    "Ten pixels off a digit, 16 tried locations point to its side more often than the mean of 16 interpolated "
    "gradients.",
    source="ours",
    rule=More("tried", "gradients", by=0.05),
    seeds=JUDGES,
    tuned_on=TUNED_ON,
    budget=BUDGET + "; 16 locations for either, of a normal distribution with a standard deviation of 4.5 pixels",
    unit="share of directions to the digit's side (guessing: 0.5)",
)
def gradient(seed):
    """Of the right name's log-probability. Beside it a single gradient, and all from 3 and 20 pixels off."""
    images, labels, middles = held_out(seed, count=400)
    net, generator = trained("three scales", seed), torch.Generator().manual_seed(5_000 + seed)
    found = {}
    for off in (10, 3, 20):
        at = around(middles, off, generator, near=off)
        noise = SIGMA * torch.randn(16, len(at), 2, generator=generator)
        ways = {
            "tried": sampled(net, images, labels, at, noise),
            "gradients": interpolated(net, images, labels, at, noise),
            "one gradient": interpolated(net, images, labels, at, 0 * noise[:1]),
        }
        name = "" if off == 10 else f", {off} pixels off"
        found |= {f"{way}{name}": towards(direction, middles - at) for way, direction in ways.items()}
    return found
