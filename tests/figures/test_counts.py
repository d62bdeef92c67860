"""Pictures of a taught counter: seeds and their mean, rows of units, dots of shares."""

import matplotlib.pyplot as plt
import pytest
import torch
from matplotlib.colors import to_rgba

from attend.figures import counts
from attend.figures.style import PALETTE


def test_progress_draws_each_seed_and_names_the_mean(drawn):
    counts.progress({"ours": ([[0.0, 0.5], [0.2, 0.9]], [0, 60], "summary")}, x_name="s", y_name="exact")
    (axes,) = drawn[0].axes
    assert [line.get_ydata().tolist() for line in axes.lines] == [[0.0, 0.5], [0.2, 0.9], [0.1, pytest.approx(0.7)]]
    assert [text.get_text() for text in axes.texts] == ["ours"]
    assert axes.texts[0].xy == (60.0, pytest.approx(0.7))


def test_names_of_lines_that_end_together_at_the_top_are_all_there_and_do_not_touch(drawn, clear):
    lines = {name: ([[0.0, end]], [0, 1], "gate") for name, end in (("a", 1.0), ("b", 0.99), ("c", 1.0), ("d", 0.3))}
    counts.progress(lines, x_name="s", y_name="exact")
    texts = drawn[0].axes[0].texts
    assert [text.get_text() for text in texts] == ["d", "b", "a", "c"]
    assert clear(texts)
    assert texts[-1].get_window_extent().y1 <= drawn[0].bbox.y1


def test_features_draw_a_row_a_unit_and_mark_where_the_band_is_entered_and_left(drawn):
    inside = torch.tensor([False, True, True, False])
    rows = torch.tensor([[0.0, 1.0, 1.0, 0.0], [-1.0, 0.0, 0.5, 1.0]])
    counts.features(
        torch.tensor([-1.0, 0.5, 0.5, 2.0]), inside, {"h": (rows, "summary"), "z": (rows[:1].abs(), "gate")}
    )
    above, h, z = drawn[0].axes
    assert h.images[0].get_array().tolist() == rows.tolist()
    assert z.images[0].get_array().shape == (1, 4)
    assert to_rgba(h.images[0].cmap(1.0)) == to_rgba(PALETTE["summary"])
    assert to_rgba(h.images[0].cmap(0.0)) == to_rgba(PALETTE["error"])
    assert [line.get_xdata()[0] for line in h.lines] == [1.5, 3.5]
    assert (above.get_ylabel(), h.get_ylabel(), z.get_ylabel()) == ("x", "h", "z")


def test_turns_have_a_panel_for_each_entrance_and_show_its_change(drawn):
    means = torch.tensor([[-1.0, 0.5, 1.0, 1.0, 1.0]] * 4)
    counts.turns(means)
    panels = drawn[0].axes
    assert [text.get_text() for axes in panels for text in axes.texts] == ["0 to 1", "1 to 2", "2 to 3", "3 to 4"]
    assert [axes.axison for axes in panels] == [True] * 4 + [False] * 2
    full = [axes.lines[2] for axes in panels[:4]]
    assert [list(line.get_xdata()) for line in full] == [[0, 1], [1, 2], [2, 3], [3, 4]]
    assert full[0].get_ydata().tolist() == [-1.0, 0.5]
    assert panels[0].lines[1].get_ydata().tolist() == means[0].tolist()


def test_shares_put_a_row_of_dots_under_its_name(drawn):
    rows = {"made": {"GRU": ([0.9, 0.95], "summary"), "plain": ([0.5], "rival")}, "days": {"GRU": ([0.2], "summary")}}
    counts.shares(rows, x_name="share")
    (axes,) = drawn[0].axes
    assert [text.get_text() for text in axes.texts] == ["GRU", "plain"]
    legend = [line for line in axes.lines if line.get_ydata()[0] == pytest.approx(0.85)]
    for dot, name in zip(legend, axes.texts, strict=True):
        assert dot.get_window_extent().x1 + dot.get_markersize() / 2 < name.get_window_extent().x0
    assert [label.get_text() for label in axes.get_yticklabels()] == ["made", "days"]
    dots = [(line.get_xdata(), line.get_ydata()) for line in axes.lines if line.get_marker() == "o"]
    assert ([0.9, 0.95], [0, 0]) in [(list(x), list(y)) for x, y in dots]
    assert ([0.2], [-1]) in [(list(x), list(y)) for x, y in dots]


def test_long_names_of_dots_do_not_touch_the_next_dot(drawn):
    names = ("by content and much else", "by location")
    counts.shares({"made": {name: ([0.9], "summary") for name in names}}, x_name="share")
    (axes,) = drawn[0].axes
    _, dot = (line for line in axes.lines if line.get_ydata()[0] == pytest.approx(0.85))
    assert axes.texts[0].get_window_extent().x1 < dot.get_window_extent().x0 - dot.get_markersize()


X, INSIDE, ROWS = torch.zeros(3), torch.tensor([True, True, False]), torch.zeros(2, 3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: counts.progress({}, x_name="x", y_name="y"), "lines: got"),
        (lambda: counts.progress({"a": ([[1.0]], [1, 2], "summary")}, x_name="x", y_name="y"), r"lines\['a'\]: got"),
        (lambda: counts.progress({"a": ([[1.0]], [1], "pink")}, x_name="x", y_name="y"), r"lines\['a'\]: got 'pink'"),
        (lambda: counts.progress({"a": ([[float("nan")]], [1], "ink")}, x_name="x", y_name="y"), "expected finite"),
        (lambda: counts.features(X, INSIDE, {}), "blocks: got"),
        (lambda: counts.features(X, INSIDE, {"h": (ROWS[:, :2], "summary")}), r"blocks\['h'\]: got .* 3 columns"),
        (lambda: counts.features(X, INSIDE, {"h": (ROWS, "pink")}), r"blocks\['h'\]: got 'pink'"),
        (lambda: counts.turns(torch.zeros(3, 3)), "means: got"),
        (lambda: counts.shares({}, x_name="x"), "rows: got"),
        (lambda: counts.shares({"a": {"b": ([1.5], "ink")}}, x_name="x"), r"rows\['a'\]: got .* from 0 to 1"),
        (lambda: counts.shares({"a": {"b": ([0.5], "pink")}}, x_name="x"), r"rows\['a'\]: got 'pink'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(call, message):
    plt.switch_backend("agg")
    with pytest.raises(ValueError, match=message):
        call()


def calls():
    X = torch.tensor([0.5, 2.0, 0.25])
    INSIDE = torch.tensor([True, False, True])
    return {
        counts.progress: {"lines": {"ours": ([[0.1, 0.9]], [0, 60], "summary")}, "x_name": "s", "y_name": "exact"},
        counts.features: {"x": X, "inside": INSIDE, "blocks": {"h": (torch.zeros(4, 3), "summary")}},
        counts.turns: {"means": torch.tensor([[-1.0, 1.0, 1.0], [-1.0, -0.5, 0.5]])},
        counts.shares: {"rows": {"made": {"GRU": ([0.5], "summary")}}, "x_name": "share"},
    }


def good():
    return {
        counts.progress: {"x_name": {"word"}, "y_name": {"word"}},
        counts.shares: {"x_name": {"word"}},
    }
