"""Stories of the little world: their answers are found again by following the sentences, and so are their facts."""

import pytest
import torch

from attend.tasks import world


def follow(story):
    """The answer of a story about places, by reading sentence after sentence."""
    at, holds, inside, left = {}, {}, {}, {}
    for text in story.sentences:
        words = text.split()
        match words[1]:
            case "went":
                at[words[0]] = words[-1]
            case "took":
                holds[words[-1]] = words[0]
            case "dropped":
                left[words[-1]] = at.get(words[0])
            case _:
                inside[words[1]] = words[-1]
    asked = story.question.split()[-1]
    if asked in left:
        return left[asked]
    asked = inside.get(asked, asked)
    return at[holds.get(asked, asked)]


@pytest.mark.parametrize("kind", ["where", "dropped", "crowd"])
def test_answers_follow_from_the_sentences(kind):
    for story in world.stories(kind, 300, 3):
        assert follow(story) == story.answer
        low, high = world.SENTENCES[kind]
        assert low <= len(story.sentences) <= high


@pytest.mark.parametrize(("kind", "fewest"), [("where", 1), ("dropped", 2), ("crowd", 1)])
def test_the_facts_alone_answer_and_without_one_of_them_the_answer_is_lost(kind, fewest):
    for story in world.stories(kind, 200, 4):
        kept = sorted(story.facts)
        alone = story._replace(sentences=tuple(story.sentences[i] for i in kept))
        assert follow(alone) == story.answer
        assert len(set(kept)) == len(kept) >= fewest
        for one in story.facts:
            less = story._replace(sentences=tuple(story.sentences[i] for i in kept if i != one))
            try:
                assert follow(less) != story.answer
            except KeyError:
                continue


def test_where_needs_one_two_or_three_facts_equally_often():
    counts = [len(story.facts) for story in world.stories("where", 3_000)]
    for count in (1, 2, 3):
        assert abs(counts.count(count) / 3_000 - 1 / 3) < 0.04


def test_who_got_it_and_how_often():
    for story in world.stories("gave", 200):
        _, _, receiver, _, thing = story.sentences[story.facts[0]].split()
        assert (receiver, thing) == (story.answer, story.question.split()[-1])
    for story in world.stories("count", 200):
        who = story.question.split()[3]
        assert world.NUMBERS[sum(text.startswith(f"{who} went") for text in story.sentences)] == story.answer
        assert story.facts == ()


def test_the_last_sentence_stands_in_the_last_slot():
    told = world.stories("where", 20)
    batch = world.encode(told, 12)
    assert batch.story.shape == (20, 12, world.WORDS)
    for i, story in enumerate(told):
        n = len(story.sentences)
        assert not batch.story[i, : 12 - n].any()
        assert batch.story[i, -1].tolist() == world.tokens(story.sentences[-1])
        slots = [slot for slot in batch.facts[i].tolist() if slot >= 0]
        assert [slot - 12 + n for slot in slots] == list(story.facts)
        assert world.VOCABULARY[batch.answer[i]] == story.answer


def test_seeds_and_splits_give_other_stories():
    one = world.stories("where", 20)
    assert one == world.stories("where", 20)
    assert one != world.stories("where", 20, 1)
    assert one != world.stories("where", 20, split="test")


def test_every_answer_is_one_that_may_be_given_and_all_are_given():
    for kind in world.SENTENCES:
        assert {story.answer for story in world.stories(kind, 400)} == set(world.answers(kind))


def test_an_example_marks_the_facts():
    text = world.example("where", 2)
    assert text.count("←") == len(world.stories("where", 1, 2)[0].facts)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: world.tokens("John went to Mars"), "text: got"),
        (lambda: world.tokens(""), "text: got"),
        (lambda: world.tokens("the the the the the the the"), "1 to 6 words"),
        (lambda: world.encode([], 10), "told: got"),
        (lambda: world.encode(world.stories("crowd", 50), 10), "slots: got 10"),
        (lambda: world.stories("moon", 3), "world: got"),
        (lambda: world.stories("where", 0), "count: got 0"),
    ],
)
def test_bad_input_is_refused_by_name(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def test_tokens_are_whole_numbers():
    batch = world.encode(world.stories("gave", 3), 8)
    assert all(column.dtype == torch.int64 for column in batch)


def calls():
    return {
        world.stories: {"world": "where", "count": 2, "split": "train"},
        world.tokens: {"text": "John took the football"},
        world.encode: {"told": world.stories("where", 2), "slots": 10},
        world.answers: {"world": "where"},
        world.example: {"world": "where"},
    }
