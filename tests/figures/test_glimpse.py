import pytest
import torch

from attend.figures import glimpse
from attend.figures.style import PALETTE

CROPS, PICTURE = torch.rand(3, 4, 4), torch.rand(16, 16)
EDGES, ROWS = [0, 4, 8], [[0.5, 0.25], [0.75, 0.5]]
SHARES = {"y_name": "share", "y_range": (0, 1)}


def outlines(axes, colour="attention"):
    return [
        (*patch.get_xy()[::-1], patch.get_width())
        for patch in axes.patches
        if patch.get_edgecolor()[:3] == pytest.approx(_rgb(colour))
    ]


def _rgb(name):
    value = PALETTE[name].lstrip("#")
    return tuple(int(value[i : i + 2], 16) / 255 for i in (0, 2, 4))


def test_each_scale_has_its_window_on_the_image_and_in_the_view(drawn):
    glimpse.retina(torch.rand(20, 20), (-4, 6), CROPS, PICTURE)
    image, seen, *crops = drawn[0].axes
    assert outlines(image) == [(2, 12, 4), (0, 10, 8), (-4, 6, 16)]
    assert outlines(seen) == [(6, 6, 4), (4, 4, 8), (0, 0, 16)]
    assert image.get_xlim() == (0, 22)
    assert image.get_ylim() == (20, -4)
    assert [axes.get_xlabel() for axes in crops] == [
        "4 × 4 pixels\nas they are",
        "8 × 8 pixels\nas 4 × 4 means",
        "16 × 16 pixels\nas 4 × 4 means",
    ]
    assert crops[1].images[0].get_array()[..., 3].flatten().tolist() == pytest.approx(CROPS[1].flatten().tolist())


def test_one_scale_is_drawn_as_well(drawn):
    glimpse.retina(torch.rand(9, 9), (2, 2), CROPS[:1], PICTURE[:4, :4])
    assert len(drawn[0].axes) == 3


def test_growth_names_each_line_at_its_end(drawn):
    glimpse.growth([60, 120], {"glimpse": ([432, 432], "attention"), "dense": ([9, 36], "rival")}, y_name="numbers")
    axes = drawn[0].axes[0]
    assert axes.get_xscale() == axes.get_yscale() == "log"
    assert [line.get_ydata().tolist() for line in axes.lines] == [[432, 432], [9, 36]]
    ends = {text.get_text(): text.xy for text in axes.texts}
    assert ends == {"glimpse": (120, pytest.approx(432)), "dense": (120, pytest.approx(36))}


def test_growth_keeps_the_names_of_near_lines_apart(drawn, clear):
    lines = {name: ([9, end], "rival") for name, end in {"conv": 1000, "soft": 1001}.items()}
    glimpse.growth([60, 120], lines, y_name="numbers")
    assert clear(drawn[0].axes[0].texts)


def test_distances_have_a_thin_line_for_each_seed_and_a_thick_mean(drawn):
    glimpse.by_distance(EDGES, {"sharp": (ROWS, "summary")}, even=True, **SHARES)
    even, *seeds, mean = drawn[0].axes[0].lines
    assert even.get_xdata().tolist() == even.get_ydata().tolist() == [2, 6]
    assert [text.get_text() for text in drawn[0].axes[0].texts] == ["without a step", "sharp"]
    assert [line.get_ydata().tolist() for line in seeds] == ROWS
    assert mean.get_ydata().tolist() == [0.625, 0.375]
    assert mean.get_linewidth() > seeds[0].get_linewidth()


def test_names_at_the_ends_do_not_cover_each_other(drawn, clear):
    lines = {"a": ([[0.5, 0.30]], "summary"), "b": ([[0.5, 0.28]], "gate"), "c": ([[0.5, 0.9]], "attention")}
    glimpse.by_distance(EDGES, lines, **SHARES)
    texts = drawn[0].axes[0].texts
    assert [text.get_text() for text in texts] == ["b", "a", "c"]
    assert clear(texts)


