"""Recall: what a series holds, and the two landmarks of its cost."""

import pytest
import torch

from attend.tasks import recall


def test_the_number_comes_first_and_then_nothing():
    x, number = recall.sample(50, 7, torch.Generator().manual_seed(0))
    assert x.shape == (50, 8, 1)
    assert torch.equal(x[:, 0, 0], number)
    assert not x[:, 1:].any()
    assert number.abs().max() <= 1


def test_the_landmarks_are_what_the_sampler_gives():
    _, number = recall.sample(200_000, 1, torch.Generator().manual_seed(0))
    assert recall.cost(torch.zeros_like(number), number).item() == pytest.approx(recall.KNOWS_NOTHING, abs=2e-3)
    assert recall.cost(number.sign() / 2, number).item() == pytest.approx(recall.KNOWS_THE_SIGN, abs=1e-3)


def test_the_same_seed_gives_the_same_series():
    one, two = (recall.sample(3, 2, torch.Generator().manual_seed(4))[0] for _ in range(2))
    assert torch.equal(one, two)


def test_the_example_ends_with_its_answer():
    first, *rest = recall.example(3).split()
    assert rest == ["0", "0", "0", "→", first]


@pytest.mark.parametrize(("sizes", "name"), [((0, 3), "batch"), ((3, 0), "lag"), ((3, 2.5), "lag")])
def test_bad_sizes_are_refused(sizes, name):
    with pytest.raises(ValueError, match=f"{name}: got"):
        recall.sample(*sizes)


def calls():
    return {
        recall.sample: {"batch": 3, "lag": 5, "generator": torch.Generator()},
        recall.cost: {"answers": torch.zeros(3), "numbers": torch.ones(3)},
        recall.example: {"lag": 5, "seed": 0},
    }


def good():
    return {
        recall.example: {"seed": {"zero"}},
    }
