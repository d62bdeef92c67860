"""What the page on translation claims: a short way for gradients, short and long sources, weights and right words."""

import torch
from torch import Tensor

from attend.evidence import SHARE, All, More, OnlyIf, Reaches, measured_here, recorded
from attend.recipes.encoders import ShortRecipe, exact_short
from attend.recipes.translation import (
    ALL,
    GROUPS,
    SHORT,
    STEPS,
    TUNED_ON,
    LengthRecipe,
    aligned,
    exact_by_group,
    judging,
)
from attend.soft.decode import greedy
from attend.soft.translation import Translator
from attend.tasks import translation
from attend.tasks.pairs import Pairs, exact

DATA = ("evidence/records/translation.json",)
KINDS = {"attention": "attention", "fixed": "fixed context"}
"""The names of both kinds of translator in the columns."""
NAMES = [f"{low} to {high} words" for low, high in GROUPS]
"""The names of the groups of lengths."""
BUDGET = (
    f"{STEPS['attention']} steps with attention, {STEPS['fixed']} with a fixed context; as many weights; the best of "
    "three learning rates on another seed, each"
)


def longest(count: int, seed: int) -> tuple[int, ...]:
    """Numbers of 23 English words: each of their four groups of digits has hundreds, tens from 20 on, and a unit."""
    digits = torch.randint(1, 9, (count, 4, 3), generator=torch.Generator().manual_seed(seed))  # 1 to 8
    groups = (digits + torch.tensor([0, 1, 0])) @ torch.tensor([100, 10, 1])
    return tuple((groups @ torch.tensor([10**9, 10**6, 10**3, 1])).tolist())


def by_word(model: Translator, of: tuple[int, ...]) -> Tensor:
    """Norm of the gradient of ln p(last token) with respect to the embedding of each source word: geometric means (S).

    The sources have to be equally long.
    """
    asked, kept = translation.encode(of), []
    hook = model.embed_source.register_forward_hook(lambda part, given, found: kept.append(found))
    log_probs = model(asked.source, asked.mask, asked.target).logits.log_softmax(dim=2)
    hook.remove()
    last = asked.asked.sum(dim=1) - 2  # the last token before the end
    rows = torch.arange(len(of))
    (gradient,) = torch.autograd.grad(log_probs[rows, last, asked.target[rows, last]].sum(), kept[0])
    return gradient.norm(dim=2).log().mean(dim=0).exp()


@measured_here(
    "Attention makes shortcuts for the gradient: before training, every word of a long source can be heard at its end.",
    source="erdem2021attention",
    quote="dynamically creates shortcuts in the computation graph that allow the gradient to flow freely",
    rule=More("attention", "fixed context", by=0.5),
    seeds=range(10, 20),
    unit="log10 of the gradient of the last token's log-probability at the source word that it hears least",
)
def shortcut(seed):
    """Sources of 23 words, 32 of them; both kinds of translator as they start."""
    of = longest(32, seed)
    return {KINDS[kind]: by_word(LengthRecipe(kind, seed=seed).build(), of).min().log10() for kind in KINDS}


def trained(kind: str, limit: int, seed: int) -> dict[str, float]:
    """The shares of test numbers without a mistake, by length and over all lengths alike."""
    shares = exact_by_group(LengthRecipe(kind, limit, seed).train())
    name = f"{KINDS[kind]}, up to {limit}"
    found = {f"{name}: {group}": share for group, share in zip(NAMES, shares, strict=True)}
    return found | {name: sum(shares) / len(shares)}


@recorded(
    "Attention trained on short sources alone beats a fixed context that was trained on long ones, too.",
    source="bahdanau2015neural",
    quote="the RNNsearch-30 even outperforms RNNencdec-50",
    rule=All(
        (
            More(f"attention, up to {SHORT}", f"fixed context, up to {ALL}", by=0.05),
            More(f"attention, up to {ALL}", f"fixed context, up to {ALL}", by=0.05),
        )
    ),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="share of test numbers without a mistake, all lengths alike, by the longest sources of the training in words",
)
def thirty(seed):
    """Both kinds of translator, trained on sources of up to 12 words and of up to 23; the picture shows all lengths."""
    return {
        name: share for kind in KINDS for limit in (SHORT, ALL) for name, share in trained(kind, limit, seed).items()
    }


