"""A writer that points: the nearest word is the likeliest, as a softmax over torch.cdist has it."""

import pytest
import torch
from tests.soft import by_torch
from torch.nn import functional as F

from attend.memory.supervision import shift_right
from attend.soft.decode import greedy
from attend.soft.nearest import NearestSeq2Seq
from attend.soft.seq2seq import Seq2Seq

SOURCE = torch.tensor([[3, 1, 4, 2, 6], [5, 2, 0, 0, 0]])
VISIBLE = torch.arange(5) < torch.tensor([[5], [2]])
TARGET = torch.tensor([[2, 7, 1, 0], [3, 0, 0, 0]])


@pytest.fixture
def model():
    model = NearestSeq2Seq(7, 8, 2, 5, generator=torch.Generator().manual_seed(0)).double()
    for parameter in model.parameters():  # no zero bias may hide a fault
        parameter.data += 0.1 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(1))
    return model


def by_distance(model):
    """Log-probabilities from torch's parts."""
    _, last = by_torch.gru(model.encoder, F.embedding(SOURCE, model.embed_source.weight), lengths=VISIBLE.sum(1))
    told = F.embedding(shift_right(TARGET, model.end), model.embed_target.weight)
    summaries, _ = by_torch.gru(model.decoder, told, last)
    points = F.linear(summaries, model.readout.weight, model.readout.bias)
    rows = model.embed_target.weight.expand(2, -1, -1)
    return points, F.log_softmax(-(torch.cdist(points, rows, compute_mode="donot_use_mm_for_euclid_dist") ** 2), 2)


def test_values_and_gradients_are_those_of_torchs_parts(model):
    chances = model(SOURCE, VISIBLE, TARGET).logits.log_softmax(2)
    wanted = by_distance(model)[1]
    torch.testing.assert_close(chances, wanted, rtol=0, atol=1e-11)
    pull = torch.randn(wanted.shape, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    ours, theirs = (torch.autograd.grad((c * pull).sum(), list(model.parameters())) for c in (chances, wanted))
    for one, two in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, two, rtol=0, atol=1e-9)


def test_it_says_the_word_that_it_points_at(model):
    points, _ = by_distance(model)
    nearest = torch.cdist(points, model.embed_target.weight).argmin(2)
    assert torch.equal(model(SOURCE, VISIBLE, TARGET).logits.argmax(2), nearest)
    with torch.no_grad():  # whatever is said, it points at word 3
        model.readout.weight.zero_()
        model.readout.bias.copy_(model.embed_target.weight[3])
    assert (greedy(model, SOURCE, VISIBLE, 3).tokens == 3).all()


def test_words_are_read_and_said_as_the_same_points(model):
    names = {name for name, _ in model.named_parameters()}
    assert names == {name for name, _ in Seq2Seq(7, 8, 2, 5).named_parameters()}
    assert model.readout.weight.shape == (2, 5)


def test_a_space_without_dimensions_is_refused():
    with pytest.raises(ValueError, match="embedding_size: got 0"):
        NearestSeq2Seq(7, 8, 0, 5)


def calls():
    return {
        NearestSeq2Seq: {
            "source_vocab": 5,
            "target_vocab": 4,
            "embedding_size": 2,
            "hidden_size": 3,
            "end": 1,
            "generator": torch.Generator(),
        },
    }


def good():
    return {
        NearestSeq2Seq: {"end": {"zero"}},
    }
