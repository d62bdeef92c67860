"""What the page on captions claims: attention and none, soft and hard, layers, two means, an equal share for all."""

from functools import cache

import torch
from torch import nn

from attend.evidence import All, More, Reaches, recorded
from attend.hard.captioner import Captioner
from attend.hard.nwgm import attend_to_each, expected_hidden, expected_probs, nwgm, total_variation
from attend.memory.supervision import shift_right
from attend.recipes.captioner import TUNED_ON, features, held_out, judge, side
from attend.tasks import scenes

DATA = ("evidence/records/captioner.json",)
JUDGES = range(10, 15)
CHECKPOINTS = (0, 25, 50, 100, 200, 400)
BUDGET = "400 steps of 128 captions; the better of two learning rates on another seed and validation scenes, each"


@torch.no_grad()
def gaps(model: Captioner, of: scenes.Scenes) -> dict[str, float]:
    """How far one step with the expected context is from the mean over all regions, over the words of true captions.

    `state`: the distance of the new hidden state from E[h], as a share of the root mean square distance of the states
    that come of a region drawn. `pass`, `geometric` and `draw`: total variation between the mean of the probabilities
    and those of the one step, the normalised weighted geometric mean, and (on average) one region drawn.
    """
    regions = model.read(features(of.images))
    state, found = model.start(regions), []
    for token in shift_right(of.captions, scenes.END).unbind(1):
        each = attend_to_each(model, token, state, regions)
        mean, probs, B, S = expected_hidden(each), expected_probs(each), *each.weights.shape
        logits, state, _ = model.step(token, state, regions)
        around = (each.weights * (each.hidden - mean[:, None]).square().sum(dim=2)).sum(dim=1).sqrt()  # (B)
        single = total_variation(each.logits.softmax(2).flatten(0, 1), probs.repeat_interleave(S, dim=0)).view(B, S)
        found.append(
            torch.stack(
                [
                    (state[0] - mean).norm(dim=1),
                    around,
                    total_variation(logits.softmax(dim=1), probs),
                    total_variation(nwgm(each), probs),
                    (each.weights * single).sum(dim=1),
                ]
            )
        )
    off, around, one, geometric, draw = torch.stack(found).mean(dim=(0, 2)).tolist()
    return {"state": off / around, "pass": one, "geometric": geometric, "draw": draw}


@cache
def trained(name: str, seed: int, doubly: float = 0.0) -> dict[str, float]:
    """How well a captioner writes on test scenes after training."""
    one = side(name, seed, doubly=doubly)
    return judge(one.train(), held_out(), one.layer)


@recorded(
    "Attention to nine regions of the top layer writes more captions right than one look at the whole image before the "
    "first word, and more than attention to 144 regions of the layer below.",
    source="ours",
    rule=All((More("attention", "no attention", by=0.2), More("attention", "lower layer", by=0.1))),
    seeds=JUDGES,
    tuned_on=TUNED_ON,
    budget=f"{BUDGET}; 800 steps without attention; as many weights to within 1 %",
    unit="share of 2,000 test captions right in every word",
)
def attention(seed):
    """And the shares of names and of words between them that are right."""
    found = {name: trained(name, seed) for name in ("attention", "no attention", "lower layer")}
    shares = {name: of["exact"] for name, of in found.items()}
    for name, of in found.items():
        shares |= {f"{name}, names": of["names"], f"{name}, relations": of["relation"]}
    return shares


@recorded(
    "Hard attention adds more to captions than soft attention does.",
    source="erdem2021attention",
    quote="Add soft attention to image captioning: **+2 BLEU** - Add hard attention to image captioning: **+4 BLEU**",
    rule=More("hard, moving mean", "soft", by=0.0),
    seeds=JUDGES,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="share of 2,000 test captions right in every word",
)
def hard(seed):
    """Hard attention takes its likeliest regions. And of each kind of word; and hard without a baseline."""
    sides = {name: name for name in ("hard, moving mean", "hard, no baseline")} | {"soft": "attention"}
    found = {}
    for name, of in sides.items():
        one = trained(of, seed)
        found |= {name: one["exact"], f"{name}, first words": one["first"], f"{name}, names": one["names"]}
        found |= {f"{name}, relations": one["relation"], f"{name}, misread": one["misread"]}
    return found


@recorded(
    "The expected hidden state equals the one that a single step with the expected context computes.",
    source="erdem2021attention",
    quote=r"$\mathbb{E}_{p(s_t|a)}[\mathbf{h}_t]$ equals to computing \mathbf{h}_t using a single forward prop with "
    r"the expected context vector $\mathbb{E}_{p(s_t|a)}[\hat{\mathbf{z}}_t]$",
    rule=All(tuple(Reaches(f"state, step {step}", at_most=0.1) for step in (0, 100, 400))),
    seeds=JUDGES,
    tuned_on=TUNED_ON,
    budget=f"{BUDGET}; over the words of 200 test captions",
    unit="distance of the two states, as a share of how far the state lies from its mean when one region is drawn",
)
def expected(seed):
    """While soft attention is trained, with its weights as probabilities; and the probabilities of words."""
    one, some, found = side("attention", seed), scenes.Scenes(*(part[:200] for part in held_out())), {}

    def watch(step: int, model: nn.Module) -> None:
        found.update({f"{what}, step {step}": value for what, value in gaps(model, some).items()})

    watch(0, one.build())
    one.train([lambda step: watch(step.step, step.model) if step.step in CHECKPOINTS else None])
    return found


@recorded(
    "In these scenes the doubly stochastic term costs captions: with λ = 1 fewer are right, and less weight is on what "
    "is named.",
    source="ours",
    rule=All((More("λ = 0", "λ = 1", by=0.03), More("λ = 0, weight", "λ = 1, weight", by=0.1))),
    seeds=JUDGES,
    tuned_on=TUNED_ON,
    budget=f"{BUDGET}, found for λ = 0",
    unit="share of 2,000 test captions right in every word; weight on the cell of the thing that is named",
)
def doubly(seed):
    """And the share of first words."""
    found = {}
    for weight in (0, 1):
        one = trained("attention", seed, float(weight))
        found |= {f"λ = {weight}": one["exact"], f"λ = {weight}, weight": one["weight"]}
        found[f"λ = {weight}, first words"] = one["first"]
    return found
