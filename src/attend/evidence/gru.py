"""What the GRU page claims: where it starts, what it learns that others do not, and which of its parts that takes."""

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from attend.evidence import SHARE, Alike, All, More, OnlyIf, Reaches, measured_here, recorded
from attend.gating.gru import GRU, chrono_
from attend.memory.elman import RNN
from attend.recipes.gru import LATCH, LAYERS, TEXT, TUNED_ON, AddingRecipe, LatchRecipe, TextRecipe
from attend.tasks import adding as task
from attend.train.characters import bits

DATA = ("evidence/records/gru.json",)
TUNING = "the best of three learning rates on another seed"
NAMES = {
    "rnn": "vanilla RNN, PyTorch's start",
    "rnn_orthogonal": "vanilla RNN, orthogonal",
    "lstm": "LSTM, chrono",
    "gru_default": "GRU, PyTorch's start",
    "gru": "GRU, chrono",
    "no_reset": "GRU without reset gate",
    "no_update": "GRU without update gate",
    "input_gates": "GRU whose gates read only the input",
    "constant_gates": "GRU whose gates read nothing",
    "min_gru": "minGRU",
    "linear": "linear recurrence",
}
LONGER = "vanilla RNN, orthogonal, four times the steps"
STARTS = {
    "GRU, PyTorch's start": lambda: nn.GRU(2, 32, batch_first=True),
    "GRU, chrono": lambda: chrono_(GRU(2, 32), 200.0),
    "vanilla RNN, orthogonal": lambda: RNN(2, 32),
}


def left(start: str, seed: int) -> Tensor:
    """What is left of a gradient 0, 1, … 100 steps back in a fresh layer: geometric means over 16 sequences, (101).

    The norm of dL/dh_t for L = v · h_T, v a random direction.
    """
    torch.manual_seed(seed)
    layer = STARTS[start]().double()
    x, _ = task.sample(16, 101)
    h = torch.zeros(16, layer.hidden_size, dtype=torch.float64, requires_grad=True)
    states = []
    for x_t in x.double().unbind(dim=1):
        h = layer(x_t[:, None], h[None])[1][0] if isinstance(layer, nn.GRU) else layer.step(x_t, h)
        states.append(h)
    grads = torch.autograd.grad(h, states, normalize(torch.randn_like(h), dim=1))
    return torch.stack(grads).norm(dim=2).clamp_min(1e-300).log().mean(dim=1).exp().flip(0)


@measured_here(
    "Gated units create a path where gradients can flow for longer.",
    source="erdem2021attention",
    quote="Create a path where gradients can flow for longer with self-loop",
    rule=OnlyIf(
        "they start with chrono initialisation, and not as PyTorch starts them",
        inside=Reaches("chrono", at_least=-1.0),
        outside=Reaches("PyTorch's start", at_least=-1.0),
    ),
    seeds=range(10),
    unit="log10 of the gradient left after 100 steps, before training",
)
def path(seed):
    """Chrono is told to expect lags of up to 200 steps; a tenth of the gradient must be left after 100."""
    return {name: left(f"GRU, {name}", seed)[100].log10() for name in ("chrono", "PyTorch's start")}


@recorded(
    "As PyTorch starts it, a GRU does not learn to keep a symbol for 100 empty steps, which an orthogonal vanilla RNN "
    "learns; with chrono initialisation it does.",
    source="ours",
    rule=All(
        (
            Reaches(NAMES["gru_default"], at_most=0.5, limits=SHARE),
            Reaches(NAMES["rnn_orthogonal"], at_least=0.9, limits=SHARE),
            Reaches(NAMES["gru"], at_least=0.9, limits=SHARE),
        )
    ),
    seeds=range(5),
    tuned_on=TUNED_ON,
    budget=f"200 steps of 32 sequences; {TUNING}",
    unit="share of right answers (guessing: 0.25)",
)
def latch(seed):
    """Some 1,000 weights each."""
    recipes = {NAMES[layer]: LatchRecipe(layer, 100, seed) for layer in LATCH}
    return {name: recipe.accuracy(recipe.train()) for name, recipe in recipes.items()}


