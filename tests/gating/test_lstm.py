"""The cell with three gates: its own claims, and what it refuses; test_sequences.py holds it to torch.nn.LSTM."""

import pytest
import torch

from attend.gating.lstm import LSTM, LanguageModel, chrono_

B, T, D, H = 3, 7, 4, 5
GATES = ("input", "forget", "candidate", "output")


def draw(*shape, seed=0, dtype=torch.float64):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


@pytest.fixture
def unit():
    unit = LSTM(D, H, generator=torch.Generator().manual_seed(1)).double()
    with torch.no_grad():
        unit.from_input.bias.copy_(draw(4 * H, seed=2))
    return unit


def gates_at(unit, **values):
    """Fix gates: their weights are zero and a bias of ±1,000 shuts or opens them exactly."""
    with torch.no_grad():
        for name, value in values.items():
            rows = slice(GATES.index(name) * H, (GATES.index(name) + 1) * H)
            unit.from_input.weight[rows], unit.from_hidden.weight[rows], unit.from_input.bias[rows] = (
                0,
                0,
                1_000.0 if value else -1_000.0,
            )
    return unit


def without_h(unit):
    """Cut the way through the shown summary: no gate and no candidate hears it."""
    unit.from_hidden.weight.data.zero_()
    return unit


def state_of(seed=3):
    return draw(B, H, seed=seed).tanh(), draw(B, H, seed=seed + 50)


def test_at_hidden_steps_summary_and_cell_stay(unit):
    mask, first = torch.tensor([[False, True, False]] * B), state_of()
    summaries, last = unit(draw(B, 3, D), first, mask)
    assert torch.equal(summaries[:, 0], first[0])
    assert torch.equal(summaries[:, 2], summaries[:, 1])
    _, seen = unit(draw(B, 3, D)[:, 1:2], first)
    torch.testing.assert_close(last[1], seen[1], rtol=0, atol=1e-12)


def test_kept_and_not_written_the_cell_is_copied_exactly(unit):
    gates_at(unit, forget=True, input=False)
    first = state_of()
    assert torch.equal(unit.step(draw(B, D), first)[1], first[1])
    assert torch.equal(unit(100 * draw(B, 50, D), first)[1][1], first[1])


def test_forgotten_the_old_cell_leaves_no_trace(unit):
    gates_at(unit, forget=False)
    x, h = draw(B, D), draw(B, H).tanh()
    one, two = (unit.step(x, (h, draw(B, H, seed=seed))) for seed in (7, 8))
    assert torch.equal(one[1], two[1])


def test_not_shown_the_summary_is_zero_and_the_gates_cannot_tell_two_cells_apart(unit):
    gates_at(unit, output=False)
    x = draw(B, D)
    ways = [unit.step(x, (draw(B, H), 5 * draw(B, H, seed=seed))) for seed in (7, 8)]
    assert all(not h.any() for h, _ in ways)
    assert not torch.equal(ways[0][1], ways[1][1])
    gates = [unit.gates(draw(B, D, seed=9), state) for state in ways]
    assert all(torch.equal(one, two) for one, two in zip(*gates, strict=True))


def test_written_whole_the_cell_takes_the_candidate(unit):
    gates_at(unit, forget=False, input=True)
    x, first = draw(B, D), state_of()
    assert torch.equal(unit.step(x, first)[1], unit.gates(x, first).candidate)


def test_with_hs_path_cut_the_gradient_along_the_cell_is_the_product_of_the_forget_gates(unit):
    without_h(unit)
    x, first = draw(B, T, D), state_of()
    cell = first[1].clone().requires_grad_()
    weight, last = draw(B, H, seed=5), unit(x, (first[0], cell))[1]
    forget = unit.gates(x.flatten(0, 1), (torch.zeros(B * T, H).double(),) * 2).forget.view(B, T, H)
    found = torch.autograd.grad((last[1] * weight).sum(), cell)[0]
    torch.testing.assert_close(found, weight * forget.prod(dim=1), rtol=1e-13, atol=0)


def test_through_a_kept_cell_every_gradient_passes_whole(unit):
    gates_at(without_h(unit), forget=True)
    first, weight = state_of(), draw(B, H, seed=5)
    cell = first[1].clone().requires_grad_()
    last = unit(draw(B, 200, D), (first[0], cell))[1]
    assert torch.equal(torch.autograd.grad((last[1] * weight).sum(), cell)[0], weight)


def test_with_hs_path_open_it_is_not_the_product(unit):
    x, first = draw(B, T, D), state_of()
    cell = first[1].clone().requires_grad_()
    last = unit(x, (first[0], cell))[1]
    forget, state = [], first
    for x_t in x.unbind(1):
        forget.append(unit.gates(x_t, state).forget)
        state = unit.step(x_t, state)
    found = torch.autograd.grad(last[1].sum(), cell)[0]
    assert not torch.allclose(found, torch.stack(forget).prod(dim=0), rtol=1e-2)


