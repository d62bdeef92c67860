"""Pictures of samples around a mean are drawn, and refuse what they cannot draw."""

import numpy as np
import pytest

from attend.figures import tries

SAMPLES = np.array([[1.0, 2.0], [2.0, 1.0], [0.5, 0.0]])
MEAN, EXACT, BOTTOM = np.array([1.0, 1.0]), np.array([-0.5, 0.0]), np.zeros(2)
ARROWS = np.array([[0.0, 1.0], [-3.0, 0.0], [0.5, 1.0]])


def test_each_panel_has_an_arrow_for_each_sample_and_their_mean(drawn):
    tries.pulls(SAMPLES, MEAN, {"one": ARROWS, "two": 0.1 * ARROWS}, EXACT, BOTTOM)
    for panel, scale in zip(drawn[0].axes, (1, 0.1), strict=True):
        arrows = [text for text in panel.texts if text.arrow_patch is not None]
        ends = np.array([arrow.xy for arrow in arrows])
        wanted = scale * np.concatenate([ARROWS, ARROWS.mean(axis=0, keepdims=True)])
        np.testing.assert_allclose(ends - MEAN, wanted)
    assert {panel.get_xlim() for panel in drawn[0].axes} == {drawn[0].axes[0].get_xlim()}


def test_the_valley_has_its_marks_on_the_curve(drawn):
    tries.valley([0.0, 1.0, 2.0], [4.0, 1.0, 2.0], {"none": 0.0, "some": 1.5}, ("rival", 0.3))
    (axes,) = drawn[0].axes
    marks = [tuple(line.get_xydata()[0]) for line in axes.lines if len(line.get_xdata()) == 1]
    assert marks == [(0.0, 4.0), (1.5, 1.5)]
    assert {"none", "some", "rival"} <= {text.get_text() for text in axes.texts}


def test_a_cost_and_its_means_are_named_at_their_lowest(drawn):
    tries.blurred([0.0, 1.0, 2.0, 3.0], [1.0, 0.0, 0.0, 1.0], {"σ = 1": [0.9, 0.5, 0.4, 0.8]})
    (axes,) = drawn[0].axes
    assert [line.get_ydata().tolist() for line in axes.lines] == [[1, 0, 0, 1], [0.9, 0.5, 0.4, 0.8]]
    assert {text.get_text(): text.xy for text in axes.texts} == {"f": (1.5, 0), "σ = 1": (2, 0.4)}


@pytest.mark.parametrize(
    ("draw", "named"),
    [
        (lambda: tries.blurred([0.0], [1.0], {}), "x: got"),
        (lambda: tries.blurred([0.0, 1.0], [1.0], {}), "f: got"),
        (lambda: tries.blurred([0.0, 1.0], [1.0, 0.0], {"one": [1.0]}), "means.'one'.: got"),
        (lambda: tries.blurred([0.0, 1.0], [1.0, 0.0], {name: [1.0, 0.0] for name in "abc"}), "means: got"),
        (lambda: tries.pulls(SAMPLES, MEAN, {}, EXACT, BOTTOM), "moves: got"),
        (lambda: tries.pulls(SAMPLES, MEAN, {"one": ARROWS[:2]}, EXACT, BOTTOM), "moves.'one'.: got"),
        (lambda: tries.pulls(SAMPLES, MEAN[:1], {"one": ARROWS}, EXACT, BOTTOM), "mean: got"),
        (lambda: tries.pulls(SAMPLES, MEAN, {"one": ARROWS}, EXACT * np.nan, BOTTOM), "exact: got"),
        (lambda: tries.valley([0.0], [1.0], {}, ("rival", 1.0)), "b: got"),
        (lambda: tries.valley([1.0, 0.0], [1.0, 1.0], {}, ("rival", 1.0)), "b: got"),
        (lambda: tries.valley([0.0, 1.0], [1.0], {}, ("rival", 1.0)), "variance: got"),
        (lambda: tries.valley([0.0, 1.0], [1.0, 1.0], {"far": 3.0}, ("rival", 1.0)), "marks.'far'.: got"),
        (lambda: tries.valley([0.0, 1.0], [1.0, 1.0], {}, ("rival", float("inf"))), "level: got"),
    ],
)
def test_bad_input_is_refused_by_name(draw, named):
    with pytest.raises(ValueError, match=named):
        draw()


def calls():
    POINTS = np.array([[1.0, 2.0], [2.0, 1.0]])
    PLACE = np.zeros(2)
    return {
        tries.pulls: {"samples": POINTS, "mean": PLACE, "moves": {"one": POINTS}, "exact": PLACE, "bottom": PLACE},
        tries.blurred: {"x": [0.0, 1.0], "f": [1.0, 0.0], "means": {"wide": [0.8, 0.4]}},
        tries.valley: {"b": [0.0, 1.0], "variance": [2.0, 1.0], "marks": {"none": 0.0}, "level": ("rival", 0.5)},
    }
