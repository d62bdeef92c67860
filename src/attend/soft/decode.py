"""Decoding: the likeliest token at each step (greedy), or the likeliest of several hypotheses kept (beam search).

Source   Sutskever et al. 2014, arXiv:1409.3215, section 3.2 (beam search).
Departs  hypotheses are compared by their log-probability alone, without a length penalty.
Agrees   a search through all answers, where the beam is wide enough to hold them (tests/soft/test_decode.py).
"""

from typing import NamedTuple, Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.functional import pad
from torch.utils._pytree import tree_map

from attend.core.expect import checked
from attend.core.types import Positive
from attend.soft.seq2seq import Memory, Step


@runtime_checkable
class Decoder(Protocol):
    """What can be decoded from: a model that encodes a source and then takes one step a token."""

    end: int

    def read(self, source: Tensor, mask: Tensor) -> Memory:
        """Encode the sources (B, S)."""

    def start(self, memory: Memory) -> Tensor:
        """The state before the first token."""

    def step(self, token: Tensor, state: Tensor, memory: Memory) -> Step:
        """Take in the previous token (B), and predict the next one."""


class Decoded(NamedTuple):
    """The answers that a search found.

    `tokens` (B, T), only `end` after the first `end`; `log_probs` (B) of the answers, their `end` included; and the
    attention `weights` (B, T, S), if there is attention. Weights after the end of an answer mean nothing.
    """

    tokens: Int[Tensor, "B T"]
    log_probs: Float[Tensor, "B"]
    weights: Float[Tensor, "B T S"] | None


@checked
def greedy(model: Decoder, source: Int[Tensor, "B S"], mask: Bool[Tensor, "B S"], steps: Positive) -> Decoded:
    """The likeliest token at each of `steps` steps, given the model's own tokens before it."""
    return beam_search(model, source, mask, steps, width=1)


@checked
@torch.no_grad()
def beam_search(
    model: Decoder, source: Int[Tensor, "B S"], mask: Bool[Tensor, "B S"], steps: Positive, width: Positive
) -> Decoded:
    """The best answer of at most `steps` tokens that is found by keeping the `width` best hypotheses; 1 is greedy."""
    B = len(source)
    memory = tree_map(lambda part: part.repeat_interleave(width, dim=0), model.read(source, mask))
    state, token = model.start(memory), source.new_full((B * width,), model.end)
    # All hypotheses are the same before the first step: only the first of them may go on.
    total = memory.last.new_full((B, width), -torch.inf)
    total[:, 0] = 0
    ended = torch.zeros(B, width, dtype=torch.bool, device=source.device)
    tokens, attention = source.new_full((B, width, 0), model.end), None
    for _ in range(steps):
        logits, state, weights = model.step(token, state, memory)
        log_probs = logits.log_softmax(-1).view(B, width, -1)
        total, parent, chosen = _best(total, log_probs, ended, model.end)
        rows = (torch.arange(B, device=source.device)[:, None] * width + parent).flatten()
        state = tree_map(lambda part, rows=rows: part[rows], state)
        tokens = torch.cat([_of(tokens, parent), chosen[..., None]], dim=2)
        if weights is not None:
            now = _of(weights.view(B, width, 1, -1), parent)
            attention = now if attention is None else torch.cat([_of(attention, parent), now], dim=2)
        ended = ended.gather(1, parent) | (chosen == model.end)
        token = chosen.flatten()
        if ended[:, 0].all():
            break
    left = (0, steps - tokens.shape[2])
    weights = None if attention is None else pad(attention[:, 0], (0, 0, *left))
    return Decoded(pad(tokens[:, 0], left, value=model.end), total[:, 0], weights)


def _best(total: Tensor, log_probs: Tensor, ended: Tensor, end: int) -> tuple[Tensor, Tensor, Tensor]:
    """The best continuations: their log-probabilities, the hypotheses that they continue, and their tokens (B, W).

    A hypothesis that has ended goes on with `end` alone, at no cost.
    """
    only_end = torch.full_like(log_probs[0, 0], -torch.inf)
    only_end[end] = 0
    V = len(only_end)
    log_probs = torch.where(ended[..., None], only_end, log_probs)
    best = (total[..., None] + log_probs).flatten(1).topk(total.shape[1], dim=1)
    return best.values, best.indices // V, best.indices % V


def _of(kept: Tensor, parent: Tensor) -> Tensor:
    """The rows of `kept` (B, W, ...) that the new hypotheses continue."""
    return kept[torch.arange(len(kept), device=kept.device)[:, None], parent]
