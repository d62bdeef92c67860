"""Five networks, three questions about the same cards; and a key recalled after 20 to 400 distractors."""

from typing import Literal, get_args

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attend.core.expect import checked, recipe
from attend.core.types import NonNegative, Positive, PositiveFloat
from attend.tasks import cards, distractors
from attend.train.fit import fit
from attend.transformers.priors import AttentionNet, ConvNet, DenseNet, LinearNet, RecurrentNet, chrono_

Kind = Literal["linear", "dense", "convolution", "recurrence", "attention"]
KINDS: tuple[str, ...] = get_args(Kind)
TUNED_ON = (100, 101)
RATES = (1e-3, 3e-3, 1e-2)
"""Adam's learning rates that were tried for every network and question, with 400 rows and the seeds of TUNED_ON."""
RATE: dict[str, dict[str, float]] = {
    "pattern": {"linear": 1e-3, "dense": 1e-2, "convolution": 3e-3, "recurrence": 1e-2, "attention": 1e-3},
    "lift": {"linear": 1e-2, "dense": 1e-2, "convolution": 3e-3, "recurrence": 3e-3, "attention": 3e-3},
    "match": {"linear": 1e-3, "dense": 3e-3, "convolution": 1e-3, "recurrence": 1e-3, "attention": 1e-2},
}
"""The best of them."""

Recaller = Literal["GRU", "GRU, chrono", "attention"]
RECALLERS: tuple[str, ...] = get_args(Recaller)
RECALL_RATES = (3e-3, 1e-2, 3e-2)
"""The same for the second experiment, with 100 distractors; the GRU as torch draws it guesses with each of them."""
RECALL_RATE = dict.fromkeys(RECALLERS, 1e-2)
LONGEST = 400


@checked
def build(kind: Kind, seed: NonNegative) -> nn.Module:
    """A network at its start; all but the linear one have as many weights to within 2.5 %."""
    torch.manual_seed(seed)
    sizes = {"T": cards.T, "D": cards.D, "C": 2}
    if kind == "linear":
        return LinearNet(**sizes)
    if kind == "dense":
        return DenseNet(**sizes, H=34)
    if kind == "convolution":
        return ConvNet(**sizes, H=49)
    return RecurrentNet(**sizes, H=49) if kind == "recurrence" else AttentionNet(**sizes, H=24)


@checked
def shuffle(x: Float[Tensor, "B 17 D"]) -> Float[Tensor, "B 17 D"]:
    """The cards of every row in one other order, the same for all rows; the joker stays last."""
    order = torch.randperm(cards.CARDS, generator=torch.Generator().manual_seed(5))
    return x[:, torch.cat([order, torch.tensor([cards.CARDS])])]


@recipe
class CardsRecipe:
    """One of KINDS, trained on `rows` rows to answer one question; `shuffled`: in one other order of the cards."""

    kind: Kind = "convolution"
    question: cards.Question = "pattern"
    rows: Positive = 400
    seed: NonNegative = 0
    shuffled: bool = False
    steps: Positive = 300
    rate: PositiveFloat | None = None

    def train(self) -> nn.Module:
        """Train from the start on batches of 64."""
        model, rate = build(self.kind, self.seed), self.rate or RATE[self.question][self.kind]
        x, answers = cards.sample(self.rows, torch.Generator().manual_seed(1_000 + self.seed))
        x, y = shuffle(x) if self.shuffled else x, answers[self.question]
        generator = torch.Generator().manual_seed(self.seed)
        picks = (torch.randint(self.rows, (64,), generator=generator) for _ in range(self.steps))
        fit(
            model,
            lambda model, batch: cross_entropy(model(batch[0]), batch[1]),
            ((x[pick], y[pick]) for pick in picks),
            steps=self.steps,
            optimiser=torch.optim.Adam(model.parameters(), lr=rate),
            clip=1.0,
            label=f"{self.question}, {self.kind}, {self.rows} rows, seed {self.seed}",
        )
        return model.requires_grad_(False)

    def right(self, rows: int = 2_000, seed: int = 1_000_000) -> float:
        """The share of new rows answered right after training."""
        x, answers = cards.sample(rows, torch.Generator().manual_seed(seed))
        model = self.train().eval()
        logits = model(shuffle(x) if self.shuffled else x)
        return (logits.argmax(1) == answers[self.question]).double().mean().item()


class RecurrentRecaller(nn.Module):
    """A GRU of 34 units, and a linear layer on its last state; `chrono`: with time scales from 2 to LONGEST."""

    def __init__(self, chrono: bool):
        super().__init__()
        self.gru, self.output = nn.GRU(8, 34, batch_first=True), nn.Linear(34, 4)
        if chrono:
            chrono_(self.gru, LONGEST)

    def forward(self, x: Tensor) -> Tensor:
        """Logits of the four keys."""
        return self.output(self.gru(x)[0][:, -1])


class AttentionRecaller(nn.Module):
    """One layer of attention of width 32, two heads, without positions; the last step attends to all."""

    def __init__(self):
        super().__init__()
        self.embed, self.output = nn.Linear(8, 32), nn.Linear(32, 4)
        self.attention = nn.MultiheadAttention(32, 2, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        """Logits of the four keys."""
        h = self.embed(x)  # (B, T, 32)
        last = h[:, -1:]
        found, _ = self.attention(last, h, h, need_weights=False)
        return self.output((last + found)[:, 0])


@recipe
class RecallRecipe:
    """One of RECALLERS, trained to name the key after `lag` distractors."""

    kind: Recaller = "attention"
    lag: Positive = 100
    seed: NonNegative = 0
    steps: Positive = 200
    rate: PositiveFloat | None = None

    def train(self) -> nn.Module:
        """Train from the start on 32 new sequences a step."""
        torch.manual_seed(self.seed)
        model = AttentionRecaller() if self.kind == "attention" else RecurrentRecaller("chrono" in self.kind)
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        fit(
            model,
            lambda model, batch: cross_entropy(model(batch[0]), batch[1]),
            (distractors.sample(32, self.lag, generator) for _ in range(self.steps)),
            steps=self.steps,
            optimiser=torch.optim.Adam(model.parameters(), lr=self.rate or RECALL_RATE[self.kind]),
            clip=1.0,
            label=f"recall, {self.kind}, lag {self.lag}, seed {self.seed}",
        )
        return model.eval().requires_grad_(False)


@checked
def recalled(model: nn.Module, lag: Positive, rows: Positive = 500) -> float:
    """The share of new sequences whose key is named after so many distractors."""
    x, key = distractors.sample(rows, lag, torch.Generator().manual_seed(1_000_000))
    with torch.no_grad():
        return (model(x).argmax(1) == key).double().mean().item()


def tune() -> None:
    """Print how every network does with every rate on the seeds of TUNED_ON, on rows that do not judge."""
    for question in cards.QUESTIONS:
        for kind in KINDS:
            for rate in RATES:
                found = [CardsRecipe(kind, question, 400, seed, rate=rate).right(seed=2_000_000) for seed in TUNED_ON]
                print(f"{question} {kind:12} {rate:g}: {' '.join(f'{one:.3f}' for one in found)}", flush=True)
    for kind in RECALLERS:
        for rate in RECALL_RATES:
            found = [recalled(RecallRecipe(kind, 100, seed, rate=rate).train(), 100) for seed in TUNED_ON]
            print(f"recall {kind:12} {rate:g}: {' '.join(f'{one:.3f}' for one in found)}", flush=True)
