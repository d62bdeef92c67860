"""The cell with three gates beside torch.nn.LSTM, its own claims, and what it refuses."""

import math

import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from attend.core.unroll import unroll
from attend.gating.gru import time_scales
from attend.gating.lstm import LSTM, LSTMState

B, T, D, H = 3, 7, 4, 5
GATES = ("input", "forget", "update", "output")


def draw(*shape, seed=0, dtype=torch.float64):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


@pytest.fixture
def unit():
    unit = LSTM(D, H, generator=torch.Generator().manual_seed(1)).double()
    with torch.no_grad():
        unit.b.copy_(draw(4 * H, seed=2))
    return unit


@pytest.fixture
def rival(unit):
    rival = nn.LSTM(D, H, batch_first=True).double()
    with torch.no_grad():
        rival.weight_ih_l0.copy_(unit.W)
        rival.weight_hh_l0.copy_(unit.U)
        rival.bias_ih_l0.copy_(unit.b)
        rival.bias_hh_l0.zero_()
    return rival


def gates_at(unit, **values):
    """Fix gates: their weights are zero and a bias of ±1,000 shuts or opens them exactly."""
    with torch.no_grad():
        for name, value in values.items():
            rows = slice(GATES.index(name) * H, (GATES.index(name) + 1) * H)
            unit.W[rows], unit.U[rows], unit.b[rows] = 0, 0, 1_000.0 if value else -1_000.0
    return unit


def without_h(unit):
    """Cut the way through the shown summary: no gate and no update hears it."""
    unit.U.data.zero_()
    return unit


def state_of(seed=3):
    return LSTMState(draw(B, H, seed=seed).tanh(), draw(B, H, seed=seed + 50))


def pairs(unit, rival):
    return [(unit.W, rival.weight_ih_l0), (unit.U, rival.weight_hh_l0), (unit.b, rival.bias_ih_l0)]


def test_values_agree_with_torch(unit, rival):
    x, first = draw(B, T, D), state_of()
    ours, last = unit.sequence(x, first)
    theirs, (h, cell) = rival(x, (first.h[None], first.cell[None]))
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)
    torch.testing.assert_close(last.h, h[0], rtol=0, atol=1e-12)
    torch.testing.assert_close(last.cell, cell[0], rtol=0, atol=1e-12)


def test_gradients_agree_with_torch(unit, rival):
    weight, end = draw(B, T, H, seed=4), draw(B, H, seed=5)
    values = (draw(B, T, D), *state_of())
    (x, h, c), (x_too, h_too, c_too) = ([v.clone().requires_grad_() for v in values] for _ in range(2))
    ours, last = unit.sequence(x, LSTMState(h, c))
    theirs, (their_h, their_c) = rival(x_too, (h_too[None], c_too[None]))
    ((ours * weight).sum() + (last.h * end).sum() + (last.cell * end.sin()).sum()).backward()
    ((theirs * weight).sum() + (their_h[0] * end).sum() + (their_c[0] * end.sin()).sum()).backward()
    for one, two in [(x, x_too), (h, h_too), (c, c_too), *pairs(unit, rival)]:
        torch.testing.assert_close(one.grad, two.grad, rtol=0, atol=1e-11)


def test_masked_sequences_agree_with_torchs_packed_ones(unit, rival):
    lengths, weight = torch.tensor([7, 2, 5]), draw(B, T, H, seed=4)
    visible = torch.arange(T) < lengths[:, None]
    x, x_too = (torch.where(visible[..., None], draw(B, T, D), 1e6).requires_grad_() for _ in range(2))
    ours, last = unit.sequence(x, visible=visible)
    packed = pack_padded_sequence(x_too, lengths, batch_first=True, enforce_sorted=False)
    theirs, (h, cell) = rival(packed)
    theirs, _ = pad_packed_sequence(theirs, batch_first=True)
    torch.testing.assert_close(ours * visible[..., None], theirs, rtol=0, atol=1e-12)
    torch.testing.assert_close(last.h, h[0], rtol=0, atol=1e-12)
    torch.testing.assert_close(last.cell, cell[0], rtol=0, atol=1e-12)
    ((ours * visible[..., None] * weight).sum() + last.h.square().sum() + last.cell.square().sum()).backward()
    ((theirs * weight).sum() + h.square().sum() + cell.square().sum()).backward()
    for one, two in [(x, x_too), *pairs(unit, rival)]:
        torch.testing.assert_close(one.grad, two.grad, rtol=0, atol=1e-11)


