"""The two layers of a Transformer: look around and think it over, each time beside what was there before.

Source   Vaswani et al. 2017, arXiv:1706.03762, sections 3.1 and 3.3 (normalised after each part); Xiong et al. 2020,
         arXiv:2002.04745 (before); Ba et al. 2016, arXiv:1607.06450 (layer normalisation).
Departs  nothing.
Agrees   torch.nn.TransformerEncoderLayer, TransformerDecoderLayer and LayerNorm, in values and gradients
         (tests/transformers/test_block.py).
"""

from collections.abc import Callable

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from attend.core.expect import checked, expect
from attend.core.init import linear_
from attend.transformers.multihead import MultiHead, Remembered

ORDERS = ("before", "after")
"""Where a part is normalised: `before` it, x + part(norm(x)), or `after` its sum, norm(x + part(x))."""
BLOCK = 2**17
"""Numbers that are normalised at a time on the way back: half a megabyte, which a processor keeps close at hand."""


class Normalise(nn.Module):
    """Layer normalisation: every vector to mean 0 and variance 1, then times a learned gain (D) plus a bias (D)."""

    @checked
    def __init__(self, D: int, least: float = 1e-5):
        expect(D > 0, "D", D, "a positive whole number")
        expect(0 < least < float("inf"), "least", least, "a positive number")
        super().__init__()
        self.least = least
        self.gain, self.bias = nn.Parameter(torch.ones(D)), nn.Parameter(torch.zeros(D))

    @checked
    def forward(self, x: Float[Tensor, "... D"]) -> Float[Tensor, "... D"]:
        """(x - mean) / √(variance + least) · gain + bias."""
        return _Normalised.apply(x, self.gain, self.bias, self.least)


