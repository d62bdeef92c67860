"""What page alignment measures is what its sentences are about; small divisions stand in for the gospels."""

import pytest
import torch

from attend.evidence import alignment
from attend.recipes import verses as recipe
from attend.recipes.verses import AlignerRecipe, Division, TranslatorRecipe
from attend.tasks import verses


@pytest.fixture(scope="module")
def forty():
    return verses.load("validation")[:40]


@pytest.fixture(autouse=True)
def few(monkeypatch, forty):
    """Forty verses to learn from, and the same ones to judge."""
    of = Division(forty, forty)
    for where in (alignment, recipe):
        monkeypatch.setattr(where, "divided", lambda seed: of)
    return of


@pytest.mark.nightly
def test_the_right_links_are_no_error_and_a_table_of_these_very_verses_beats_the_diagonal(few):
    pairs = few.pairs("test")
    assert few.gold.shape == (*pairs.target.shape, pairs.source.shape[1])
    assert few.error(few.gold.double() + 0.01) < 0.1  # one link a word
    found = alignment.table(0)
    assert found["diagonal"] == few.error(few.diagonal("test").softmax(2))
    assert len(set(found.values())) == 4
    assert all(0 < rate < 1 for rate in found.values())


def test_words_are_counted_as_often_as_they_occur(forty):
    of = Division((verses.find("John 18:27"),), forty)
    links = verses.gold(of.train_verses)
    found = alignment.per_word(of, links)
    assert found["once"] == pytest.approx(sum(map(len, of.train_verses[0].links)) / 8)
    assert alignment.per_word(of, links & False)["once"] == 0


@pytest.mark.nightly
def test_all_that_is_measured_of_rare_words_is_links_for_a_word(few, forty):
    found = alignment.rare(0)
    drawn = sum(len(links) for verse in forty for links in verse.links)
    assert {name.split(": ")[0] for name in found} == set(alignment.GROUPS)
    assert all(count >= 0 for count in found.values() if count == count)
    assert found["once: drawn by people"] < drawn


@pytest.mark.nightly
def test_an_aligner_that_was_not_trained_is_judged_before_and_after(few):
    short = AlignerRecipe(steps=1, H=4, D=3)
    weights = short.weights(short.train())
    level = few.diagonal("test") * 0
    assert weights["before"].shape == level.shape
    assert few.error(weights["after"]) < few.error(weights["before"])


@pytest.mark.nightly
def test_a_translator_with_uniform_weights_is_measured_beside_itself():
    small = {"steps": 1, "D": 4, "H": 6, "greek": 50, "english": 40}
    model = TranslatorRecipe(**small).train()
    score = model.score
    found = TranslatorRecipe(**small).measure(model)
    assert set(found) == {"nats", "nats, uniform weights", "before", "a step later"}
    assert model.score is score
    for weight in score.parameters():
        torch.nn.init.zeros_(weight)
    level = TranslatorRecipe(**small).measure(model)
    assert level["nats"] == pytest.approx(level["nats, uniform weights"])
    bare = TranslatorRecipe(attention=False, **small)
    assert set(bare.measure(bare.train())) == {"nats"}
