"""Each checker knows the solution, the typical wrong answers, unusual right ones, and the stub."""

import numpy as np
import pytest
import torch
from tests.checks.verdicts import accepts, refuses
from torch import nn

from attend.checks import translator
from attend.transformers.tiny_translator import TinyTranslator


def longest(room, N, D, S, B, bytes_each):
    return room // (2 * N * D * B * bytes_each) - S


def mask(real):
    T = real.shape[1]
    return torch.ones(T, T, dtype=torch.bool).tril() & real[:, None] | torch.eye(T, dtype=torch.bool)


def test_solutions_and_stubs():
    accepts(translator.longest, longest)
    accepts(translator.mask, mask)


def test_other_right_answers_are_right():
    assert translator.longest(lambda *given: torch.tensor(longest(*given))).state == "right"
    assert translator.longest(lambda *given: np.float64(longest(*given))).state == "right"
    assert translator.mask(lambda real: mask(real)[:, None].numpy()).state == "right"
    assert translator.mask(lambda real: mask(real) | ~real[:, :, None]).state == "right"  # rows of padding: nobody's


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda room, N, D, S, B, bytes_each: room // (N * D * B * bytes_each) - S, "a value"),
        (lambda room, N, D, S, B, bytes_each: room // (2 * N * D * B * bytes_each), "source are kept"),
        (lambda room, N, D, S, B, bytes_each: room // (2 * N * D * bytes_each) - S, "each of the B"),
        (lambda room, N, D, S, B, bytes_each: room // (2 * D * B * bytes_each) - S, "each block"),
        (lambda room, N, D, S, B, bytes_each: room / (2 * N * D * B * bytes_each) - S, "whole tokens"),
        (lambda *given: 7, "bytes of one position"),
    ],
)
def test_wrong_lengths_are_named(answer, says):
    refuses(translator.longest, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda real: real[:, None].expand(-1, real.shape[1], -1), "comes later"),
        (lambda real: torch.ones_like(mask(real)).tril(), "padding is seen"),
        (lambda real: mask(real).mT, "turned over"),
        (lambda real: mask(real) & real[:, None], "nan"),
        (lambda real: mask(real) & ~torch.eye(real.shape[1], dtype=torch.bool), "itself"),
        (lambda real: ~mask(real), "may not"),
        (lambda real: torch.zeros_like(mask(real)), "by hand"),
        (lambda real: mask(real)[0], "shape"),
    ],
)
def test_wrong_masks_are_named(answer, says):
    refuses(translator.mask, answer, says=says)


class Faulty(TinyTranslator):
    """A translator with one thing wrong."""

    def __init__(self, fault, *sizes):
        super().__init__(*sizes, 8, 2, 8, 1)
        self.fault = fault

    def forward(self, source, mask, target):
        if self.fault == "padding":
            return super().forward(source, torch.ones_like(mask), target)
        if self.fault == "shift":
            return self.decode(target, self.encode(source, mask), mask)
        if self.fault == "shape":
            return super().forward(source, mask, target)[:, 1:]
        return super().forward(source, mask, target) + target.sum() * (self.fault == "future")


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("padding", "padding"),
        ("shift", "has to predict"),
        ("future", "has to predict"),
        ("shape", "the logits must be"),
    ],
)
def test_faulty_translators_are_named(fault, says):
    refuses(translator.build, lambda *sizes: Faulty(fault, *sizes), says=says)


def test_one_that_does_not_learn_is_sent_back(monkeypatch):
    monkeypatch.setattr(translator, "STEPS", 2)
    refuses(translator.build, lambda *sizes: Faulty("", *sizes), says="positions on both sides")
    refuses(translator.build, lambda *_: nn.Identity(), says="weights to train")