def test_gradcheck(unit):
    def run(x, h, cell, W, U, b):
        weights = {"W": W, "U": U, "b": b}
        return torch.func.functional_call(unit, weights, (x, LSTMState(h, cell)))[1]

    inputs = (draw(B, D), *state_of(), *(p.detach().clone() for p in (unit.W, unit.U, unit.b)))
    assert torch.autograd.gradcheck(run, tuple(i.requires_grad_() for i in inputs))


@pytest.mark.parametrize("masked", [False, True])
def test_the_whole_sequence_is_the_readable_step_again_and_again(unit, masked):
    visible = torch.rand(B, T, generator=torch.Generator().manual_seed(6)) < 0.6 if masked else None
    if masked:
        visible[:, 0] = True
    weight, found = draw(B, T, H, seed=4), []
    for run in (lambda x, s: unit.sequence(x, s, visible), lambda x, s: unroll(unit, x, s, visible)):
        unit.zero_grad()
        x, h, cell = (v.clone().requires_grad_() for v in (draw(B, T, D), *state_of()))
        summaries, last = run(x, LSTMState(h, cell))
        summaries = summaries if visible is None else summaries * visible[..., None]
        ((summaries * weight).sum() + last.h.square().sum() + last.cell.square().sum()).backward()
        found.append([summaries, *last, x.grad, h.grad, cell.grad, *(p.grad.clone() for p in unit.parameters())])
    for one, two in zip(*found, strict=True):
        torch.testing.assert_close(one, two, rtol=0, atol=1e-11)


def test_a_sequence_may_be_cut_and_continued(unit):
    x = draw(B, T, D)
    whole, last = unit.sequence(x)
    _, between = unit.sequence(x[:, :3])
    rest, end = unit.sequence(x[:, 3:], between)
    torch.testing.assert_close(rest, whole[:, 3:], rtol=0, atol=1e-12)
    torch.testing.assert_close(end.cell, last.cell, rtol=0, atol=1e-12)


def test_at_hidden_steps_summary_and_cell_stay(unit):
    visible, first = torch.tensor([[False, True, False]] * B), state_of()
    summaries, last = unit.sequence(draw(B, 3, D), first, visible)
    assert torch.equal(summaries[:, 0], first.h)
    assert torch.equal(summaries[:, 2], summaries[:, 1])
    _, seen = unit.sequence(draw(B, 3, D)[:, 1:2], first)
    torch.testing.assert_close(last.cell, seen.cell, rtol=0, atol=1e-12)


def test_kept_and_not_written_the_cell_is_copied_exactly(unit):
    gates_at(unit, forget=True, input=False)
    first = state_of()
    assert torch.equal(unit(draw(B, D), first)[1].cell, first.cell)
    assert torch.equal(unit.sequence(100 * draw(B, 50, D), first)[1].cell, first.cell)


def test_forgotten_the_old_cell_leaves_no_trace(unit):
    gates_at(unit, forget=False)
    x, h = draw(B, D), draw(B, H).tanh()
    one, two = (unit(x, LSTMState(h, draw(B, H, seed=seed)))[1] for seed in (7, 8))
    assert torch.equal(one.cell, two.cell)


def test_not_shown_the_summary_is_zero_and_the_gates_cannot_tell_two_cells_apart(unit):
    gates_at(unit, output=False)
    x = draw(B, D)
    ways = [unit(x, LSTMState(draw(B, H), 5 * draw(B, H, seed=seed)))[1] for seed in (7, 8)]
    assert all(not state.h.any() for state in ways)
    assert not torch.equal(ways[0].cell, ways[1].cell)
    gates = [unit.gates(draw(B, D, seed=9), state.h) for state in ways]
    assert all(torch.equal(one, two) for one, two in zip(*gates, strict=True))


def test_written_whole_the_cell_takes_the_update(unit):
    gates_at(unit, forget=False, input=True)
    x, first = draw(B, D), state_of()
    assert torch.equal(unit(x, first)[1].cell, unit.gates(x, first.h).update)


