"""Pen steps spell what they say: even, joined, repeatable, each letter ended once, and no word on both sides."""

import pytest
import torch

from attend.tasks import strokes
from attend.tasks.words import encode


@pytest.mark.parametrize("hand", strokes.HANDS)
def test_between_lifts_steps_are_about_equally_long(hand):
    for word in ("cat", "hazel", "plough"):  # none has a dot, which is a step as short as a dot
        pen = strokes.write(word, hand)
        drawn = pen[1:-2][pen[:-3, 2] == 0, :2].norm(dim=1)
        assert 0.05 < drawn.min() < drawn.max() < 1.5
        assert 0.8 < drawn.mean() < 1.1


def test_the_script_is_joined_and_the_print_is_not():
    lifts = {hand: int(strokes.write("cell", hand)[:, 2].sum()) for hand in ("script", "print")}
    assert lifts == {"script": 2 + 2, "print": 4 + 2}  # two at the end, where the pen rests


def test_the_pen_ends_where_the_font_says():
    pen = strokes.write("c")
    where = pen[:-2, :2].sum(0)
    torch.testing.assert_close(where, torch.tensor([11.0, 5.0]) / 3, atol=1e-5, rtol=0)


def test_a_seed_repeats_a_distortion_and_another_makes_another():
    one, two, other = strokes.write("cat", seed=1), strokes.write("cat", seed=1), strokes.write("cat", seed=2)
    assert torch.equal(one, two)
    assert one.shape != other.shape or not torch.allclose(one, other, atol=0.01)


def test_each_letter_ends_once_and_in_its_order():
    batch = strokes.draw(("cat", "little", "jig"), 3)
    for row, word in zip(batch.ends, ("cat", "little", "jig"), strict=True):
        assert row[row != strokes.END].tolist() == encode(word).tolist()


def test_a_batch_is_padded_and_says_where():
    batch = strokes.draw(("cat", "little"), 3)
    assert batch.text.tolist() == [[3, 1, 20, 0, 0, 0, 0], [12, 9, 20, 20, 12, 5, 0]]
    assert batch.letters.sum(1).tolist() == [4, 7]
    assert not batch.pen[~batch.mask].any()
    assert batch.pen[0][batch.mask[0]][-2:, 2].tolist() == [1, 1]


def test_no_word_is_in_two_parts():
    parts = [set(strokes.lexicon(part)) for part in ("train", "validation", "test")]
    assert not parts[0] & parts[1] | parts[0] & parts[2] | parts[1] & parts[2]
    assert all(3 <= len(word) <= 6 for part in parts for word in part)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: strokes.write("Cat"), "word: got"),
        (lambda: strokes.write(""), "word: got"),
        (lambda: strokes.write("cat", "gothic"), "hand: got"),
        (lambda: strokes.write("cat", seed=-1), "seed: got"),
        (lambda: strokes.draw((), 0), "chosen: got"),
        (lambda: strokes.draw(("cat",), 0, "gothic"), "hand: got"),
        (lambda: strokes.lexicon("all"), "part: got"),
    ],
)
def test_bad_input_is_refused_by_name(call, named):
    with pytest.raises(ValueError, match=named):
        call()


def calls():
    return {
        strokes.write: {"word": "cat", "hand": "print"},
        strokes.draw: {"chosen": ("cat", "dog"), "seed": 0},
        strokes.lexicon: {"part": "test"},
    }


def good():
    return {strokes.write: {"word": {"word"}}, strokes.draw: {"seed": {"zero"}}}
