"""The gated unit: its own claims, and what it refuses; test_sequences.py holds it to torch.nn.GRU."""

import math

import pytest
import torch
from benchmarks.twin import twin
from torch import nn

from attend.gating.gru import GRU, chrono_, time_scales

B, T, D, H = 3, 7, 4, 5


def draw(*shape, seed=0, dtype=torch.float64):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


@pytest.fixture
def unit():
    unit = GRU(D, H, generator=torch.Generator().manual_seed(1)).double()
    with torch.no_grad():
        unit.from_input.bias.copy_(draw(3 * H, seed=2))
    return unit


def gates_at(unit, update=None, reset=None):
    """Fix gates: their weights are zero and a bias of ±1,000 shuts or opens them exactly."""
    with torch.no_grad():
        for row, value in ((0, reset), (1, update)):
            if value is not None:
                rows = slice(row * H, (row + 1) * H)
                unit.from_input.weight[rows], unit.from_hidden.weight[rows], unit.from_input.bias[rows] = (
                    0,
                    0,
                    1_000.0 if value else -1_000.0,
                )
    return unit


def test_at_hidden_steps_the_summary_stays(unit):
    mask = torch.tensor([[False, True, False, True]])
    h_0 = draw(1, H, seed=3)
    summaries, _ = unit(draw(1, 4, D), h_0, mask)
    assert torch.equal(summaries[:, 0], h_0)
    assert torch.equal(summaries[:, 2], summaries[:, 1])


def test_a_shut_gate_copies_exactly(unit):
    gates_at(unit, update=True)
    h = draw(B, H, seed=3).tanh()
    assert torch.equal(unit.step(draw(B, D), h), h)
    summaries, last = unit(100 * draw(B, 50, D), h)
    assert torch.equal(last, h)
    assert torch.equal(summaries, h[:, None].expand(B, 50, H))


def test_through_a_shut_gate_every_gradient_passes_whole(unit):
    gates_at(unit, update=True)
    h = draw(B, H, seed=3).requires_grad_()
    last = unit(draw(B, 50, D), h)[1]
    weight = draw(B, H, seed=5)
    assert torch.equal(torch.autograd.grad((last * weight).sum(), h)[0], weight)


def test_an_open_gate_without_reset_forgets_exactly(unit):
    gates_at(unit, update=False, reset=False)
    x = draw(B, D)
    expected = torch.tanh(x @ unit.from_input.weight[2 * H :].T + unit.from_input.bias[2 * H :])
    outcomes = [unit.step(x, draw(B, H, seed=seed)) for seed in range(3)]
    assert all(torch.equal(outcome, outcomes[0]) for outcome in outcomes)
    torch.testing.assert_close(outcomes[0], expected, rtol=0, atol=1e-15)


def test_with_open_gate_and_full_reset_it_is_the_plain_unit(unit):
    gates_at(unit, update=False, reset=True)
    plain = twin(
        nn.RNN,
        *(weights[2 * H :] for weights in (unit.from_input.weight, unit.from_hidden.weight, unit.from_input.bias)),
    )
    torch.testing.assert_close(unit(draw(B, T, D))[0], plain(draw(B, T, D))[0], rtol=0, atol=1e-12)


def test_each_new_number_lies_between_the_old_one_and_its_candidate(unit):
    x, h = draw(1000, D), draw(1000, H, seed=3).tanh()
    reset, update, candidate = unit.gates(x, h)
    new = unit.step(x, h)
    assert (new >= torch.minimum(h, candidate) - 1e-12).all()
    assert (new <= torch.maximum(h, candidate) + 1e-12).all()
    assert all(((gate > 0) & (gate < 1)).all() for gate in (reset, update))
    assert (candidate.abs() < 1).all()


def test_time_scales_are_even_in_their_logarithm():
    scales = time_scales(6, 200.0)
    torch.testing.assert_close(scales[[0, -1]], torch.tensor([2.0, 200.0]))
    steps = scales.log().diff()
    torch.testing.assert_close(steps, steps[:1].expand(5))
    assert torch.equal(time_scales(1, 200.0), torch.tensor([2.0]))


def test_a_spread_bias_keeps_for_its_time_scale():
    unit, scales = chrono_(GRU(D, H), 500), time_scales(H, 500)
    keep = unit.gates(torch.zeros(1, D), torch.zeros(1, H)).update[0]
    torch.testing.assert_close(keep, 1 - 1 / scales)
    left = keep**scales
    assert left[0].item() == pytest.approx(0.25)
    assert left[-1].item() == pytest.approx(math.exp(-1), abs=1e-3)


def test_the_start_is_rotations_and_zero_biases():
    unit = GRU(D, H)
    for block in unit.from_hidden.weight.chunk(3):
        torch.testing.assert_close(block @ block.T, torch.eye(H), rtol=0, atol=1e-6)
    assert unit.from_input.weight.abs().max() <= (6 / (D + H)) ** 0.5
    assert not unit.from_input.bias.any()
    spread = chrono_(GRU(D, H), 50).from_input.bias
    assert not spread[:H].any()
    assert not spread[2 * H :].any()


def test_a_time_scale_lies_beyond_the_shortest():
    with pytest.raises(ValueError, match=r"longest: got 1\.5"):
        chrono_(GRU(D, H), 1.5)


def calls():
    LAYER = GRU(3, 4)
    return {
        GRU: {"input_size": 3, "hidden_size": 4, "generator": torch.Generator()},
        time_scales: {"count": 4, "longest": 50.0},
        chrono_: {"gru": GRU(3, 4), "longest": 50.0},
        LAYER.forward: {
            "x": torch.ones(2, 5, 3),
            "state": torch.zeros(2, 4),
            "mask": torch.ones(2, 5, dtype=torch.bool),
        },
    }
