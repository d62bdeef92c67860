"""What is in the asked locker is the newest thing that was put there."""

import pytest
import torch

from attend.tasks.lockers import THINGS, example, sample


@pytest.mark.parametrize("again", [False, True])
def test_the_answer_is_the_newest_thing_in_the_asked_locker(again):
    x, answer = sample(200, 6, 7, again=again, generator=torch.Generator().manual_seed(0))
    assert x.shape == (200, 7, 7 + THINGS)
    locker, thing = x[:, :, :7].argmax(dim=2), x[:, :-1, 7:].argmax(dim=2)
    repeats = 0
    for b in range(200):
        within = {}
        for m, of in zip(locker[b, :-1].tolist(), thing[b].tolist(), strict=True):
            repeats += m in within
            within[m] = of
        assert within[locker[b, -1].item()] == answer[b]
    assert (repeats > 0) == again
    assert x[:, -1, 7:].sum() == 0
    assert x[:, :-1].sum() == 2 * 200 * 6


def test_all_lockers_and_steps_are_asked_for_alike():
    x, _ = sample(6_000, 3, 4, generator=torch.Generator().manual_seed(1))
    locker = x[:, :, :4].argmax(dim=2)
    for m in range(4):
        assert (locker[:, -1] == m).float().mean().item() == pytest.approx(1 / 4, abs=0.03)
    for t in range(3):
        assert (locker[:, -1] == locker[:, t]).float().mean().item() == pytest.approx(1 / 3, abs=0.03)


def test_a_locker_that_is_known_is_locker_0():
    x, _ = sample(20, 4, 6, known=True)
    assert (x[:, -1, 0] == 1).all()
    assert (x[:, :-1, 0].sum(dim=1) == 1).all()


def test_more_steps_than_lockers_need_lockers_that_are_used_again():
    with pytest.raises(ValueError, match="steps: got"):
        sample(2, 5, 4)
    assert sample(2, 5, 4, again=True)[0].shape == (2, 6, 4 + THINGS)


def test_an_example_can_be_read():
    *put, bar, asked, arrow, answer = example(3, 4, seed=1).split()
    assert (len(put), bar, arrow) == (3, "|", "→")
    assert asked[:-1] + answer in put


def calls():
    return {
        sample: {"batch": 2, "steps": 3, "lockers": 4, "again": True, "known": False, "generator": torch.Generator()},
        example: {"steps": 3, "lockers": 4, "again": False, "seed": 0},
    }


def good():
    return {example: {"seed": {"zero"}}}
