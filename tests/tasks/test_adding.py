"""The adding task: where the marks stand, what is asked, and its two landmarks."""

import pytest
import torch

from attend.tasks import adding


def draw(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("steps", [2, 9, 100])
def test_one_mark_in_each_half_and_their_sum(steps):
    x, total = adding.sample(300, steps, draw())
    number, mark = x.unbind(2)
    assert x.shape == (300, steps, 2)
    assert ((number >= 0) & (number < 1)).all()
    assert set(mark.unique().tolist()) <= {0.0, 1.0}
    assert (mark[:, : steps // 2].sum(1) == 1).all()
    assert (mark[:, steps // 2 :].sum(1) == 1).all()
    torch.testing.assert_close((number * mark).sum(1), total)


def test_every_place_of_a_half_is_marked():
    mark = adding.sample(5_000, 10, draw())[0][:, :, 1].mean(0)
    assert (mark - 0.2).abs().max() < 0.03


def test_the_landmarks_are_what_two_simple_answers_cost():
    x, total = adding.sample(50_000, 6, draw())
    first = (x[:, :3, 0] * x[:, :3, 1]).sum(1)
    assert adding.cost(torch.ones(50_000), total).item() == pytest.approx(adding.KNOWS_NOTHING, abs=2e-3)
    assert adding.cost(first + 0.5, total).item() == pytest.approx(adding.KNOWS_ONE, abs=2e-3)
    assert adding.explained(torch.ones(50_000), total) == pytest.approx(0, abs=1e-3)
    assert adding.explained(first + 0.5, total) == pytest.approx(0.5, abs=0.01)
    assert adding.explained(total, total) == 1


def test_the_example_reads():
    assert adding.example() == "0.50 [0.77] 0.09 0.13 0.31 0.63 0.49 [0.90] → 1.66"


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: adding.sample(0, 3), "batch: got 0"),
        (lambda: adding.sample(3, 1), "steps: got 1"),
        (lambda: adding.cost(torch.zeros(2), torch.zeros(3)), "sums: got"),
        (lambda: adding.explained(torch.zeros(2), torch.ones(2)), "sums: got"),
    ],
)
def test_bad_input_is_refused_by_name(call, named):
    with pytest.raises(ValueError, match=named):
        call()


def calls():
    return {
        adding.sample: {"batch": 3, "steps": 6, "generator": torch.Generator()},
        adding.cost: {"answers": torch.zeros(3), "sums": torch.ones(3)},
        adding.explained: {"answers": torch.zeros(3), "sums": torch.tensor([0.5, 1.0, 1.5])},
        adding.example: {"steps": 6, "seed": 0},
    }


def good():
    return {
        adding.example: {"seed": {"zero"}},
    }
