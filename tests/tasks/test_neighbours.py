"""Neighbours: what each inner step must say is what stands beside it."""

import pytest
import torch

from attend.tasks import neighbours


def seeded(seed):
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("offsets", [(-1, 1), (-2, -1, 1, 2), (1, -1), (0,), (-3,), (2,)])
def test_the_answers_are_the_letters_at_the_offsets(offsets):
    letters = neighbours.sample(20, 9, seeded(0))
    answers = neighbours.answers(letters, offsets)
    steps = range(9)[neighbours.inner(9, offsets)]
    assert answers.shape == (20, len(steps), len(offsets))
    for u, step in enumerate(steps):
        for o, offset in enumerate(offsets):
            assert torch.equal(answers[:, u, o], letters[:, step + offset])


def test_every_letter_is_as_likely_and_the_same_seed_gives_the_same_rows():
    letters = neighbours.sample(3_000, 10, seeded(1))
    share = letters.flatten().bincount(minlength=neighbours.LETTERS) / letters.numel()
    assert share.tolist() == pytest.approx([0.1] * neighbours.LETTERS, abs=0.008)
    assert torch.equal(letters, neighbours.sample(3_000, 10, seeded(1)))


def test_the_example_reads_as_its_answer():
    row, said = neighbours.example(5, seed=2).split(" → ")
    letters = row.split()
    assert said == " ".join(f"({letters[t - 1]} {letters[t + 1]})" for t in (1, 2, 3))


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: neighbours.sample(0, 5), "batch"),
        (lambda: neighbours.sample(2, 0), "T"),
        (lambda: neighbours.inner(2), "T"),
        (lambda: neighbours.inner(5, ()), "offsets"),
        (lambda: neighbours.answers(torch.zeros(2, 4).long(), (-2, 2)), "T"),
    ],
)
def test_bad_sizes_are_refused(call, name):
    with pytest.raises(ValueError, match=f"{name}: got"):
        call()


def calls():
    LETTERS = torch.arange(24).view(2, 12) % 10
    return {
        neighbours.sample: {"batch": 3, "T": 5, "generator": torch.Generator()},
        neighbours.inner: {"T": 8, "offsets": [-1, 1]},
        neighbours.answers: {"letters": LETTERS, "offsets": [-1, 1]},
        neighbours.example: {"T": 6, "offsets": [-1, 1], "seed": 0},
    }


def good():
    return {
        neighbours.example: {"seed": {"zero"}},
    }
