"""Each checker knows the solution, the typical wrong answers and the stub."""

import pytest
from tests.checks.verdicts import accepts, refuses

from attend.checks import what_matters
from attend.recipes import what_matters as recipe

BLOCKS = 6 * 4 * 64 * 64 + 4 * 2 * 64 * 256


def spread(values, base):
    by = sum(values) / len(values) - sum(base) / len(base)
    return "as the base" if abs(by) <= max(base) - min(base) else "worse" if by > 0 else "better"


def test_solutions():
    accepts(what_matters.width, lambda N: (BLOCKS / N - 3 * 4 * 64**2) / (2 * 2 * 64))
    accepts(what_matters.judge, spread)
    accepts(what_matters.floor, lambda epsilon, V: 1 / (1 - epsilon + epsilon / V))


@pytest.mark.parametrize("values", [[4.0, 4.2, 4.4], [5.0, 4.9], [2.0, 2.1], [4.5, 4.5]])
def test_the_rule_is_that_of_the_recipe(values):
    base = [3.0, 4.0, 3.5, 3.2, 3.8]
    assert what_matters.verdict(values, base) == recipe.verdict(values, base) == spread(values, base)


def test_the_count_is_that_of_the_model_s_matrices():
    for name in ("base", "1 block", "half of F", "half the width"):
        made = recipe.recipe(name)
        model = made.build()
        blocks = [p for part in (model.encoder, model.decoder) for p in part.parameters() if p.ndim == 2]
        assert sum(p.numel() for p in blocks) == what_matters.weights(made.num_layers, made.d_ff, made.d_model)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda N: 512 / N, "take it off"),
        (lambda N: (BLOCKS / N - 2 * 4 * 64**2) / (4 * 64), "3 N attentions"),
        (lambda N: (BLOCKS / N - 3 * 3 * 64**2) / (4 * 64), "four matrices"),
        (lambda N: (BLOCKS / N - 3 * 4 * 64**2) / (2 * 64), "two matrices"),
        (lambda N: 256, "have 114,688 weights"),
        (lambda N: "wide", "a width must be a number"),
    ],
)
def test_wrong_widths_are_named(answer, says):
    refuses(what_matters.width, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda v, b: {"worse": "better", "better": "worse"}.get(spread(v, b), spread(v, b)), "less is better"),
        (lambda v, b: "worse" if sum(v) / len(v) > sum(b) / len(b) else "better", "by less than"),
        (lambda v, b: "as the base", "by more than"),
        (lambda v, b: "as the base" if min(v) <= max(b) and max(v) >= min(b) else spread(v, b), "by more than"),
        (lambda v, b: "bad", "one of worse, better, as the base"),
    ],
)
def test_wrong_verdicts_are_named(answer, says):
    refuses(what_matters.judge, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda e, V: 1 / (1 - e), "ε / V more"),
        (lambda e, V: 1 - e + e / V, "one over it"),
        (lambda e, V: 1 / (1 - e + e / (V - 1)), "ε / V each"),
        (lambda e, V: 1.0, "for ε = 0.1"),
        (lambda e, V: "low", "a perplexity must be a number"),
    ],
)
def test_wrong_floors_are_named(answer, says):
    refuses(what_matters.floor, answer, says=says)
