import pytest
import torch

from attend.tasks import reviews
from attend.tasks.split import PARTS, part_of


def seeded():
    return torch.Generator().manual_seed(0)


def test_the_parts_share_no_review_and_leave_none_out():
    texts = {part: {review.text.lower() for review in reviews.load(part)} for part in PARTS}
    assert sum(len(reviews.load(part)) for part in PARTS) == len(set().union(*texts.values())) == 9_021
    assert all(part_of(text) == part for part in PARTS for text in texts[part])
    ratings = [review.rating for part in PARTS for review in reviews.load(part)]
    assert min(map(abs, ratings)) >= 1
    assert max(map(abs, ratings)) <= 4
    assert sum(rating > 0 for rating in ratings) / len(ratings) == pytest.approx(0.5, abs=0.02)


def test_words_by_hand():
    assert reviews.words("It ISN'T bad\u2014don\u2019t miss 3 of 'em!") == [
        *("it", "isn't", "bad", "don't", "miss", "3", "of", "em", "!")
    ]


def test_the_vocabulary_holds_the_most_frequent_training_words():
    ten = reviews.vocabulary(10)
    assert ten[0] == "…"
    assert {"the", "a", "and", ".", ","} < set(ten)
    assert reviews.vocabulary(50)[:10] == ten
    assert len(set(reviews.vocabulary(3_000))) == 3_000
    tokens, _ = reviews.encode(["?", "zebra"], reviews.vocabulary(3_000))
    assert tokens[0] != reviews.UNKNOWN == tokens[1]


def test_encode_pads_on_the_right_and_knows_what_it_does_not_know():
    tokens, mask = reviews.encode(["a film", "zebra", "film a film"], ("…", "a", "film"))
    assert tokens.tolist() == [[1, 2, 0], [0, 0, 0], [2, 1, 2]]
    assert mask.tolist() == [[True, True, False], [True, False, False], [True, True, True]]
    for bad in ([], ["a", "--"]):
        with pytest.raises(ValueError, match="texts: got"):
            reviews.encode(bad, ("…", "a"))


def test_a_pass_of_batches_holds_each_training_review_once():
    vocabulary = reviews.vocabulary(300)
    everything = reviews.whole("train", vocabulary)
    stream = reviews.batches(vocabulary, 500, 0.0, seeded())
    seen = [next(stream) for _ in range(-(-len(everything.kind) // 500))]
    assert sum(len(batch.kind) for batch in seen) == len(everything.kind) == len(reviews.load("train"))
    assert sum(float(batch.kind.sum()) for batch in seen) == everything.kind.sum()
    assert sum(int(batch.tokens.sum()) for batch in seen) == everything.tokens.sum()
    assert all(batch.tokens.shape[1] == batch.mask.sum(1).max() for batch in seen)


def test_hidden_words_turn_unknown_and_stay_visible():
    vocabulary = reviews.vocabulary(3_000)
    plain, hidden = (next(reviews.batches(vocabulary, 400, hide, seeded())) for hide in (0.0, 0.5))
    assert torch.equal(plain.mask, hidden.mask)
    assert torch.equal(plain.kind, hidden.kind)
    known = plain.tokens > 0
    assert (hidden.tokens[known] == 0).double().mean().item() == pytest.approx(0.5, abs=0.02)
    kept = hidden.tokens > 0
    assert torch.equal(hidden.tokens[kept], plain.tokens[kept])


def test_cost_and_accuracy_by_hand():
    logit, kind = torch.tensor([2.0, -1.0, 3.0]), torch.tensor([1.0, 0.0, 0.0])
    wanted = -(torch.tensor([2.0, 1.0, -3.0]).sigmoid().log()).mean()
    torch.testing.assert_close(reviews.cost(logit, kind), wanted)
    assert reviews.accuracy(logit, kind) == pytest.approx(2 / 3)


def test_the_example_can_be_read():
    kind, unkind = reviews.example("validation").split("\n")
    assert kind.startswith("+")
    assert unkind.startswith("-")


def calls():
    return {
        reviews.load: {"part": "validation"},
        reviews.words: {"text": "It isn't!"},
        reviews.vocabulary: {"V": 5},
        reviews.encode: {"texts": ["a film", "it"], "vocabulary": ("…", "a", "film")},
        reviews.whole: {"part": "validation", "vocabulary": ("…", "a", "film")},
        reviews.batches: {"vocabulary": ("…", "a"), "B": 2, "hide": 0.5, "generator": torch.Generator()},
        reviews.cost: {"logit": torch.zeros(2), "kind": torch.ones(2)},
        reviews.accuracy: {"logit": torch.zeros(2), "kind": torch.ones(2)},
        reviews.example: {"part": "train"},
    }


def good():
    WORD = {"text": {"word"}}
    return {
        reviews.words: WORD,
    }
