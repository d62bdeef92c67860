"""A reader and a writer beside torch's parts, padding that changes nothing, and what is refused."""

import pytest
import torch
from tests.soft import by_torch

from attend.memory.supervision import shift_right
from attend.soft import seq2seq
from attend.soft.read import AttentionSeq2Seq
from attend.soft.scores import SCORES
from attend.soft.seq2seq import BidirectionalSeq2Seq, ContextSeq2Seq, Seq2Seq

SOURCE = torch.tensor([[3, 1, 4, 2, 6], [5, 2, 0, 0, 0], [1, 1, 3, 0, 0]])
VISIBLE = torch.arange(5) < torch.tensor([[5], [2], [3]])
TARGET = torch.tensor([[2, 7, 1, 0], [3, 0, 0, 0], [6, 5, 0, 0]])
BLIND = {"blind": Seq2Seq, "bidirectional": BidirectionalSeq2Seq, "context": ContextSeq2Seq}
KINDS = (*BLIND, *SCORES)


def build(kind):
    generator = torch.Generator().manual_seed(0)
    if kind in BLIND:
        model = BLIND[kind](7, 8, 4, 5, generator=generator)
    else:
        model = AttentionSeq2Seq(7, 8, 4, 5, kind, max_length=8, generator=generator)
    for parameter in model.parameters():  # no zero bias may hide a fault
        parameter.data += 0.1 * torch.randn(parameter.shape, generator=generator)
    return model.double()


def with_gradients(model, answers):
    weighted = torch.randn(answers.logits.shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    wanted = [p for name, p in model.named_parameters() if p.requires_grad]
    return answers.logits, torch.autograd.grad((answers.logits * weighted).sum(), wanted, allow_unused=True)


def agree(ours, theirs):
    torch.testing.assert_close(ours[0], theirs[0], rtol=0, atol=1e-11)
    for one, two in zip(ours[1], theirs[1], strict=True):
        zero = torch.zeros(())
        torch.testing.assert_close(*(zero if g is None else g for g in (one, two)), rtol=0, atol=1e-11)


@pytest.fixture(params=KINDS)
def model(request):
    return build(request.param)


def test_values_and_gradients_are_those_of_torchs_parts(model):
    scores = None
    if isinstance(model, AttentionSeq2Seq):
        weights = model.score.weights
        scores = lambda queries, keys: SCORES[model.score.name](queries, keys, **weights)  # noqa: E731
    theirs = by_torch.answers(model, SOURCE, VISIBLE, TARGET, scores)
    ours = model(SOURCE, VISIBLE, TARGET)
    agree(with_gradients(model, ours), with_gradients(model, theirs))
    if scores is not None:
        torch.testing.assert_close(ours.weights, theirs.weights, rtol=0, atol=1e-12)


def test_padding_never_changes_a_value_or_a_gradient(model):
    more = torch.tensor([[6, 6], [1, 5], [2, 2]])
    wider = torch.cat([SOURCE, more], 1), torch.cat([VISIBLE, torch.zeros(3, 2, dtype=torch.bool)], 1)
    others = torch.where(VISIBLE, SOURCE, 6)
    plain = with_gradients(model, model(SOURCE, VISIBLE, TARGET))
    for source, mask in (wider, (others, VISIBLE)):
        agree(with_gradients(model, model(source, mask, TARGET)), plain)


def test_a_row_says_the_same_alone_and_among_longer_ones(model):
    among = model(SOURCE, VISIBLE, TARGET).logits[1:2]
    alone = model(SOURCE[1:2, :2], VISIBLE[1:2, :2], TARGET[1:2]).logits
    torch.testing.assert_close(among, alone, rtol=0, atol=1e-12)


def test_step_by_step_is_teacher_forcing(model):
    taught = model(SOURCE, VISIBLE, TARGET)
    memory = model.read(SOURCE, VISIBLE)
    state = model.start(memory)
    for t, token in enumerate(shift_right(TARGET, model.end).unbind(1)):
        logits, state, weights = model.step(token, state, memory)
        torch.testing.assert_close(logits, taught.logits[:, t], rtol=0, atol=1e-12)
        if weights is not None:
            torch.testing.assert_close(weights, taught.weights[:, t], rtol=0, atol=1e-12)


def test_the_last_summary_is_the_only_bridge():
    blind = build("blind")
    memory = blind.read(SOURCE, VISIBLE)
    forgotten = memory._replace(hidden=torch.zeros_like(memory.hidden))
    states = [blind.step(TARGET[:, 0], blind.start(m), m) for m in (memory, forgotten)]
    assert torch.equal(states[0].logits, states[1].logits)


def test_what_stands_before_each_token():
    assert shift_right(TARGET, 0).tolist() == [[0, 2, 7, 1], [0, 3, 0, 0], [0, 6, 5, 0]]


@pytest.mark.parametrize(
    ("source", "mask", "said"),
    [
        (SOURCE, VISIBLE.flip(1), "mask: got .*, expected .* True at the first steps of every row"),
        (SOURCE, VISIBLE & False, "mask: got .*, expected .* True at the first steps of every row, one at least"),
        (SOURCE[:, :3], VISIBLE, "mask: got .*, expected a Bool tensor"),
        (SOURCE[:, :0], VISIBLE[:, :0], "source: got .*, expected a tensor with at least one value"),
        (SOURCE + 1, VISIBLE, "source: got .* from 0 to 6"),
    ],
    ids=["permuted", "none visible", "dropped", "zero length", "unknown word"],
)
def test_what_is_no_source_is_refused(model, source, mask, said):
    with pytest.raises(ValueError, match=said):
        model(source, mask, TARGET)


def calls():
    SOURCE = torch.tensor([[1, 2, 4], [3, 1, 1]])
    VISIBLE = torch.tensor([[True, True, True], [True, False, False]])
    TARGET = torch.tensor([[1, 0], [2, 3]])
    BLIND = seq2seq.Seq2Seq(5, 4, 2, 3)
    SIZES = {
        "source_vocab": 5,
        "target_vocab": 4,
        "embedding_size": 2,
        "hidden_size": 3,
        "end": 1,
        "generator": torch.Generator(),
    }
    return {
        seq2seq.Seq2Seq: SIZES,
        seq2seq.BidirectionalSeq2Seq: SIZES,
        seq2seq.ContextSeq2Seq: SIZES,
        BLIND.read: {"source": SOURCE, "mask": VISIBLE},
        BLIND.forward: {"source": SOURCE, "mask": VISIBLE, "target": TARGET},
        seq2seq.ContextSeq2Seq(5, 4, 2, 3).forward: {"source": SOURCE, "mask": VISIBLE, "target": TARGET},
    }


def good():
    return {
        model: {"end": {"zero"}} for model in (seq2seq.Seq2Seq, seq2seq.BidirectionalSeq2Seq, seq2seq.ContextSeq2Seq)
    }
