"""Two layers on one line: torch's bidirectional layers on packed sequences, and padding that changes nothing."""

import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from attend.gating.bidirectional import Bidirectional, FillIn, Tagger, reverse
from attend.gating.gru import GRU
from attend.gating.lstm import LSTM
from attend.memory.elman import RNN

LENGTHS = torch.tensor([6, 1, 4])
VISIBLE = torch.arange(6) < LENGTHS[:, None]
RIVALS = {GRU: nn.GRU, LSTM: nn.LSTM, RNN: nn.RNN}


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def pair(kind, D=3, H=4):
    return Bidirectional(kind(D, H, generator=seeded(0)), kind(D, H, generator=seeded(1)))


def line(seed=2):
    return torch.randn(3, 6, 3, generator=seeded(seed))


def torch_pair(kind, ours):
    """torch's bidirectional unit with our weights."""
    theirs = RIVALS[kind](3, 4, batch_first=True, bidirectional=True)
    with torch.no_grad():
        for end, unit in (("", ours.ahead), ("_reverse", ours.back)):
            getattr(theirs, f"weight_ih_l0{end}").copy_(unit.from_input.weight)
            getattr(theirs, f"weight_hh_l0{end}").copy_(unit.from_hidden.weight)
            getattr(theirs, f"bias_ih_l0{end}").copy_(unit.from_input.bias)
            getattr(theirs, f"bias_hh_l0{end}").zero_()
    return theirs


@pytest.mark.parametrize("kind", RIVALS)
def test_same_as_torch_on_packed_sequences_in_value_and_gradient(kind):
    ours, x = pair(kind), line().requires_grad_()
    theirs = torch_pair(kind, ours)
    said, ends = ours(x, VISIBLE)
    packed = pack_padded_sequence(x, LENGTHS, batch_first=True, enforce_sorted=False)
    wanted, last = theirs(packed)
    wanted = pad_packed_sequence(wanted, batch_first=True, total_length=6)[0]
    last = last[0] if kind is LSTM else last
    torch.testing.assert_close(said, wanted)
    torch.testing.assert_close(ends, torch.cat(tuple(last), dim=1))
    weights = torch.randn(said.shape, generator=seeded(3))
    mine = torch.autograd.grad(
        (said * weights).sum(),
        [x, ours.ahead.from_input.weight, ours.back.from_hidden.weight, ours.back.from_input.bias],
    )
    names = ("weight_ih_l0", "weight_hh_l0_reverse", "bias_ih_l0_reverse")
    of_torch = torch.autograd.grad((wanted * weights).sum(), [x, *(getattr(theirs, name) for name in names)])
    for one, other in zip(mine, of_torch, strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("kind", [GRU, LSTM])
def test_padding_changes_nothing_in_value_or_gradient(kind):
    unit, x = pair(kind), line()
    junk = torch.where(VISIBLE[..., None], x, 7 * torch.randn(x.shape, generator=seeded(5)))
    grads = []
    for version in (x, junk):
        version = version.clone().requires_grad_()
        said, ends = unit(version, VISIBLE)
        (said.sum() + ends.pow(2).sum()).backward()
        grads.append((said.detach(), ends.detach(), version.grad))
    for one, other in zip(*grads, strict=True):
        torch.testing.assert_close(one, other)
    assert (grads[1][2][~VISIBLE] == 0).all()
    alone, _ = unit(x[2:, :4])
    torch.testing.assert_close(grads[1][0][2:, :4], alone)


def test_turning_the_whole_row_instead_lets_padding_in():
    unit, x = pair(GRU), line()
    careless = unit.back(x.flip(1), mask=VISIBLE.flip(1))[0].flip(1)
    careful, _ = unit(x, VISIBLE)
    torch.testing.assert_close(careless[0], careful[0, :, 4:])
    wrong = unit.back(x.flip(1))[0].flip(1)
    assert not torch.allclose(wrong[2, :4], careful[2, :4, 4:], atol=1e-2)


def test_every_step_hears_every_visible_input_and_no_other():
    unit, x = pair(LSTM), line().requires_grad_()
    said, _ = unit(x, VISIBLE)
    for t in range(4):
        (slope,) = torch.autograd.grad(said[2, t].sum(), x, retain_graph=True)
        assert (slope[2].abs().sum(1) > 0).tolist() == [True] * 4 + [False] * 2
    (slope,) = torch.autograd.grad(said[0, 2, :4].sum(), x, retain_graph=True)
    assert (slope[0].abs().sum(1) > 0).tolist() == [True] * 3 + [False] * 3


def test_reverse_is_its_own_inverse_and_leaves_padding_in_place():
    x = torch.arange(18.0).view(3, 6, 1)
    there = reverse(x, VISIBLE)
    assert there[2, :, 0].tolist() == [15, 14, 13, 12, 16, 17]
    assert torch.equal(reverse(there, VISIBLE), x)


@pytest.mark.parametrize("rows", [[[True, False, True]], [[False, True, True]], [[False, False, False]]])
def test_holes_in_what_is_visible_are_refused(rows):
    with pytest.raises(ValueError, match="mask: got"):
        reverse(torch.ones(1, 3, 2), torch.tensor(rows))


def test_a_tagger_answers_each_question_at_each_token():
    tagger = Tagger(7, pair(LSTM), (2, 5))
    first, second = tagger(torch.tensor([[1, 2, 6], [3, 0, 0]]), torch.tensor([[True] * 3, [True, False, False]]))
    assert first.shape == (2, 3, 2)
    assert second.shape == (2, 3, 5)


def test_what_fills_a_gap_has_read_all_but_the_gap():
    model = FillIn(LSTM(5, 4), LSTM(5, 3))
    tokens = torch.randint(5, (2, 7), generator=seeded(3))
    logits = model(tokens)
    assert logits.shape == (2, 5, 5)
    for s in range(7):
        changed = tokens.clone()
        changed[0, s] = (changed[0, s] + 1) % 5
        moved = (model(changed) - logits).abs().sum(2) > 1e-7
        assert moved[0].tolist() == [t != s for t in range(1, 6)]
        assert not moved[1].any()


def test_readers_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"(?s)back: got .*input_size"):
        Bidirectional(GRU(3, 4), GRU(2, 4))
    with pytest.raises(ValueError, match="back: got"):
        Bidirectional(GRU(3, 4), nn.Linear(3, 4))
    with pytest.raises(ValueError, match=r"x: got .*B, T, 3"):
        pair(GRU)(torch.ones(1, 2, 5))


def calls():
    VISIBLE = torch.tensor([[True, True, True], [True, False, False]])
    X = torch.ones(2, 3, 2)
    PAIR = Bidirectional(GRU(2, 3), GRU(2, 4))
    TAGGER = Tagger(5, PAIR, (2,))
    TOKENS = torch.tensor([[1, 2, 4], [3, 1, 1]])
    FILL_IN = FillIn(GRU(4, 3), GRU(4, 2))
    return {
        reverse: {"x": X, "mask": VISIBLE},
        Bidirectional: {"ahead": GRU(2, 3), "back": GRU(2, 4)},
        PAIR.forward: {"x": X, "mask": VISIBLE},
        Tagger: {"vocab_size": 5, "encoder": PAIR, "answers": (2, 3)},
        FillIn: {"ahead": GRU(4, 3), "back": GRU(4, 2)},
        FILL_IN.forward: {"tokens": TOKENS.clamp(max=3)},
        TAGGER.forward: {"tokens": TOKENS, "mask": VISIBLE},
    }
