"""The two-dimensional LSTM beside a loop over single pixels, beside our LSTM, its own claims, and what it refuses."""

import pytest
import torch
from tests.agreement import agree

from attend.gating.grid_lstm import CORNERS, GridLSTM, PixelTagger, diagonals
from attend.gating.lstm import LSTM

B, Y, X, D, H = 2, 3, 5, 4, 3


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.fixture
def unit():
    unit = GridLSTM(D, H, generator=torch.Generator().manual_seed(1)).double()
    with torch.no_grad():
        unit.bias.copy_(draw(4, 5 * H, seed=2))
    return unit


def pixel(unit, k, x, above, left):
    """One pixel of one sweep, written out: five sums, then the cell. `above` and `left` are pairs h, c."""
    sums = unit.from_input[k] @ x + unit.from_above[k] @ above[0] + unit.from_left[k] @ left[0] + unit.bias[k]
    i, f_above, f_left, g, o = sums.split(H)
    cell = f_above.sigmoid() * above[1] + f_left.sigmoid() * left[1] + i.sigmoid() * g.tanh()
    return o.sigmoid() * cell.tanh(), cell


def by_hand(unit, x):
    """All sweeps over one image (Y, X, D), pixel by pixel in each corner's reading order."""
    sweeps = []
    for k, corner in enumerate(unit.corners):
        rows = range(Y) if "top" in corner else range(Y - 1, -1, -1)
        columns = range(X) if "left" in corner else range(X - 1, -1, -1)
        down, right = (1 if "top" in corner else -1), (1 if "left" in corner else -1)
        outside, known = (torch.zeros(H).double(), torch.zeros(H).double()), {}
        for r in rows:
            for c in columns:
                above, left = known.get((r - down, c), outside), known.get((r, c - right), outside)
                known[r, c] = pixel(unit, k, x[r, c], above, left)
        sweeps.append(torch.stack([torch.stack([known[r, c][0] for c in range(X)]) for r in range(Y)]))
    return torch.cat(sweeps, dim=-1)


def test_a_loop_over_pixels_gives_the_same_values_and_gradients(unit):
    x = draw(B, Y, X, D).requires_grad_()
    wanted = torch.stack([by_hand(unit, one) for one in x])
    agree(unit(x), wanted, [x, *unit.parameters()], rtol=0, atol=1e-12)


@pytest.mark.parametrize("upright", [False, True])
def test_a_line_of_pixels_is_our_lstm(upright):
    """Where nothing lies above (or left), one forget gate and one matrix are idle, and the rest is an LSTM."""
    grid = GridLSTM(D, H, corners=("top left",), generator=torch.Generator().manual_seed(1)).double()
    line = LSTM(D, H).double()
    asked = [0, 1, 3, 4] if upright else [0, 2, 3, 4]  # input, the forget gate in use, candidate, output
    with torch.no_grad():
        grid.bias.copy_(draw(1, 5 * H, seed=2))
        for ours, theirs in (
            (line.from_input.weight, grid.from_input),
            (line.from_hidden.weight, grid.from_above if upright else grid.from_left),
            (line.from_input.bias, grid.bias),
        ):
            ours.copy_(torch.cat([theirs[0].split(H)[block] for block in asked]))
    x, weight = draw(B, 7, D), draw(B, 7, H, seed=3)
    image = (x[:, :, None] if upright else x[:, None]).clone().requires_grad_()
    series = x.clone().requires_grad_()
    h, summaries = grid(image).flatten(1, 2), line(series)[0]
    torch.testing.assert_close(h, summaries, rtol=0, atol=1e-12)
    (h * weight).sum().backward()
    (summaries * weight).sum().backward()
    torch.testing.assert_close(image.grad.flatten(1, 2), series.grad, rtol=0, atol=1e-12)
    torch.testing.assert_close(
        torch.cat([grid.from_input.grad[0].split(H)[block] for block in asked]),
        line.from_input.weight.grad,
        rtol=0,
        atol=1e-12,
    )


@pytest.mark.parametrize("k", range(4))
def test_a_sweep_sees_the_rectangle_to_its_corner_and_nothing_else(unit, k):
    x = draw(1, Y, X, D).requires_grad_()
    row, column = 1, 3
    h = unit(x).unflatten(-1, (4, H))[0, row, column, k]
    seen = torch.autograd.grad(h.sum(), x)[0][0].abs().sum(-1) > 0
    wanted = torch.zeros(Y, X, dtype=torch.bool)
    down = slice(0, row + 1) if "top" in CORNERS[k] else slice(row, Y)
    across = slice(0, column + 1) if "left" in CORNERS[k] else slice(column, X)
    wanted[down, across] = True
    assert torch.equal(seen, wanted)


