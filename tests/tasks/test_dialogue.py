"""The planned journey: what is asked was said where it should be, and nothing else gives it away."""

import pytest
import torch

from attend.tasks import dialogue
from attend.tasks.dialogue import SLOTS, SMALL_TALK, WORDS


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def drawn(B=200, length=10, **options):
    generator = seeded()
    return dialogue.sample(B, dialogue.turns(length, generator, versions=5), generator, **options)


def told(batch, b):
    """The turns of one dialogue as texts, and the mask of its turns."""
    there = batch.mask[b].any(1)
    return [dialogue.spell(turn) for turn in batch.words[b][there]]


def test_values_and_words_are_all_different():
    values = [value for slot in SLOTS.values() for value in slot.values]
    assert len(values) == len(set(values)) == 20
    assert len(values) / len(SLOTS) == 1 / dialogue.CHANCE
    others = [*SMALL_TALK, *(p for slot in SLOTS.values() for p in (*slot.says, *slot.asks, slot.answer))]
    assert not set(values) & {word for phrase in others for word in phrase.split()}
    assert WORDS[0] == "end"
    assert len(set(WORDS)) == len(WORDS)


def test_the_answer_was_said_that_many_turns_ago_and_nowhere_else():
    batch = drawn()
    for b in range(200):
        turns, answer = told(batch, b), dialogue.spell(batch.answer[b])
        (value,) = {value for slot in SLOTS.values() for value in slot.values} & set(answer.split())
        holds = [value in turn.split() for turn in turns]
        assert holds.index(True) == len(turns) - 1 - batch.back[b]
        assert sum(holds) == 1
        (slot,) = (slot for slot in SLOTS.values() if value in slot.values)
        assert any(question in turns[-1] for question in slot.asks)
        assert answer == slot.answer.format(value)


def test_no_thing_is_settled_twice():
    batch = drawn(told=4)
    for b in range(200):
        turns = told(batch, b)[:-1]
        things = {name for turn in turns for name, slot in SLOTS.items() if set(slot.values) & set(turn.split())}
        assert len(turns) == len(things) == 4


def test_every_number_of_turns_and_every_distance_comes():
    batch = drawn(B=2_000)
    many = batch.mask.any(2).sum(1) - 1
    assert many.bincount()[1:].min() > 300
    assert ((batch.back >= 1) & (batch.back <= many)).all()
    assert batch.back.bincount().tolist()[1:] == sorted(batch.back.bincount().tolist()[1:], reverse=True)
    assert drawn(told=4, back=3).back.eq(3).all()
    assert drawn(back=3).mask.any(2).sum(1).min() == 4


def test_all_turns_have_their_length_and_end():
    batch = drawn(length=12)
    there = batch.mask.any(2)
    assert batch.mask[there].all()
    assert batch.words.shape[2] == 13
    assert batch.words[there][:, -1].eq(0).all()
    assert batch.words[there][:, :-1].ne(0).all()


def test_the_mask_of_the_answer_ends_with_its_end():
    batch = drawn()
    for answer, asked in zip(batch.answer, batch.asked, strict=True):
        said = answer[asked].tolist()
        assert said[-1] == 0
        assert 0 not in said[:-1]
        assert answer[~asked].eq(0).all()


def test_a_guess_is_right_one_time_in_five():
    batch = drawn(B=2_000)
    best = max(float((batch.answer == row).all(1).double().mean()) for row in batch.answer[:50])
    assert best < 0.1


def test_the_same_seed_draws_the_same():
    assert all(torch.equal(a, b) for a, b in zip(drawn(B=3), drawn(B=3), strict=True))
    assert not torch.equal(drawn(B=3).words, drawn(B=3, length=11).words[..., 1:])


def test_encode_and_spell():
    words, mask = dialogue.encode([["we fly to rome", "well yes so where do we go ?"], ["so"]])
    assert words.shape == (2, 2, 9)
    assert dialogue.spell(words[0, 0]) == "we fly to rome"
    assert mask.sum(2).tolist() == [[5, 9], [0, 2]]
    for broken in ([], [[]]):
        with pytest.raises(ValueError, match="dialogues: got"):
            dialogue.encode(broken)
    with pytest.raises(ValueError, match=r"text: got 'utopia' .*expected words of WORDS"):
        dialogue.encode([["we fly to utopia"]])
    with pytest.raises(ValueError, match=r"text: got ''"):
        dialogue.tokens("")


def test_cost_and_exact_by_hand():
    chances = torch.tensor([[[0.5, 0.25, 0.25], [0.1, 0.1, 0.8], [1 / 3, 1 / 3, 1 / 3]]])
    answer, asked = torch.tensor([[1, 2, 0]]), torch.tensor([[True, True, False]])
    wanted = -(torch.tensor([0.25, 0.8]).log()).mean()
    torch.testing.assert_close(dialogue.cost(chances.log(), answer, asked), wanted)
    assert dialogue.exact(torch.tensor([[1, 2, 1]]), answer, asked).tolist() == [True]
    assert dialogue.exact(torch.tensor([[1, 1, 0]]), answer, asked).tolist() == [False]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"B": 0}, "B: got 0"),
        ({"told": 5}, "told: got 5 .*expected 1 to 4"),
        ({"told": 2, "back": 3}, "back: got 3 .*expected 1 to 2"),
        ({"length": 7}, "length: got 7 .*at least 8"),
    ],
)
def test_bad_input_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        drawn(**options)


def test_the_example_is_readable():
    lines = dialogue.example(seed=1, told=4, back=3).split("\n")
    assert len(lines) == 6
    value = set(lines[-1].split()) & {value for slot in SLOTS.values() for value in slot.values}
    assert value < set(lines[1].split())


def calls():
    PARTS = dialogue.turns(8, torch.Generator().manual_seed(0), versions=2)
    SCORED = {
        "logits": torch.zeros(2, 3, 4),
        "answer": torch.ones(2, 3, dtype=torch.long),
        "asked": torch.ones(2, 3, dtype=torch.bool),
    }
    return {
        dialogue.turns: {"length": 8, "generator": torch.Generator(), "versions": 1},
        dialogue.sample: {"B": 2, "turns": PARTS, "generator": torch.Generator(), "told": 3, "back": 2},
        dialogue.tokens: {"text": "we fly to rome"},
        dialogue.encode: {"dialogues": [["we fly to rome", "where do we go ?"]]},
        dialogue.padded: {"rows": [[1, 2], [3]]},
        dialogue.cost: SCORED,
        dialogue.exact: {"written": SCORED["answer"], "answer": SCORED["answer"], "asked": SCORED["asked"]},
        dialogue.spell: {"row": torch.tensor([3, 1, 0])},
        dialogue.example: {"seed": 1, "length": 8, "told": 2, "back": 1},
    }


def good():
    return {
        dialogue.example: {"seed": {"zero"}},
    }
