"""The exercises of the page on sequence to sequence: solutions pass, typical mistakes are named."""

import numpy as np
import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import seq2seq
from attend.gating.gru import GRU
from attend.memory.supervision import shift_right
from attend.soft.seq2seq import Outputs, Seq2Seq, Step


def told(target, end):
    start = torch.full_like(target[:, :1], end)
    return torch.cat([start, target[:, :-1]], dim=1)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda target, end: target, "reads the answer"),
        (lambda target, end: torch.cat([target[:, 1:], torch.full_like(target[:, :1], end)], 1), "to the right"),
        (lambda target, end: target.roll(1, 1), "not the last token"),
        (lambda target, end: torch.cat([target[:, :1], target[:, :-1]], 1), "read twice"),
        (lambda target, end: torch.full_like(target, end), "only the first step"),
        (lambda target, end: told(target, 0), "whatever its number"),
        (lambda target, end: told(target, end)[:, 1:], "shape (3, 4)"),
        (lambda target, end: told(target, end).flip(0), "step 1 should read"),
    ],
)
def test_told(wrong, says):
    accepts(seq2seq.told, told)
    accepts(seq2seq.told, lambda target, end: [[end, *row[:-1]] for row in target.tolist()])
    refuses(seq2seq.told, wrong, says=says)


def tokens(logits, target):
    return logits.log_softmax(-1).gather(-1, target[..., None])[..., 0]


def whole(logits, target, end):
    return tokens(logits, target).masked_fill((target == end).cumsum(1) > 1, 0).sum(1)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda logits, target, end: tokens(logits, target).sum(1), "padding: here it is counted"),
        (lambda logits, target, end: (tokens(logits, target) * (target != end)).sum(1), "is a token of the answer"),
        (lambda logits, target, end: whole(logits, target, end) / ((target == end).cumsum(1) < 2).sum(1), "their mean"),
        (lambda *given: -whole(*given), "the other sign"),
        (lambda *given: whole(*given).exp(), "this is the probability"),
        (lambda *given: whole(*given) / np.log(2), "base e"),
        (
            lambda logits, target, end: (
                logits.gather(-1, target[..., None])[..., 0].masked_fill((target == end).cumsum(1) > 1, 0).sum(1)
            ),
            "lack the log-softmax",
        ),
        (lambda logits, target, end: whole(logits, target, 0), "whatever its number"),
        (lambda *given: whole(*given) + 1, "up to its first"),
        (lambda *given: whole(*given).sum(), "shape (3,)"),
    ],
)
def test_whole(wrong, says):
    accepts(seq2seq.whole, whole)
    accepts(seq2seq.whole, lambda *given: whole(*given).double().numpy())
    refuses(seq2seq.whole, wrong, says=says)


class Context(Seq2Seq):
    def __init__(self, source_vocab, target_vocab, embedding_size, hidden_size, end=0):
        super().__init__(source_vocab, target_vocab, embedding_size, hidden_size, end)
        self.decoder = GRU(embedding_size + hidden_size, hidden_size)

    def joined(self, embedded, memory, state):
        return torch.cat([embedded, memory.last], dim=-1), state

    def step(self, token, state, memory):
        state = self.decoder.step(*self.joined(self.embed_target(token), memory, state))
        return Step(self.readout(state), state, None)

    def forward(self, source, mask, target):
        memory = self.read(source, mask)
        previous = self.embed_target(shift_right(target, self.end))
        context = memory.last[:, None].expand(-1, target.shape[1], -1)
        hidden, _ = self.decoder(torch.cat([previous, context], dim=2), self.start(memory))
        return Outputs(self.readout(hidden), None)


def with_(**changed):
    return type("Changed", (Context,), changed)


def joining(inputs):
    joined = lambda self, x, memory, state: inputs(x, memory, state)  # noqa: E731
    return with_(joined=joined, step=Context.step, forward=Context.forward)


def narrow(self, *sizes):
    Seq2Seq.__init__(self, *sizes)


def wide(self, source_vocab, target_vocab, D, H, end=0):
    Seq2Seq.__init__(self, source_vocab, target_vocab, D, H, end)
    self.decoder = GRU(2 * D, H)


def unshifted(self, source, mask, target):
    memory = self.read(source, mask)
    context = memory.last[:, None].expand(-1, target.shape[1], -1)
    hidden, _ = self.decoder(torch.cat([self.embed_target(target), context], dim=2), memory.last)
    return Outputs(self.readout(hidden), None)


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (with_(__init__=narrow, step=Context.step, forward=Context.forward), "alone"),
        (with_(__init__=wide, step=Context.step, forward=Context.forward), "embedding_size + hidden_size"),
        (with_(joined=lambda self, x, m, s: (torch.cat([m.last, x], -1), s), step=Context.step, forward=1), "first"),
        (with_(joined=lambda self, x, m, s: (torch.cat([x, s], -1), s), step=Context.step, forward=1), "own state"),
        (
            with_(joined=lambda self, x, m, s: (torch.cat([x, m.last], -1), m.last), step=Context.step, forward=1),
            "from",
        ),
        (with_(step=lambda self, t, s, m: (m.last @ self.readout.weight.T, s, None), forward=1), "a step of the"),
        (with_(step=Context.step, forward=unshifted), "shift_right"),
        (with_(step=Context.step, forward=lambda *given: print(end="")), "gives nothing back"),
        (with_(step=lambda self, t, s, m: 1 / 0, forward=1), "ZeroDivisionError"),
        (torch.nn.Linear, "Seq2Seq"),
        (3, "the class itself"),
    ],
)
def test_context(made, says):
    outcome = seq2seq.context(made)
    assert outcome.state == "wrong", outcome
    assert says in outcome.says


def test_the_class_itself():
    assert seq2seq.context(with_(step=Context.step, forward=Context.forward)).state == "right"
    by_logits = with_(step=Context.step, forward=lambda self, *given: Context.forward(self, *given).logits)
    assert seq2seq.context(by_logits).state == "right"
    assert seq2seq.context(...).state == "not yet"


def test_a_class_in_which_nothing_was_written_is_not_there_yet():
    class Stub(Seq2Seq):
        def step(self, token, state, memory): ...

        def forward(self, source, mask, target): ...

    assert seq2seq.context(Stub).state == "not yet"
