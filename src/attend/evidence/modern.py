"""What the page on today's block claims: what each change since 2017 is worth at equal weights, and all together."""

from functools import cache

from attend.evidence import Alike, All, More, Reaches, recorded
from attend.recipes.modern import TUNED_ON, ModernRecipe, nats

DATA = ("evidence/records/modern.json",)
SEEDS = range(20, 26)
MORE = range(40, 52)
"""Seeds that nobody had looked at, for the two claims that six seeds of SEEDS had left open."""
UNIT = "nats a character on unseen scenes"
BUDGET = (
    "about 112,000 weights, 400 steps of 16 x 64 characters a side; the best of three learning rates on two other seeds"
)


@cache
def loss(kind: str, seed: int, steps: int = 400) -> float:
    """Nats a character on unseen scenes after training; several claims ask for the same model."""
    return nats(ModernRecipe(kind, seed, steps).train(), "test")


@recorded(
    "RMSNorm reaches a loss comparable to LayerNorm's.",
    source="zhang2019root",
    quote="RMSNorm achieves comparable performance against LayerNorm but reduces the running time by 7%~64% on "
    "different models",
    rule=Alike("RMSNorm", "LayerNorm", within=0.02),
    seeds=MORE,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit=UNIT,
)
def norm(seed):
    """The block of the page on self-attention, and the same with RMSNorm in the place of each."""
    return {"LayerNorm": loss("2017", seed), "RMSNorm": loss("rmsnorm", seed)}


@recorded(
    "With as many weights, a gated feed-forward network (SwiGLU) reaches a lower loss than one with ReLU or GELU.",
    source="shazeer2020glu",
    quote="some of them yield quality improvements over the typically-used ReLU or GELU activations",
    rule=All((More("ReLU", "SwiGLU"), More("GELU", "SwiGLU"))),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit=UNIT,
)
def swiglu(seed):
    """Inner width 256 with ReLU or GELU, 172 with the gate, which has a third matrix and no biases."""
    return {"ReLU": loss("2017", seed), "GELU": loss("gelu", seed), "SwiGLU": loss("swiglu", seed)}


@recorded(
    "Rotary positions reach a lower loss than learned ones.",
    source="su2024roformer",
    quote="Our experiments show that it consistently overcomes its alternatives.",
    rule=More("learned positions", "rotary positions"),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit=UNIT,
)
def rope(seed):
    """The weights of the table of positions are put into the feed-forward networks."""
    return {"learned positions": loss("2017", seed), "rotary positions": loss("rope", seed)}


@recorded(
    "With half as many heads of keys and values the loss is at most 0.02 nats higher.",
    source="ainslie2023gqa",
    quote="We show that uptrained GQA achieves quality close to multi-head attention with comparable speed to MQA.",
    rule=Reaches("nats lost with 2 heads of keys", at_most=0.02),
    seeds=MORE,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit=UNIT,
)
def gqa(seed):
    """Four heads of queries share two heads of keys and values; what is saved widens the feed-forward networks."""
    four, two = loss("2017", seed), loss("gqa", seed)
    return {"4 heads of keys": four, "2 heads of keys": two, "nats lost with 2 heads of keys": two - four}


@recorded(
    "All four together reach a loss that is lower than the older block's by more than 0.02 nats.",
    source="ours",
    rule=More("2017", "today", by=0.02),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit=UNIT,
)
def together(seed):
    """RMSNorm, SwiGLU, rotary positions and two heads of keys, without biases."""
    return {"2017": loss("2017", seed), "today": loss("today", seed)}


@recorded(
    "With three times the steps what all four gain together is less, and still more than 0.02 nats.",
    source="ours",
    rule=All(
        (More("gain after 400 steps", "gain after 1,200 steps"), Reaches("gain after 1,200 steps", at_least=0.02)),
    ),
    seeds=range(20, 25),
    tuned_on=TUNED_ON,
    budget="about 112,000 weights, 16 x 64 characters a step; learning rates as chosen for 400 steps",
    unit=UNIT,
)
def longer(seed):
    """The same two models, trained for 400 steps and, from the start, for 1,200."""
    found = {}
    for kind in ("2017", "today"):
        found |= {f"{kind}, 400 steps": loss(kind, seed), f"{kind}, 1,200 steps": loss(kind, seed, 1_200)}
    gains = {steps: found[f"2017, {steps} steps"] - found[f"today, {steps} steps"] for steps in ("400", "1,200")}
    return found | {f"gain after {steps} steps": gain for steps, gain in gains.items()}
