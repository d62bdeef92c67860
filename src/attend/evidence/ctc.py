"""What the page on CTC claims: spoken digits of new speakers, CTC beside attention, what it cannot do, and why not."""

from functools import cache
from itertools import product

import torch
from torch import Tensor
from torch.nn import functional as F

from attend.evidence import SHARE, All, More, Reaches, recorded
from attend.recipes import ctc_pen
from attend.recipes.ctc import (
    MOST,
    STEPS,
    TUNED_ON,
    CTCRecipe,
    Listener,
    error,
    long_recordings,
    ordered,
    searched,
)
from attend.soft.ctc import CTCLoss, Recogniser, collapse
from attend.tasks import speech

DATA = ("evidence/records/ctc.json",)
SIZES = (200, MOST)
"""How many recordings a recogniser is trained on, in `sizes`."""
SEEDS = range(10, 15)
UNIT = "label error on the test speakers: edit distance, divided by the number of digits said"
BUDGET = (
    f"{STEPS:,} steps of 16 recordings for each; the best of three learning rates for each, chosen on another seed "
    "with 900 recordings in the order of speech"
)
NAMES = {"ctc": "CTC", "attention": "attention"}


@cache
def trained(kind: str, seed: int, most: int = MOST, backwards: bool = False) -> Recogniser:
    """A trained recogniser; several claims ask for the same one."""
    return CTCRecipe(kind, seed, most, backwards).train()[0]


@recorded(
    "CTC learns to read digits aloud back from recordings, without being told where any of them is: at most 5 % wrong "
    "for speakers it has not heard.",
    source="ours",
    rule=Reaches("CTC", at_most=0.05, limits=SHARE),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit=UNIT,
)
def digits(seed):
    """Best-path decoding of the 200 test recordings, 600 digits."""
    return {"CTC": error(trained("ctc", seed), speech.load("test"))}


@recorded(
    "The same recogniser reads handwriting: with pen steps in place of frames, at most 5 % of the letters of words "
    "that it has not met are wrong, in either of the two hands that it was trained on.",
    source="erdem2021attention",
    quote="popular in speech and handwriting recognition",
    rule=All(tuple(Reaches(hand, at_most=0.05, limits=SHARE) for hand in ctc_pen.HANDS)),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget="800 steps of 32 words of three to six letters, each drawn anew; the best of four learning rates on "
    "another seed",
    unit="letters wrong, missing or too many, divided by the letters of 208 test words",
)
def handwriting(seed):
    """The third hand, italic, was kept back: its strokes are drawn along both edges."""
    model = ctc_pen.PenRecipe(seed).train()
    return {hand: ctc_pen.error(model, "test", hand) for hand in (*ctc_pen.HANDS, ctc_pen.UNSEEN)}


@recorded(
    "On speech CTC is hard to beat: content attention, over the same encoder, makes more mistakes with 200 "
    "recordings and with 900.",
    source="erdem2021attention",
    quote="CTC is less generic but can be hard to beat on tasks with monotonous alignments",
    rule=All(tuple(More(f"attention, {most}", f"CTC, {most}", by=0.01) for most in SIZES)),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit=UNIT,
)
def sizes(seed):
    """24,715 weights with CTC, 65,195 with Bahdanau's decoder; as many steps on few recordings as on many."""
    return {
        f"{name}, {most}": error(trained(kind, seed, most), speech.load("test"))
        for kind, name in NAMES.items()
        for most in SIZES
    }


@recorded(
    "Trained on one to five digits, CTC makes far fewer mistakes than content attention where twenty are said.",
    source="ours",
    rule=More("attention", "CTC", by=0.3),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="label error on 40 recordings of 20 digits, each joined from recordings of one test speaker",
)
def longer(seed):
    """The recognisers trained on all recordings."""
    return {name: error(trained(kind, seed), long_recordings()) for kind, name in NAMES.items()}


@recorded(
    "CTC is less generic: asked to write the digits from the last to the first, it makes far more mistakes than "
    "attention, over the same encoder that reads from both ends.",
    source="erdem2021attention",
    quote="CTC is less generic but can be hard to beat on tasks with monotonous alignments",
    rule=More("CTC, reversed", "attention, reversed", by=0.1),
    seeds=range(15, 20),
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit=UNIT,
)
def reversed_order(seed):
    """The same recordings; learning rates as chosen for the order of speech, for both. Seed 10 was seen before."""
    test = ordered(speech.load("test"), True)
    return {f"{name}, reversed": error(trained(kind, seed, MOST, True), test) for kind, name in NAMES.items()}


