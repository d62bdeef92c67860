"""What is taken away is gone, and nothing else."""

import pytest
import torch

from attend.soft import ablated
from attend.soft.ablated import AttentionOnly, WordsOnly
from attend.soft.read import AttentionSeq2Seq

SOURCE = torch.tensor([[1, 2, 4, 2], [3, 1, 0, 0]])
VISIBLE = torch.tensor([[True] * 4, [True, True, False, False]])
TARGET = torch.tensor([[1, 2, 0], [3, 0, 0]])


def draw(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("score", ["bilinear", "location"])
def test_without_the_bridge_the_writer_starts_from_nothing(score):
    sizes = (5, 5, 3, 4, score)
    whole, cut = AttentionSeq2Seq(*sizes, generator=draw()), AttentionOnly(*sizes, generator=draw())
    read, memory = whole.read(SOURCE, VISIBLE), cut.read(SOURCE, VISIBLE)
    for one, other in zip(read, memory, strict=True):
        assert torch.equal(one, other)
    assert whole.start(read).abs().min() > 0
    assert not cut.start(memory).any()
    nothing = read._replace(last=torch.zeros_like(read.last))
    summaries, _ = whole.decoder(whole.embed_target(torch.tensor([[0, 1, 2], [0, 3, 0]])), nothing.last)
    torch.testing.assert_close(cut(SOURCE, VISIBLE, TARGET).logits, whole.predict(summaries, nothing).logits)


@pytest.mark.parametrize("score", ["bilinear", "dot", "additive"])
def test_a_reader_by_content_without_order_reads_a_bag(score):
    model = WordsOnly(5, 5, 4, score, generator=draw()).double()
    shuffled = SOURCE.clone()
    shuffled[0] = SOURCE[0, [3, 0, 2, 1]]
    shuffled[1, :2] = SOURCE[1, [1, 0]]
    one, other = (model(source, VISIBLE, TARGET).logits for source in (SOURCE, shuffled))
    torch.testing.assert_close(one, other, rtol=0, atol=1e-12)
    changed = SOURCE.clone()
    changed[0, 0] = 3
    assert (model(changed, VISIBLE, TARGET).logits - one)[0].abs().max() > 1e-3


def test_a_reader_by_location_without_order_minds_the_order():
    model = WordsOnly(5, 5, 4, "location", generator=draw())
    one, other = (model(source, VISIBLE, TARGET).logits for source in (SOURCE, SOURCE[:, [1, 0, 2, 3]]))
    assert (one - other).abs().max() > 1e-3


def test_padding_that_is_not_last_is_refused():
    with pytest.raises(ValueError, match="mask: got"):
        WordsOnly(5, 5, 4, generator=draw()).read(SOURCE, VISIBLE.flip(1))


def calls():
    SOURCE = torch.tensor([[1, 2, 4], [3, 1, 1]])
    VISIBLE = torch.tensor([[True, True, True], [True, False, False]])
    BAG = ablated.WordsOnly(5, 4, 3)
    SIZES = {"source_vocab": 5, "target_vocab": 4, "hidden_size": 3, "score": "location", "end": 1, "max_length": 7}
    return {
        ablated.WordsOnly: SIZES | {"generator": torch.Generator()},
        BAG.read: {"source": SOURCE, "mask": VISIBLE},
    }


def good():
    return {
        ablated.WordsOnly: {"end": {"zero"}},
    }
