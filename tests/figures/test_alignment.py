"""Alignments are drawn word by word, and refuse what they cannot draw."""

import pytest
import torch

from attend.figures.alignment import alignment, alignments

WEIGHTS = torch.tensor([[0.1, 0.9], [0.75, 0.25], [0.5, 0.5]])
TARGET, SOURCE = ["zwei", "und", "vierzig"], ["forty", "two"]
LINKS = torch.tensor([[False, True], [False, False], [True, False]])


def words(ticks):
    return [tick.get_text() for tick in ticks]


def test_each_cell_is_as_dense_as_its_weight(drawn):
    alignment(WEIGHTS, TARGET, SOURCE)
    (axes,) = drawn[0].axes
    assert axes.images[0].get_array()[..., 3].ravel().tolist() == pytest.approx(WEIGHTS.ravel().tolist())
    assert words(axes.get_yticklabels()) == TARGET
    assert words(axes.get_xticklabels()) == SOURCE
    assert not axes.patches


def test_gold_links_are_outlined_where_they_stand(drawn):
    alignment(WEIGHTS, TARGET, SOURCE, LINKS)
    (axes,) = drawn[0].axes
    centres = [(box.get_y() + box.get_height() / 2, box.get_x() + box.get_width() / 2) for box in axes.patches]
    assert centres == [pytest.approx((0, 1)), pytest.approx((2, 0))]


def test_readers_stand_side_by_side_with_the_target_named_once(drawn):
    alignments({"gold": LINKS.float(), "attention": WEIGHTS}, TARGET, SOURCE, LINKS)
    left, right = drawn[0].axes
    assert [left.get_xlabel(), right.get_xlabel()] == ["gold", "attention"]
    assert len(left.patches) == len(right.patches) == 2
    assert [tick.label1.get_visible() for tick in right.yaxis.get_major_ticks()] == [False] * 3
    assert words(right.get_xticklabels()) == SOURCE


@pytest.mark.parametrize(("words", "turn"), [(["1", "2"], 0), (["one", "two"], 0), (["forty", "two"], 90)])
def test_names_of_columns_lie_down_only_where_they_would_touch(drawn, words, turn):
    alignment(WEIGHTS, TARGET, words)
    labels = drawn[0].axes[0].get_xticklabels()
    assert [label.get_rotation() for label in labels] == [turn] * 2
    left, right = (label.get_window_extent() for label in labels)
    assert left.x1 < right.x0


def test_long_sentences_stay_inside_the_column(drawn):
    many = [f"word{i}" for i in range(30)]
    alignment(torch.full((30, 30), 1 / 30), many, many)
    figure = drawn[0]
    box = figure.get_tightbbox()
    assert box.x0 >= -0.02
    assert box.x1 <= figure.get_figwidth() + 0.02
    assert box.y1 <= figure.get_figheight() + 0.02


@pytest.mark.parametrize(
    ("draw", "named"),
    [
        (lambda: alignment(WEIGHTS, TARGET[:2], SOURCE), "target: got"),
        (lambda: alignment(WEIGHTS, TARGET, TARGET), "source: got"),
        (lambda: alignment(WEIGHTS + 1, TARGET, SOURCE), "weights: got .* shares from 0 to 1"),
        (lambda: alignment(-WEIGHTS, TARGET, SOURCE), "weights: got"),
        (lambda: alignment(WEIGHTS, TARGET, SOURCE, LINKS[:2]), "links: got"),
        (lambda: alignments({}, TARGET, SOURCE), "weights: got"),
        (lambda: alignments({"a": WEIGHTS, "b": WEIGHTS.T}, TARGET, SOURCE), r"weights\['b'\]: got"),
    ],
)
def test_bad_input_is_refused_by_name(draw, named):
    with pytest.raises(ValueError, match=named):
        draw()


def calls():
    from attend.figures import alignment

    WORDS = {"target": ["zwei", "und"], "source": ["forty", "two", "!"], "links": torch.ones(2, 3, dtype=torch.bool)}
    return {
        alignment.alignment: {"weights": torch.full((2, 3), 0.3), **WORDS},
        alignment.alignments: {"weights": {"attention": torch.full((2, 3), 0.3)}, **WORDS},
    }