@recorded(
    "On the adding task a GRU explains more than vanilla RNNs with as many weights, and than a GRU whose gates read "
    "nothing.",
    source="ours",
    rule=All(
        tuple(More(NAMES["gru"], NAMES[other], by=0.1) for other in ("rnn", "rnn_orthogonal", "constant_gates")),
    ),
    seeds=range(5),
    tuned_on=TUNED_ON,
    budget=f"250 steps of 32 sequences of 100 numbers; {TUNING}",
    unit="R² on 1,000 new sequences",
)
def adding(seed):
    """All eleven layers, and the orthogonal vanilla RNN once more with four times the steps."""
    recipes = {NAMES[layer]: AddingRecipe(layer, seed) for layer in LAYERS}
    recipes[LONGER] = AddingRecipe("rnn_orthogonal", seed, steps=1_000)
    return {name: recipe.explained(recipe.train()) for name, recipe in recipes.items()}


@recorded(
    "To get truly long-term memories, we need gating.",
    source="sankaran2019part5",
    quote="To get around this, and get truly long-term memories, we need to introduce something called gating.",
    rule=Reaches("linear recurrence", at_most=0.5),
    seeds=range(20, 30),
    tuned_on=(0, *TUNED_ON),
    budget=f"250 steps of 32 sequences of 100 numbers; {TUNING}; with 200 numbers a trial run was too short",
    unit="R² of the adding task on 1,000 new sequences",
)
def needed(seed):
    """An ungated rival: if it learns to add over 100 steps, gates are not what this memory needs."""
    recipe = AddingRecipe("linear", seed)
    return {"linear recurrence": recipe.explained(recipe.train())}


@torch.no_grad()
def held(model: nn.Module, x: Tensor, gate: str) -> Tensor:
    """The model's answers (B) with one gate of every unit held at its mean over these sequences."""
    layer, h, means = model.layer, x.new_zeros(len(x), model.layer.hidden_size), []
    for x_t in x.unbind(dim=1):
        gates = layer.gates(x_t, h)
        means.append(getattr(gates, gate).mean(dim=0))
        h = gates.update * h + (1 - gates.update) * gates.candidate
    mean, h = torch.stack(means).mean(dim=0), torch.zeros_like(h)
    W, U = layer.from_input, layer.from_hidden
    for x_t in x.unbind(dim=1):
        _, update, candidate = layer.gates(x_t, h)
        if gate == "reset":
            candidate = torch.tanh(W(x_t).chunk(3, dim=1)[2] + mean * U(h).chunk(3, dim=1)[2])
        else:
            update = mean
        h = update * h + (1 - update) * candidate
    return model.head(h)[:, 0]


@recorded(
    "A trained GRU's gates keep undesirable information from entering.",
    source="sankaran2019part5",
    quote="the point was that these gates are keeping undesirable information from entering",
    rule=All(
        (
            Reaches("gradient at other numbers", at_most=0.05),
            Reaches("gradient at marked numbers", at_least=0.8),
            More("R²", "R² with the update gates held", by=0.1),
        )
    ),
    seeds=range(5),
    tuned_on=TUNED_ON,
    budget=f"250 steps of 32 sequences of 100 numbers; {TUNING}",
    unit="mean size of the answer's derivative with respect to a number; R² with gates held at their means",
)
def choice(seed):
    """On 300 new sequences; every gate is held at its own mean over them."""
    recipe = AddingRecipe("gru", seed)
    model = recipe.train()
    x, sums = task.sample(300, 100, torch.Generator().manual_seed(3_000 + seed))
    asked = x.clone().requires_grad_()
    moved = torch.autograd.grad(model(asked).sum(), asked)[0][..., 0]
    marked = x[..., 1] > 0
    return {
        "gradient at marked numbers": moved[marked].mean(),
        "gradient at other numbers": moved[~marked].abs().mean(),
        "R²": recipe.explained(model),
        "R² with the update gates held": task.explained(held(model, x, "update"), sums),
        "R² with the reset gates held": task.explained(held(model, x, "reset"), sums),
    }


@recorded(
    "On text a GRU can spare its reset gate, and not its update gate.",
    source="ours",
    rule=All(
        (
            Alike(NAMES["no_reset"], NAMES["gru"], within=0.05),
            More(NAMES["no_update"], NAMES["gru"], by=0.05),
        )
    ),
    seeds=range(5),
    tuned_on=TUNED_ON,
    budget=f"400 steps of 32 x 64 characters; {TUNING}",
    unit="bits per character of unseen scenes",
)
def text(seed):
    """A GRU of 64, two without one gate and its weights, a third of the layer's, and a minGRU with as many weights."""
    recipes = {NAMES[layer]: TextRecipe(layer, seed) for layer in TEXT}
    return {name: bits(recipe.train(), "test") for name, recipe in recipes.items()}
