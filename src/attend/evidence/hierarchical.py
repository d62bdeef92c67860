"""What the page on hierarchies claims: how far gradients reach, who answers, and what one row of words needs."""

import torch
from torch import Tensor
from torch.nn import functional as F

from attend.evidence import SHARE, All, More, Reaches, measured_here, recorded
from attend.fast import fast
from attend.gating.hierarchical import HRED
from attend.recipes.hierarchical import BACK, LENGTH, STEPS, TUNED_ON, TURNS, DialogueRecipe, build
from attend.tasks import dialogue

DATA = ("evidence/records/hierarchical.json",)
SEEDS = range(20, 30)
TUNING = f"{STEPS} steps of 32 dialogues; some 21,000 weights each; the best of three learning rates on two other seeds"
NAMES = {
    "hred": "two levels",
    "flat": "one row, GRU",
    "lstm": "one row, LSTM",
    "flat_chrono": "one row, GRU, chrono",
    "lstm_chrono": "one row, LSTM, chrono",
    "pooling": "one row, GRU, pooling",
}


def gradient_by_word(model: HRED, words: Tensor) -> Tensor:
    """Norm of dL/dx of every word's embedding x, L = v · context with v a random direction: (B, N, T)."""
    embedded = []
    hook = model.embed.register_forward_hook(lambda *call: embedded.append(call[-1]))
    context = model.encode(words, torch.ones_like(words, dtype=torch.bool))  # (B, C)
    hook.remove()
    v = F.normalize(torch.randn_like(context), dim=1)
    (grad,) = torch.autograd.grad(context, embedded, v)
    return grad.reshape(*words.shape, -1).norm(dim=3)


def left(kind: str, seed: int, length: int = LENGTH, turns: int = TURNS) -> Tensor:
    """What reaches each word before training: geometric means over 8 dialogues, (N, T)."""
    torch.manual_seed(seed)
    model = fast(build(kind)).double()
    words = dialogue.sample(8, length, turns).words
    return gradient_by_word(model, words).clamp_min(1e-300).log().mean(dim=0).exp()


@measured_here(
    "Before training, the gradient that reaches the last word of a turn from three turns later keeps at least half "
    "of its size when all turns grow from 8 words to 32; in one row of words it all but vanishes.",
    source="ours",
    rule=All((Reaches(NAMES["hred"], at_least=-0.3), Reaches(NAMES["flat"], at_most=-3.0))),
    seeds=range(10),
    unit="log10 of the gradient with turns of 32 words over that with turns of 8",
)
def path(seed):
    """No bias is set: all update gates start near one half."""
    found = {}
    for kind in ("hred", "flat"):
        short, long = (left(kind, seed, length)[0, -1] for length in (8, 32))
        found[NAMES[kind]] = (long / short).log10()
    return found


@measured_here(
    "Two levels do not abolish the path: before training, with 30 turns to go the gradient that reaches the last word "
    "of a turn is less than a thousandth of that with 3.",
    source="ours",
    rule=Reaches(NAMES["hred"], at_most=-3.0),
    seeds=range(10),
    unit="log10 of the gradient with 30 turns to go over that with 3",
)
def turns(seed):
    """Turns of 8 words; the question is the last of those to go."""
    few, many = (left("hred", seed, 8, count)[0, -1] for count in (3, 30))
    return {NAMES["hred"]: (many / few).log10()}


def trained(kind: str, seed: int) -> dict[str, float]:
    """What one model comes to: right answers, on longer turns and on more of them too, and its losses."""
    recipe, losses = DialogueRecipe(kind, seed), []
    model, name = recipe.train(callbacks=[lambda step: losses.append(step.loss)]), NAMES[kind]
    found = {name: recipe.accuracy(model, BACK)}
    found[f"{name}, turns of 48 words"] = recipe.accuracy(model, BACK, length=48)
    found[f"{name}, 12 turns back"] = recipe.accuracy(model, 12, turns=12)
    means = torch.tensor(losses).unfold(0, 20, 20).mean(dim=1)  # of 20 steps each
    learned = (means < 0.1).nonzero()
    found[f"{name}, steps"] = 20.0 * (learned[0].item() + 1) if len(learned) else float(STEPS)
    return found | {f"{name}, loss {20 * (n + 1)}": mean for n, mean in enumerate(means.tolist())}


@recorded(
    "In the same number of steps two levels learn to answer from three turns back, and one row of words, GRU or LSTM, "
    "stays far behind.",
    source="ours",
    rule=All(
        (
            Reaches(NAMES["hred"], at_least=0.95, limits=SHARE),
            More(NAMES["hred"], NAMES["flat"], by=0.3),
            More(NAMES["hred"], NAMES["lstm"], by=0.3),
        )
    ),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=TUNING,
    unit="share of right answers (guessing: 0.25)",
)
def answer(seed):
    """Gates as they usually start: update gates at one half, the LSTM's forget bias at 1."""
    return trained("hred", seed) | trained("flat", seed) | trained("lstm", seed)


@recorded(
    "One row of words answers from three turns back as well: through a GRU or an LSTM with chrono initialisation, and "
    "through a GRU without, if its context is the maximum over all of its hidden states.",
    source="ours",
    rule=All(
        tuple(Reaches(NAMES[kind], at_least=0.95, limits=SHARE) for kind in ("flat_chrono", "lstm_chrono", "pooling"))
    ),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=TUNING,
    unit="share of right answers (guessing: 0.25)",
)
def flat(seed):
    """The same steps as for two levels; the GRU and the LSTM with another bias, the GRU with another way out."""
    return trained("flat_chrono", seed) | trained("lstm_chrono", seed) | trained("pooling", seed)