class _Normalised(torch.autograd.Function):
    """Layer normalisation with its gradient by hand.

    Large tensors are dear to make, on either way: forward makes one and works in place; back, x is normalised again,
    some rows at a time.
    """

    @staticmethod
    def forward(ctx, x: Tensor, gain: Tensor, bias: Tensor, least: float) -> Tensor:
        mean = x.mean(dim=-1, keepdim=True)
        y = x - mean
        scale = torch.linalg.vector_norm(y, dim=-1, keepdim=True).square_().div_(x.shape[-1]).add_(least).rsqrt_()
        ctx.save_for_backward(x, mean, scale, gain)
        return y.mul_(scale).mul_(gain).add_(bias)

    @staticmethod
    @once_differentiable
    def backward(ctx, wanted: Tensor) -> tuple[Tensor | None, ...]:
        x, mean, scale, gain = (part.flatten(0, -2) if part.ndim > 1 else part for part in ctx.saved_tensors)
        pull, D = wanted.flatten(0, -2), len(gain)
        to_x, to_gain = torch.empty_like(pull), torch.zeros_like(gain)
        for start in range(0, len(x), rows := max(1, BLOCK // D)):
            part = slice(start, start + rows)
            unit = (x[part] - mean[part]).mul_(scale[part])
            along = unit * pull[part]
            to_gain += along.sum(dim=0)
            # What would only move the mean or the length of a vector is taken away again by the normalisation.
            to_part = torch.mul(pull[part], gain, out=to_x[part])
            to_part.sub_(to_part.mean(dim=1, keepdim=True))
            to_part.addcmul_(unit, (along @ gain)[:, None], value=-1 / D).mul_(scale[part])
        return to_x.view_as(wanted), to_gain, pull.sum(dim=0), None


class Think(nn.Module):
    """The same two layers at every step: W₂ relu(W₁ x + b₁) + b₂, with F hidden units."""

    @checked
    def __init__(self, D: int, F: int, generator: torch.Generator | None = None):
        expect(D > 0, "D", D, "a positive whole number")
        expect(F > 0, "F", F, "a positive whole number")
        super().__init__()
        self.widen, self.narrow = linear_(nn.Linear(D, F), generator), linear_(nn.Linear(F, D), generator)

    @checked
    def forward(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T D"]:
        """What is thought of each x, by itself."""
        wide, narrow = self.widen, self.narrow
        expect(x.shape[2] == len(narrow.weight), "x", x, f"vectors of width D = {len(narrow.weight)}")
        hidden = torch.addmm(wide.bias, x.flatten(0, 1), wide.weight.T).relu_()
        return torch.addmm(narrow.bias, hidden, narrow.weight.T).view_as(x)


class Beside(nn.Module):
    """A residual connection: what a part says of x is added to x, so that x itself always gets through.

    In training a share `drop` of what the part says is left out by chance, and the rest made up for it. `order` is one
    of ORDERS; "none" neither normalises nor changes the sum. Without `residual` the part's word replaces x.
    """

    @checked
    def __init__(self, D: int, order: str = "before", drop: float = 0.0, residual: bool = True):
        expect(D > 0, "D", D, "a positive whole number")
        expect(order in (*ORDERS, "none"), "order", order, f"one of {', '.join(ORDERS)}, none")
        expect(0 <= drop < 1, "drop", drop, "a share from 0 up to, not including, 1")
        super().__init__()
        self.D, self.order, self.residual = D, order, residual
        self.norm, self.drop = Normalise(D) if order != "none" else nn.Identity(), nn.Dropout(drop)

    @checked
    def forward(
        self,
        x: Float[Tensor, "B T D"],
        part: Callable[[Tensor], Tensor],
    ) -> Float[Tensor, "B T D"]:
        """x beside what `part` says of it (B, T, D)."""
        expect(x.shape[2] == self.D, "x", x, f"vectors of width D = {self.D}")
        said = self.drop(part(self.norm(x) if self.order == "before" else x))
        total = x + said if self.residual else said
        return self.norm(total) if self.order == "after" else total


class _Block(nn.Module):
    """Heads that look, once for each of LOOKS; then a part that thinks; each beside what was there before."""

    LOOKS: tuple[str, ...]

    @checked
    def __init__(
        self,
        D: int,
        K: int,
        F: int,
        order: str = "before",
        drop: float = 0.0,
        Q: int | None = None,
        R: int | None = None,
        residual: bool = True,
        generator: torch.Generator | None = None,
    ):
        super().__init__()
        for look in self.LOOKS:
            self.add_module(look, MultiHead(D, K, Q, R, generator))
        self.think = Think(D, F, generator)
        for part in (*self.LOOKS, "think"):
            self.add_module(f"beside_{part}", Beside(D, order, drop, residual))


class EncoderBlock(_Block):
    """Every step looks at all steps, itself among them; then each thinks it over. Raises ValueError as its parts do."""

    LOOKS = ("around",)

    @checked
    def forward(
        self,
        x: Float[Tensor, "B T D"],
        mask: Bool[Tensor, "B T"] | Bool[Tensor, "B T T"] | None = None,
    ) -> Float[Tensor, "B T D"]:
        """All steps at once."""
        x = self.beside_around(x, lambda x: self.around(x, x, mask))
        return self.beside_think(x, self.think)


class DecoderBlock(_Block):
    """Every step looks at itself and at what was written before it; then at the source; then thinks it over."""

    LOOKS = ("back", "across")

    @checked
    def forward(
        self,
        x: Float[Tensor, "B T D"],
        memory: Float[Tensor, "B S D"],
        earlier: Bool[Tensor, "B T T"],
        mask: Bool[Tensor, "B S"] | None = None,
    ) -> Float[Tensor, "B T D"]:
        """All steps at once; `earlier` says which of them each may look back at, `mask` which of the source's."""
        x = self.beside_back(x, lambda x: self.back(x, x, earlier))
        x = self.beside_across(x, lambda x: self.across(x, memory, mask))
        return self.beside_think(x, self.think)

    @checked
    def step(
        self,
        x: Float[Tensor, "B 1 D"],
        written: Remembered | None,
        source: Remembered,
        mask: Bool[Tensor, "B S"] | None = None,
    ) -> tuple[Float[Tensor, "B 1 D"], Remembered, Float[Tensor, "B K 1 U"], Float[Tensor, "B K 1 S"]]:
        """One more step, with the keys and values of those before it: the step, all keys and values, and both looks."""
        looks = []

        def back(x: Tensor) -> Tensor:
            nonlocal written
            now = self.back.remember(x)
            written = now if written is None else Remembered(*map(_longer, written, now))
            said, weights = self.back.look(x, written)
            looks.append(weights)
            return said

        def across(x: Tensor) -> Tensor:
            said, weights = self.across.look(x, source, mask)
            looks.append(weights)
            return said

        x = self.beside_think(self.beside_across(self.beside_back(x, back), across), self.think)
        return x, written, *looks


def _longer(before: Tensor, now: Tensor) -> Tensor:
    return torch.cat([before, now], dim=2)
