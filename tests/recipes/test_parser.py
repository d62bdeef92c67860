"""What is trained and scored: equal sizes, data that fit each other, and both kinds of model under the mask."""

import pytest
import torch

from attend.recipes.parser import (
    RATE,
    SYMBOLS,
    ParserRecipe,
    data,
    pointing,
    right_branching,
    scores,
    spelled,
    trained,
    words_of,
    written,
)
from attend.tasks import grammar
from attend.transformers.parser import brackets, linearise, parse

SIDES = [(language, kind) for language in ("english", "python") for kind in ("Transformer", "GRU")]


def few(language, count=9):
    return data(language, "validation", count=count)


@pytest.mark.parametrize("language", ["english", "python"])
def test_both_kinds_have_as_many_weights_to_within_one_in_a_hundred(language):
    sizes = [
        sum(p.numel() for p in ParserRecipe(language, kind).build().parameters()) for kind in ("Transformer", "GRU")
    ]
    assert max(sizes) < 1.01 * min(sizes)
    assert (language, "GRU") in RATE


@pytest.mark.nightly
@pytest.mark.parametrize("language", ["english", "python"])
def test_pairs_are_the_words_and_the_line_of_each_tree(language):
    some = few(language)
    for row, tree in enumerate(some.trees):
        source = some.pairs.source[row][some.pairs.mask[row]].tolist()
        assert [words_of(language)[n] for n in source] == grammar.words(tree)
        assert spelled(language, some.pairs.target[row]) == linearise(tree)
    assert max(len(grammar.words(tree)) for tree in data(language, "test").trees) == 10


@pytest.mark.nightly
def test_the_mask_changes_an_answer_only_where_it_has_to():
    some, model = few("english"), ParserRecipe(seed=3).build().eval()
    bound = written(model, some.pairs, constrained=True)
    for row, tree in zip(bound, some.trees, strict=True):
        assert brackets(spelled("english", row), len(grammar.words(tree))) is not None
    T = bound.shape[1]
    assert torch.equal(parse(model, some.pairs.source, some.pairs.mask, 64)[:, :T], bound)


def test_a_gru_writes_trees_under_the_mask_too():
    some, model = few("python"), ParserRecipe("python", "GRU", 4).build().eval()
    for row, tree in zip(written(model, some.pairs, constrained=True), some.trees, strict=True):
        assert brackets(spelled("python", row), len(grammar.words(tree))) is not None


def test_scores_of_the_truth_and_of_nothing():
    some = few("english")
    lines = [linearise(tree) for tree in some.trees]
    assert scores("english", some, lines) == {"F1": 1.0, "exact": 1.0, "trees": 1.0}
    assert scores("english", some, [["end"]] * len(lines)) == {"F1": 0.0, "exact": 0.0, "trees": 0.0}


def test_everything_leans_right():
    assert right_branching(["a", "b", "c"]) == ("S", "a", ("VP", "b", ("VP", "c")))


@pytest.mark.nightly
@pytest.mark.parametrize(("language", "kind"), SIDES)
def test_a_short_training_lowers_the_loss(language, kind):
    losses = []
    ParserRecipe(language, kind, steps=12, count=200).train(callbacks=(lambda step: losses.append(step.loss),))
    assert sum(losses[-3:]) < sum(losses[:3])


@pytest.mark.parametrize("language", ["english", "python"])
def test_the_parser_of_the_figure_parses(language):
    some = few(language, 100)
    answers = [spelled(language, row) for row in written(trained(language), some.pairs, constrained=True)]
    assert scores(language, some, answers)["F1"] > 0.8


@pytest.mark.nightly
def test_pointing_is_counted_for_every_head_and_symbol():
    found = pointing(trained("english"), "english", "validation", 60)
    assert list(found) == ["•", "(S", "(NP", "(VP", "(PP", "(SBAR"]
    assert all(shares.shape == (2, 4) and bool(((shares >= 0) & (shares <= 1)).all()) for shares in found.values())
    assert found["(PP"].max() > 0.7
    assert pointing(ParserRecipe("python", "GRU").build(), "python", "validation", 20)["("].shape == (1, 1)


@pytest.mark.parametrize(
    ("field", "value"), [("language", "french"), ("kind", "LSTM"), ("steps", 0), ("rate", -1.0), ("count", 0)]
)
def test_fields_are_refused_by_name(field, value):
    with pytest.raises(ValueError, match=f"{field}: got"):
        ParserRecipe(**{field: value})


def test_symbols_begin_with_those_of_the_decoder():
    assert all(symbols[:3] == ("end", "•", ")") for symbols in SYMBOLS.values())
