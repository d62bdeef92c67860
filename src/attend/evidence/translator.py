"""What the page on the Transformer claims: norms and depth, a race, three uses of attention, a KV cache."""

import math
import time

import torch

from attend.evidence import Alike, All, More, OnlyIf, Reaches, recorded
from attend.recipes import translator as recipes
from attend.recipes.translation import encoded
from attend.recipes.translator import (
    DIGITS,
    MOST,
    TUNED_ON,
    RaceRecipe,
    TransformerRecipe,
    cross_entropy_of,
    exact,
    xavier,
)
from attend.tasks import pairs, translation
from attend.transformers.attention_weights import LAYERS, uniform_attention
from attend.transformers.tiny_translator import TinyTranslator
from attend.transformers.translator import Transformer

DATA = ("evidence/records/translator.json",)
DEPTHS = (2, 6, 12, 24)
STEPS = 100
LENGTHS = (16, 64, 256)
PLACES = dict(zip(LAYERS, ("encoder", "decoder", "cross-attention"), strict=True))
"""The three uses of attention, by the names of their columns."""


def gradient_norms(model: Transformer, seed: int) -> list[float]:
    """For each decoder block the norm of the gradient of W2, the last matrix of its feed-forward network."""
    batch = next(pairs.batches(encoded("train", DIGITS, MOST), 32, torch.Generator().manual_seed(seed)))
    pairs.cost(model(batch.source, batch.mask, batch.target), batch.target, batch.asked).backward()
    return [block.feed_forward.linear2.weight.grad.norm().item() for block in model.decoder]


def as_torch_draws(norm: str, depth: int, seed: int) -> Transformer:
    """A Transformer with matrices as torch's linear layers draw them, uniform in ±√(1 / inputs)."""
    return TransformerRecipe(seed=seed, d_model=32, d_ff=128, num_layers=depth, norm=norm).build()


@recorded(
    "At initialisation, post-norm gives the blocks near the output far larger gradients than those far from it.",
    source="xiong2020layer",
    quote="for the original-designed Post-LN Transformer, which places the layer normalization between the residual "
    "blocks, the expected gradients of the parameters near the output layer are large",
    rule=OnlyIf(
        "the matrices start as large as in the paper (Xavier's rule)",
        inside=More("post-norm, Xavier, 12 blocks", "pre-norm, Xavier, 12 blocks", by=1.0),
        outside=More("post-norm, torch's, 12 blocks", "pre-norm, torch's, 12 blocks", by=1.0),
    ),
    seeds=range(10, 15),
    tuned_on=(0,),
    budget="one batch of 32 numbers, before any training",
    unit="log10 of the gradient of W2 in the last decoder block, divided by that in the first",
)
def depth(seed):
    """Gradients of W2 in the decoder at four depths; the picture draws all of twelve blocks."""
    found = {}
    for norm in ("pre", "post"):
        for how, build in (("Xavier", xavier), ("torch's", as_torch_draws)):
            for blocks in DEPTHS:
                norms = gradient_norms(build(norm, blocks, seed), seed)
                name = f"{norm}-norm, {how}, {blocks} blocks"
                found[name] = math.log10(norms[-1] / norms[0])
                if how == "Xavier" and blocks == 12:
                    found |= {f"{name}: {place}": math.log10(value) for place, value in enumerate(norms, 1)}
    return found


def raced(kind: str, steps: int, seed: int):
    """A racer, trained, and the processor seconds that its training took."""
    began = time.process_time()
    trained = RaceRecipe(kind, seed, steps).train()
    return trained, time.process_time() - began


TUNING = "46,438 or 46,561 weights; each side with the best of three learning rates, chosen on another seed"


@recorded(
    "With as many weights, and after a hundred steps, the GRU with attention translates more numbers.",
    source="ours",
    rule=More("GRU", "Transformer", by=0.1),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=TUNING,
    unit="share of new numbers translated without a mistake",
)
def race(seed):
    """Both sides after 100 steps, with the processor seconds that these took."""
    found = {}
    for kind in ("Transformer", "GRU"):
        raced(kind, 10, seed)  # to warm up
    for kind in ("Transformer", "GRU"):
        trained, seconds = raced(kind, STEPS, seed)
        found |= {kind: exact(trained), f"{kind}: seconds": seconds}
    return found


@recorded(
    "On batches of mixed lengths the GRU's lead is less than a tenth.",
    source="ours",
    rule=Alike("GRU", "Transformer", within=0.1),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=TUNING,
    unit="share of new numbers translated without a mistake after 100 steps",
)
def mixed(seed):
    """The same racers, each with its best of the same three rates for such batches."""
    return {kind: exact(recipes.MixedRecipe(kind, seed).train()) for kind in ("Transformer", "GRU")}


@recorded(
    "For this task it matters little where the encoder attends, and much where decoder and cross-attention do.",
    source="ours",
    rule=All(
        (
            Reaches("encoder", at_most=0.3),
            More("decoder", "encoder", by=0.5),
            More("cross-attention", "encoder", by=0.5),
        )
    ),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget="the race's Transformer after 200 steps, nothing trained anew",
    unit="how much the cross-entropy on new numbers rises when all attention of one kind is made uniform, in nats a "
    "token",
)
def places(seed):
    """Queries set to zero in one of the three uses of attention, in all blocks and heads."""
    trained, _ = raced("Transformer", 200, seed)
    whole = cross_entropy_of(trained)
    return {name: cross_entropy_of(uniform_attention(trained, kind)) - whole for kind, name in PLACES.items()}


def seconds_to_write(model, T: int, seed: int) -> float:
    """Processor seconds for four answers of T tokens to sources of T tokens drawn at random."""
    source = torch.randint(1, len(translation.ENGLISH), (4, T), generator=torch.Generator().manual_seed(seed))
    began = time.process_time()
    model.generate(source, torch.ones_like(source, dtype=torch.bool), T)
    return time.process_time() - began


@recorded(
    "Writing 256 tokens takes at least three times as long without a KV cache as with one.",
    source="ours",
    rule=Reaches("256 tokens", at_least=3.0),
    seeds=range(10, 15),
    budget="a fresh Transformer of 99,582 weights, four answers at once, one processor thread",
    unit="processor time without a cache, divided by that with one",
)
def kv_cache(seed):
    """The same parameters in the page's listing, which sends all tokens anew, and in the package's Transformer."""
    kept = TransformerRecipe(seed=seed).build()
    with torch.no_grad():
        kept.output.bias[kept.end] = -1e4  # an answer that does not end early
    anew = TinyTranslator(len(translation.ENGLISH), len(translation.GERMAN))
    anew.load_state_dict(kept.state_dict())
    for model in (anew, kept):
        seconds_to_write(model, 4, seed)  # to warm up
    return {f"{T} tokens": seconds_to_write(anew, T, seed) / seconds_to_write(kept, T, seed) for T in LENGTHS}
