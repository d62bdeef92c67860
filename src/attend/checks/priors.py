"""Exercises of the page on what networks take for granted."""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn.functional import conv1d, cross_entropy

from attend.checks.answers import number, parts, tensor, truth
from attend.checks.exercise import Wrong, blame, exercise
from attend.tasks import cards


@exercise
def distances(answer: object) -> str:
    """Three numbers: layers of convolution (5 neighbours), steps of a recurrent cell, layers of attention."""
    convolution, recurrence, attention = (number(one) for one in parts(answer, 3, "the answer"))
    if convolution == 40:
        raise Wrong("40 would be right for three neighbours; one that reads five reaches two further on each side")
    if convolution != 20:
        raise Wrong("how far to each side does one layer of five neighbours look, and how often does that fit into 40?")
    if recurrence == 40:
        raise Wrong("count the cell that reads x_20, too: it is the first of them")
    if recurrence != 41:
        raise Wrong("the cell runs at step 20, at step 60, and at every step between")
    if attention != 1:
        raise Wrong("in one layer of attention every position can attend to every other")
    return "20, 41 and 1: that is the difference which the table of this page calls the path."


class _Pointwise(nn.Module):
    def __init__(self, D: int):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(D, D), nn.Tanh())

    def forward(self, x: Tensor) -> Tensor:
        return self.net(x)


class _Convolution(_Pointwise):
    def __init__(self, D: int):
        super().__init__(D)
        self.conv = nn.Conv1d(D, D, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        return self.conv(x.mT).mT


class _Recurrence(_Pointwise):
    def __init__(self, D: int):
        super().__init__(D)
        self.gru = nn.GRU(D, D, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        return self.gru(x)[0]


class _Attention(_Pointwise):
    def __init__(self, D: int, T: int = 0):
        super().__init__(D)
        self.attention, self.position = nn.MultiheadAttention(D, 1, batch_first=True), torch.randn(T or 1, D) * bool(T)

    def forward(self, x: Tensor) -> Tensor:
        h = x + self.position
        return self.attention(h, h, h)[0]


@exercise
def order(blind: Callable) -> str:
    """blind(f, x) -> is f blind to order? f maps (B, T, D) to the same shape."""
    for seed, (B, T, D) in enumerate(((2, 7, 3), (3, 5, 4))):
        torch.manual_seed(seed)
        x = torch.randn(B, T, D)
        kinds = (
            ("a network that sees one position at a time", _Pointwise(D), True),
            ("attention without positions", _Attention(D), True),
            ("attention with positions", _Attention(D, T), False),
            ("a convolution", _Convolution(D), False),
            ("a recurrence", _Recurrence(D), False),
        )
        for name, f, right in kinds:
            with torch.no_grad():
                said = truth(blind(f, x.clone()))
            if said and not right:
                raise Wrong(f"{name} is not blind to order, and yours says that it is: does x change its order at all?")
            if right and not said:
                raise Wrong(
                    f"{name} is blind to order: its outputs change places as its inputs do, and yours says no. Are "
                    "both sides in the same order when you compare them, and compared to within 1e-5 or so?"
                )
    return "Attention alone is blind to order, as a set is. Positions open its eyes."


@exercise
def convolution(convolution: Callable) -> str:
    """convolution(weight, T) -> tables (3, T, T), values (3, out, in): attention that computes the convolution."""
    for seed, (inputs, outputs, T) in enumerate(((2, 3, 7), (4, 2, 9))):
        generator = torch.Generator().manual_seed(seed)
        weight = torch.randn(outputs, inputs, 3, generator=generator)
        x = torch.randn(T, inputs, generator=generator)
        tables, values = parts(convolution(weight, T), 2, "the answer")
        tables = tensor(tables, 3, T, T, what="the tables")
        values = tensor(values, 3, outputs, inputs, what="the values")
        inner = tables[:, 1:-1]
        if bool((inner < -1e-4).any()) or not torch.allclose(inner.sum(2), torch.ones(3, T - 2), atol=1e-3):
            raise Wrong("rows 1 to T − 2 of each table are attention weights: none below 0, and a sum of 1")
        right = conv1d(x.T[None], weight, padding=1)[0].T[1:-1]
        got = sum(table @ x @ value.T for table, value in zip(tables, values, strict=True))[1:-1]
        if torch.allclose(got, right, rtol=1e-3, atol=1e-4):
            continue
        mirrored = sum(table @ x @ value.T for table, value in zip(tables.flip(0), values, strict=True))[1:-1]
        if torch.allclose(mirrored, right, rtol=1e-3, atol=1e-4):
            raise Wrong("left and right are exchanged: weight[:, :, 0] belongs to the neighbour on the left")
        raise Wrong("the inner rows differ from the convolution: which neighbour belongs to weight[:, :, k]?")
    return "So attention with three heads can do what a convolution does. What it lacks is not the power but the habit."


ENOUGH = 0.8
ROOM = 11_000


@exercise
def hybrid(make: Callable) -> str:
    """make() -> a module, (B, 17, 17) to (B, 2), that learns the pattern and the match from 800 rows each."""
    for question in ("pattern", "match"):
        torch.manual_seed(7)
        model = make()
        if not isinstance(model, nn.Module):
            raise Wrong("make() must return an nn.Module")
        if (size := sum(p.numel() for p in model.parameters())) > ROOM:
            raise Wrong(f"your network has {size:,} weights, and {ROOM:,} are allowed")
        x, answers = cards.sample(800, torch.Generator().manual_seed(7))
        with blame("your network", f"at x of shape {tuple(x[:64].shape)}"):
            logits = model(x[:64])
        if not isinstance(logits, Tensor) or logits.shape != (64, 2):
            raise Wrong("your network must return logits of shape (B, 2)")
        practise(model, x, answers[question])
        x, answers = cards.sample(2_000, torch.Generator().manual_seed(8))
        with torch.no_grad():
            right = (model(x).argmax(1) == answers[question]).double().mean().item()
        if right < ENOUGH:
            raise Wrong(
                f"after training with {question}, {right:.0%} of new rows are right, and {ENOUGH:.0%} are asked for: "
                "is there a part whose assumption is true of this question, with a way of its own to the logits?"
            )
    return "One network, two priors: each question takes the way that suits it."


def practise(model: nn.Module, x: Tensor, y: Tensor, steps: int = 300, rate: float = 3e-3) -> None:
    """Train on these rows as the page does."""
    optimiser, generator = torch.optim.Adam(model.parameters(), lr=rate), torch.Generator().manual_seed(0)
    for _ in range(steps):
        pick = torch.randint(len(x), (64,), generator=generator)
        loss = cross_entropy(model(x[pick]), y[pick])
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