def test_stairs_are_level_between_jumps(drawn):
    places = torch.linspace(-1, 1, 6)
    glimpse.stairs(places, torch.tensor([0.1, 0.1, 0.5, 0.5, 0.5, 0.2]), 0.25, y_name="chance")
    middle, *steps = drawn[0].axes[0].lines
    assert set(middle.get_xdata()) == {0.25}
    assert [len(step.get_ydata()) for step in steps] == [2, 3, 1]
    assert all(len(set(step.get_ydata())) == 1 for step in steps)


def test_an_interpolated_reward_is_a_line_of_its_own(drawn):
    places, smooth = torch.linspace(-1, 1, 4), torch.tensor([0.1, 0.2, 0.3, 0.2])
    glimpse.stairs(places, torch.tensor([0.1, 0.1, 0.3, 0.3]), 0.0, y_name="chance", smooth=smooth)
    assert drawn[0].axes[0].lines[1].get_ydata().tolist() == pytest.approx(smooth.tolist())


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: glimpse.retina(torch.rand(9, 9), (0, 0), CROPS, PICTURE[:8, :8]), "picture: got"),
        (lambda: glimpse.growth([60], {"a": ([1.0], "rival")}, y_name="n"), "widths: got"),
        (lambda: glimpse.growth([60, 120], {}, y_name="n"), "lines: got"),
        (lambda: glimpse.growth([60, 120], {"a": ([1.0], "rival")}, y_name="n"), "lines"),
        (lambda: glimpse.growth([60, 120], {"a": ([1.0, 0.0], "rival")}, y_name="n"), "lines"),
        (lambda: glimpse.growth([60, 120], {"a": ([1.0, 2.0], "pink")}, y_name="n"), "lines"),
        (lambda: glimpse.by_distance([0, 4], {"a": (ROWS, "rival")}, **SHARES), "edges: got"),
        (lambda: glimpse.by_distance([0, 4, 3], {"a": (ROWS, "rival")}, **SHARES), "edges: got"),
        (lambda: glimpse.by_distance(EDGES, {}, **SHARES), "lines: got"),
        (lambda: glimpse.by_distance(EDGES, {"a": ([[1.0]], "rival")}, **SHARES), "lines"),
        (lambda: glimpse.by_distance(EDGES, {"a": (ROWS, "pink")}, **SHARES), "lines"),
        (lambda: glimpse.by_distance(EDGES, {"a": (ROWS, "rival")}, y_name="n", y_range=(1, 0)), "y_range: got"),
        (lambda: glimpse.stairs(torch.zeros(1), torch.zeros(1), 0.0, y_name="n"), "places: got"),
        (lambda: glimpse.stairs(torch.zeros(2), torch.zeros(3), 0.0, y_name="n"), "f: got"),
        (lambda: glimpse.stairs(torch.zeros(2), torch.zeros(2), 3.0, y_name="n"), "middle: got 3.0"),
        (
            lambda: glimpse.stairs(torch.zeros(2), torch.zeros(2), 0.0, y_name="n", smooth=torch.zeros(3)),
            "smooth: got",
        ),
    ],
)
def test_bad_input_is_refused(wrong, says):
    with pytest.raises(ValueError, match=says):
        wrong()


def calls():
    return {
        glimpse.retina: {
            "image": torch.rand(9, 9),
            "corner": (1, -2),
            "crops": torch.rand(2, 4, 4),
            "picture": torch.rand(8, 8),
        },
        glimpse.growth: {"widths": [60, 120], "lines": {"dense": ([1.0, 4.0], "rival")}, "y_name": "numbers"},
        glimpse.by_distance: {
            "edges": [0, 4, 8],
            "lines": {"sharp": ([[0.5, 0.2]], "summary")},
            "y_name": "share",
            "y_range": (0.0, 1.0),
            "even": True,
        },
        glimpse.stairs: {"places": torch.linspace(-1, 1, 4), "f": torch.rand(4), "middle": 0.25, "y_name": "chance"},
    }


def good():
    return {
        glimpse.growth: {"y_name": {"word"}},
        glimpse.by_distance: {"y_name": {"word"}},
        glimpse.stairs: {"y_name": {"word"}},
    }