@recorded(
    "Prefix beam search makes fewer mistakes than the best path.",
    source="ours",
    rule=More("best path", "prefix beam search"),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit=UNIT,
)
def beam(seed):
    """The same trained recognisers, decoded in two ways; a beam of 8 prefixes."""
    model, test = trained("ctc", seed), speech.load("test")
    return {"best path": error(model, test), "prefix beam search": speech.label_error(*searched(model, test))}


A, B, C, D = 1, 2, 3, 4


def outcomes(log_probs: Tensor) -> dict[tuple[int, ...], float]:
    """The probability of everything that a CTC model can say, from its log-probabilities (T, V): all paths."""
    said: dict[tuple[int, ...], float] = {}
    for path in product(range(log_probs.shape[1]), repeat=len(log_probs)):
        labels = tuple(collapse(torch.tensor(path)))
        said[labels] = said.get(labels, 0.0) + log_probs[range(len(path)), path].sum().exp().item()
    return said


@recorded(
    "CTC chooses each frame by itself: where AB and CD are right, with equal chances, it says something else in at "
    "least two cases of five, and an attention decoder in at most one of twenty.",
    source="erdem2021attention",
    quote="y_i are conditionally independent given a and x but this can be fixed",
    rule=All((Reaches("CTC", at_least=0.4, limits=SHARE), Reaches("attention", at_most=0.05, limits=SHARE))),
    seeds=SEEDS,
    budget="150 steps of Adam, on the exact expected loss; one learning rate for both",
    unit="probability of an answer that is neither AB nor CD",
)
def pairs(seed):
    """The input is the same eight frames each time; probabilities of all answers, computed exactly."""
    x, mask = torch.zeros(2, 8, 2), torch.ones(2, 8, dtype=torch.bool)
    target, asked = torch.tensor([[A, B], [C, D]]), torch.ones(2, 2, dtype=torch.bool)
    torch.manual_seed(seed)
    ctc, criterion = Recogniser(2, 5, 16), CTCLoss()
    _descend(ctc, lambda: criterion(*ctc(x, mask), target, asked))
    wrong = 1 - sum(outcomes(ctc(x, mask)[0][0].detach()).get(pair, 0.0) for pair in ((A, B), (C, D)))
    torch.manual_seed(seed)
    listener, ended = Listener(2, 5, 16), F.pad(target, (0, 1))
    _descend(listener, lambda: F.cross_entropy(listener(x, mask, ended).flatten(0, 1), ended.flatten()))
    log_probs = listener(x, mask, ended).log_softmax(2).gather(2, ended[..., None])[..., 0].sum(1)
    return {"CTC": max(0.0, wrong), "attention": 1 - log_probs.exp().sum().item()}


def _descend(model, loss, steps: int = 150) -> None:
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(steps):
        optimiser.zero_grad()
        loss().backward()
        optimiser.step()


@recorded(
    "Before training, a thousand sampled paths give REINFORCE no gradient at all for nine recordings in ten; the sum "
    "over all paths gives CTC an exact one.",
    source="erdem2021attention",
    quote="exact gradient can be computed for models with tractable marginalization (e.g. CTC)",
    rule=Reaches("no right path among 1,000", at_least=0.9, limits=SHARE),
    seeds=SEEDS,
    budget="no training",
    unit="share of 50 test recordings; the reward of a path is 1 where it says the right digits, and else 0",
)
def sampled(seed):
    """Recognisers at their start; every frame's token is drawn from the model's probabilities."""
    model, few = CTCRecipe(seed=seed).build(), speech.load("test", 50)
    with torch.no_grad():
        log_probs, mask = model(few.x, few.mask)
    missed, generator = 0, torch.Generator().manual_seed(seed)
    for row, there, target, asked in zip(log_probs, mask, few.target, few.asked, strict=True):
        paths = torch.multinomial(row[there].exp(), 1_000, replacement=True, generator=generator).T  # (1000, T)
        missed += not says(paths, target[asked]).any()
    return {"no right path among 1,000": missed / len(few.x)}


def says(paths: Tensor, labels: Tensor) -> Tensor:
    """Which of these paths (N, T) collapse to the labels (L)."""
    kept = (paths != F.pad(paths[:, :-1], (1, 0))) & (paths != 0)
    found = kept.sum(dim=1) == len(labels)
    found[found.clone()] = (paths[found][kept[found]].view(-1, len(labels)) == labels).all(dim=1)
    return found
