"""What the page on heads claims: how many places one head reports, and what trained heads do."""

import copy

import torch
from scipy.stats import spearmanr
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attend.evidence import SHARE, All, More, OnlyIf, Reaches, recorded
from attend.recipes import self_attention
from attend.recipes.attention_only import TUNED_ON, PronounRecipe, RepeatsRecipe, named, right_of, without
from attend.recipes.heads import HeadsRecipe, around, whole
from attend.tasks import plays, pronouns, repeats
from attend.transformers.attention_only import cut_
from attend.transformers.self_attention import causal_mask

DATA = ("evidence/records/heads.json",)
BOTH = "share of places whose letters are all named right"


@recorded(
    "With so few steps one head with a linear answer does not learn to report two neighbours; two heads of half the "
    "width do.",
    source="vaswani2017attention",
    rule=All((Reaches("one head", at_most=0.2, limits=SHARE), Reaches("two heads", at_least=0.99, limits=SHARE))),
    seeds=range(20, 25),
    budget="300 steps of 64 rows a side, one learning rate for both",
    unit=BOTH,
)
def two(seed):
    """A linear answer stands behind one look; the two heads have together the weights of the one."""
    return {
        name: whole(HeadsRecipe(num_heads, seed).train()[0]) for num_heads, name in ((1, "one head"), (2, "two heads"))
    }


@recorded(
    "With so few steps one head does not learn to report several places at once.",
    source="vaswani2017attention",
    quote="With a single attention head, averaging inhibits this.",
    rule=OnlyIf(
        "the answer is linear, or there are more than two",
        inside=All(
            (
                Reaches("four letters, one head", at_most=0.6, limits=SHARE),
                Reaches("four letters, four heads", at_least=0.95, limits=SHARE),
            )
        ),
        outside=Reaches("two letters, one head", at_most=0.6, limits=SHARE),
    ),
    seeds=range(20, 25),
    budget="a network of two layers behind the heads; two letters 300 steps, four letters 800 steps of 64 rows",
    unit=BOTH,
)
def several(seed):
    """With a network between the look and the answer, shares of different size tell two letters apart, not four."""
    sides = {
        "two letters, one head": HeadsRecipe(1, seed, feed_forward=True),
        "four letters, one head": around(1, seed),
        "four letters, four heads": around(4, seed),
    }
    return {name: whole(recipe.train()[0]) for name, recipe in sides.items()}


@torch.no_grad()
def roles(model: nn.Module, rows: int = 500) -> tuple[Tensor, Tensor]:
    """Where the heads of a model for `repeats` look, on average over new rows; two tables (layers, heads).

    The weight on the token before; and, where the next token is known, the weight on the one that came next last time.
    """
    tokens, known = repeats.sample(rows, generator=torch.Generator().manual_seed(1_000_001))
    _, weights = model(tokens)  # (B, layers, heads, T, T)
    back = weights.diagonal(-1, dim1=3, dim2=4).mean((0, 3))
    next_time = (repeats.before(tokens) + 1)[:, None, None, :, None].expand(*weights.shape[:4], 1)
    on_it = weights.gather(4, next_time)[..., 0] * known[:, None, None]  # (B, layers, heads, T)
    return back, on_it.sum((0, 3)) / known.sum()


@torch.no_grad()
def hidden_from(model: nn.Module, layer: int, hidden: str, rows: int = 1_000) -> float:
    """The share of known tokens that a model predicts when one thing is hidden from all heads of one layer.

    `hidden`: "the token before", "the token two before", or "what came next", the token that came next last time.
    """
    tokens, known = repeats.sample(rows, generator=torch.Generator().manual_seed(1_000_000))
    B, T = tokens.shape
    seen = causal_mask(T).expand(B, T, T).clone()
    if hidden == "what came next":
        row, t = known.nonzero(as_tuple=True)
        seen[row, t, repeats.before(tokens)[row, t] + 1] = False
    else:
        back = 1 if hidden == "the token before" else 2
        seen &= ~torch.ones(T, T, dtype=torch.bool).diagonal(-back).diag_embed(-back)
    x = model.token(tokens) + model.position.weight[:T]
    for n, (norm, attn) in enumerate(zip(model.norms, model.layers, strict=False)):
        x = x + attn(norm(x), mask=(seen if n == layer else causal_mask(T)).reshape(-1, 1, T, T))
    right = model.output(model.norms[-1](x))[:, :-1].argmax(2) == tokens[:, 1:]
    return right[known[:, :-1]].double().mean().item()


