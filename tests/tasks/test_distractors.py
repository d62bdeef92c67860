"""Recall amid distractors: what a sequence holds, and that seeds repeat."""

import pytest
import torch

from attend.tasks import distractors


def test_the_key_comes_first_and_distractors_follow():
    x, key = distractors.sample(4_000, 9, torch.Generator().manual_seed(0))
    symbols = x.argmax(dim=2)
    assert x.shape == (4_000, 10, 8)
    assert torch.equal(x.sum(dim=2), torch.ones(4_000, 10))
    assert torch.equal(symbols[:, 0], key)
    assert symbols[:, 1:].min() == 4
    assert key.bincount(minlength=4).div(4_000).sub(distractors.CHANCE).abs().max() < 0.03
    assert symbols[:, 1:].flatten().bincount(minlength=8)[4:].div(36_000).sub(0.25).abs().max() < 0.02


def test_anywhere_puts_one_key_at_any_of_the_first_steps():
    x, key, at = distractors.anywhere(4_000, 9, 5, torch.Generator().manual_seed(0))
    symbols = x.argmax(dim=2)
    assert x.shape == (4_000, 9, 8)
    assert torch.equal(symbols[torch.arange(4_000), at], key)
    assert torch.equal((symbols < 4).sum(dim=1), torch.ones(4_000, dtype=torch.long))
    assert at.bincount(minlength=5).div(4_000).sub(0.2).abs().max() < 0.03


def test_the_same_seed_gives_the_same_sequences():
    one, two = (distractors.sample(3, 2, torch.Generator().manual_seed(4)) for _ in range(2))
    assert torch.equal(one[0], two[0])
    assert torch.equal(one[1], two[1])


def test_the_example_ends_with_its_key():
    *sequence, arrow, answer = distractors.example(5, seed=3).split()
    assert (len(sequence), arrow, answer) == (6, "→", sequence[0])


@pytest.mark.parametrize(("sizes", "name"), [((0, 3), "batch"), ((3, 0), "lag"), ((3, 2.5), "lag")])
def test_bad_sizes_are_refused(sizes, name):
    with pytest.raises(ValueError, match=f"{name}: got"):
        distractors.sample(*sizes)


def calls():
    return {
        distractors.sample: {"batch": 3, "lag": 5, "generator": torch.Generator()},
        distractors.anywhere: {"batch": 3, "steps": 7, "latest": 5, "generator": torch.Generator()},
        distractors.example: {"lag": 5, "seed": 0},
    }


def good():
    return {
        distractors.example: {"seed": {"zero"}},
    }
