"""RNN, GRU and LSTM over whole sequences: the same as torch's own, and as the readable step again and again."""

import pytest
import torch
from benchmarks.twin import twin
from tests.sequences import in_two_parts
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from attend.gating.gru import GRU
from attend.gating.lstm import LSTM
from attend.memory.elman import RNN

B, T, D, H = 3, 7, 4, 5
NAMES = ("from_input.weight", "from_hidden.weight", "from_input.bias")
UNITS = {"rnn": (RNN, nn.RNN, 1), "gru": (GRU, nn.GRU, 3), "lstm": (LSTM, nn.LSTM, 4)}


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def parts(state):
    """The tensors of a state: one, or hidden state and cell state for the LSTM."""
    return tuple(state) if isinstance(state, tuple) else (state,)


def state_of(unit, tensors):
    """The unit's own state, made of these tensors."""
    return tuple(tensors) if isinstance(unit, LSTM) else tensors[0]


def torchs_state(tensors):
    """The same for torch, which counts layers first."""
    layered = tuple(tensor[None] for tensor in tensors)
    return layered if len(layered) > 1 else layered[0]


@pytest.fixture(params=UNITS)
def unit(request):
    own, _, blocks = UNITS[request.param]
    unit = own(D, H, generator=torch.Generator().manual_seed(1)).double()
    with torch.no_grad():
        unit.from_input.bias.copy_(draw(blocks * H, seed=2))
    return unit


@pytest.fixture
def rival(unit):
    return twin(
        next(theirs for own, theirs, _ in UNITS.values() if type(unit) is own),
        unit.from_input.weight,
        unit.from_hidden.weight,
        unit.from_input.bias,
    )


@pytest.fixture
def first(unit):
    """What a first state is made of."""
    return tuple(draw(B, H, seed=3 + 50 * i).tanh() for i in range(2 if isinstance(unit, LSTM) else 1))


def by_steps(unit, x, state, mask):
    """`step` again and again; where the mask is False the state stays."""
    outputs = []
    for t, x_t in enumerate(x.unbind(1)):
        new = unit.step(x_t, state)
        if mask is not None:
            kept = [torch.where(mask[:, t, None], a, b) for a, b in zip(parts(new), parts(state), strict=True)]
            new = state_of(unit, kept)
        state = new
        outputs.append(parts(state)[0])
    return torch.stack(outputs, dim=1), state


def gradients(outputs, last, inputs):
    """Of a weighted sum of all outputs and of all that the last state holds."""
    ends = zip(last, (draw(B, H, seed=5), draw(B, H, seed=6)), strict=False)
    asked = (outputs * draw(B, T, H, seed=4)).sum() + sum((part * weight).sum() for part, weight in ends)
    return torch.autograd.grad(asked, inputs)


def agree(ours, theirs, atol):
    for one, two in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, two, rtol=0, atol=atol)


def weights(unit, rival):
    return (unit.from_input.weight, unit.from_hidden.weight, unit.from_input.bias), (
        rival.weight_ih_l0,
        rival.weight_hh_l0,
        rival.bias_ih_l0,
    )


def test_values_and_gradients_agree_with_torch(unit, rival, first):
    found, (mine, others) = [], weights(unit, rival)
    x, *start = (value.clone().requires_grad_() for value in (draw(B, T, D), *first))
    outputs, last = unit(x, state_of(unit, start))
    found.append((outputs, *parts(last), *gradients(outputs, parts(last), (x, *start, *mine))))
    outputs, last = rival(x, torchs_state(start))
    last = tuple(part[0] for part in parts(last))
    found.append((outputs, *last, *gradients(outputs, last, (x, *start, *others))))
    agree(*found, atol=1e-11)


def test_masked_sequences_agree_with_torchs_packed_ones(unit, rival):
    found, (mine, others) = [], weights(unit, rival)
    lengths = torch.tensor([7, 2, 5])
    mask = torch.arange(T) < lengths[:, None]
    x = torch.where(mask[..., None], draw(B, T, D), 1e6).requires_grad_()
    outputs, last = unit(x, mask=mask)
    outputs = outputs * mask[..., None]
    found.append((outputs, *parts(last), *gradients(outputs, parts(last), (x, *mine))))
    outputs, last = rival(pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False))
    outputs, last = pad_packed_sequence(outputs, batch_first=True)[0], tuple(part[0] for part in parts(last))
    found.append((outputs, *last, *gradients(outputs, last, (x, *others))))
    agree(*found, atol=1e-11)


@pytest.mark.parametrize("masked", [False, True])
def test_the_whole_sequence_is_the_readable_step_again_and_again(unit, first, masked):
    mask = torch.rand(B, T, generator=torch.Generator().manual_seed(6)) < 0.6 if masked else None
    if masked:
        mask[:, 0] = True
    found = []
    x, *start = (value.clone().requires_grad_() for value in (draw(B, T, D), *first))
    for run in (unit, lambda *given: by_steps(unit, *given)):
        outputs, last = run(x, state_of(unit, start), mask)
        outputs = outputs if mask is None else outputs * mask[..., None]
        found.append((outputs, *parts(last), *gradients(outputs, parts(last), (x, *start, *unit.parameters()))))
    agree(*found, atol=1e-11)


def test_gradcheck(unit, first):
    def run(x, *given):
        start, weights = given[:-3], dict(zip(NAMES, given[-3:], strict=True))
        return parts(torch.func.functional_call(unit, weights, (x[:, None], state_of(unit, start)))[1])

    inputs = (
        draw(B, D),
        *first,
        *(p.detach().clone() for p in (unit.from_input.weight, unit.from_hidden.weight, unit.from_input.bias)),
    )
    assert torch.autograd.gradcheck(run, tuple(i.requires_grad_() for i in inputs))


def test_a_sequence_may_be_cut_and_continued(unit):
    x = draw(B, T, D)
    (outputs, last), (whole, end) = in_two_parts(unit, x, 3), unit(x)
    agree((outputs, *parts(last)), (whole, *parts(end)), atol=1e-12)


def test_the_same_generator_draws_the_same_unit(unit):
    one, two = (type(unit)(D, H, generator=torch.Generator().manual_seed(7)) for _ in range(2))
    assert all(torch.equal(p, q) for p, q in zip(one.parameters(), two.parameters(), strict=True))
