"""The aligner's weights are those of a reading writer, and a word once seen changes them by Bayes' rule."""

import pytest
import torch

from attend.soft import aligner
from attend.soft.aligner import Aligner, posterior
from attend.soft.read import AttentionSeq2Seq

SOURCE = torch.tensor([[1, 2, 4, 0], [3, 0, 0, 0]])
VISIBLE = torch.tensor([[True, True, True, True], [True, True, False, False]])
TARGET = torch.tensor([[1, 3, 0], [2, 0, 0]])


def model():
    return Aligner(5, 4, 6, 7, generator=torch.Generator().manual_seed(0)).double()


def test_weights_are_those_of_a_reading_writer_in_values_and_gradients():
    ours, theirs = model(), AttentionSeq2Seq(5, 4, 6, 7).double()
    theirs.load_state_dict(ours.state_dict(), strict=False)
    found, wanted = ours(SOURCE, VISIBLE, TARGET), theirs(SOURCE, VISIBLE, TARGET).weights
    torch.testing.assert_close(found, wanted)
    found[0, 1, 2].backward()
    wanted[0, 1, 2].backward()
    for name, value in ours.named_parameters():
        torch.testing.assert_close(value.grad, theirs.get_parameter(name).grad)
        assert value.grad.any()


def test_where_to_look_does_not_depend_on_the_word_itself_nor_on_later_ones():
    aligner = model()
    other = TARGET.clone()
    other[:, 1:] = 2
    torch.testing.assert_close(aligner(SOURCE, VISIBLE, TARGET)[:, :2], aligner(SOURCE, VISIBLE, other)[:, :2])
    assert not torch.allclose(aligner(SOURCE, VISIBLE, TARGET)[:, 2], aligner(SOURCE, VISIBLE, other)[:, 2])


def test_padding_changes_nothing_and_is_not_looked_at():
    aligner = model()
    weights = aligner(SOURCE, VISIBLE, TARGET)
    assert not weights[1, :, 2:].any()
    torch.testing.assert_close(aligner(SOURCE.masked_fill(~VISIBLE, 4), VISIBLE, TARGET), weights)
    torch.testing.assert_close(aligner(SOURCE[1:, :2], VISIBLE[1:, :2], TARGET[1:]), weights[1:, :, :2])


def test_after_is_bayes_rule_place_by_place():
    aligner, table = model(), torch.rand(4, 5, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    before = aligner(SOURCE, VISIBLE, TARGET).detach()
    found = posterior(before, table, SOURCE, TARGET, VISIBLE)
    for b in range(2):
        for t in range(3):
            joint = before[b, t] * table[TARGET[b, t], SOURCE[b]]
            torch.testing.assert_close(found[b, t], joint / joint.sum())


def test_dropped_numbers_follow_the_generator_and_keep_the_mean():
    aligner = model()

    def drawn(seed):
        return aligner(SOURCE, VISIBLE, TARGET, 0.5, torch.Generator().manual_seed(seed))

    assert torch.equal(drawn(0), drawn(0))
    assert not torch.equal(drawn(0), drawn(1))
    assert torch.equal(aligner(SOURCE, VISIBLE, TARGET, 0.0), aligner(SOURCE, VISIBLE, TARGET))


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: Aligner(1, 4, 6, 7), "source_vocab: got 1"),
        (lambda: Aligner(5, 4, 6, 7, end=4), "end: got 4"),
        (lambda: model()(SOURCE, VISIBLE, TARGET, 1.0), "dropout: got 1.0"),
        (lambda: model()(SOURCE + 1, VISIBLE, TARGET), "source: got"),
        (lambda: posterior(-torch.ones(2, 3, 4), torch.ones(4, 5), SOURCE, TARGET, VISIBLE), "weights: got"),
    ],
)
def test_bad_input_is_refused_by_name(call, named):
    with pytest.raises(ValueError, match=named):
        call()


def calls():
    SOURCE = torch.tensor([[1, 2, 0], [2, 0, 0]])
    TARGET = torch.tensor([[1, 3, 2, 0], [2, 0, 0, 0]])
    VISIBLE = torch.ones(2, 3, dtype=torch.bool)
    TABLE = torch.full((4, 3), 0.25)
    WEIGHTS = torch.full((2, 4, 3), 1 / 3)
    WORDS = {"source": SOURCE, "target": TARGET}
    MODEL = aligner.Aligner(3, 4, 5, 6, generator=torch.Generator().manual_seed(0))
    return {
        aligner.Aligner: {"source_vocab": 3, "target_vocab": 4, "embedding_size": 5, "hidden_size": 6, "end": 0},
        MODEL.forward: {**WORDS, "mask": VISIBLE, "dropout": 0.5, "generator": torch.Generator()},
        aligner.posterior: {"weights": WEIGHTS, "table": TABLE, **WORDS, "mask": VISIBLE},
    }


def good():
    return {
        aligner.Aligner: {"end": {"zero"}},
    }