@recorded(
    "In 400 steps two layers of attention learn to continue a stretch that they have seen once, and one layer with as "
    "many weights does not; the first has to see the token before, and the second what came next last time.",
    source="ours",
    rule=All(
        (
            Reaches("two layers", at_least=0.9, limits=SHARE),
            Reaches("one layer", at_most=0.5, limits=SHARE),
            Reaches("one layer and a feed-forward network", at_most=0.5, limits=SHARE),
            Reaches("layer 1 cannot see the token before", at_most=0.2, limits=SHARE),
            Reaches("layer 2 cannot see what came next", at_most=0.2, limits=SHARE),
        )
    ),
    seeds=range(20, 25),
    tuned_on=(*TUNED_ON, 10),
    budget="400 steps of 32 rows a side; for each the best of three learning rates on two other seeds",
    unit="share of known tokens that are predicted, on 1,000 new rows",
)
def induction(seed):
    """Two layers of two heads, one layer of four, one block of four. For each head of the two layers: what is left

    without it, and where it looks; and what is left when something is hidden from a whole layer.
    """
    kinds = {"two layers": "two layers", "one layer": "one layer", "one layer and a feed-forward network": "one block"}
    models = {name: RepeatsRecipe(kind, seed).train() for name, kind in kinds.items()}
    model = models["two layers"]
    back, next_time = roles(model)
    found = {name: right_of(one) for name, one in models.items()}
    found |= {
        "weight on the token before, best head of layer 1": back[0].max().item(),
        "weight on what came next, best head of layer 2": next_time[1].max().item(),
        "layer 1 cannot see the token before": hidden_from(model, 0, "the token before"),
        "layer 1 cannot see the token two before": hidden_from(model, 0, "the token two before"),
        "layer 2 cannot see what came next": hidden_from(model, 1, "what came next"),
        "layer 1 cannot see what came next": hidden_from(model, 0, "what came next"),
    }
    places = [(layer, head) for layer in range(2) for head in range(2)]
    return found | {f"without layer {a + 1}, head {b + 1}": right_of(without(model, a, b)) for a, b in places}


def looks(model: nn.Module, made: pronouns.Sentences) -> dict[str, Tensor]:
    """At *it*, on average: each head's weight (layers, heads) on what it refers to, the other animal, and the clue."""
    _, weights = named(model, made)  # (B, layers, heads, T)
    rows = torch.arange(len(weights))
    return {what: weights[rows, :, :, getattr(made, what)].mean(0) for what in ("referent", "other", "clue")}


def understood(model: nn.Module, made: pronouns.Sentences) -> float:
    """The share of sentences in which the right animal is named."""
    return (named(model, made)[0].argmax(1) == made.at("referent")).double().mean().item()


@torch.no_grad()
def blinded(model: nn.Module, made: pronouns.Sentences, who: tuple[str, ...]) -> float:
    """The same when, in every layer and head, the words at the places `who` cannot attend to the deciding word."""
    B, T = made.tokens.shape
    rows, mask = torch.arange(B), torch.ones(B, 1, T, T, dtype=torch.bool)
    for asks in who:
        mask[rows, 0, getattr(made, asks), made.clue] = False
    x = model.token(made.tokens) + model.position.weight[:T]
    for norm, attn in zip(model.norms, model.layers, strict=False):
        x = x + attn(norm(x), mask=mask)
    answers = model.output(model.norms[-1](x))[rows, made.it].argmax(1)
    return (answers == made.at("referent")).double().mean().item()


def unseen() -> pronouns.Sentences:
    """2,000 sentences with pairs of animals that never met in training."""
    return pronouns.sample(2_000, "test", torch.Generator().manual_seed(1_000_000))


