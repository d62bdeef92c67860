"""Each checker knows the solution, the typical wrong answers, unusual right ones, and the stub."""

import pytest
import torch
from tests.checks.verdicts import accepts, refuses
from torch.nn import functional as F

from attend.checks import elmo as checks


def loss(ahead, back, tokens, mask, logits, leak=False, padding=False):
    real = torch.ones_like(mask[:, 1:]) if padding else mask[:, 1:]
    after = F.cross_entropy(logits(ahead[:, :-1][real]), tokens[:, 1:][real])
    before = F.cross_entropy(logits((back[:, :-1] if leak else back[:, 1:])[real]), tokens[:, :-1][real])
    return (after + before) / 2


def in_a_loop(ahead, back, tokens, mask, logits):
    sides = [[], []]
    for b, length in enumerate(mask.sum(1)):
        for t in range(length - 1):
            sides[0].append(-logits(ahead[b, t : t + 1]).log_softmax(1)[0, tokens[b, t + 1]])
            sides[1].append(-logits(back[b, t + 1 : t + 2]).log_softmax(1)[0, tokens[b, t]])
    return float(sum(torch.stack(side).mean() for side in sides) / 2)


def test_solutions_and_stubs():
    accepts(checks.loss, loss)
    assert checks.mix((1.5, 3.5)).state == "right"
    assert checks.mix(...).state == "not yet"


def test_other_right_answers_are_right():
    assert checks.mix(torch.tensor([1.5, 3.5])).state == "right"
    assert checks.loss(in_a_loop).state == "right"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ((3, 7), "scale is missing"),
        ((6, 14), "multiplies"),
        ((2.5, 2.5), "plain mean"),
        ((0, 5.493), "not the shares"),
        ((7.5, 17.5), "divide by 5"),
        ((1, 1), "powers"),
        ((1,), "2"),
    ],
)
def test_wrong_mixes_are_named(answer, says):
    refuses(checks.mix, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda *given: loss(*given, leak=True, padding=True), "both faults"),
        (lambda *given: loss(*given, leak=True), "back has read"),
        (lambda *given: loss(*given, padding=True), "beyond the end"),
        (lambda *given: 2 * loss(*given), "not their sum"),
        (lambda *given: loss(*given) + 1, "nats, and yours"),
    ],
)
def test_slips_of_the_loss_are_named(answer, says):
    refuses(checks.loss, answer, says=says)


def ridge(layers, noun, both=True, sign=1):
    x = torch.cat([layers[1], layers[2]], dim=1) if both else layers[0]
    mean, spread = x.mean(0), x.std(0) + 1e-6
    x, y = (x - mean) / spread, 2 * noun - 1
    w = torch.linalg.solve(x.T @ x + 30 * torch.eye(x.shape[1]), x.T @ (y - y.mean()))

    def predict(layers):
        x = torch.cat([layers[1], layers[2]], dim=1) if both else layers[0]
        return sign * ((x - mean) / spread @ w + y.mean())

    return predict


def test_a_classifier_on_the_layers_gets_there():
    assert checks.learn(ridge).state == "right"
    as_numpy = lambda layers, noun: lambda x: ridge(layers, noun)(x).numpy()[:, None]  # noqa: E731
    assert checks.learn(as_numpy).state == "right"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda layers, noun: ridge(layers, noun, both=False), "above the word"),
        (lambda layers, noun: ridge(layers, noun, sign=-1), "sign turned"),
        (lambda layers, noun: lambda x: ridge(layers, noun)(x).sigmoid(), "probabilities"),
        (lambda layers, noun: lambda x: torch.ones(3), "a number for each"),
        (lambda layers, noun: 3, "must return a function"),
    ],
)
def test_what_is_missing_in_a_classifier_is_named(answer, says):
    refuses(checks.learn, answer, says=says)


def test_no_classifier_yet():
    assert checks.learn(lambda layers, noun: ...).state == "not yet"
