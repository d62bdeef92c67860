"""Places as waves: the paper's formulas number by number, and a shift as one linear map."""

import math

import pytest
import torch

from attend.transformers.positions import LearnedPositions, frequencies, shift_matrix, sinusoids


def test_every_number_is_that_of_the_paper():
    D, found = 6, sinusoids(5, 6)
    for place in range(5):
        for i in range(D // 2):
            angle = place / 10_000 ** (2 * i / D)
            assert found[place, 2 * i].item() == pytest.approx(math.sin(angle), abs=1e-6)
            assert found[place, 2 * i + 1].item() == pytest.approx(math.cos(angle), abs=1e-6)


def test_a_later_start_gives_the_same_places():
    torch.testing.assert_close(sinusoids(4, 8, start=3), sinusoids(7, 8)[3:])


@pytest.mark.parametrize("by", [0, 1, 7, -3])
def test_a_shift_is_one_map_for_all_places(by):
    places = sinusoids(30, 16).double()
    moved = places @ shift_matrix(by, 16).double().T
    low = max(0, -by)
    torch.testing.assert_close(moved[low : 30 - max(0, by)], places[low + by : 30 - max(0, by) + by], atol=1e-5, rtol=0)
    torch.testing.assert_close(shift_matrix(by, 16) @ shift_matrix(by, 16).T, torch.eye(16), atol=1e-6, rtol=0)


def test_a_product_of_two_places_depends_on_their_distance_alone():
    places = sinusoids(40, 32).double()
    product = places @ places.T
    for distance in (0, 1, 5, 20):
        along = product.diagonal(distance)
        torch.testing.assert_close(along, along[:1].expand_as(along), atol=1e-4, rtol=0)
    assert product[0, 0].item() == pytest.approx(16)
    assert frequencies(32)[0] == 1


def test_learned_places_are_rows_of_a_table():
    learned = LearnedPositions(5, 3, torch.Generator().manual_seed(0))
    assert torch.equal(learned(2, start=3), learned.embedding.weight[3:])


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: sinusoids(3, 5), "d_model: got 5"),
        (lambda: sinusoids(0, 4), "T: got 0"),
        (lambda: sinusoids(3, 4, -1), "start: got -1"),
        (lambda: LearnedPositions(0, 4), "max_length: got 0"),
        (lambda: LearnedPositions(4, 0), "d_model: got 0"),
        (lambda: LearnedPositions(4, 2)(3, 2), "T: got 3"),
        (lambda: LearnedPositions(4, 2)(5), r"T: got 5 \(int\), expected positions up to 4"),
    ],
)
def test_what_does_not_fit_is_refused(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def calls():
    DRAW = {"generator": torch.Generator()}
    LEARNED = LearnedPositions(5, 4)
    return {
        LearnedPositions: {"max_length": 5, "d_model": 4, **DRAW},
        LEARNED.forward: {"T": 3, "start": 1},
        frequencies: {"d_model": 4},
        shift_matrix: {"offset": 2, "d_model": 4},
        sinusoids: {"T": 3, "d_model": 4, "start": 1},
    }


def good():
    LEARNED = LearnedPositions(5, 4)
    return {
        shift_matrix: {"offset": {"zero", "negative"}},
        sinusoids: {"start": {"zero"}},
        LEARNED.forward: {"start": {"zero"}},
    }
