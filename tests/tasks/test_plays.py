import pytest
import torch

from attend.tasks import plays
from attend.tasks.split import PARTS, part_of


def test_the_scenes_of_nine_plays_each_in_one_part():
    names = [scene.name for part in PARTS for scene in plays.scenes(part)]
    assert len(names) == len(set(names)) == 162
    assert len({name.rsplit(" ", 1)[0] for name in names}) == 9
    assert all(part_of(scene.name) == part for part in PARTS for scene in plays.scenes(part))
    assert all(len(scene.text) >= 400 for part in PARTS for scene in plays.scenes(part))


def test_the_alphabet_is_what_occurs():
    assert len(set(plays.ALPHABET)) == len(plays.ALPHABET) == 63
    assert {c for part in PARTS for scene in plays.scenes(part) for c in scene.text} == set(plays.ALPHABET)
    assert plays.spell(plays.encode("Who's there?\n")) == "Who's there?\n"
    with pytest.raises(ValueError, match="text: got '3é'"):
        plays.encode("é3")
    with pytest.raises(ValueError, match="text: got ''"):
        plays.encode("")


def test_pages_cut_a_part_without_overlap():
    pages = plays.pages("validation", 500)
    assert torch.equal(pages.flatten(), plays.stream("validation")[: pages.numel()])
    assert 0 <= len(plays.stream("validation")) - pages.numel() < 500
    with pytest.raises(ValueError, match="T: got 1"):
        plays.pages("validation", 1)


def test_readers_read_on_and_the_label_is_the_next_letter():
    stream, tokens = plays.batches(3, 50), plays.stream("train")
    share = len(tokens) // 3
    letters, following, fresh = next(stream)
    assert fresh
    assert letters[1].tolist() == tokens[share : share + 50].tolist()
    assert torch.equal(letters[:, 1:], following[:, :-1])
    again, _, fresh = next(stream)
    assert not fresh
    assert torch.equal(again[:, 0], following[:, -1])
    started = [fresh for _, (_, _, fresh) in zip(range(share // 50 + 3), plays.batches(3, 50), strict=False)]
    assert sum(started) == 2


def test_cost_by_hand():
    chances = torch.tensor([[[0.5, 0.25, 0.25], [0.1, 0.1, 0.8]]])
    letters = torch.tensor([[0, 1]])
    wanted = -(torch.tensor([0.5, 0.1]).log()).mean()
    torch.testing.assert_close(plays.cost(chances.log(), letters), wanted)


def calls():
    LOGITS = torch.zeros(2, 3, 4)
    LETTERS = torch.tensor([[1, 0, 3], [2, 1, 0]])
    return {
        plays.scenes: {"part": "validation"},
        plays.encode: {"text": "Who's there?"},
        plays.spell: {"tokens": torch.tensor([1, 2])},
        plays.stream: {"part": "validation"},
        plays.pages: {"part": "validation", "T": 500},
        plays.batches: {"B": 2, "T": 3},
        plays.windows: {"B": 2, "T": 3, "generator": torch.Generator()},
        plays.cost: {"logits": LOGITS, "letters": LETTERS},
    }


def good():
    WORD = {"text": {"word"}}
    return {
        plays.encode: WORD,
    }


def test_windows_are_cut_from_the_training_scenes():
    text, draw = plays.stream("train"), plays.windows(3, 5, torch.Generator().manual_seed(0))
    whole = plays.spell(text)
    seen = [window for _, window in zip(range(20), draw, strict=False)]
    assert all(window.shape == (3, 6) for window in seen)
    assert all(plays.spell(row) in whole for window in seen for row in window)
    again = plays.windows(3, 5, torch.Generator().manual_seed(0))
    assert all(torch.equal(window, next(again)) for window in seen)


@pytest.mark.parametrize(("name", "B", "T"), [("B", 0, 5), ("T", 3, 0), ("T", 3, 10**9)])
def test_windows_refuse_by_name(name, B, T):
    with pytest.raises(ValueError, match=f"{name}: got"):
        plays.windows(B, T, torch.Generator())
