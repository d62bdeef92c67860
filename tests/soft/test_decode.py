"""Greedy and beam beside a search through all answers."""

import itertools

import pytest
import torch

from attend.soft import decode, seq2seq
from attend.soft.decode import beam_search, greedy
from attend.soft.read import AttentionSeq2Seq
from attend.soft.seq2seq import Seq2Seq

SOURCE = torch.tensor([[3, 1, 4, 2], [5, 2, 0, 0], [1, 3, 3, 0]])
VISIBLE = torch.arange(4) < torch.tensor([[4], [2], [3]])
STEPS, V = 4, 3


def build(kind, seed):
    model = kind(6, V, 4, 5, generator=torch.Generator().manual_seed(seed)).double()
    model.readout.weight.data *= 6  # decided enough that greedy can be wrong
    return model


@pytest.fixture(params=[(Seq2Seq, 0), (AttentionSeq2Seq, 1), (Seq2Seq, 2)], ids=lambda p: f"{p[0].__name__} {p[1]}")
def model(request):
    return build(*request.param)


def log_probability(model, row, answer):
    """Of one answer, its end included, by teacher forcing."""
    target = torch.tensor([answer])
    logits = model(SOURCE[row : row + 1], VISIBLE[row : row + 1], target).logits.log_softmax(2)
    return logits.gather(2, target[..., None]).sum().item()


def answers():
    """All answers of at most STEPS tokens: each stops at its first end, or is cut off."""
    for tokens in itertools.product(range(V), repeat=STEPS):
        cut = tokens.index(0) + 1 if 0 in tokens else STEPS
        if not any(tokens[cut:]):
            yield tokens[:cut]


def test_a_beam_that_holds_everything_finds_the_best_of_all_answers(model):
    found = beam_search(model, SOURCE, VISIBLE, STEPS, width=V**STEPS)
    for row in range(3):
        best = max(answers(), key=lambda answer: log_probability(model, row, answer))
        assert found.tokens[row].tolist() == [*best, *[0] * (STEPS - len(best))]
        assert found.log_probs[row].item() == pytest.approx(log_probability(model, row, best))


def test_greedy_takes_the_likeliest_token_at_each_step(model):
    found = greedy(model, SOURCE, VISIBLE, STEPS)
    taught = model(SOURCE, VISIBLE, found.tokens)
    likeliest = taught.logits.argmax(2)
    over = torch.cat([torch.zeros(3, 1, dtype=torch.bool), (found.tokens == 0).cumsum(1)[:, :-1] > 0], 1)
    assert torch.equal(found.tokens, likeliest.masked_fill(over, 0))
    for row, tokens in enumerate(found.tokens.tolist()):
        cut = tokens.index(0) + 1 if 0 in tokens else STEPS
        assert found.log_probs[row].item() == pytest.approx(log_probability(model, row, tokens[:cut]))
    if found.weights is not None:
        torch.testing.assert_close(found.weights[~over], taught.weights[~over])


def test_somewhere_a_beam_finds_what_greedy_misses():
    gains = []
    for seed in range(8):
        model = build(Seq2Seq, seed)
        wide, narrow = (beam_search(model, SOURCE, VISIBLE, STEPS, width) for width in (9, 1))
        gains.append(wide.log_probs - narrow.log_probs)
    assert torch.stack(gains).max() > 0.01


def test_a_wider_beam_writes_the_same_for_a_row_alone_and_among_others(model):
    among = beam_search(model, SOURCE, VISIBLE, STEPS, width=3)
    alone = beam_search(model, SOURCE[1:2, :2], VISIBLE[1:2, :2], STEPS, width=3)
    assert torch.equal(among.tokens[1:2], alone.tokens)
    torch.testing.assert_close(among.log_probs[1:2], alone.log_probs)


def test_what_cannot_be_asked_is_refused(model):
    for bad in ({"steps": 0, "width": 1}, {"steps": 1, "width": 0}):
        with pytest.raises(ValueError, match=r"(steps|width): got 0"):
            beam_search(model, SOURCE, VISIBLE, **bad)
    with pytest.raises(ValueError, match="model: got"):
        greedy(torch.nn.Linear(2, 2), SOURCE, VISIBLE, 3)


def calls():
    SOURCE = torch.tensor([[1, 2, 4], [3, 1, 1]])
    VISIBLE = torch.tensor([[True, True, True], [True, False, False]])
    BLIND = seq2seq.Seq2Seq(5, 4, 2, 3)
    return {
        decode.greedy: {"model": BLIND, "source": SOURCE, "mask": VISIBLE, "steps": 2},
        decode.beam_search: {"model": BLIND, "source": SOURCE, "mask": VISIBLE, "steps": 2, "width": 3},
    }
