"""The planned journey: what is asked was said where it should be, and nothing else gives it away."""

import pytest
import torch

from attend.tasks import dialogue
from attend.tasks.dialogue import CITIES, MONTHS, SMALL_TALK, WORDS

VALUES = {*CITIES, *MONTHS}


def seeded():
    return torch.Generator().manual_seed(0)


def test_words_are_all_different_and_the_end_comes_first():
    assert WORDS[0] == "end"
    assert len({*WORDS}) == len(WORDS) == 20
    assert not VALUES & {*SMALL_TALK}
    assert len(CITIES) == len(MONTHS) == 1 / dialogue.CHANCE


@pytest.mark.parametrize("back", [1, 3, None])
def test_the_answer_was_said_that_many_turns_ago_and_nowhere_else(back):
    made = dialogue.sample(200, length=5, turns=4, back=back, generator=seeded())
    assert made.words.shape == (200, 5, 5)
    assert made.mask.all()
    for words, answer, distance in zip(made.words, made.answer, made.back.tolist(), strict=True):
        turns, said = [dialogue.spell(turn).split() for turn in words], dialogue.spell(answer)
        assert said in " ".join(turns[4 - distance])
        values = [VALUES & {*turn} for turn in turns]
        assert sorted(map(len, values)) == [0, 0, 0, 1, 1]
        assert len(set.union(*values) & {*CITIES}) == 1
        assert turns[-1][-2:] == (["where", "?"] if said.startswith("to ") else ["when", "?"])
    assert set(made.back.tolist()) == ({back} if back else {1, 2, 3, 4})


def test_every_answer_and_every_other_turn_comes_equally_often():
    made = dialogue.sample(4_000, length=3, turns=3, back=2, generator=seeded())
    shares = made.answer[:, 1].bincount()[dialogue.VALUES.flatten()] / 4_000
    assert shares.sub(1 / 8).abs().max() < 0.03
    other = torch.isin(made.words[:, :3], dialogue.VALUES).any(2).float().mean(0)
    torch.testing.assert_close(other, torch.tensor([0.5, 1.0, 0.5]), atol=0.05, rtol=0)


def test_texts_are_padded_behind():
    words, mask = dialogue.encode([["to rome well", "where ?"], ["hm"]])
    assert mask.tolist() == [[[True] * 3, [True, True, False]], [[True, False, False], [False] * 3]]
    assert [dialogue.spell(turn) for turn in words[0]] == ["to rome well", "where ?"]
    with pytest.raises(ValueError, match=r"dialogues: got .*'utopia'"):
        dialogue.encode([["to utopia"]])
    with pytest.raises(ValueError, match="dialogues: got"):
        dialogue.encode([["to rome", ""]])


def test_an_example_to_read():
    lines = dialogue.example(seed=0).splitlines()
    assert len(lines) == 5
    assert lines[-1][2:] in lines[0]


def test_bad_input_is_refused_by_name():
    with pytest.raises(ValueError, match="length: got 1"):
        dialogue.sample(2, length=1)
    with pytest.raises(ValueError, match="turns: got 1"):
        dialogue.sample(2, turns=1)
    with pytest.raises(ValueError, match="back: got 4"):
        dialogue.sample(2, back=4)


def calls():
    return {
        dialogue.sample: {"batch": 2, "length": 3, "turns": 2, "back": 1, "generator": torch.Generator()},
        dialogue.encode: {"dialogues": [["to rome"]]},
        dialogue.spell: {"tokens": torch.tensor([1, 6, 0])},
        dialogue.example: {"seed": 0, "length": 3, "turns": 2, "back": 1},
    }


def good():
    return {dialogue.example: {"seed": {"zero"}}}
