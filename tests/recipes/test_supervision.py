import json

import pytest
import torch

from attend.recipes import supervision
from attend.recipes.numbers import NumbersRecipe
from attend.recipes.reviews import ReviewsRecipe
from attend.tasks import numbers, reviews


def test_what_was_measured_is_whole():
    found = supervision.load()
    assert list(found) == list(supervision.runs())
    for name, run in found.items():
        assert len(run["test"]) == len(supervision.SEEDS), name
        assert run["seconds"] > 0
    for run in found["reviews"]["test"]:
        assert 0.5 < run["accuracy"] < 1
        assert set(run["phrases"]) == set(supervision.PHRASES)
    assert all(1 < value < 63 for value in found["plays"]["test"])
    for run in found["numbers, long"]["test"]:
        assert set(run["places"]) == {*supervision.PIECES, "commonest"}


def test_the_first_seed_of_the_reviews_is_the_reader_that_comes_with_the_package():
    recipe = ReviewsRecipe()
    now, then = supervision.phrases(recipe, recipe.load()), supervision.load()["reviews"]["test"][0]["phrases"]
    for text in supervision.PHRASES:
        assert now[text] == pytest.approx(then[text], abs=0.05)


@torch.no_grad()
def test_pull_is_the_share_of_the_last_summary_in_the_verdict():
    recipe = ReviewsRecipe()
    model = recipe.load()
    said = supervision.phrases(recipe, model)
    for text in ("good", "not good"):
        reading = model(*reviews.encode([text], recipe.words()))
        pull = model.readout(reading.hidden)[0, -1].item() - model.readout.bias.item()
        assert said[text]["pull"] == pytest.approx(pull, abs=1e-4)
        assert said[text]["kind"] == pytest.approx(reading.logit.sigmoid().item(), abs=1e-5)
    assert said["good"]["pull"] == pytest.approx(torch.logit(torch.tensor(said["good"]["kind"])).item(), abs=0.05)


def test_by_digits_is_the_share_of_right_numbers():
    recipe = NumbersRecipe(digits=4, most=1_000)
    model = recipe.load()
    shares = supervision.by_digits(recipe, model, "validation")
    assert set(shares) == {"3", "4"}
    tests = [n for n in numbers.numbers("validation", 4, 1_000) if len(str(n)) == 3]
    assert shares["3"] == pytest.approx(recipe.exact(model, numbers.encode(tuple(tests))).double().mean().item())
    assert max(shares.values()) > 0.97


@torch.no_grad()
def test_by_place_is_the_share_of_right_pieces_of_a_kind_given_the_true_ones():
    recipe = NumbersRecipe(digits=9, most=1_500)
    model = recipe.load()
    places = supervision.by_place(recipe, model, "validation")
    asked = [n for n in numbers.numbers("validation", 9, 1_500) if len(numbers.english(n)) >= 14]
    pairs = numbers.encode(tuple(asked))
    guess = model(pairs.source, pairs.mask, pairs.target).argmax(-1)
    for place in (1, 10):
        pieces = [numbers.german(n)[place - 1] for n in asked]
        rows = [i for i, piece in enumerate(pieces) if piece in supervision.PIECES["number words"]]
        right = sum(numbers.GERMAN[guess[i, place - 1]] == pieces[i] for i in rows)
        assert places["number words"][place - 1] == pytest.approx(right / len(rows))
        most = max(sum(pieces[i] == piece for i in rows) for piece in set(pieces))
        assert places["commonest"][place - 1] == pytest.approx(most / len(rows))
    assert places["number words"][1] is None
    assert min(share for share in places["hundert, tausend"] if share is not None) > 0.8


def test_the_kinds_of_pieces_do_not_meet_and_are_german():
    words, grammar = supervision.PIECES["number words"], supervision.PIECES["hundert, tausend"]
    assert not set(words) & set(grammar)
    assert {*words, *grammar} < set(numbers.GERMAN)
    assert numbers.GERMAN[numbers.END] not in words


def test_export_trains_each_recipe_once_a_seed(monkeypatch, tmp_path):
    made = []

    class Tiny(NumbersRecipe):
        def train(self):
            made.append(self.seed)
            return self.build(), None

    tiny = Tiny(digits=1)
    for name in ("ReviewsRecipe", "NumbersRecipe", "PlaysRecipe"):
        monkeypatch.setattr(supervision, name, lambda **kw: tiny)
    monkeypatch.setattr(supervision, "ONE_PASS", tiny)
    monkeypatch.setattr(supervision, "LONG", tiny)
    monkeypatch.setattr(supervision, "WEIGHTS", tmp_path)
    monkeypatch.setattr(supervision, "phrases", lambda recipe, model: {})
    supervision.export()
    assert made == [0, 1, 2] * 6
    found = json.loads((tmp_path / "supervision.json").read_text())
    assert found["numbers"]["test"] == pytest.approx([0.0] * 3, abs=0.5)
    (tmp_path / "supervision.json").write_text(json.dumps(found | {"plays": "as it was", "numbers": "to be renewed"}))
    supervision.export("numbers")
    assert made == [0, 1, 2] * 7
    again = json.loads((tmp_path / "supervision.json").read_text())
    assert list(again) == list(found)
    assert again["plays"] == "as it was"
    assert again["numbers"]["test"] == found["numbers"]["test"]
    with pytest.raises(ValueError, match=r"names: got 'nothing'.* expected parts among reviews; reviews, last"):
        supervision.export("nothing")
