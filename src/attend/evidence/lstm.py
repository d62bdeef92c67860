"""What page gating/lstm claims, measured."""

import torch

from attend.evidence import More, OnlyIf, Reaches, measured_here, recorded
from attend.gating.lstm import LSTM
from attend.recipes.lstm import LatchRecipe, build_lstm

DATA = ("evidence/records/lstm.json",)


def left(cell: LSTM, x: torch.Tensor) -> float:
    """The norm of ∂c_T/∂c_1: the most that is left of a small change to the first cell state; x (1, T, D)."""
    x = x.expand(cell.hidden_size, -1, -1)  # row i of the batch asks for number i of the last cell state
    _, (h, c) = cell(x[:, :1])
    c = c.detach().requires_grad_()
    _, (_, last) = cell(x[:, 1:], (h, c))
    (J,) = torch.autograd.grad(last.diagonal().sum(), c)
    return torch.linalg.matrix_norm(J, 2).item()


@measured_here(
    "LSTMs allow for a path with uninterrupted gradient flow.",
    source="hu2019lecture16",
    quote="As can be seen, LSTMs allow for a path with uninterrupted gradient flow, which helps mitigate the long-term "
    "dependency problem.",
    rule=OnlyIf(
        "their forget gates stand near 1",
        inside=Reaches("chrono initialisation", at_least=0.5),
        outside=Reaches("zero biases", at_least=0.5),
    ),
    seeds=range(10),
    unit="norm of the gradient of the cell state over 100 steps, before training",
)
def start(seed):
    """Sixteen cells read 101 random inputs; half of a small change must be left after a hundred steps."""
    x = torch.randn(1, 101, 3, generator=torch.Generator().manual_seed(50 + seed))
    names = {"chrono initialisation": "spread", "zero biases": "zero"}
    return {name: left(build_lstm(start, 3, 16, 400.0, seed), x) for name, start in names.items()}


@recorded(
    "A forget bias of 1 helps an LSTM to learn a lag of 100.",
    source="ours",
    rule=More("forget bias 1", "zero biases", by=0.25),
    seeds=range(10, 30),
    tuned_on=(0, 1, 2),  # by these the rate and the clipping were chosen, for a third start
    unit="share of right answers (guessing: 0.25)",
    budget="16 cells, 400 steps of Adam at .01 with gradients clipped at .1, the same series, either way",
)
def one(seed):
    """The latch task: one of four symbols must be recalled after a hundred steps."""
    recipes = {"forget bias 1": LatchRecipe("one", 100, seed), "zero biases": LatchRecipe("zero", 100, seed)}
    return {name: recipe.judge(recipe.train()[0]) for name, recipe in recipes.items()}
