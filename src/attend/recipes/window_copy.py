"""Small tasks for the window alone: copy a string of symbols, short and long, and write it in another order.

A decoder writes one symbol a step, knowing the one before, and sees the string through one of four attentions: the
Gaussian window with and without exp on its moves, additive scores, or weights made of the decoder's state alone.
"""

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attend.core.expect import expect, recipe
from attend.core.types import Finite, Positive, PositiveFloat, Seed
from attend.soft.window import GaussianWindow
from attend.train.schedule import one_cycle

V, H, MEMORY = 10, 32, 32
SHORT, LONG = (4, 10), 50
"""Lengths of training strings, first and last; the longest string of a test."""
Kind = Literal["window", "free", "content", "location"]
KINDS = ("window", "free", "content", "location")
"""The window; the same without exp on its moves; additive attention; Luong's weights from the state alone."""
TRIED = (("copy", "window", True), ("copy", "content", True), ("copy", "location", True))
TRIED += (("sixes", "window", False), ("sixes", "free", False))
"""What is compared: order, kind, and whether an encoder reads the string beforehand."""
Order = Literal["copy", "sixes"]
GROUP = {"copy": 1, "sixes": 6}
GAUSSIANS = {"copy": 3, "sixes": 1}
"""Those of the window for each order: where it turns, a second might run ahead and wait."""
GRID = (5e-3, 1e-2, 2e-2, 4e-2)
"""Adam's largest rates, each tried for every kind on the seed of TUNED_ON (`tune`); turning, whose best lay inside, has
done without the last."""
BEYOND = (1.25e-3, 2.5e-3, *GRID, 8e-2)
"""Those for a start of the moves: beyond GRID for as long as the best lay at the edge."""
RATE: dict[tuple[str, str, bool], float] = {one: {"copy": 2e-2, "sixes": 1e-2}[one[0]] for one in TRIED}
"""The best of them."""
STARTS = {0.0: 1e-2, -2.5: 4e-2, 2.0: 2.5e-3}
"""Starts of the bias of the moves, each with its best rate: the right pace, a twelfth of it, seven times as fast."""
TUNED_ON = (100,)


class FreeWindow(GaussianWindow):
    """The window with exp removed: its Gaussians may move to either side."""

    def step(self, h, kappa, c):
        """As in the window, but for the moves."""
        log_alpha, log_beta, move = self.linear(h).chunk(3, dim=1)
        kappa = kappa + move
        distance = kappa[:, :, None] - torch.arange(c.shape[1])
        phi = (log_alpha[:, :, None] - log_beta.exp()[:, :, None] * distance**2).exp().sum(dim=1)
        return (phi[:, None] @ c)[:, 0], phi, kappa


class Content(nn.Module):
    """Additive attention; `kappa` is not used."""

    def __init__(self):
        super().__init__()
        self.query, self.key, self.score = (
            nn.Linear(H, H),
            nn.Linear(MEMORY, H, bias=False),
            nn.Linear(H, 1, bias=False),
        )

    def step(self, h, kappa, c):
        """Weights that depend on what stands in c."""
        phi = self.score(torch.tanh(self.query(h)[:, None] + self.key(c)))[:, :, 0].softmax(1)
        return (phi[:, None] @ c)[:, 0], phi, kappa


class Location(nn.Module):
    """Weights of LONG places that depend on the decoder's state alone; `kappa` is not used."""

    def __init__(self):
        super().__init__()
        self.score = nn.Linear(H, LONG)

    def step(self, h, kappa, c):
        """Places beyond the string are left out of the softmax."""
        phi = self.score(h)[:, : c.shape[1]].softmax(1)
        return (phi[:, None] @ c)[:, 0], phi, kappa


