"""Copying: what is asked is what stands there, once more, and an end."""

import pytest
import torch

from attend.tasks import copying


def draw(seed=0):
    return torch.Generator().manual_seed(seed)


def test_the_copy_is_the_row_and_an_end():
    pairs = copying.sample(200, 2, 6, 5, generator=draw())
    assert pairs.source.shape == (200, 6)
    assert pairs.target.shape == (200, 7)
    for source, seen, target, asked in zip(*pairs, strict=True):
        row = source[seen].tolist()
        assert 2 <= len(row) <= 6
        assert set(row) <= set(range(1, 6))
        assert target[asked].tolist() == [*row, copying.END]
        assert not target[~asked].any()
        assert seen.tolist() == sorted(seen.tolist(), reverse=True)


def test_every_length_and_letter_comes_equally_often():
    pairs = copying.sample(60_000, 1, 4, 3, generator=draw())
    lengths = pairs.mask.sum(1).bincount()[1:] / 60_000
    torch.testing.assert_close(lengths, torch.full((4,), 0.25), rtol=0, atol=0.01)
    letters = pairs.source[pairs.mask].bincount()[1:].double()
    torch.testing.assert_close(letters / letters.sum(), torch.full((3,), 1 / 3).double(), rtol=0, atol=0.01)


def test_given_rows_are_copied():
    pairs = copying.copied(((3, 1, 3), (2,)))
    assert pairs.source.tolist() == [[3, 1, 3], [2, 0, 0]]
    assert pairs.mask.tolist() == [[True] * 3, [True, False, False]]
    assert pairs.target.tolist() == [[3, 1, 3, 0], [2, 0, 0, 0]]
    assert pairs.asked.tolist() == [[True] * 4, [True, True, False, False]]


def test_gaps_keep_letters_and_order():
    pairs = copying.sample(300, 1, 5, 4, generator=draw())
    gapped = copying.with_gaps(pairs, 9, draw(1))
    assert gapped.source.shape == (300, 9)
    assert gapped.mask.all()
    assert torch.equal(gapped.target, pairs.target)
    for source, plain, seen in zip(gapped.source, pairs.source, pairs.mask, strict=True):
        assert source[source > 0].tolist() == plain[seen].tolist()
    filled = (gapped.source > 0).double().mean(0)
    torch.testing.assert_close(filled, torch.full((9,), 3 / 9).double(), rtol=0, atol=0.1)
    assert torch.equal(copying.with_gaps(pairs, 5, draw())[2], pairs.target)


def test_more_letters_than_places_are_refused():
    with pytest.raises(ValueError, match=r"places: got 4 .*, expected at least one for each of S = 5"):
        copying.with_gaps(copying.copied(((1, 2, 3, 4, 5),)), 4)


def test_the_same_seed_gives_the_same_rows():
    one, two = (copying.sample(5, 1, 4, generator=draw(3)).source for _ in range(2))
    assert torch.equal(one, two)


def test_the_example_is_its_own_copy():
    first, second = copying.example(5).removesuffix(" .").split(" → ")
    assert first == second
    assert len(first.split()) == 5


@pytest.mark.parametrize(
    ("sizes", "name"),
    [
        ((0, 1, 2), "batch"),
        ((3, 0, 2), "shortest"),
        ((3, 3, 2), "longest"),
        ((3, 1, 2, 0), "letters"),
    ],
)
def test_bad_sizes_are_refused(sizes, name):
    with pytest.raises(ValueError, match=f"{name}: got"):
        copying.sample(*sizes)


@pytest.mark.parametrize("rows", [((1, 2), ()), ((1, 0),), ((-1,),)])
def test_rows_without_letters_are_refused(rows):
    with pytest.raises(ValueError, match="rows: got"):
        copying.copied(rows)


def calls():
    return {
        copying.sample: {
            "batch": 3,
            "shortest": 1,
            "longest": 4,
            "letters": 5,
            "generator": torch.Generator(),
        },
        copying.with_gaps: {"pairs": copying.copied(((3, 1, 3), (2,))), "places": 5, "generator": torch.Generator()},
        copying.copied: {"rows": ((3, 1, 3), (2,))},
        copying.example: {"length": 4, "seed": 0},
    }


def good():
    return {
        copying.example: {"seed": {"zero"}},
    }
