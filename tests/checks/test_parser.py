"""Each checker knows the solution, the typical wrong answers, unusual right ones, and the stub."""

import numpy as np
import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import parser as checks
from attend.transformers.parser import END, legal, parse


def tree(symbols, words, strict=True):
    words, open_, whole = list(words), [], []
    for symbol in symbols:
        if whole or (not open_ and not symbol.startswith("(")):
            return False
        if symbol == "•":
            if not words:
                return False
            open_[-1].append(words.pop(0))
        elif symbol == ")":
            node = open_.pop()
            if strict and len(node) == 1:
                return False
            (open_[-1] if open_ else whole).append(tuple(node))
        else:
            open_.append([symbol[1:]])
    return whole[0] if whole and not open_ and not words else False


def in_lists(symbols, words):
    found = tree(symbols, words)
    return found and listed(found)


def listed(node):
    return node if isinstance(node, str) else [listed(part) for part in node]


def without_words(symbols, words):
    return tree(symbols, ["•"] * len(words))


def unchecked(symbols, words):
    try:
        return tree([*symbols], [*words, *["?"] * 9]) or without_words(symbols, words)
    except IndexError:
        return False


def write(model, source, mask, most, choose=torch.argmax, free=False, spare=0):
    memory, tokens = model.encode(source, mask), torch.full_like(source[:, :1], END)
    for _ in range(most):
        logits = model.decode(tokens, memory, mask)[:, -1]
        if not free:
            logits = logits.masked_fill(~legal(tokens, mask.sum(1), logits.shape[1], most - spare), -1e9)
        tokens = torch.cat([tokens, choose(logits, 1)[:, None]], dim=1)
    return tokens[:, 1:]


def worst(logits, dim):
    return logits.masked_fill(logits < -1e8, 1e9).argmin(dim)


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(checks, "STEPS", 4)
    monkeypatch.setattr(checks, "COUNT", 4)


def test_solutions_and_stubs():
    assert checks.score((5 / 6, 5 / 7, 10 / 13)).state == "right"
    assert checks.score(...).state == "not yet"
    accepts(checks.read, tree)


@pytest.mark.nightly
def test_the_decoder_and_its_stub(short):
    accepts(checks.build, lambda model, source, mask, most: parse(model, source, mask, most))


@pytest.mark.nightly
def test_other_right_answers_are_right(short):
    assert checks.score(np.array([0.833, 0.714, 0.769])).state == "right"
    assert checks.read(in_lists).state == "right"
    assert checks.build(lambda *given: write(*given).int()).state == "right"
    assert checks.build(lambda *given: write(*given).numpy()).state == "right"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ((5 / 7, 5 / 6, 10 / 13), "precision asks"),
        ((5 / 6, 5 / 7, 0.8), "F1 is twice"),
        ((1, 6 / 7, 12 / 13), "a label alone"),
        ((0.5, 0.5, 0.5), "7 and 6"),
        ((0.5, 0.5), "3 values"),
    ],
)
def test_wrong_scores_are_named(answer, says):
    refuses(checks.score, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (without_words, "put the words in"),
        (lambda symbols, words: False, "says it is none"),
        (lambda symbols, words: tree(symbols, words, strict=False), "empty"),
        (lambda symbols, words: tree(symbols, words) or (), "never closed"),
        (lambda symbols, words: ("S", *words), "gives"),
        (lambda symbols, words: symbols[99], "IndexError"),
    ],
)
def test_slips_of_reading_are_named(answer, says):
    refuses(checks.read, answer, says=says)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda *given: write(*given, free=True), "an untrained model"),
        (lambda *given: write(*given)[:, 1:], "the start symbol"),
        (lambda *given: write(*given, spare=1), "just enough for one pair"),
        (lambda *given: write(*given).tolist(), "whole numbers of shape"),
        (lambda *given: write(*given) + 9, "8 symbols"),
        (lambda *given: write(*given, choose=worst), "likeliest"),
    ],
)
def test_slips_of_decoding_are_named(answer, says, short):
    refuses(checks.build, answer, says=says)
