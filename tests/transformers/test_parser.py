"""Trees as lines, F1 by its definition, the mask beside all legal lines, and decoding that is always legal."""

from collections import Counter
from itertools import product

import pytest
import torch

from attend.transformers.parser import CLOSE, END, OPEN, WORD, brackets, f1, legal, linearise, parse
from attend.transformers.tiny_translator import TinyTranslator

TREE = ("S", ("NP", "the", "girl"), ("VP", "sees", ("NP", "boys")))
SYMBOLS = ("end", "•", ")", "(A", "(B")


def test_a_tree_as_a_line_and_its_brackets():
    assert " ".join(linearise(TREE)) == "(S (NP • • ) (VP • (NP • ) ) )"
    spans = {("S", 0, 4), ("NP", 0, 2), ("VP", 2, 4), ("NP", 3, 4)}
    assert brackets(linearise(TREE), 4) == Counter(spans)
    assert brackets(["(A", "(A", "•", ")", ")"], 1) == Counter({("A", 0, 1): 2})


@pytest.mark.parametrize(
    "line",
    [
        "",
        "• •",
        "(A • •",
        "(A • • ) )",
        "(A • ) •",
        "(A • )",
        "(A • • • )",
        "(A • (B ) • )",
        "(A • • ) (A • • )",
        ") (",
    ],
)
def test_what_is_no_tree_over_two_words_has_no_brackets(line):
    assert brackets(line.split(), 2) is None


def test_f1_is_the_harmonic_mean_over_all_sentences():
    true, other = Counter({("S", 0, 3): 1, ("NP", 0, 1): 1, ("X", 0, 1): 2}), Counter({("S", 0, 3): 1, ("X", 0, 1): 1})
    precision, recall = 2 / 2, 2 / 4
    assert f1([(true, other)]) == pytest.approx(2 * precision * recall / (precision + recall))
    assert f1([(true, other), (true, None)]) == pytest.approx(2 * 2 / (2 + 8))
    assert f1([(true, None)]) == 0
    assert f1([(true, true), (other, other)]) == 1


def walk(words, most):
    """Every line that the mask allows, symbol by symbol."""
    ended, going = set(), [(END,)]
    for _ in range(most):
        after = []
        for line in going:
            may = legal(torch.tensor([line]), torch.tensor([words]), len(SYMBOLS), most)[0]
            assert may.any(), line
            for symbol in may.nonzero()[:, 0].tolist():
                (ended.add(line[1:]) if symbol == END else after.append((*line, symbol)))
        going = after
    assert not going or all(legal(torch.tensor([line]), torch.tensor([words]), 5, most)[0, END] for line in going)
    return ended


@pytest.mark.parametrize(("words", "most"), [(1, 6), (2, 7), (3, 6)])
def test_the_mask_allows_all_trees_that_fit_and_nothing_else(words, most):
    every = {
        line
        for length in range(1, most)
        for line in product((WORD, CLOSE, OPEN, OPEN + 1), repeat=length)
        if brackets([SYMBOLS[n] for n in line], words) is not None
    }
    assert walk(words, most) == every


def model(seed=0):
    torch.manual_seed(seed)
    return TinyTranslator(6, 5, 8, 2, 8, 1)


@pytest.mark.parametrize("seed", range(4))
def test_what_is_parsed_under_the_mask_is_always_a_tree(seed):
    source, lengths = torch.randint(6, (5, 7)), torch.tensor([1, 7, 3, 5, 2])
    mask = torch.arange(7) < lengths[:, None]
    tokens = parse(model(seed), source, mask, most=20)
    for row, length in zip(tokens, lengths.tolist(), strict=True):
        symbols = [SYMBOLS[n] for n in row.tolist()]
        assert brackets(symbols[: symbols.index("end")], length) is not None


def test_without_the_mask_it_is_the_translators_own_decoding():
    source, mask = torch.randint(6, (3, 4)), torch.ones(3, 4, dtype=torch.bool)
    assert torch.equal(parse(model(), source, mask, 9, constrained=False), model().generate(source, mask, 9))


def calls():
    tokens, words = torch.zeros(2, 1, dtype=torch.long), torch.tensor([2, 3])
    source, mask = torch.zeros(2, 3, dtype=torch.long), torch.ones(2, 3, dtype=torch.bool)
    return {
        linearise: {"tree": ("S", "a", ("VP", "b"))},
        brackets: {"symbols": ["(A", "•", ")"], "num_words": 1},
        f1: {"pairs": [(Counter({("A", 0, 1): 1}), None)]},
        legal: {"tokens": tokens, "num_words": words, "num_symbols": 5, "most": 9},
        parse: {"model": model(), "source": source, "mask": mask, "most": 4, "constrained": True},
    }
