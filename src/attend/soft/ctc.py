"""Connectionist temporal classification: labels for a sequence without knowing where in it each of them stands.

Source   Graves et al. 2006, ICML 2006, pages 369-376, sections 3 and 4; lecture erdem2021attention.
Departs  logarithms where they rescale (section 4.1); decoding by a beam of prefixes, where they search best first.
Agrees   the sum over all paths, and torch.nn.functional.ctc_loss in values and gradients (tests/soft/test_ctc.py).
"""

from collections import defaultdict
from typing import Annotated

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from attend.core.expect import checked, expect
from attend.core.types import Lengths, Plural, Positive, Rule

__all__ = [
    "CTCLoss", "Recogniser", "best_path", "collapse", "ctc_loss", "forward_backward", "lattice",
    "prefix_beam_search",
]  # fmt: skip

Even = Annotated[int, Rule("a positive even number", lambda size: size > 0 and size % 2 == 0)]


@checked
def collapse(path: Int[Tensor, " T"]) -> list[int]:
    """The labels that a path says: merge repeats first, then drop blanks (0)."""
    merged = path.unique_consecutive()
    return merged[merged != 0].tolist()


@checked
def lattice(target: Int[Tensor, "B L"]) -> tuple[Int[Tensor, "B N"], Bool[Tensor, "B N"]]:
    """Tokens of the N = 2L + 1 rows, blanks (0) around the labels; and to which a path may skip the blank above."""
    B, L = target.shape
    tokens = target.new_zeros(B, 2 * L + 1)
    tokens[:, 1::2] = target
    skip = torch.zeros_like(tokens, dtype=torch.bool)
    skip[:, 3::2] = target[:, 1:] != target[:, :-1]
    return tokens, skip


@checked
def ctc_loss(
    log_probs: Float[Tensor, "B T V"],
    mask: Lengths["B T"],
    target: Int[Tensor, "B L"],
    asked: Lengths["B L"],
) -> Float[Tensor, "B"]:
    """-ln p(target | x) for each row: all paths that collapse to it, added up. Infinite where there is none."""
    expect(_known(target, log_probs.shape[-1]), "target", target, f"tokens from 0 to {log_probs.shape[-1] - 1}")
    tokens, skip = lattice(target)
    B, T, N = *mask.shape, tokens.shape[1]
    emit = log_probs.gather(2, tokens[:, None].expand(B, T, N))  # (B, T, N)
    never = -1e30  # for ln 0: with -inf the gradient can be nan
    alpha = torch.full_like(emit[:, 0], never)
    alpha[:, :2] = emit[:, 0, :2]
    for t in range(1, T):
        step = F.pad(alpha[:, :-1], (1, 0), value=never)
        jump = F.pad(alpha[:, :-2], (2, 0), value=never)
        jump = jump.masked_fill(~skip, never)
        ways = torch.stack([alpha, step, jump]).logsumexp(dim=0)
        alpha = torch.where(mask[:, t, None], ways + emit[:, t], alpha)
    last = 2 * asked.sum(dim=1, keepdim=True)  # row of the last blank
    ends = alpha.gather(1, torch.cat([last - 1, last], dim=1))
    loss = -ends.logsumexp(dim=1)
    return loss.masked_fill(loss > 1e29, torch.inf)  # no path at all


def _known(target: Tensor, V: int) -> bool:
    return bool((target >= 0).all() and (target < V).all())


@checked
def forward_backward(
    log_probs: Float[Tensor, "T V"], target: Int[Tensor, "L"]
) -> tuple[Float[Tensor, "T N"], Float[Tensor, "T N"], Float[Tensor, "T N"]]:
    """alpha, beta (in logarithms) and the posterior of each node of the lattice of one sequence."""
    expect(_known(target, log_probs.shape[-1]), "target", target, f"tokens from 0 to {log_probs.shape[-1] - 1}")
    tokens, skip = (row[0] for row in lattice(target[None]))
    emit = log_probs[:, tokens]  # (T, N)
    never = -1e30
    alpha, beta = (torch.full_like(emit, never) for _ in range(2))
    alpha[0, :2], beta[-1, -2:] = emit[0, :2], 0.0
    for t in range(1, len(emit)):
        step = F.pad(alpha[t - 1, :-1], (1, 0), value=never)
        jump = F.pad(alpha[t - 1, :-2], (2, 0), value=never).masked_fill(~skip, never)
        alpha[t] = torch.stack([alpha[t - 1], step, jump]).logsumexp(0) + emit[t]
    for t in reversed(range(len(emit) - 1)):
        ahead = beta[t + 1] + emit[t + 1]
        step = F.pad(ahead[1:], (0, 1), value=never)
        jump = F.pad(ahead.masked_fill(~skip, never)[2:], (0, 2), value=never)
        beta[t] = torch.stack([ahead, step, jump]).logsumexp(0)
    return alpha, beta, (alpha + beta).softmax(dim=1)


