"""What the LSTM page claims: gradients along the cell, which start learns which lag, cells of text, parts to spare."""

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from attend.evidence import SHARE, All, More, OnlyIf, Reaches, measured_here, recorded
from attend.gating.lstm import LSTM, LanguageModel, chrono_
from attend.memory.elman import RNN
from attend.recipes import lstm as recipes
from attend.recipes.lstm import TUNED_ON, RecallRecipe, TextRecipe
from attend.recipes.lstm_variants import VARIANTS, VariantRecipe
from attend.tasks import distractors, plays
from attend.train.characters import bits

DATA = ("evidence/records/lstm.json",)
LAGS = (20, 50, 100, 200)
TUNING = "500 steps of 32 sequences; the best of six settings of learning rate and clipping on two other seeds"
STARTS = {
    "vanilla RNN, PyTorch's default": lambda: nn.RNN(8, 16, batch_first=True),
    "vanilla RNN, orthogonal": lambda: RNN(8, 16),
    "LSTM, forget bias 0": lambda: LSTM(8, 16, forget_bias=0.0),
    "LSTM, forget bias 1": lambda: LSTM(8, 16),
    "LSTM, forget bias 3": lambda: LSTM(8, 16, forget_bias=3.0),
    "LSTM, chrono": lambda: chrono_(LSTM(8, 16), 200.0),
}


def gradient_norms(layer: nn.Module, x: Tensor) -> Tensor:
    """Norm of dL/dm_t at every step t for L = v · m_T, v a random direction: (T, B).

    m is the memory: the cell state of an LSTM, the hidden state of a vanilla RNN.
    """
    h = c = torch.zeros(len(x), layer.hidden_size, dtype=x.dtype, requires_grad=True)
    memories = []
    for x_t in x.unbind(dim=1):
        if isinstance(layer, LSTM):
            h, c = layer.step(x_t, (h, c))
        elif isinstance(layer, nn.RNN):
            c = layer(x_t[:, None], c[None])[1][0]
        else:
            c = layer.step(x_t, c)
        memories.append(c)
    v = normalize(torch.randn_like(c), dim=1)
    grads = torch.autograd.grad(c, memories, v)  # T tensors (B, H), all paths included
    return torch.stack(grads).norm(dim=2)


def left(start: str, seed: int) -> Tensor:
    """What is left of a gradient 0, 1, … 100 steps back in a fresh layer: geometric means over 32 sequences, (T)."""
    torch.manual_seed(seed)
    layer = STARTS[start]().double()
    x, _ = distractors.sample(32, 100)
    return gradient_norms(layer, x.double()).clamp_min(1e-300).log().mean(dim=1).exp().flip(0)


@measured_here(
    "LSTMs allow for a path with uninterrupted gradient flow.",
    source="hu2019lecture16",
    quote="As can be seen, LSTMs allow for a path with uninterrupted gradient flow, which helps mitigate the long-term "
    "dependency problem.",
    rule=OnlyIf(
        "their forget gates start near 1",
        inside=Reaches("chrono", at_least=-1.0),
        outside=Reaches("forget bias 1", at_least=-1.0),
    ),
    seeds=range(10),
    unit="log10 of the gradient left after 100 steps, before training",
)
def flow(seed):
    """Chrono is told to expect lags of up to 200 steps; a tenth of the gradient must be left after 100."""
    starts = {"chrono": "LSTM, chrono", "forget bias 1": "LSTM, forget bias 1"}
    return {name: left(start, seed)[100].log10() for name, start in starts.items()}


def recall(start: str, lag: int, seed: int) -> float:
    """The share of right answers after training."""
    recipe = RecallRecipe(start, lag, seed)
    return recipe.accuracy(recipe.train())


@recorded(
    "With chrono initialisation an LSTM learns to recall over lags of 20, 50, 100 and 200, with PyTorch's own "
    "over none of them.",
    source="ours",
    rule=All(
        tuple(Reaches(f"chrono, lag {lag}", at_least=0.95, limits=SHARE) for lag in LAGS)
        + tuple(Reaches(f"default, lag {lag}", at_most=0.5, limits=SHARE) for lag in LAGS)
    ),
    seeds=range(15, 20),
    tuned_on=TUNED_ON,
    budget=TUNING,
    unit="share of right answers (guessing: 0.25)",
)
def starts(seed):
    """All eight starts at all four lags, as in the table above the box."""
    return {f"{start}, lag {lag}": recall(start, lag, seed) for start in recipes.STARTS for lag in LAGS}


