"""The aligner's weights follow from its own layers, and a word once seen changes them by Bayes' rule."""

import pytest
import torch

from attend.soft import aligner
from attend.soft.aligner import Aligner, posterior

SOURCE = torch.tensor([[1, 2, 4, 0], [3, 0, 0, 0]])
VISIBLE = torch.tensor([[True, True, True, True], [True, True, False, False]])
TARGET = torch.tensor([[1, 3, 0], [2, 0, 0]])


def model(dropout=0.0):
    torch.manual_seed(0)
    return Aligner(5, 4, 6, 7, dropout).double()


def test_weights_are_those_of_its_layers_word_by_word():
    aligner = model()
    found = aligner(SOURCE, VISIBLE, TARGET)
    for b, length in enumerate((4, 2)):
        keys, _ = aligner.encoder(aligner.embed_source(SOURCE[b : b + 1, :length]))
        state = None
        for t in range(3):
            last = TARGET[b : b + 1, t - 1 : t] if t else torch.zeros(1, 1, dtype=torch.long)
            query, state = aligner.decoder(aligner.embed_target(last), state)
            weights = torch.einsum("h,hk,sk->s", query[0, 0], aligner.query_proj.weight.T, keys[0]).softmax(0)
            torch.testing.assert_close(found[b, t, :length], weights)


def test_every_weight_of_the_model_gets_a_gradient():
    aligner = model()
    aligner(SOURCE, VISIBLE, TARGET)[0, 1, 2].backward()
    assert all(value.grad.any() for value in aligner.parameters())


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


def test_dropout_acts_in_training_alone():
    aligner = model(0.5)
    assert not torch.equal(aligner(SOURCE, VISIBLE, TARGET), aligner(SOURCE, VISIBLE, TARGET))
    aligner.eval()
    assert torch.equal(aligner(SOURCE, VISIBLE, TARGET), aligner(SOURCE, VISIBLE, TARGET))


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: Aligner(1, 4, 6, 7), "source_vocab: got 1"),
        (lambda: Aligner(5, 4, 6, 7, 1.0), "dropout: got 1.0"),
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
    MODEL = aligner.Aligner(3, 4, 5, 6)
    return {
        aligner.Aligner: {
            "source_vocab": 3,
            "target_vocab": 4,
            "embedding_size": 5,
            "hidden_size": 6,
            "dropout": 0.5,
        },
        MODEL.forward: {**WORDS, "mask": VISIBLE},
        aligner.posterior: {"weights": WEIGHTS, "table": TABLE, **WORDS, "mask": VISIBLE},
    }


def good():
    return {
        aligner.Aligner: {"dropout": {"zero"}},
    }