class CTCLoss(nn.Module):
    """The mean over the batch of -ln p(target | x), each divided by its number of labels."""

    @checked
    def forward(
        self,
        log_probs: Float[Tensor, "B T V"],
        mask: Lengths["B T"],
        target: Int[Tensor, "B L"],
        asked: Lengths["B L"],
    ) -> Float[Tensor, ""]:
        """The loss of a batch."""
        return (ctc_loss(log_probs, mask, target, asked) / asked.sum(dim=1)).mean()


class Recogniser(nn.Module):
    """From frames to log-probabilities of tokens, one row for every two frames: a convolution, a GRU from each end."""

    @checked
    def __init__(self, bands: Positive, vocab_size: Plural, hidden_size: Even):
        super().__init__()
        H = hidden_size
        self.conv = nn.Conv1d(bands, H, kernel_size=5, stride=2, padding=2)
        self.rnn = nn.GRU(H, H // 2, batch_first=True, bidirectional=True)
        self.readout = nn.Linear(H, vocab_size)

    @checked
    def encode(
        self, x: Float[Tensor, "B T {self.conv.in_channels}"], mask: Lengths["B T"]
    ) -> tuple[Float[Tensor, "B S H"], Bool[Tensor, "B S"]]:
        """Hidden states of both directions, side by side, and their mask, S = (T + 1) // 2."""
        x = x * mask[..., None]
        h = F.relu(self.conv(x.transpose(1, 2))).transpose(1, 2)
        mask = mask[:, ::2]
        S, lengths = mask.shape[1], mask.sum(dim=1).cpu()
        h = pack_padded_sequence(h, lengths, True, enforce_sorted=False)
        h = pad_packed_sequence(self.rnn(h)[0], True, total_length=S)[0]
        return h, mask

    @checked
    def forward(
        self, x: Float[Tensor, "B T {self.conv.in_channels}"], mask: Lengths["B T"]
    ) -> tuple[Float[Tensor, "B S V"], Bool[Tensor, "B S"]]:
        """Log-probabilities of the tokens, and their mask. What stands where `mask` is False changes nothing."""
        h, mask = self.encode(x, mask)
        return self.readout(h).log_softmax(dim=2), mask


@checked
def best_path(log_probs: Float[Tensor, "T V"]) -> list[int]:
    """What the likeliest path says: the likeliest token of each frame, collapsed."""
    return collapse(log_probs.argmax(dim=1))


@checked
def prefix_beam_search(log_probs: Float[Tensor, "T V"], width: Positive = 8) -> list[int]:
    """The likeliest labels that a beam of `width` prefixes finds, paths of the same prefix added up."""
    beam = {(): (1.0, 0.0)}  # prefix: paths that end in blank, in label
    for frame in log_probs.exp().tolist():
        after = defaultdict(lambda: (0.0, 0.0))
        for prefix, (blank, label) in beam.items():
            b, n = after[prefix]
            same = label * frame[prefix[-1]] if prefix else 0.0  # merged
            after[prefix] = b + (blank + label) * frame[0], n + same
            for token, p in enumerate(frame[1:], 1):
                repeats = prefix[-1:] == (token,)
                b, n = after[*prefix, token]
                more = (blank if repeats else blank + label) * p
                after[*prefix, token] = b, n + more
        best = sorted(after, key=lambda one: sum(after[one]))[-width:]
        total = sum(sum(after[one]) for one in best)  # keeps it from 0
        beam = {one: tuple(p / total for p in after[one]) for one in best}
    return list(max(beam, key=lambda one: sum(beam[one])))
