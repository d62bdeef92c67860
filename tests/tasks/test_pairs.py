import pytest
import torch

from attend.tasks import pairs, translation

TARGET = torch.tensor([[2, 0, 0], [1, 2, 0]])
ASKED = torch.tensor([[True, True, False], [True, True, True]])
ROWS = [[3], [1, 2], [2, 1], [1, 1, 1, 2]]


def four():
    return pairs.Pairs(*pairs.padded(ROWS), *pairs.padded([[4, 0], [5, 0], [6, 7, 0], [8, 0]]))


def test_padding_stands_on_the_right_and_is_told_apart():
    table, there = pairs.padded(ROWS, filling=9)
    assert table.tolist() == [[3, 9, 9, 9], [1, 2, 9, 9], [2, 1, 9, 9], [1, 1, 1, 2]]
    assert there.sum(1).tolist() == [1, 2, 2, 4]
    for bad in ([], [[1], []]):
        with pytest.raises(ValueError, match="rows: got"):
            pairs.padded(bad)


def test_batches_take_every_length_equally_often():
    stream = pairs.batches(four(), 300, torch.Generator().manual_seed(0))
    lengths = torch.cat([next(stream).mask.sum(1) for _ in range(20)])
    shares = [(lengths == length).double().mean().item() for length in (1, 2, 4)]
    assert shares == pytest.approx([1 / 3] * 3, abs=0.02)


def test_a_batch_is_as_wide_as_its_longest_pair():
    short = pairs.Pairs(*(column[:2] for column in four()))
    batch = pairs.cropped(short)
    assert batch.source.tolist() == [[3, 0], [1, 2]]
    assert batch.target.tolist() == [[4, 0], [5, 0]]


def test_cost_and_exact_look_only_at_what_is_asked():
    logits = torch.zeros(2, 3, 4)
    torch.testing.assert_close(pairs.cost(logits, TARGET, ASKED), torch.tensor(4.0).log())
    logits[0, 2] = torch.tensor([9.0, -9.0, 5.0, 1.0])
    torch.testing.assert_close(pairs.cost(logits, TARGET, ASKED), torch.tensor(4.0).log())
    written = torch.tensor([[2, 0, 3], [1, 2, 1]])
    assert pairs.exact(written, TARGET, ASKED).tolist() == [True, False]


def calls():
    LOGITS = torch.zeros(2, 3, 4)
    WORDS = torch.tensor([[1, 0, 3], [2, 1, 0]])
    ASKED = torch.tensor([[True, True, True], [True, False, False]])
    PAIRS = translation.encode((7, 42))
    return {
        pairs.padded: {"rows": [[1], [2, 3]], "filling": 4},
        pairs.batches: {"everything": PAIRS, "B": 2, "generator": torch.Generator()},
        pairs.cropped: {"pairs": PAIRS},
        pairs.cost: {"logits": LOGITS, "target": WORDS, "asked": ASKED},
        pairs.exact: {"written": WORDS, "target": WORDS, "asked": ASKED},
    }


def good():
    return {
        pairs.padded: {"filling": {"zero", "negative"}},
    }
