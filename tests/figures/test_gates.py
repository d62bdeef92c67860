"""Pictures of gated memory are drawn, and refuse what they cannot draw."""

import pytest
import torch

from attend.figures import gates

LAGS = torch.tensor([20.0, 100.0])
SHARES = {"gated": (torch.tensor([[1.0, 0.2], [0.8, 0.3]]), "gate"), "plain": (torch.ones(1, 2), "rival")}
SECONDS = {"gated": (torch.tensor([[1.0, 2.0]]), "gate")}
ERRORS = {"gated": (torch.tensor([[0.1, 0.01]]), "gate")}


def test_recalled_draws_a_line_through_the_means_and_a_dot_a_seed(drawn):
    gates.recalled(LAGS, SHARES, 0.25)
    (axes,) = drawn[0].axes
    line = axes.lines[1]
    assert line.get_ydata() == pytest.approx([0.9, 0.25])
    assert len([dots for dots in axes.lines if dots.get_marker() == "o"]) == 3
    assert {text.get_text() for text in axes.texts} == {"guessing", "gated", "plain"}
    assert axes.get_xscale() == "log"


def test_learning_draws_each_seed_over_its_seconds(drawn):
    gates.learning(SECONDS, ERRORS, {"knows nothing": 1 / 6})
    (axes,) = drawn[0].axes
    assert axes.lines[1].get_xdata() == pytest.approx([1, 2])
    assert axes.get_yscale() == "log"


def test_names_of_lines_that_end_together_stand_apart(drawn, clear):
    together = {
        name: (torch.tensor([[0.1, level]]), "gate") for name, level in (("a", 0.01), ("b", 0.0101), ("", 0.01))
    }
    gates.learning({name: (torch.tensor([[1.0, 2.0]]), "gate") for name in together}, together, {})
    (axes,) = drawn[0].axes
    assert [text.get_text() for text in axes.texts] == ["a", "b"]
    assert clear(axes.texts)
    assert axes.texts[0].get_window_extent().x0 >= axes.get_window_extent().x1


def test_opening_marks_two_numbers_and_draws_a_bar_a_step(drawn):
    x = torch.rand(10, 2, generator=torch.Generator().manual_seed(0))
    x[:, 1] = torch.eye(10)[2] + torch.eye(10)[7]
    gates.opening(x, torch.full((10,), 0.1), x[:, 1])
    above, *rows = drawn[0].axes
    assert above.lines[1].get_xdata().tolist() == [3, 8]
    assert [len(row.patches) for row in rows] == [10, 10]
    assert [bar.get_height() for bar in rows[1].patches] == x[:, 1].tolist()


@pytest.mark.parametrize(
    ("draw", "named"),
    [
        (lambda: gates.recalled(LAGS, {}, 0.25), "shares: got"),
        (lambda: gates.recalled(LAGS, SHARES, 1.5), "chance: got 1.5"),
        (lambda: gates.recalled(LAGS, {"a": (2 * torch.ones(1, 2), "gate")}, 0.25), "shares"),
        (lambda: gates.recalled(LAGS, {"a": (torch.ones(1, 3), "gate")}, 0.25), "shares"),
        (lambda: gates.learning(SECONDS, {"other": ERRORS["gated"]}, {}), "errors: got"),
        (lambda: gates.learning(SECONDS, {"gated": (torch.zeros(1, 2), "gate")}, {}), "errors"),
        (lambda: gates.learning(SECONDS, ERRORS, {"nothing": 0.0}), "landmarks"),
        (lambda: gates.learning(SECONDS, {"gated": (torch.ones(1, 2), "purple")}, {}), "errors"),
        (lambda: gates.opening(torch.ones(4, 2), torch.ones(5), torch.ones(4)), "taken: got"),
    ],
)
def test_bad_input_is_refused_by_name(draw, named):
    with pytest.raises(ValueError, match=named):
        draw()


def calls():
    return {
        gates.recalled: {
            "lags": torch.tensor([20.0, 100.0]),
            "shares": {"gated": (torch.full((3, 2), 0.5), "gate")},
            "chance": 0.25,
        },
        gates.learning: {
            "seconds": {"gated": (torch.ones(3, 4), "gate")},
            "errors": {"gated": (torch.ones(3, 4), "gate")},
            "landmarks": {"nothing": 0.2},
        },
        gates.opening: {"x": torch.ones(6, 2), "taken": torch.ones(6), "heard": torch.ones(6)},
    }