@recorded(
    "Where the heads of *it* look, it gets some of the animal that it stands for, and some of the word that decides.",
    source="erdem2021attention",
    quote='Where different attention heads are focusing (the model\'s repr of "it" has some of "animal" and "tired")',
    rule=All(
        (
            More("most on its animal", "most on the other animal", by=0.2),
            More("most on the deciding word", "an even share", by=0.2),
        )
    ),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget="800 steps of 64 sentences; the best of three learning rates on two other seeds",
    unit="mean weight at *it*, over 2,000 new sentences, of each model's head with the highest mean",
)
def it(seed):
    """Also: which sentences are understood, by the model whole and when some words cannot see the deciding one."""
    model, made = PronounRecipe(seed).train(), unseen()
    found = looks(model, made)
    return {
        "most on its animal": found["referent"].max().item(),
        "most on the other animal": found["other"].max().item(),
        "most on the deciding word": found["clue"].max().item(),
        "an even share": 1 / pronouns.LENGTH,
        "understood": understood(model, made),
        "it is blind to the word": blinded(model, made, ("it",)),
        "both animals are blind to the word": blinded(model, made, ("referent", "other")),
        "it and both animals are blind to the word": blinded(model, made, ("it", "referent", "other")),
    }


@recorded(
    "The more weight a head gives to the animal or to the deciding word, the more is lost without it.",
    source="ours",
    rule=Reaches("rank correlation over eight heads", at_least=0.5, limits=(-1.0, 1.0)),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget="800 steps of 64 sentences; the best of three learning rates on two other seeds",
    unit="weight at *it* on the one or the other, whichever is more, and share of sentences no longer understood",
)
def weights(seed):
    """Each head is cut alone."""
    model, made = PronounRecipe(seed).train(), unseen()
    found, whole_right = looks(model, made), understood(model, made)
    look = torch.maximum(found["referent"], found["clue"]).flatten()
    heads = [(layer, head) for layer in range(2) for head in range(4)]
    lost = [whole_right - understood(without(model, *place), made) for place in heads]
    names = [f"layer {layer + 1}, head {head + 1}" for layer, head in heads]
    return {
        "rank correlation over eight heads": float(spearmanr(look, lost).statistic),
        **{f"{name}, weight": one for name, one in zip(names, look.tolist(), strict=True)},
        **{f"{name}, lost": one for name, one in zip(names, lost, strict=True)},
    }


def nats(model: nn.Module, part: str, windows: int) -> float:
    """Cross-entropy of the next character on so many windows of one part of the plays."""
    text, T = plays.stream(part), model.context
    with torch.no_grad():
        logits = model(text[: windows * T].view(windows, T))
    return cross_entropy(logits.flatten(0, 1), text[1 : windows * T + 1]).item()


def beheaded(model: nn.Module, heads: list[tuple[int, int]]) -> nn.Module:
    """A copy of a TinyTransformer without these (layer, head)."""
    model = copy.deepcopy(model)
    for layer, head in heads:
        cut_(model.blocks[layer].self_attn, head)
    return model


@recorded(
    "A quarter of a small language model's heads can be removed after training at a cost of less than 0.05 nats.",
    source="michel2019sixteen",
    quote="a large percentage of attention heads can be removed at test time without significantly impacting "
    "performance",
    rule=Reaches("2 of 8 heads cut", at_most=0.05),
    seeds=range(10, 15),
    tuned_on=self_attention.TUNED_ON,
    budget="600 steps of 16 x 64 characters; heads are chosen one after the other on validation scenes",
    unit="nats a character more than with all heads, on 300 windows of unseen scenes",
)
def cut(seed):
    """The model of the page on self-attention. Also every head cut alone, from the costliest to the least."""
    model = self_attention.SelfAttentionRecipe(seed=seed, steps=600).train()
    every = [(layer, head) for layer in range(2) for head in range(4)]
    whole_nats = nats(model, "test", 300)
    alone = {place: nats(beheaded(model, [place]), "test", 300) - whole_nats for place in every}
    found = {
        f"costliest head {n}": alone[place] for n, place in enumerate(sorted(alone, key=alone.get, reverse=True), 1)
    }
    gone: list[tuple[int, int]] = []
    for n in range(1, 8):
        rest = [place for place in every if place not in gone]
        gone.append(min(rest, key=lambda place: nats(beheaded(model, [*gone, place]), "validation", 100)))
        found[f"{n} of 8 heads cut"] = nats(beheaded(model, gone), "test", 300) - whole_nats
    return found | {"all heads": whole_nats}
