"""Pictures of the plane of summaries are drawn, and refuse what they cannot draw."""

import numpy as np
import pytest

from attend.figures import plane


def test_stages_share_one_scale(drawn):
    points = np.array([[0.5, 0.5], [-0.5, 0.1], [0.0, -0.9]])
    plane.stages(points, 2 * points, np.tanh(2 * points))
    panels = drawn[0].axes
    assert len(panels) == 3
    assert {panel.get_xlim() for panel in panels} == {panels[0].get_ylim()}
    assert panels[0].get_xlim()[1] > 1.8


def test_journeys_draw_each_path(drawn):
    plane.journeys({"one": np.zeros((4, 3, 2)), "two": np.zeros((2, 3, 2))})
    lines = [sum(len(line.get_xdata()) == 3 for line in panel.lines) for panel in drawn[0].axes]
    assert lines == [4, 2]


def test_groups_write_each_number_once_in_each_panel(drawn):
    points, numbers = np.arange(10.0).reshape(5, 2), np.array([1, 1, 2, 2, 4])
    plane.groups({"before": (points, numbers), "after": (-points, numbers)})
    assert [[text.get_text() for text in panel.texts] for panel in drawn[0].axes] == [
        ["1", "2", "4", "before"],
        ["1", "2", "4", "after"],
    ]


@pytest.mark.parametrize(
    ("draw", "named"),
    [
        (lambda: plane.stages(np.zeros((3, 2)), np.zeros((2, 2)), np.zeros((3, 2))), "linear: got"),
        (lambda: plane.stages(np.zeros((3, 2)), np.zeros((3, 2)), np.full((3, 2), np.nan)), "after: got"),
        (lambda: plane.journeys({}), "paths: got"),
        (lambda: plane.groups({"one": (np.zeros((3, 2)), np.array([1, 2]))}), "panels.'one'.: got"),
        (lambda: plane.journeys({"one": np.zeros((4, 2))}), "paths.'one'.: got"),
    ],
)
def test_bad_input_is_refused_by_name(draw, named):
    with pytest.raises(ValueError, match=named):
        draw()


def calls():
    POINTS = np.full((3, 2), 0.5)
    return {
        plane.stages: {"before": POINTS, "linear": POINTS, "after": POINTS},
        plane.journeys: {"paths": {"one": np.zeros((4, 3, 2))}},
        plane.groups: {"panels": {"one": (POINTS, np.array([1, 2, 2]))}},
    }
