"""What the page on RAM claims: what choosing is worth, how it must be taught, where it looks, what it costs."""

import math
from functools import cache

import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from attend.evidence import All, More, Reaches, measured_here, recorded
from attend.hard.ram import RAM
from attend.memory.convnet import ConvNet
from attend.recipes.ram import (
    NARROW,
    TUNED_ON,
    WIDE_T,
    ConvRecipe,
    SignRecipe,
    T,
    WideRecipe,
    held_out,
    medium,
    right,
    search,
    small,
)
from attend.tasks import signs
from attend.tasks.clutter import SMALL

DATA = ("evidence/records/ram.json",)
JUDGES = range(20, 25)
BUDGET = (
    "400 steps of 64 canvases, four times each, of the same 12,000; the best of three learning rates on another seed, "
    "each, after 300; 3,000 canvases of test digits"
)
SIDES = {0.5: 7, 0.71: 10, 1.0: SMALL, 1.41: 20, 2.0: 28}
"""Sizes of a digit, and how many pixels it is wide then."""


@cache
@torch.enable_grad()
def trained(side: str, seed: int) -> RAM:
    """A model after training, the same for all claims."""
    return small(seed) if side == "RAM" else SignRecipe(side, seed).train()


def named(side: str, seed: int) -> float:
    """The share of limits named right after T glimpses at test canvases."""
    of = held_out("test", seed)
    return right(search(trained(side, seed), of, random=side == "random").logits, of.labels)[-1].item()


@recorded(
    "Glimpses at locations that the model chooses name more limits than as many at random locations, and they come "
    "nearer to the digit.",
    source="ours",
    rule=All((More("chosen", "random", by=0.05), More("pixels away, random", "pixels away, chosen", by=1.0))),
    seeds=JUDGES,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="share of limits named right after three glimpses (guessing: 0.33); pixels from the digit at the third",
)
def chosen(seed):
    """Either begins in the middle. Also after each glimpse, with drawn locations, and with digits of other sizes."""
    of, found = held_out("test", seed), {}
    for name, side in (("chosen", "RAM"), ("random", "random")):
        episode = search(trained(side, seed), of, random=side == "random")
        share = right(episode.logits, of.labels)
        away = signs.distance(episode.locations, of.middles).mean(dim=0)
        found |= {name: share[-1].item(), f"pixels away, {name}": away[-1].item()}
        for t in range(T):
            found |= {f"{name}, glimpse {t + 1}": share[t].item(), f"away, {name}, glimpse {t + 1}": away[t].item()}
    model = trained("RAM", seed)
    torch.manual_seed(seed)
    found["drawn"] = right(search(model, of, sigma=NARROW).logits, of.labels)[-1].item()
    for size, side in SIDES.items():
        other = held_out("test", seed, side=side)
        found[f"size {size:g}"] = right(search(model, other).logits, other.labels)[-1].item()
    return found


@recorded(
    "On cluttered canvases RAM outperforms a convolutional network.",
    source="mnih2014recurrent",
    quote="it significantly outperforms a convolutional neural network baseline on cluttered images",
    rule=More("RAM", "conv net", by=0.0),
    seeds=JUDGES,
    tuned_on=TUNED_ON,
    budget=BUDGET
    + "; the convolutional net 400 steps of 64 canvases; on wider canvases RAM 200 steps more, each time, "
    "on 6,000 canvases and on 2,500, and 1,000 for the test",
    unit="share of limits named right on canvases 32 pixels wide",
)
def whole(seed):
    """Two convolutions with 8 and 16 maps, and a third that names the limit at every place. And wider canvases.

    On those RAM has one scale more for each doubling, and learns further; the convolutional net is the same.
    """
    found, net = {}, ConvRecipe(seed).train()
    models = {32: trained("RAM", seed), 64: medium(seed), 128: WideRecipe(128, seed).train()}
    for width, model in models.items():
        of, name = held_out("test", seed, width, count=3_000 if width == 32 else 1_000), f", {width} pixels"
        glimpses = T if width == 32 else WIDE_T
        parts = list(zip(*(part.split(100) for part in of), strict=True))
        said = torch.cat([search(model, signs.Signs(*part), glimpses).logits[:, -1] for part in parts])
        found["RAM" + name] = right(said, of.labels).item()
        found["conv net" + name] = right(torch.cat([net(part[0]) for part in parts]), of.labels).item()
    return {"RAM": found["RAM, 32 pixels"], "conv net": found["conv net, 32 pixels"]} | found


@recorded(
    "RAM works better if there is some randomness in where it looks while it learns.",
    source="sankaran2019part5",
    quote="The approach works better if you have some randomness in where you look.",
    rule=More("RAM", "little randomness", by=0.03),
    seeds=JUDGES,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="share of limits named right, looking at the means",
)
def randomness(seed):
    """Drawn with a standard deviation of half a pixel, and with one from 5.6 down to 2.4. And without a baseline."""
    return {side: named(side, seed) for side in ("RAM", "little randomness", "no baseline")}


def numbers(width: int) -> float:
    """The multiplications by weights of RAM's glimpses at a canvas, with as many scales as cover it."""
    scales = 1 + math.ceil(math.log2(max(width, 12) / 12))
    return multiplications(RAM(num_scales=scales, num_classes=3), torch.zeros(1, width, width), WIDE_T)


def multiplications(net: nn.Module, *given: Tensor | int) -> float:
    """How many multiplications by weights it takes to run a network."""
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        net(*given)
    return counter.get_total_flops() / 2


@measured_here(
    "The amount of computation that RAM performs can be controlled independently of the image size.",
    source="mnih2014recurrent",
    quote="the amount of computation it performs can be controlled independently of the input image size",
    rule=All(
        (
            Reaches("RAM, 512 pixels, as a multiple of 32 pixels", at_most=2.0),
            Reaches("conv net, 512 pixels, as a multiple of 32 pixels", at_least=100.0),
        )
    ),
    seeds=range(5),
    unit="multiplications by weights, the same in every seed; as many scales as cover the image",
)
def cost(seed):
    """Four glimpses, and the convolutional net of this page."""
    torch.manual_seed(seed)
    nets = {"RAM": numbers, "conv net": lambda width: multiplications(conv_net(), torch.zeros(1, width, width))}
    return {f"{name}, 512 pixels, as a multiple of 32 pixels": round(of(512) / of(32), 3) for name, of in nets.items()}


def conv_net() -> ConvNet:
    """The convolutional net of this page before training."""
    return ConvRecipe().build()
