"""Bidirectional recurrence: two units read one line, one from each end, and every step hears both.

Source   Schuster & Paliwal 1997, Bidirectional recurrent neural networks; lecture hu2019lecture16.
Departs  any two units with `sequence(x, visible=…)` will do, also of different kinds.
Agrees   torch.nn.GRU and torch.nn.LSTM with bidirectional=True on packed sequences, in values and gradients
         (tests/gating/test_bidirectional.py).
"""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from attend.core.expect import checked, expect
from attend.memory.supervision import Embedding, Readout


@checked
def lengths(mask: Bool[Tensor, "B T"]) -> Tensor:
    """How many steps of each row are visible (B). Raises ValueError unless they are its first ones, at least one."""
    count = mask.sum(dim=1)
    first = torch.arange(mask.shape[1], device=mask.device) < count[:, None]
    fits = bool((first == mask).all() and (count > 0).all())
    expect(fits, "mask", mask, "rows whose first steps are visible, at least one, and the others not")
    return count


@checked
def reverse(
    x: Float[Tensor, "B T D"],
    mask: Bool[Tensor, "B T"],
) -> Float[Tensor, "B T D"]:
    """Each row back to front within its visible length; what is not visible stays where it is.

    Done twice it changes nothing. Raises ValueError unless the visible steps of every row come first.
    """
    last = lengths(mask)[:, None] - 1
    t = torch.arange(x.shape[1], device=x.device).expand(mask.shape)
    source = torch.where(mask, last - t, t)
    return x.gather(1, source[..., None].expand_as(x))


class Bidirectional(nn.Module):
    """Two units of equal input width: `ahead` reads from the first step on, `back` from the last visible one.

    The summary of step t is both summaries side by side: what was read up to t, and what was read down to t. One of
    the two may be None; what is left reads one way. Raises ValueError when both are, or when the widths differ.
    """

    @checked
    def __init__(self, ahead: nn.Module | None, back: nn.Module | None):
        units = [unit for unit in (ahead, back) if unit is not None]
        expect(len(units) > 0, "ahead", ahead, "a unit, where `back` is None")
        for name, unit in (("ahead", ahead), ("back", back)):
            fits = unit is None or (hasattr(unit, "sequence") and hasattr(unit, "H"))
            expect(fits, name, unit, "a unit with widths D and H and a method `sequence`, or None")
        expect(units[0].D == units[-1].D, "back", back, f"a unit of the same input width D = {units[0].D}")
        super().__init__()
        self.ahead, self.back = ahead, back
        self.D, self.H = units[0].D, sum(unit.H for unit in units)

    @checked
    def sequence(
        self, x: Float[Tensor, "B T D"], mask: Bool[Tensor, "B T"] | None = None
    ) -> tuple[Float[Tensor, "B T H"], Float[Tensor, "B H"]]:
        """The summaries of all steps (B, T, H) and what the readers hold at their ends (B, H); H counts both.

        Steps that are not visible have the summary 0 and change nothing, in value or in gradient. Raises ValueError
        for inputs of another width and unless the visible steps of every row come first.
        """
        expect(x.shape[2] == self.D, "x", x, f"vectors of these units' input width D = {self.D}")
        if mask is None:
            mask = torch.ones(x.shape[:2], dtype=torch.bool, device=x.device)
        said, held = [], []
        if self.ahead is not None:
            summaries, state = self.ahead.sequence(x, mask=mask)
            said, held = [summaries], [_shown(state)]
        if self.back is not None:
            summaries, state = self.back.sequence(reverse(x, mask), mask=mask)
            said, held = [*said, reverse(summaries, mask)], [*held, _shown(state)]
        return torch.cat(said, dim=2).where(mask[..., None], 0), torch.cat(held, dim=1)


def _shown(state: Tensor | tuple) -> Tensor:
    """What a unit shows of its state: the summary h itself, or the h of a pair (h, cell)."""
    return state if isinstance(state, Tensor) else state[0]


class Tagger(nn.Module):
    """Several answers for every token: vectors of width D for V tokens, a reader, and a readout for each question.

    `answers` holds the number of possible answers to each question.
    """

    @checked
    def __init__(self, V: int, reader: Bidirectional, answers: Sequence[int], generator: torch.Generator | None = None):
        expect(len(answers) > 0, "answers", answers, "at least one question")
        super().__init__()
        self.embed = Embedding(V, reader.D, generator=generator)
        self.reader = reader
        self.readouts = nn.ModuleList(Readout(reader.H, count, generator) for count in answers)

    @checked
    def forward(self, tokens: Int[Tensor, "B T"], mask: Bool[Tensor, "B T"]) -> tuple[Float[Tensor, "B T _"], ...]:
        """For each question the logits of its answers at every token (B, T, answers)."""
        summaries, _ = self.reader.sequence(self.embed(tokens), mask)
        return tuple(readout(summaries) for readout in self.readouts)