@recorded(
    "Attention weights are an alignment of source and target.",
    source="sankaran2019part4",
    quote="for free, we've learned a soft-alignment between the source and target sentence",
    rule=OnlyIf(
        "it matters for the token where the decoder looks",
        inside=Reaches("needed", at_least=0.9, limits=SHARE),
        outside=Reaches("not needed", at_least=0.9, limits=SHARE),
    ),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=f"{STEPS['attention']} steps on sources of up to {ALL} words",
    unit="share of tokens whose largest weight is on the word that they say",
)
def alignment(seed):
    """A look is needed where uniform weights, for one step, would have made the decoder choose another token."""
    return aligned(LengthRecipe("attention", ALL, seed).train(), judging())


SAMPLES, SHORT_WIDTHS = (300, 1_200, 5_086), (12, 24, 48)
"""How many training pairs, and how wide the states are, in `less`; the last of each goes with all of the other."""
SHORT_BUDGET = (
    f"400 steps of 64 pairs of up to {SHORT} words for each; the best of three learning rates, 0.008, 0.016 and 0.032, "
    "on another seed, each"
)


@recorded(
    "Attention works best over a bidirectional encoder, does well over one direction, and not over word vectors alone.",
    source="erdem2021attention",
    quote="best with a bidirectional encoder […] use unidirectional RNN instead of Bi- (but not pure word embeddings!)",
    rule=All(
        (
            More("bidirectional", "one direction", by=0.02),
            Reaches("one direction", at_least=0.8, limits=SHARE),
            More("one direction", "words alone", by=0.2),
        )
    ),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=f"36,822, 38,573 and 36,744 weights. {SHORT_BUDGET}",
    unit="share of test numbers of up to 12 words without a mistake, three groups of lengths alike",
)
def encoder(seed):
    """The same decoder and the same score, over three kinds of encoder."""
    found = {}
    for name, kind, H in (
        ("bidirectional", "attention", 48),
        ("one direction", "one direction", 46),
        ("words alone", "words", 52),
    ):
        shares = exact_short(ShortRecipe(kind, H, seed=seed).train())
        found |= {name: sum(shares) / len(shares)} | groups(name, shares)
    return found


@recorded(
    "With attention less than a quarter of the training pairs, or half of the width, is enough to translate more new "
    "numbers than a fixed context does with all of them.",
    source="erdem2021attention",
    quote="lowers sample complexity […] LSTM with longer sentences requires larger vectors",
    rule=All(
        (
            More("attention, 1,200 pairs", "fixed context, 5,086 pairs", by=0.1),
            More("attention, 24 units", "fixed context, 48 units", by=0.1),
        )
    ),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=SHORT_BUDGET,
    unit="share of test numbers of up to 12 words without a mistake, three groups of lengths alike",
)
def less(seed):
    """Both kinds, trained with fewer pairs and with narrower states; also right answers to pairs of the training."""
    found = {}
    for kind, name in KINDS.items():
        for most in SAMPLES:
            recipe = ShortRecipe(kind, 48, most, seed)
            model = recipe.train()
            shares = exact_short(model)
            found[f"{name}, {most:,} pairs"] = sum(shares) / len(shares)
            known = Pairs(*(column[:300] for column in recipe.pairs()))
            written = greedy(model, known.source, known.mask, known.target.shape[1]).tokens
            found[f"{name}, {most:,} pairs: of its training"] = (
                exact(written, known.target, known.asked).double().mean().item()
            )
            if most == SAMPLES[-1]:
                found |= by_width(name, 48, shares)
        for H in SHORT_WIDTHS[:-1]:
            found |= by_width(name, H, exact_short(ShortRecipe(kind, H, seed=seed).train()))
    return found


def by_width(name: str, H: int, shares: list[float]) -> dict[str, float]:
    """The columns of one width: over all lengths alike, and for each group of lengths."""
    named = f"{name}, {H} units"
    return {named: sum(shares) / len(shares)} | groups(named, shares)


def groups(name: str, shares: list[float]) -> dict[str, float]:
    """The share of each group of lengths, by its name."""
    return {f"{name}: {group}": share for group, share in zip(NAMES, shares, strict=False)}
