import numpy as np
import pytest
import torch
from matplotlib.colors import to_rgb

from attend.figures import patches
from attend.figures.style import PALETTE
from attend.tasks import clutter, superpixels

IMAGES = torch.tensor([[[0.5, 1.0], [0.0, 0.25]]])
LABELS = torch.tensor([[[0, 1], [2, 0]]])


def pixels(axes):
    return np.asarray(axes.images[0].get_array())


def colour(axes, row, column):
    return tuple(pixels(axes)[row, column, :3])


def test_a_row_for_the_canvas_the_truth_and_each_answer(drawn):
    patches.answers(IMAGES, LABELS, {"plane": torch.tensor([[[0, 0], [2, 2]]])})
    canvas, true, plane = drawn[0].axes
    assert [axes.get_ylabel() for axes in (canvas, true, plane)] == ["canvas", "true", "plane"]
    assert colour(canvas, 0, 0) == to_rgb(PALETTE["ink"])
    assert pixels(canvas)[..., 3].tolist() == IMAGES[0].tolist()
    assert colour(true, 0, 0) == to_rgb(PALETTE["summary"])
    assert colour(true, 0, 1) == to_rgb(PALETTE["rival"])
    assert pixels(true)[1, 0, 3] == 0
    assert colour(plane, 0, 0) == to_rgb(PALETTE["summary"])
    assert colour(plane, 0, 1) == to_rgb(PALETTE["input"])  # clutter that was named digit
    assert colour(plane, 1, 1) == to_rgb(PALETTE["input"])  # a pixel of the digit that was not named at all


def call(**changed):
    arguments = {
        "patch": torch.tensor([[0, 0, -1], [1, 1, 2]]),
        "neighbours": torch.tensor([[1, -1], [0, 2], [1, -1]]),
        "labels": torch.tensor([0, 1, 1]),
        "classes": torch.tensor([0, 0, 1]),
        "order": [2, 0, 1],
        "accuracies": {"alone": ([0.7, 0.75], "rival"), "graph": ([0.8], "summary")},
    }
    patches.graph(**(arguments | changed))


def test_a_graph_has_an_edge_for_each_pair_and_a_number_for_each_turn(drawn):
    call()
    above, below = drawn[0].axes
    edges = {tuple(map(tuple, np.array(line.get_data()).T)) for line in above.lines}
    assert edges == {((0, 0), (0, 1)), ((0, 1), (2, 1))}
    turns = {text.get_text(): text.get_position() for text in above.texts}
    assert turns == {"1": (2, 1), "2": (0, 0), "3": (0, 1)}
    assert colour(above, 0, 0) == to_rgb(PALETTE["summary"])
    assert colour(above, 1, 2) == to_rgb(PALETTE["rival"])
    assert colour(above, 1, 0) == to_rgb(PALETTE["input"])  # clutter that was named digit
    assert pixels(above)[0, 2, 3] == 0
    assert [line.get_xdata().tolist() for line in below.lines] == [[70, 75], [80]]
    assert [label.get_text() for label in below.get_yticklabels()] == ["alone", "graph"]


def test_wrong_names_are_orange_and_crossed(drawn):
    patch = torch.tensor([[[0, 0, -1], [1, 1, 2]]])
    near, labels = torch.tensor([[[1, -1], [0, 2], [1, -1]]]), torch.tensor([[0, 1, 1]])
    patches.named(patch, near, labels, torch.tensor([[0, 0, 1]]))
    (axes,) = drawn[0].axes
    assert colour(axes, 0, 0) == to_rgb(PALETTE["summary"])
    assert colour(axes, 1, 0) == to_rgb(PALETTE["input"])
    assert [line.get_marker() for line in axes.lines].count("x") == 1


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: patches.answers(IMAGES, LABELS, {"plane": LABELS[0]}), "named"),
        (lambda: call(order=[0, 1]), "order: got"),
        (lambda: call(classes=torch.tensor([0, 1])), "classes: got"),
        (lambda: call(labels=torch.tensor([0, 1])), "labels: got"),
        (lambda: call(accuracies={}), "accuracies: got"),
        (lambda: call(accuracies={"alone": ([0.5], "pink")}), "accuracies"),
    ],
)
def test_bad_input_is_refused(wrong, says):
    with pytest.raises(ValueError, match=says):
        wrong()


def calls():
    draw = torch.Generator().manual_seed(0)
    some = clutter.canvases("test", 2, draw, pieces=1)
    graphs = superpixels.graphs(some)
    count = int(graphs.mask[0].sum())
    return {
        patches.answers: {"images": some.images, "labels": some.labels, "named": {"plane": some.labels}},
        patches.named: {
            "patch": graphs.patch,
            "neighbours": graphs.neighbours,
            "labels": graphs.labels,
            "classes": graphs.labels,
        },
        patches.graph: {
            "patch": graphs.patch[0],
            "neighbours": graphs.neighbours[0],
            "labels": graphs.labels[0],
            "classes": graphs.labels[0],
            "order": list(range(count)),
            "accuracies": {"alone": ([0.5, 0.6], "rival")},
        },
    }
