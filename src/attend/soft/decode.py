"""Writing an answer: the likeliest token at each step, or the likeliest of several answers carried along.

Source   Sutskever et al. 2014, arXiv:1409.3215, section 3.2 (beam search).
Departs  answers are compared by their log-probability alone, without a correction for length.
Agrees   a search through all answers, where the beam is wide enough to hold them (tests/soft/test_decode.py).
"""

from typing import NamedTuple, Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.utils._pytree import tree_map

from attend.core.expect import checked, expect
from attend.soft.seq2seq import Memory, Step


@runtime_checkable
class Writer(Protocol):
    """What can write an answer: a model that reads a source and then takes one step a token."""

    end: int

    def read(self, source: Tensor, mask: Tensor) -> Memory:
        """Read the sources (B, S)."""

    def start(self, memory: Memory) -> Tensor:
        """The state before the first token."""

    def step(self, token: Tensor, state: Tensor, memory: Memory) -> Step:
        """Read one token (B), and say what comes next."""


class Written(NamedTuple):
    """Answers: `tokens` (B, T), only `end` after the first end; the `log_probability` of each (B), its end included;

    and where the writer looked (B, T, S), if it looks; what stands after the end means nothing.
    """

    tokens: Int[Tensor, "B T"]
    log_probability: Float[Tensor, "B"]
    weights: Float[Tensor, "B T S"] | None


@checked
def greedy(model: Writer, source: Int[Tensor, "B S"], mask: Bool[Tensor, "B S"], steps: int) -> Written:
    """The likeliest token at each of `steps` steps, given the model's own tokens before it."""
    return beam(model, source, mask, steps, width=1)


@checked
@torch.no_grad()
def beam(model: Writer, source: Int[Tensor, "B S"], mask: Bool[Tensor, "B S"], steps: int, width: int) -> Written:
    """The best answer of at most `steps` tokens that is found when the `width` best beginnings are carried along.

    Width 1 is greedy. Raises ValueError unless steps and width are positive.
    """
    expect(steps > 0, "steps", steps, "a positive whole number")
    expect(width > 0, "width", width, "a positive whole number")
    B = len(source)
    memory = tree_map(lambda part: part.repeat_interleave(width, dim=0), model.read(source, mask))
    state, token = model.start(memory), source.new_full((B * width,), model.end)
    # All beginnings are the same before the first step: only the first of them may go on.
    total = memory.last.new_full((B, width), -torch.inf)
    total[:, 0] = 0
    over = torch.zeros(B, width, dtype=torch.bool)
    tokens, looks = source.new_full((B, width, 0), model.end), None
    for _ in range(steps):
        logits, state, weights = model.step(token, state, memory)
        total, parent, chosen = _best(total, logits.log_softmax(-1).view(B, width, -1), over, model.end)
        rows = (torch.arange(B)[:, None] * width + parent).flatten()
        state = tree_map(lambda part, rows=rows: part[rows], state)
        tokens = torch.cat([_of(tokens, parent), chosen[..., None]], dim=2)
        if weights is not None:
            looks = _grown(looks, weights.view(B, width, 1, -1), parent)
        over = over.gather(1, parent) | (chosen == model.end)
        token = chosen.flatten()
        if over[:, 0].all():
            break
    left = (0, steps - tokens.shape[2])
    tokens = torch.nn.functional.pad(tokens[:, 0], left, value=model.end)
    seen = None if looks is None else torch.nn.functional.pad(looks[:, 0], (0, 0, *left))
    return Written(tokens, total[:, 0], seen)


def _best(total: Tensor, more: Tensor, over: Tensor, end: int) -> tuple[Tensor, Tensor, Tensor]:
    """The best of all continuations: their log-probabilities, the beginnings they go on from and their tokens (B, W).

    What is over goes on with `end` alone, at no cost.
    """
    only_end = torch.full_like(more[0, 0], -torch.inf)
    only_end[end] = 0
    V = len(only_end)
    best = (total[..., None] + torch.where(over[..., None], only_end, more)).flatten(1).topk(total.shape[1], dim=1)
    return best.values, best.indices // V, best.indices % V


def _of(kept: Tensor, parent: Tensor) -> Tensor:
    """The rows of `kept` (B, W, ...) that the new beginnings go on from."""
    return kept[torch.arange(len(kept))[:, None], parent]


def _grown(looks: Tensor | None, weights: Tensor, parent: Tensor) -> Tensor:
    now = _of(weights, parent)
    return now if looks is None else torch.cat([_of(looks, parent), now], dim=2)