@pytest.mark.parametrize("run", [lambda u, x, s: u.sequence(x, s), lambda u, x, s: unroll(u, x, s)])
def test_with_hs_path_cut_the_gradient_along_the_cell_is_the_product_of_the_forget_gates(unit, run):
    without_h(unit)
    x, first = draw(B, T, D), state_of()
    cell = first.cell.clone().requires_grad_()
    weight, last = draw(B, H, seed=5), run(unit, x, LSTMState(first.h, cell))[1]
    forget = unit.gates(x.flatten(0, 1), torch.zeros(B * T, H).double()).forget.view(B, T, H)
    found = torch.autograd.grad((last.cell * weight).sum(), cell)[0]
    torch.testing.assert_close(found, weight * forget.prod(dim=1), rtol=1e-13, atol=0)


def test_through_a_kept_cell_every_gradient_passes_whole(unit):
    gates_at(without_h(unit), forget=True)
    first, weight = state_of(), draw(B, H, seed=5)
    cell = first.cell.clone().requires_grad_()
    last = unit.sequence(draw(B, 200, D), LSTMState(first.h, cell))[1]
    assert torch.equal(torch.autograd.grad((last.cell * weight).sum(), cell)[0], weight)


def test_with_hs_path_open_it_is_not_the_product(unit):
    x, first = draw(B, T, D), state_of()
    cell = first.cell.clone().requires_grad_()
    last = unroll(unit, x, LSTMState(first.h, cell))[1]
    forget, state = [], first
    for x_t in x.unbind(1):
        forget.append(unit.gates(x_t, state.h).forget)
        state = unit(x_t, state)[1]
    found = torch.autograd.grad(last.cell.sum(), cell)[0]
    assert not torch.allclose(found, torch.stack(forget).prod(dim=0), rtol=1e-2)


def test_the_start_is_rotations_and_the_biases_that_were_asked_for():
    unit = LSTM(D, H)
    for block in unit.U.chunk(4):
        torch.testing.assert_close(block @ block.T, torch.eye(H), rtol=0, atol=1e-6)
    assert unit.W.abs().max() <= (6 / (D + H)) ** 0.5
    assert not unit.b.any()
    one = LSTM(D, H, forget_bias=1.0).b.view(4, H)
    assert torch.equal(one[1], torch.ones(H))
    assert not one[[0, 2, 3]].any()


def test_spread_biases_keep_for_their_time_scales_and_write_what_they_let_go():
    unit, scales = LSTM(D, H, longest=500), time_scales(H, 500)
    gates = unit.gates(torch.zeros(1, D), torch.zeros(1, H))
    torch.testing.assert_close(gates.forget[0], 1 - 1 / scales)
    torch.testing.assert_close(gates.input[0], 1 / scales)
    assert (gates.forget[0] ** scales)[-1].item() == pytest.approx(math.exp(-1), abs=1e-3)
    assert not unit.b[2 * H :].any()


def test_the_same_generator_draws_the_same_unit():
    one, two = (LSTM(D, H, generator=torch.Generator().manual_seed(7)) for _ in range(2))
    assert all(torch.equal(p, q) for p, q in zip(one.parameters(), two.parameters(), strict=True))


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda u: u(draw(B, D + 1), u.start(B)), "x: got .*expected vectors of this unit's input width D = 4"),
        (lambda u: u.gates(draw(B, D), draw(B, H + 1)), "h: got"),
        (lambda u: u.gates(draw(B, D), draw(B + 1, H)), "h: got"),
        (lambda u: u(draw(B, D) * float("nan"), u.start(B)), "x: got .*non-finite"),
        (lambda u: u.sequence(draw(B, 0, D)), "x: got"),
        (lambda u: u.sequence(draw(B, D)), "x: got"),
        (lambda u: u.sequence(draw(B, T, D), LSTMState(draw(B, H), draw(B, H + 1))), "state: got"),
        (lambda u: u.sequence(draw(B, T, D), visible=torch.ones(B, T)), "visible: got"),
        (lambda u: u.sequence(draw(B, T, D), visible=torch.zeros(B, T, dtype=torch.bool)), "visible: got"),
        (lambda u: u.start(0), "batch: got 0"),
        (lambda u: LSTM(0, H), "D: got 0"),
        (lambda u: LSTM(D, 2.5), "H: got 2.5"),
        (lambda u: LSTM(D, H, forget_bias=float("inf")), "forget_bias: got inf"),
        (lambda u: LSTM(D, H, longest=1.5), "longest: got 1.5"),
    ],
)
def test_bad_input_is_refused_by_name(unit, call, named):
    with pytest.raises(ValueError, match=named):
        call(unit)
