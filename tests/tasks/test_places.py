"""Where spoken digits are written: by hand, by Python's own digits, and the ceilings by counting over every number."""

from collections import Counter, defaultdict

import pytest
import torch

from attend.tasks import places
from attend.tasks.numbers import ENGLISH, english
from attend.tasks.split import PARTS, part_of


def test_places_by_hand():
    assert english(240_007) == ("two", "hundred", "and", "forty", "thousand", "and", "seven")
    assert places.places(240_007) == (5, -1, -1, 4, -1, -1, 0)
    assert places.places(5_312) == (3, -1, 2, -1, -1, 0)
    assert places.places(100) == (2, -1)
    for bad in (99, 10**6):
        with pytest.raises(ValueError, match="n: got"):
            places.places(bad)


def test_every_digit_stands_where_it_is_written():
    digit = {english(i)[0]: i for i in range(10)}
    tens = {english(10 * i)[0]: i for i in range(2, 10)}
    for n in (*range(100, 1000, 37), *range(1000, 10**6, 7_919)):
        for word, place in zip(english(n), places.places(n), strict=True):
            if word in digit or word in tens:
                assert str(n)[::-1][place] == str((digit | tens)[word])


def test_encode_pads_and_counts_from_both_ends():
    spoken = places.encode((240_007, 100))
    assert [ENGLISH[t] for t in spoken.tokens[1][spoken.mask[1]]] == ["one", "hundred"]
    assert spoken.mask.sum(1).tolist() == [7, 2]
    assert spoken.place[0].tolist() == [5, -1, -1, 4, -1, -1, 0]
    assert spoken.column[0].tolist() == [0, -1, -1, 1, -1, -1, 5]
    assert spoken.column[1].tolist() == [0] + [-1] * 6
    assert torch.equal(spoken.asked, spoken.place >= 0)
    assert places.encode((100, 200, 4_000)).weight.tolist() == [0.5, 0.5, 1.0]


def test_the_parts_share_no_number():
    drawn = {part: places.numbers(part, 300) for part in PARTS}
    assert all(part_of(str(n)) == part for part in PARTS for n in drawn[part])
    lengths = Counter(len(str(n)) for part in PARTS for n in drawn[part])
    assert set(lengths) == {3, 4, 5, 6}
    assert min(lengths.values()) > 250


def test_batches_take_every_length_equally_often():
    stream = places.batches(places.encode(places.numbers("train", 2_000)), 400, torch.Generator().manual_seed(0))
    digits = torch.cat([(batch.place + batch.column).amax(1) + 1 for batch in (next(stream) for _ in range(20))])
    assert [(digits == d).double().mean().item() for d in (3, 4, 5, 6)] == pytest.approx([0.25] * 4, abs=0.02)


def test_cost_and_accuracy_look_only_at_what_is_asked():
    spoken = places.encode((205, 4_000))
    right = torch.nn.functional.one_hot(spoken.place.clamp(min=0), 6).float()
    assert places.accuracy(right, spoken.place, spoken) == 1
    wrong = right.clone()
    wrong[0, 0] = torch.tensor([1.0, 0, 0, 0, 0, 0])
    assert places.accuracy(wrong, spoken.place, spoken) == pytest.approx(2 / 3)
    wrong[1, 1] = 9 * torch.rand(6, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(
        places.cost(wrong, spoken.place, spoken.asked),
        places.cost(wrong[:, :4], spoken.place[:, :4], spoken.asked[:, :4]),
    )


def by_hand(question, side, longest):
    """The ceiling by Python's own counters, over all numbers of three to `longest` digits, one by one."""
    counts = defaultdict(Counter)
    for n in range(100, 10**longest):
        words, weight = english(n), 10.0 ** -len(str(n))
        for i, place in enumerate(places.places(n)):
            if place >= 0:
                answer = place if question == "place" else len(str(n)) - 1 - place
                counts[words[: i + 1] if side == "left" else words[i:]][answer] += weight
    best = sum(max(kinds.values()) for kinds in counts.values())
    return best / sum(sum(kinds.values()) for kinds in counts.values())


@pytest.mark.nightly
@pytest.mark.parametrize("question", places.QUESTIONS)
@pytest.mark.parametrize("side", ["left", "right"])
def test_the_ceiling_is_that_of_counting_one_by_one(monkeypatch, question, side):
    count = places.ceiling
    while hasattr(count, "__wrapped__"):
        count = count.__wrapped__
    monkeypatch.setattr(places, "LONGEST", 4)
    places._every.cache_clear()
    assert count(question, side) == pytest.approx(by_hand(question, side, 4))
    places._every.cache_clear()


@pytest.mark.nightly
def test_what_each_side_can_tell():
    assert places.ceiling("place", "right") == pytest.approx(1)
    assert places.ceiling("column", "left") == pytest.approx(1)
    assert 0.7 < places.ceiling("place", "left") < 0.8
    assert places.ceiling("place", "left", 4) < 0.96
    assert places.ceiling("place", "left", 5) == pytest.approx(1)
    assert 0.3 < places.ceiling("column", "right") < 0.4
    with pytest.raises(ValueError, match="question: got 'row'"):
        places.ceiling("row", "left")
    with pytest.raises(ValueError, match="side: got 'up'"):
        places.ceiling("place", "up")


def good():
    return {places.ceiling: {"wait": {"zero"}}}


def calls():
    SPOKEN = places.encode((205, 4_000))
    return {
        places.places: {"n": 240_007},
        places.encode: {"numbers": (205, 4_000)},
        places.numbers: {"part": "validation", "most": 50},
        places.batches: {"everything": SPOKEN, "B": 2, "generator": torch.Generator()},
        places.cost: {
            "logits": torch.ones(2, 4, 6),
            "answer": SPOKEN.place.clamp(min=0)[:, :4],
            "asked": SPOKEN.asked[:, :4],
        },
        places.accuracy: {"logits": torch.ones(2, 4, 6), "answer": SPOKEN.place, "spoken": SPOKEN},
        places.ceiling: {"question": "place", "side": "right", "wait": 1},
    }
