"""What page parser measures is what its sentences are about; who was trained on nothing knows nothing."""

import pytest

from attend.evidence import parser
from attend.recipes import parser as recipes

ASKED = []
CACHED = (parser.trained, parser.found, parser.patient, parser.grouped, recipes.by_grammar)


@pytest.fixture(autouse=True)
def untrained(monkeypatch):
    def train(recipe):
        ASKED.append((recipe.language, recipe.kind, recipe.steps, recipe.count))
        return recipe.build().eval()

    ASKED.clear()
    whole = recipes.data

    def few(language, part, longer=False):
        return whole(language, part, longer, count=30)

    for cached in CACHED:
        cached.cache_clear()
    monkeypatch.setattr(recipes.ParserRecipe, "train", train)
    monkeypatch.setattr(recipes, "data", few)
    yield
    for cached in CACHED:
        cached.cache_clear()


CLAIMS = [parser.beats, parser.legal, parser.exact, parser.longer, parser.looks]


@pytest.mark.nightly
@pytest.mark.parametrize("claim", CLAIMS, ids=[claim.name for claim in CLAIMS])
def test_values_are_shares(claim):
    assert all(0 <= value <= 1 for value in claim(0).values())


def test_a_mask_makes_trees():
    found = parser.legal(1)
    assert found["legal, trees"] == 1
    assert found["free, trees"] < 1


def test_what_is_behind_is_a_difference():
    found = parser.exact(1)
    assert found["F1 behind the exact parser"] == found["exact parser"] - found["Transformer"]


@pytest.mark.nightly
def test_both_sides_get_as_many_steps():
    parser.beats(2)
    assert [("english", kind, 400, None) for kind in ("Transformer", "GRU")] == ASKED


@pytest.mark.nightly
def test_every_number_of_sentences_gets_as_many_steps():
    found = parser.data(0)
    sides = [(kind, count) for kind in ("Transformer", "GRU") for count in parser.COUNTS]
    assert [("english", kind, 1_000, count) for kind, count in sides] == ASKED
    for kind in ("Transformer", "GRU"):
        assert found[f"{kind}, lost"] == found[f"{kind}, 12,000"] - found[f"{kind}, 750"]


@pytest.mark.nightly
def test_depth_is_the_longest_chain_of_brackets():
    assert parser.levels(("S", ("NP", "the", "girl"), ("VP", "sees", ("NP", "the", "boy")))) == 3
    groups = parser.grouped("test")
    assert [len(group.trees) for group in groups.values()] == [112, 208]
    for group, depths in zip(groups.values(), parser.GROUPS.values(), strict=True):
        assert {parser.levels(tree) for tree in group.trees} == set(depths)
        assert set(group.pairs.mask.sum(1).tolist()) == {9, 10}


@pytest.mark.nightly
def test_the_exact_parser_beside_both_models():
    found = parser.depth(0)
    assert all(0 <= value <= 1 for value in found.values())
    for name in parser.GROUPS:
        assert found[f"exact parser, {name}"] > max(found[f"Transformer, {name}"], found[f"GRU, {name}"])
