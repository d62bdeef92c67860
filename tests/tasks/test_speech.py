import pytest
import torch

from attend.tasks import speech


def test_the_parts_are_those_that_data_md_names():
    for part, count, speakers in (("train", 900, 51), ("validation", 100, 8), ("test", 200, 12)):
        spoken = speech.load(part)
        assert len(spoken.x) == len(spoken.mask) == len(spoken.target) == count
        assert len({voice.partition("+")[2] for voice in speech.voices(part)}) == speakers
        assert spoken.asked.sum(1).unique().tolist() == [1, 2, 3, 4, 5]
        assert (spoken.target[spoken.asked] > 0).all()
        assert (spoken.target[~spoken.asked] == 0).all()
        assert (spoken.x[~spoken.mask] == 0).all()
        assert spoken.x.abs().max() <= 1


def test_no_speaker_is_in_two_parts():
    of = {part: {voice.partition("+")[2] for voice in speech.voices(part)} for part in ("train", "validation", "test")}
    assert not of["train"] & of["validation"]
    assert not of["train"] & of["test"]
    assert not of["validation"] & of["test"]


def test_the_recording_that_is_shown_says_337_and_can_be_heard():
    test = speech.load("test")
    assert speech.said(test)[speech.SHOWN] == "337"
    assert speech.voices("test")[speech.SHOWN] == "en-gb+linda"
    sound = speech.sound()
    assert sound.abs().max() == 1
    seconds, frames = len(sound) / speech.RATE, int(test.mask[speech.SHOWN].sum())
    assert seconds == pytest.approx(frames * speech.FRAME, abs=1e-3)
    loud = test.x[speech.SHOWN, :frames].amax(dim=1)
    power = sound.square()[: frames * 220].view(frames, -1).mean(dim=1)
    assert torch.corrcoef(torch.stack((loud, power.add(1e-5).log())))[0, 1] > 0.9


def test_every_recording_comes_once_before_one_comes_again():
    few = speech.load("train", 10)
    draw = speech.batches(few, 5, torch.Generator().manual_seed(0))
    for _ in range(3):
        pair = [speech.said(next(draw)) for _ in range(2)]
        assert sorted(pair[0] + pair[1]) == sorted(speech.said(few))


def test_long_recordings_are_joined_of_one_speaker():
    long = speech.joined("test", 23, 4, torch.Generator().manual_seed(0))
    assert long.asked.sum(1).tolist() == [23] * 4
    known = speech.load("test")
    first = long.x[0, :13]
    assert any(torch.equal(first, row[:13]) for row in known.x)
    with pytest.raises(ValueError, match="part: got 'train'"):
        speech.joined("train", 3, 1, torch.Generator())


def test_errors_by_hand():
    assert speech.errors("337", "337") == 0
    assert speech.errors("37", "337") == 1
    assert speech.errors("3137", "337") == 1
    assert speech.errors("731", "137") == 2
    assert speech.errors("", "42") == 2
    assert speech.label_error(["37", "42"], ["337", "42"]) == pytest.approx(0.2)
    with pytest.raises(ValueError, match="said: got"):
        speech.label_error([""], [""])


def test_digits_are_spelt_without_blanks():
    assert speech.spell(torch.tensor([4, 0, 4, 8, 0])) == "337"
    assert speech.spell(torch.tensor([0, 0])) == ""


def test_no_tokens_say_nothing():
    assert speech.spell(torch.tensor([], dtype=torch.long)) == ""
    with pytest.raises(ValueError, match="tokens: got"):
        speech.spell(torch.tensor([]))


def test_the_example_says_what_it_is():
    assert speech.example().startswith("337\n")


def calls():
    FEW = speech.load("validation", 3)
    return {
        speech.load: {"part": "validation", "most": 3},
        speech.voices: {"part": "test"},
        speech.batches: {"spoken": FEW, "B": 2, "generator": torch.Generator()},
        speech.joined: {"part": "test", "digits": 7, "count": 2, "generator": torch.Generator()},
        speech.strings: {"part": "train", "B": 2, "generator": torch.Generator()},
        speech.gather: {"recordings": [(torch.zeros(3, 16), "1")]},
        speech.said: {"spoken": FEW},
        speech.spell: {"tokens": torch.tensor([1, 2])},
        speech.errors: {"written": "1", "said": "2"},
        speech.label_error: {"written": ["1"], "said": ["2"]},
    }


def good():
    return {
        speech.spell: {"tokens": {"empty"}},
        speech.errors: {"written": {"word"}, "said": {"word"}},
    }


def test_strings_are_of_every_length_and_of_one_speaker():
    batch = next(speech.strings("train", 64, torch.Generator().manual_seed(0)))
    lengths = batch.asked.sum(1)
    assert set(lengths.tolist()) == {1, 2, 3, 4, 5}
    again = next(speech.strings("train", 64, torch.Generator().manual_seed(0)))
    assert torch.equal(batch.target, again.target)
    assert next(speech.strings("test", 3, torch.Generator().manual_seed(1), 1)).target.shape == (3, 1)
