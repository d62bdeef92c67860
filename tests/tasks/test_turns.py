"""Speakers of the plays taking turns: windows of one scene, the commonest words, masks."""

import pytest
import torch

from attend.tasks import plays, turns
from attend.tasks.split import PARTS


def test_words_and_stops():
    assert turns.words("Who's there?\nO, 'tis I--Orlando!") == [
        "who's",
        "there",
        "?",
        "o",
        ",",
        "tis",
        "i",
        "orlando",
        "!",
    ]


def test_turns_are_what_the_speakers_say():
    (first, *_), scene = turns.spoken("validation"), plays.scenes("validation")[0]
    speaker, said = scene.text.split("\n\n")[0].split("\n", 1)
    assert list(first[0]) == turns.words(said)
    assert speaker.isupper()
    assert all(turn for part in PARTS for scene in turns.spoken(part) for turn in scene)


def test_the_vocabulary_is_the_commonest_words_of_training():
    words = turns.vocabulary()
    assert len(words) == len(set(words)) == turns.V
    assert words[:2] == ("END", "UNKNOWN")
    assert {"the", "i", ",", "you"} < set(words[:12])


@pytest.mark.parametrize("part", PARTS)
def test_every_exchange_is_a_window_of_one_scene(part):
    heard, place = turns.exchanges(part), {word: n for n, word in enumerate(turns.vocabulary())}
    scenes = [scene for scene in turns.spoken(part) if len(scene) > 3]
    assert len(heard.words) == sum(len(scene) - 3 for scene in scenes)
    assert heard.words.shape[1:] == (3, turns.MOST + 1)
    code = [[place.get(word, turns.UNKNOWN) for word in turn] for turn in scenes[0]]
    for n in range(3):
        read = heard.words[0, n][heard.mask[0, n]].tolist()
        assert read == [*code[n][-turns.MOST :], turns.END]
    assert heard.answer[0][heard.asked[0]].tolist() == [*code[3], turns.END][: turns.MOST]


def test_unheard_leaves_the_end_of_a_turn_and_nothing_else():
    heard = turns.exchanges("validation")
    alone = turns.unheard(heard)
    assert alone.words.shape == alone.mask.shape == (len(heard.words), 1, 1)
    assert alone.words.eq(turns.END).all()
    assert alone.mask.all()
    assert torch.equal(alone.answer, heard.answer)


def test_a_pass_shows_every_exchange_once():
    heard = turns.Exchanges(*(column[:10] for column in turns.exchanges("validation")))
    stream = turns.batches(heard, 5, torch.Generator().manual_seed(0))
    first = torch.cat([next(stream).answer, next(stream).answer])
    assert sorted(first.tolist()) == sorted(heard.answer.tolist())
    assert not torch.equal(first, torch.cat([next(stream).answer, next(stream).answer]))
    with pytest.raises(ValueError, match="B: got 11"):
        turns.batches(heard, 11, torch.Generator())


def test_cost_by_hand():
    chances = torch.tensor([[[0.5, 0.5], [0.1, 0.9]]])
    got = turns.cost(chances.log(), torch.tensor([[1, 0]]), torch.tensor([[True, False]]))
    torch.testing.assert_close(got, torch.tensor(0.5).log().neg())


def calls():
    HEARD = turns.exchanges("validation")
    SCORED = {
        "logits": torch.zeros(2, 3, 4),
        "answer": torch.ones(2, 3, dtype=torch.long),
        "asked": torch.ones(2, 3, dtype=torch.bool),
    }
    return {
        turns.words: {"text": "Who's there?"},
        turns.spoken: {"part": "validation"},
        turns.vocabulary: {},
        turns.exchanges: {"part": "validation", "turns": 2},
        turns.unheard: {"heard": HEARD},
        turns.batches: {"heard": HEARD, "B": 4, "generator": torch.Generator()},
        turns.cost: SCORED,
    }


def good():
    return {
        turns.words: {"text": {"word", "empty"}},
    }
