from attend.tasks import reviews, snippets
from attend.tasks.split import PARTS, part_of


def calls():
    return {snippets.load: {"part": "train"}, snippets.example: {"part": "test"}}


def test_the_parts_share_no_text_and_each_holds_the_texts_of_its_reviews():
    texts = {part: snippets.load(part) for part in PARTS}
    assert sum(map(len, texts.values())) == 9_021 + 2_380
    assert len({text.lower() for part in PARTS for text in texts[part]}) > 11_390
    for part in PARTS:
        rated = [review.text for review in reviews.load(part)]
        assert list(texts[part][: len(rated)]) == rated
        assert all(part_of(text.lower()) == part for text in texts[part])


def test_whole_editorials_are_longer_than_snippets_and_nothing_spans_lines():
    lengths = sorted(map(len, snippets.load("train")))
    assert lengths[len(lengths) // 2] < 150 < 1_000 < lengths[-1]
    assert not any("\n" in text for text in snippets.load("train"))


def test_the_example_has_two_beginnings():
    assert len(snippets.example().split("\n")) == 2