def test_the_start_is_rotations_and_the_biases_that_were_asked_for():
    unit = LSTM(D, H, forget_bias=0.0)
    assert not unit.from_input.bias.any()
    for block in unit.from_hidden.weight.chunk(4):
        torch.testing.assert_close(block @ block.T, torch.eye(H), rtol=0, atol=1e-6)
    assert unit.from_input.weight.abs().max() <= (6 / (D + H)) ** 0.5
    one = LSTM(D, H).from_input.bias.view(4, H)
    assert torch.equal(one[1], torch.ones(H))
    assert not one[[0, 2, 3]].any()


def test_chrono_draws_time_scales_uniformly_and_writes_what_it_lets_go():
    torch.manual_seed(0)
    unit = chrono_(LSTM(D, 400).double(), 500)
    gates = unit.gates(torch.zeros(1, D).double(), (torch.zeros(1, 400).double(),) * 2)
    scales = 1 / (1 - gates.forget[0])
    assert 2 <= scales.min() < scales.max() < 500.01
    assert scales.mean().item() == pytest.approx(251, abs=25)
    assert scales.std().item() == pytest.approx(498 / 12**0.5, rel=0.1)
    torch.testing.assert_close(gates.input[0], 1 / scales)
    assert not unit.from_input.bias[2 * 400 :].any()


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda u: u(draw(B, T, D + 1)), "x: got .*expected a Float tensor of shape .B, T, 4."),
        (lambda u: u(draw(B, T, D), (draw(B, H), draw(B, H + 1))), "state: got"),
        (lambda u: u(draw(B, T, D), (draw(B + 1, H), draw(B + 1, H))), "state: got"),
        (lambda u: u(draw(B, T, D), draw(B, H)), "state: got"),
        (lambda u: u(draw(B, T, D) * float("nan")), "x: got .*non-finite"),
        (lambda u: u(draw(B, 0, D)), "x: got"),
        (lambda u: u(draw(B, D)), "x: got"),
        (lambda u: u(draw(B, T, D), mask=torch.ones(B, T)), "mask: got"),
        (lambda u: u(draw(B, T, D), mask=torch.zeros(B, T, dtype=torch.bool)), "mask: got"),
        (lambda u: LSTM(0, H), "input_size: got 0"),
        (lambda u: LSTM(D, 2.5), "hidden_size: got 2.5"),
        (lambda u: LSTM(D, H, forget_bias=float("inf")), "forget_bias: got inf"),
        (lambda u: chrono_(u, 1.5), "longest: got 1.5"),
    ],
)
def test_bad_input_is_refused_by_name(unit, call, named):
    with pytest.raises(ValueError, match=named):
        call(unit)


def language_model():
    torch.manual_seed(0)
    return LanguageModel(LSTM(5, 7))


def test_a_language_model_reads_on_from_where_it_was():
    model, tokens = language_model(), torch.randint(5, (3, 8))
    whole, (h, c) = model(tokens)
    first, state = model(tokens[:, :5])
    second, (h_on, c_on) = model(tokens[:, 5:], state)
    assert torch.allclose(torch.cat([first, second], dim=1), whole, atol=1e-6)
    assert torch.allclose(h_on, h, atol=1e-6)
    assert torch.allclose(c_on, c, atol=1e-6)


def test_what_is_generated_is_drawn_from_the_predictions():
    model, tokens = language_model(), torch.randint(5, (2, 3))
    made = model.generate(tokens, 4, temperature=1e-4)
    assert made.shape == (2, 7)
    assert torch.equal(made[:, :3], tokens)
    for t in range(3, 7):
        assert torch.equal(made[:, t], model(made[:, :t])[0][:, -1].argmax(dim=1))
    drawn = [model.generate(tokens, 4, generator=torch.Generator().manual_seed(s)) for s in (1, 1, 2)]
    assert torch.equal(drawn[0], drawn[1])
    assert not torch.equal(drawn[0], drawn[2])


def test_a_character_outside_of_the_vocabulary_is_refused():
    with pytest.raises(ValueError, match="tokens: got"):
        language_model()(torch.tensor([[5]]))


def calls():
    LAYER = LSTM(3, 4)
    MODEL = LanguageModel(LSTM(5, 4))
    TOKENS = torch.ones(2, 3, dtype=torch.long)
    return {
        LSTM: {"input_size": 3, "hidden_size": 4, "forget_bias": 1.0, "generator": torch.Generator()},
        chrono_: {"lstm": LSTM(3, 4), "longest": 50.0},
        LAYER.forward: {
            "x": torch.ones(2, 5, 3),
            "state": (torch.zeros(2, 4), torch.zeros(2, 4)),
            "mask": torch.ones(2, 5, dtype=torch.bool),
        },
        LanguageModel: {"layer": LSTM(5, 4)},
        MODEL.forward: {"tokens": TOKENS},
        MODEL.generate: {"tokens": TOKENS, "steps": 2, "temperature": 1.0, "generator": torch.Generator()},
    }
