"""Sentences and trees fit each other, parts share nothing, and the exact parser is exact, by counting all trees."""

from collections import Counter
from functools import cache

import pytest

from attend.tasks import grammar
from attend.tasks.grammar import _binary, _classes, _label, _rules, parse, sentences, vocabulary, words


def test_the_rules_of_each_symbol_share_one():
    for left, sides in _rules().items():
        assert sum(share for share, _ in sides) == pytest.approx(1), left
        for _, side in sides:
            assert all(part in _rules() or part in grammar.WORDS for part in side), side


def test_words_have_one_class_but_for_the():
    assert [word for word, classes in _classes().items() if len(classes) > 1] == ["the"]
    assert len(vocabulary()) == 60


@pytest.mark.parametrize("part", ["train", "validation", "test"])
def test_sentences_are_different_and_as_long_as_asked(part):
    trees = sentences(part, 300)
    lines = [" ".join(words(tree)) for tree in trees]
    assert len(set(lines)) == 300
    assert all(4 <= len(line.split()) <= 10 for line in lines)
    assert all(tree[0] == "S" and set(_labels(tree)) <= set(grammar.LABELS) for tree in trees)
    assert all(11 <= len(words(tree)) <= 13 for tree in sentences(part, 20, 11, 13))


def _labels(tree):
    return [tree[0], *(name for part in tree[1:] if not isinstance(part, str) for name in _labels(part))]


@pytest.mark.nightly
def test_no_string_of_classes_is_in_two_parts():
    classes = [
        {" ".join(_label(_classes()[word][0][0]) for word in words(tree)) for tree in sentences(part, 400)}
        for part in ("train", "validation", "test")
    ]
    assert not classes[0] & classes[1] | classes[0] & classes[2] | classes[1] & classes[2]


@cache
def derivations(symbol, line):
    """All trees of a symbol over these words with their probabilities, by brute force: (children, probability)."""
    if len(line) == 1:
        own = [([line[0]], share) for name, share in _classes()[line[0]] if name == symbol]
        unary = [
            ([(_label(symbol), line[0])], share * one)
            for share, side in _rules().get(symbol, [])
            if len(side) == 1
            for name, one in _classes()[line[0]]
            if name == side[0]
        ]
        return own + unary
    found = []
    for (one, two), lefts in _binary().items():
        for left, share in lefts:
            if left != symbol:
                continue
            for k in range(1, len(line)):
                for first, p in derivations(one, line[:k]):
                    for second, q in derivations(two, line[k:]):
                        children = first + second
                        node = children if symbol.startswith("@") else [(_label(symbol), *children)]
                        found.append((node, share * p * q))
    return found


@pytest.mark.parametrize(
    "line",
    ["the dog sleeps", "the girl sees the boy with the hat", "a dog sleeps near a cat with the rope"],
)
def test_the_exact_parser_beside_all_trees(line):
    every = derivations("S", tuple(line.split()))
    best, share = max(every, key=lambda one: one[1])
    got = parse(line.split())
    assert got.tree == best[0]
    assert got.share == pytest.approx(share / sum(one for _, one in every))


def test_the_share_of_the_likeliest_tree_is_how_often_it_is_right():
    trees = sentences("test", 400)
    parsed = [parse(words(tree)) for tree in trees]
    right = sum(one.tree == tree for one, tree in zip(parsed, trees, strict=True)) / 400
    assert right == pytest.approx(sum(one.share for one in parsed) / 400, abs=0.05)


def test_agreement_is_kept():
    for line in ("the dogs sleeps", "the dog sleep", "the dog who sleep sings"):
        with pytest.raises(ValueError, match="line: got"):
            parse(line.split())


def test_the_example_shows_shares():
    assert Counter(line[0] in "01" for line in grammar.example().splitlines()) == {True: 5}


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: parse([]), "line: got"),
        (lambda: parse(["unicorn"]), "line: got"),
        (lambda: sentences("all", 3), "part: got"),
        (lambda: sentences("test", 3, 9, 8), "shortest: got 9"),
    ],
)
def test_what_does_not_fit_is_refused(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def calls():
    return {
        words: {"tree": ("NP", "the", "dog")},
        sentences: {"part": "test", "count": 2, "shortest": 4, "longest": 6},
        parse: {"line": ["the", "dog", "sleeps"]},
    }
