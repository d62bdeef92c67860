"""Each row, read back digit by digit, has the answer that its task asks for."""

import pytest
import torch

from attend.tasks import tape
from attend.tasks.tape import END, EXTRA, INPUTS, ITEM, REPEATS, example, sample


def draw(task, length, batch=40, seed=0):
    x, answer = sample(task, batch, length, torch.Generator().manual_seed(seed))
    assert x.shape == (batch, x.shape[1], INPUTS[task])
    assert (x[:, -answer.shape[1] :] == 0).all(), "the steps that are answered see nothing"
    return x, answer


def digits(x):
    """The digit of each step, -1 where there is none."""
    return torch.where(x[..., :10].any(-1), x[..., :10].argmax(-1), -1)


@pytest.mark.parametrize("length", [1, 6])
def test_copy_asks_for_what_was_read(length):
    x, answer = draw("copy", length)
    assert (digits(x)[:, :length] == answer).all()
    assert x[:, :, END].nonzero()[:, 1].tolist() == [length] * 40
    assert x.sum() == 40 * (length + 1)


def test_repeat_copy_asks_as_often_as_it_says_and_then_for_the_end():
    seen = set()
    for seed in range(30):
        x, answer = draw("repeat", 4, 3, seed)
        times = round(x[0, 4, EXTRA].item() * REPEATS)
        seen.add(times)
        assert (answer[:, -1] == END).all()
        assert (answer[:, :-1] == digits(x)[:, :4].repeat(1, times)).all()
    assert seen == set(range(1, REPEATS + 1))


def test_recall_asks_for_the_item_after_the_one_that_is_named():
    x, answer = draw("recall", 5)
    read, places = digits(x), set()
    for row, wanted in zip(read.tolist(), answer.tolist(), strict=True):
        items = [row[1 + n * (ITEM + 1) : (n + 1) * (ITEM + 1)] for n in range(5)]
        assert len(set(map(tuple, items))) == 5
        asked = row[5 * (ITEM + 1) + 1 :][:ITEM]
        place = items.index(asked)
        places.add(place)
        assert items[place + 1] == wanted
    assert places == {0, 1, 2, 3}
    assert (x[:, :, EXTRA].nonzero()[:, 1].view(40, 2) == torch.tensor([15, 18])).all()


def test_sort_asks_for_the_digits_by_falling_priority():
    x, answer = draw("sort", 6)
    for row, priority, wanted in zip(digits(x)[:, :6], x[:, :6, EXTRA], answer, strict=True):
        assert [row[n] for n in sorted(range(6), key=lambda n: -priority[n])] == wanted.tolist()
    assert x[:, :6, EXTRA].min() < -0.8
    assert x[:, :6, EXTRA].max() > 0.8


def test_examples_are_readable():
    left, right = example("copy", 4).split(" → ")
    assert left == f"{right} END"
    left, right = example("recall", 2).split(" → ")
    assert left.count("|") == 2
    assert left.count("ASK") == 2
    assert left.split(" | ")[-1].startswith(right)
    assert "×" in example("repeat")
    assert example("repeat").endswith("END")
    assert example("sort").count("(") == 3


def test_recall_needs_two_items_and_the_generator_decides():
    for length in (1, 51):
        with pytest.raises(ValueError, match="length: got"):
            sample("recall", 2, length)
    for task in INPUTS:
        one, other = (draw(task, 3, seed=7) for _ in range(2))
        assert torch.equal(one[0], other[0])
    assert tape.OUTPUTS == END + 1


def calls():
    return {
        sample: {"task": "copy", "batch": 2, "length": 3, "generator": torch.Generator()},
        example: {"task": "sort", "length": 3, "seed": 0},
    }


def good():
    return {example: {"seed": {"zero"}}}