class Copier(nn.Module):
    """A bidirectional GRU reads the string, an LSTM with one of the attentions writes.

    Without `encoder`, the attention reads the bare symbols: what stands at one place says nothing of its neighbours.
    """

    def __init__(self, kind: Kind, encoder: bool = True, K: int = 3):
        super().__init__()
        self.K = K
        self.encoder = nn.GRU(V, MEMORY // 2, bidirectional=True, batch_first=True) if encoder else None
        self.lstm = nn.LSTMCell(V + 1 + MEMORY, H)
        self.output = nn.Linear(H + MEMORY, V)
        if kind == "content":
            self.attention = Content()
        elif kind == "location":
            self.attention = Location()
        else:
            self.attention = (GaussianWindow if kind == "window" else FreeWindow)(
                H, K, 0.0 if kind == "window" else 1.0
            )

    def forward(self, source: Tensor, target: Tensor | None = None) -> Tensor:
        """Logits (B, T, V); with the true symbols of the target, or with the model's own."""
        symbols = F.one_hot(source, V).float()
        c = F.pad(symbols, (0, MEMORY - V)) if self.encoder is None else self.encoder(symbols)[0]
        B, T = source.shape
        h, cell, w, kappa = (c.new_zeros(B, n) for n in (H, H, MEMORY, self.K))
        last, logits = source.new_full((B,), V), []
        for t in range(T):
            h, cell = self.lstm(torch.cat([F.one_hot(last, V + 1).float(), w], dim=1), (h, cell))
            w, _, kappa = self.attention.step(h, kappa, c)
            logits.append(self.output(torch.cat([h, w], dim=1)))
            last = logits[-1].argmax(1) if target is None else target[:, t]
        return torch.stack(logits, dim=1)


def ordered(source: Tensor, order: Order) -> Tensor:
    """What is to be written: the string, or the string with every six symbols turned round."""
    return source.unflatten(1, (-1, GROUP[order])).flip(2).flatten(1)


def draw(order: Order, length: int, size: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Random strings and what is to be written."""
    source = torch.randint(V, (size, length), generator=generator)
    return source, ordered(source, order)


@recipe
class WindowCopyRecipe:
    """One attention on one order; strings of 4 to 10 symbols to copy, of 6 or 12 to turn."""

    kind: Kind = "window"
    order: Order = "copy"
    seed: Seed = 0
    encoder: bool = True
    K: Positive | None = None
    steps: Positive = 800
    rate: PositiveFloat | None = None
    offset: Finite | None = None
    """Where the bias of a window's moves starts; None for one place a step."""

    def train(self) -> Copier:
        """Train from the start: five to ten seconds. Raises ValueError for an offset where there is no window."""
        expect(
            self.offset is None or self.kind in ("window", "free"),
            "offset",
            self.offset,
            f"None: attention by {self.kind} makes no moves",
        )
        torch.manual_seed(self.seed)
        model = Copier(self.kind, self.encoder, self.K or GAUSSIANS[self.order])
        if self.offset is not None:
            nn.init.constant_(model.attention.linear.bias[-model.K :], self.offset)
        optimiser = torch.optim.Adam(model.parameters(), self.rate or RATE[self.order, self.kind, self.encoder])
        schedule, generator = one_cycle(optimiser, self.steps), torch.Generator().manual_seed(self.seed)
        for _ in range(self.steps):
            length = int(torch.randint(SHORT[0], SHORT[1] + 1, (), generator=generator))
            if self.order != "copy":
                length = 6 * (1 + length % 2)
            source, target = draw(self.order, length, 32, generator)
            optimiser.zero_grad()
            F.cross_entropy(model(source, target).flatten(0, 1), target.flatten()).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
        return model.eval().requires_grad_(False)


def right(model: Copier, order: Order, length: int, seed: int) -> float:
    """The share of symbols right in 200 new strings, when the model goes by what it has written itself."""
    source, target = draw(order, length, 200, torch.Generator().manual_seed(10_000 + seed))
    return (model(source).argmax(2) == target).float().mean().item()


def tune() -> None:
    """Print the shares right at three lengths for all that is tried, with each rate."""
    for order, kind, encoder in TRIED:
        for rate in GRID:
            model = WindowCopyRecipe(kind, order, TUNED_ON[0], encoder, rate=rate).train()
            lengths = (10, 20, 50) if order == "copy" else (6, 12)
            found = [right(model, order, length, 1) for length in lengths]
            print(f"{order} {kind} {encoder} {rate:g}: {' '.join(f'{one:.3f}' for one in found)}", flush=True)
    for start in STARTS:
        for rate in BEYOND:
            model = WindowCopyRecipe("window", "copy", TUNED_ON[0], offset=start, rate=rate).train()
            found = [right(model, "copy", length, 1) for length in (10, 20, 50)]
            print(f"start {start:g} {rate:g}: {' '.join(f'{one:.3f}' for one in found)}", flush=True)