@recorded(
    "An LSTM predicts Shakespeare better than a vanilla RNN with as many weights.",
    source="ours",
    rule=More("vanilla RNN", "LSTM", by=0.05),
    seeds=range(5),
    tuned_on=TUNED_ON,
    budget="1,000 steps of 32 x 64 characters; the best of three learning rates after 300 steps on another seed",
    unit="bits per character of unseen scenes",
)
def text(seed):
    """128 cells, and 268 units that start with an orthogonal matrix."""
    recipes = {"LSTM": TextRecipe("lstm", seed), "vanilla RNN": TextRecipe("rnn", seed)}
    return {name: bits(recipe.train(), "test") for name, recipe in recipes.items()}


def in_the_line(tokens: Tensor) -> Tensor:
    """How many characters stand between each one and the line break before it, (B, T)."""
    newline = tokens == plays.ALPHABET.index("\n")
    steps = torch.arange(tokens.shape[1]).expand_as(tokens)
    last = torch.where(newline, steps, torch.zeros_like(steps)).cummax(dim=1).values
    return (steps - last).float()


@torch.no_grad()
def read(model: LanguageModel, tokens: Tensor, without: int | None = None) -> tuple[Tensor, Tensor]:
    """The cell states (B, T, H) and the logits (B, T, V); cell `without`, and what it shows, is 0 after every step."""
    h = c = torch.zeros(len(tokens), model.layer.hidden_size)
    cells, hidden = [], []
    for x_t in nn.functional.one_hot(tokens, model.vocab_size).float().unbind(dim=1):
        h, c = model.layer.step(x_t, (h, c))
        if without is not None:
            h, c = (part.index_fill(1, torch.tensor([without]), 0.0) for part in (h, c))
        cells.append(c)
        hidden.append(h)
    return torch.stack(cells, dim=1), model.head(torch.stack(hidden, dim=1))


def correlations(cells: Tensor, place: Tensor) -> Tensor:
    """Pearson's correlation of every cell (B, T, H) with the place in the line (B, T)."""
    both = torch.cat([place.unsqueeze(2), cells], dim=2).flatten(0, 1).T
    return torch.nan_to_num(both.corrcoef()[0, 1:])


@recorded(
    "A trained LSTM has a cell that keeps track of the length of the line, and needs it to know where lines end.",
    source="ours",
    rule=All((Reaches("correlation", at_least=0.5), More("without it", "without another", by=0.05))),
    seeds=range(5),
    tuned_on=TUNED_ON,
    budget="1,000 steps of 32 x 64 characters; the cell is chosen on 20,000 characters of the training scenes",
    unit="correlation of the cell with the place in the line on unseen scenes; nats lost at line ends",
)
def cell(seed):
    """What is lost without one of 16 other cells, drawn at random, is averaged."""
    model = TextRecipe("lstm", seed).train()
    seen, unseen = plays.pages("train", 500)[:40], plays.pages("test", 500)[:40]
    chosen = correlations(read(model, seen)[0], in_the_line(seen)).abs().argmax().item()
    correlation = correlations(read(model, unseen)[0], in_the_line(unseen))[chosen].abs().item()
    line_end = unseen[:, 1:] == plays.ALPHABET.index("\n")

    def lost(without: int | None) -> float:
        log_probs = read(model, unseen, without)[1][:, :-1].log_softmax(dim=2)
        return -log_probs.gather(2, unseen[:, 1:, None])[..., 0][line_end].mean().item()

    whole = lost(None)
    others = torch.randperm(model.layer.hidden_size, generator=torch.Generator().manual_seed(seed))
    others = [other for other in others.tolist() if other != chosen][:16]
    return {
        "correlation": correlation,
        "without it": lost(chosen) - whole,
        "without another": sum(lost(other) for other in others) / len(others) - whole,
    }


@recorded(
    "The forget gate and the output activation function are the LSTM's most critical components.",
    source="greff2017lstm",
    quote="demonstrate the forget gate and the output activation function to be its most critical components",
    rule=All(
        tuple(
            More(critical, other, by=0.02)
            for critical in ("no forget gate", "no output activation")
            for other in ("no input gate", "no output gate")
        )
    ),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget="200 steps of 32 x 64 characters; the better of two learning rates, after 200 to 250 steps on another seed",
    unit="bits per character of unseen scenes (capped at 5.98, a blind guess; the intervals know no such cap)",
)
def parts(seed):
    """Seven variants with equally many weights in use, to within 2 %; none is counted as worse than a blind guess."""
    blind = math.log2(len(plays.ALPHABET))
    recipes = {variant: VariantRecipe(variant=variant, seed=seed) for variant in VARIANTS}
    return {variant: min(bits(recipe.train(), "test"), blind) for variant, recipe in recipes.items()}