def test_shut_gates_and_one_open_forget_gate_copy_a_cell_along_a_row():
    unit = GridLSTM(D, H, corners=("top left",)).double()
    with torch.no_grad():
        for p in unit.parameters():
            p.zero_()
        unit.bias[0] = torch.tensor([-40.0, -40, 40, 0, 0]).repeat_interleave(H)
    above, left = (draw(1, 2, H), draw(1, 2, H)), (draw(1, 2, H, seed=1), draw(1, 2, H, seed=2))
    _, cell = unit.step(unit.bias[:, None].expand(1, 2, 5 * H), above, left)
    torch.testing.assert_close(cell, left[1], rtol=0, atol=1e-12)


def test_diagonals_hold_every_pixel_once_and_never_two_that_ask_each_other():
    order, spans = diagonals(Y, X)
    assert sorted(order.tolist()) == list(range(Y * X))
    assert len(spans) == Y + X - 1
    assert sum(map(len, spans)) == Y * X
    sums = [int(n) // X + int(n) % X for n in order]
    assert sums == sorted(sums)


def test_blocks_are_read_and_answered_at_their_own_place():
    tagger = PixelTagger(GridLSTM(4, H), 4 * H, 3).double()
    with torch.no_grad():
        for p in tagger.encoder.parameters():
            p.zero_()
        tagger.combine.weight.zero_()
        tagger.readout.weight.zero_()
        tagger.readout.bias.copy_(torch.arange(12.0))
    scores = tagger(draw(1, 4, 6))
    assert scores.shape == (1, 4, 6, 3)
    assert scores[0, 2, 4].tolist() == [0, 1, 2]
    assert scores[0, 2, 5].tolist() == [3, 4, 5]
    assert scores[0, 3, 4].tolist() == [6, 7, 8]


def test_a_tagger_knows_the_whole_image_at_each_pixel():
    tagger = PixelTagger(GridLSTM(4, H), 4 * H, 3).double()
    x = draw(1, 6, 8).requires_grad_()
    tagger(x)[0, 3, 3].sum().backward()
    assert (x.grad != 0).all()


def test_the_start_keeps_the_sum_of_two_cells_in_bounds():
    unit = GridLSTM(D, H, forget_bias=0.5)
    assert torch.equal(unit.bias[:, H : 3 * H], torch.full((4, 2 * H), 0.5))
    assert not unit.bias[:, :H].any()
    block = unit.from_left[2, H : 2 * H]
    torch.testing.assert_close(block @ block.T, 0.25 * torch.eye(H), rtol=0, atol=1e-6)
    one, two = (GridLSTM(D, H, generator=torch.Generator().manual_seed(7)) for _ in range(2))
    assert all(torch.equal(p, q) for p, q in zip(one.parameters(), two.parameters(), strict=True))


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda u: u(draw(B, Y, X, D + 1)), "x: got .*B, Y, X, 4"),
        (lambda u: u(draw(B, Y, D)), "x: got"),
        (lambda u: u(draw(B, 0, X, D)), "x: got"),
        (lambda u: u(draw(B, Y, X, D) * float("nan")), "x: got .*non-finite"),
        (lambda u: GridLSTM(0, H), "input_size: got 0"),
        (lambda u: GridLSTM(D, H, corners=("top",)), "corners: got"),
        (lambda u: GridLSTM(D, H, corners=("top left", "top left")), "corners: got"),
        (lambda u: PixelTagger(u, 4 * H, 1), "classes: got 1"),
        (lambda u: PixelTagger(u, 4 * H, 3)(torch.ones(1, 5, 4)), "images: got .*multiples of 2"),
    ],
)
def test_bad_input_is_refused_by_name(unit, call, named):
    with pytest.raises(ValueError, match=named):
        call(unit)


def calls():
    seed = torch.Generator().manual_seed(0)
    plane = GridLSTM(3, 2, generator=seed)
    tagger = PixelTagger(GridLSTM(4, 2, generator=seed), 8, 3)
    return {
        GridLSTM: lambda: {
            "input_size": 3,
            "hidden_size": 2,
            "corners": CORNERS[:2],
            "forget_bias": 1.0,
            "generator": torch.Generator(),
        },
        plane.forward: {"x": torch.linspace(-1, 1, 60).view(1, 4, 5, 3)},
        PixelTagger: {"encoder": plane, "features": 8, "classes": 3, "hidden_size": 4, "block": 2},
        tagger.forward: {"images": torch.ones(2, 4, 6)},
        diagonals: {"Y": 3, "X": 4},
    }


def good():
    seed = torch.Generator().manual_seed(0)
    plane = GridLSTM(3, 2, generator=seed)
    tagger = PixelTagger(GridLSTM(4, 2, generator=seed), 8, 3)
    return {
        GridLSTM: {"forget_bias": {"zero", "negative"}},
        plane.forward: {"x": {"width"}},
        tagger.forward: {"images": {"width"}},
    }
