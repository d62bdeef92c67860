"""Marked places: who bears the asked mark, and what can be known from how many of them."""

import pytest
import torch

from attend.tasks import marked


def seeded(seed):
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("bearers", [1, 3, 5])
def test_the_answer_is_the_letter_of_most_bearers(bearers):
    places = marked.sample(500, 9, bearers, seeded(0))
    bears = places.marks == places.asked[:, None]
    assert (bears.sum(1) == bearers).all()
    says = (places.letters == places.answer[:, None]) & bears
    assert (says.sum(1) == bearers // 2 + 1).all()


def test_marks_letters_and_places_are_chance():
    places = marked.sample(60_000, 4, 1, seeded(1))
    where = (places.marks == places.asked[:, None]).float().mean(0)
    assert where.tolist() == pytest.approx([0.25] * 4, abs=0.008)
    for of, kinds in ((places.asked, marked.MARKS), (places.answer, marked.LETTERS), (places.letters, marked.LETTERS)):
        share = of.flatten().bincount(minlength=kinds) / of.numel()
        assert share.tolist() == pytest.approx([1 / kinds] * kinds, abs=0.008)


def test_the_same_seed_gives_the_same_places():
    one, two, other = (marked.sample(5, generator=seeded(seed)) for seed in (3, 3, 4))
    assert all(torch.equal(a, b) for a, b in zip(one, two, strict=True))
    assert not torch.equal(one.marks, other.marks)


def test_the_example_reads_as_its_answer():
    shown, told = marked.example(6, seed=2).split(" | ")
    asked, answer = told.split("? → ")
    assert [place[-1] for place in shown.split() if place[:-1] == asked] == [answer]


@pytest.mark.parametrize(
    ("sizes", "name"), [((0,), "batch"), ((2, 0), "S"), ((2, 5, 2), "bearers"), ((2, 5, 7), "bearers")]
)
def test_bad_sizes_are_refused(sizes, name):
    with pytest.raises(ValueError, match=f"{name}: got"):
        marked.sample(*sizes)


def calls():
    return {
        marked.sample: {"batch": 3, "S": 5, "bearers": 3, "generator": torch.Generator()},
        marked.example: {"S": 5, "bearers": 3, "seed": 0},
    }


def good():
    return {
        marked.example: {"seed": {"zero"}},
    }
