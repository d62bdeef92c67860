"""Each checker knows the solution, the typical wrong answers and the stub."""

import math

import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import hierarchical


def ok_steps(lengths, turn, word):
    rest = lengths[turn] - 1 - word
    return rest + len(lengths) - turn, rest + sum(lengths[turn + 1 :])


def off(levels=0, row=0, swap=False, rest=True, flat_rest=True):
    def steps(lengths, turn, word):
        a, b = ok_steps(lengths, turn, word)
        own = lengths[turn] - 1 - word
        a, b = a + levels - (0 if rest else own), b + row - (0 if flat_rest else own)
        return (b, a) if swap else (a, b)

    return steps


def ok_last(mask):
    present = mask.any(dim=2)
    return (present * torch.arange(present.shape[1])).amax(dim=1)


def ok_levels(words):
    return min(((k, k * words ** (1 / k)) for k in range(1, 20)), key=lambda pair: pair[1])


def ok_encode(encoder, context_rnn, x, mask):
    B, N, _, _ = x.shape
    outputs, _ = encoder(x.flatten(0, 1))
    last = mask.flatten(0, 1).sum(dim=1) - 1
    turns = outputs[torch.arange(B * N), last.clamp(min=0)].view(B, N, -1)
    contexts, _ = context_rnn(turns)
    return contexts[torch.arange(B), mask.any(dim=2).sum(dim=1) - 1]


def encode(word=True, turn=True, swap=False, alone=False):
    """Both levels with one of their habits broken."""

    def both(encoder, context_rnn, x, mask):
        B, N, _, _ = x.shape
        outputs, _ = encoder(x.flatten(0, 1))
        last = (mask.flatten(0, 1).sum(dim=1) - 1).clamp(min=0)
        turns = outputs[torch.arange(B * N), last] if word else outputs[:, -1]
        turns = turns.view(N, B, -1).transpose(0, 1) if swap else turns.view(B, N, -1)
        many = mask.any(dim=2).sum(dim=1) - 1
        if alone:
            return context_rnn(turns[torch.arange(B), many][:, None])[0][:, 0]
        return context_rnn(turns)[0][torch.arange(B), many] if turn else context_rnn(turns)[1][0]

    return both


def carried(encoder, context_rnn, x, mask):
    B, N, _, _ = x.shape
    state, turns = None, []
    for n in range(N):
        outputs, _ = encoder(x[:, n], state)
        state = outputs[torch.arange(B), (mask[:, n].sum(dim=1) - 1).clamp(min=0)][None]
        turns.append(state[0])
    return context_rnn(torch.stack(turns, dim=1))[0][torch.arange(B), mask.any(dim=2).sum(dim=1) - 1]


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (hierarchical.path, ok_steps),
        (hierarchical.path, lambda *a: torch.tensor(ok_steps(*a))),
        (hierarchical.last_turn, ok_last),
        (hierarchical.last_turn, lambda mask: ok_last(mask).double()),
        (hierarchical.last_turn, lambda mask: mask.shape[1] - 1 - mask.any(2).flip(1).int().argmax(1)),
        (hierarchical.last_turn, lambda mask: ok_last(mask).numpy()),
        (
            hierarchical.last_turn,
            lambda mask: [max(n for n, turn in enumerate(row) if any(turn)) for row in mask.tolist()],
        ),
        (hierarchical.levels, ok_levels),
        (hierarchical.levels, lambda words: tuple(map(torch.tensor, ok_levels(words)))),
        (hierarchical.encode, ok_encode),
        (hierarchical.encode, lambda *a: ok_encode(*a).detach().numpy()),
    ],
)
def test_solution_and_stub(check, answer):
    accepts(check, answer)


@pytest.mark.parametrize(
    ("check", "answer", "says"),
    [
        (hierarchical.path, off(swap=True), "in the other order"),
        (hierarchical.path, off(levels=-1), "own turn as well"),
        (hierarchical.path, off(levels=1), "count the steps after"),
        (hierarchical.path, off(row=1), "count the steps after"),
        (hierarchical.path, off(rest=False), "steps of the encoder"),
        (hierarchical.path, off(flat_rest=False), "rest of its own turn follows too"),
        (hierarchical.path, off(levels=7), "in two levels 5 steps follow, not 12"),
        (hierarchical.path, off(row=7), "in one row 13 steps follow, not 20"),
        (hierarchical.last_turn, lambda v: v.any(2).sum(1) - 1, "before or between"),
        (hierarchical.last_turn, lambda v: v.any(2).sum(1), "how many turns"),
        (hierarchical.last_turn, lambda v: ok_last(v) + 1, "counted from 0"),
        (hierarchical.last_turn, lambda v: v.any(2).int().argmax(1), "first turn"),
        (hierarchical.last_turn, lambda v: torch.full((len(v),), v.shape[1] - 1), "may be padding"),
        (hierarchical.last_turn, lambda v: v.any(2).flip(1).int().argmax(1), "padding follow"),
        (hierarchical.last_turn, lambda v: ok_last(v[:, :, :1]), "before the words"),
        (hierarchical.last_turn, lambda v: ok_last(v[:, :, -1:]), "behind the words"),
        (hierarchical.last_turn, lambda v: (v.all(2) * torch.arange(v.shape[1])).amax(1), "one word is enough"),
        (hierarchical.last_turn, lambda v: torch.full((len(v),), 2), "the last one is 3, not 2"),
        (hierarchical.last_turn, lambda v: (v.sum(2) * torch.arange(v.shape[1])).amax(1), "the last one is 5, not 25"),
        (hierarchical.last_turn, lambda v: v.any(2), "must be a tensor of shape (4,)"),
        (hierarchical.levels, lambda words: (2, 2 * words**0.5), "more may be better than two"),
        (hierarchical.levels, lambda words: (math.log(words), math.e * math.log(words)), "a level is there or not"),
        (hierarchical.levels, lambda words: (7, words ** (1 / 7)), "a stretch on each"),
        (hierarchical.levels, lambda words: (7, 7 * words ** (1 / 7)), "another number of levels"),
        (hierarchical.levels, lambda words: (7, 5.0), "steps, and yours has 5"),
        (hierarchical.encode, encode(word=False), "the encoder has read the padding"),
        (hierarchical.encode, encode(turn=False), "the context RNN has read padded turns"),
        (hierarchical.encode, encode(word=False, turn=False), "both levels have read padding"),
        (hierarchical.encode, encode(swap=True), "B and N have changed places"),
        (hierarchical.encode, encode(alone=True), "the last turn alone"),
        (hierarchical.encode, carried, "it must start anew"),
        (hierarchical.encode, lambda e, c, x, mask: x[:, 0, 0], "must be a tensor of shape (3, 7)"),
    ],
)
def test_wrong_answers_are_named(check, answer, says):
    refuses(check, answer, says=says)
