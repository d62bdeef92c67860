import pytest
import torch

from attend.recipes.looking import (
    BINS,
    LIGHT,
    READERS,
    SEEDS,
    crossed,
    judge,
    light,
    load_light,
    measured,
    recipe,
    steps_back,
)
from attend.soft.read import AttentionSeq2Seq
from attend.tasks import numbers, translation


def test_the_readers_differ_in_nothing_but_their_look():
    made = {reader: recipe(reader) for reader in READERS}
    assert [made[reader].score for reader in READERS] == [None, "location", "bilinear"]
    assert len({(r.digits, r.most, r.D, r.H, r.batch, r.learning_rate) for r in made.values()}) == 1
    with pytest.raises(ValueError, match="reader: got 'additive'"):
        recipe("additive")
    with pytest.raises(ValueError, match="reader: got 'no attention'"):
        light("no attention")


def test_eleven_places_are_enough_for_six_digits():
    longest = max(len(numbers.english(n)) for n in (777_777, 373_373, *light("location").of("test")))
    assert longest == light("location").places == 11


def test_pieces_that_change_their_order():
    origin = translation.origins((42, 17, 342_567))
    assert crossed(origin)[0].tolist()[:4] == [True, False, True, True]  # zwei und vier zig
    assert not crossed(origin)[1].any()
    said = [
        piece for piece, crosses in zip(numbers.german(342_567), crossed(origin)[2].tolist(), strict=False) if crosses
    ]
    assert said == ["zwei", "vier", "zig", "sieben", "sech", "zig"]


def test_looks_that_step_back():
    origin = translation.origins((42, 17, 342_567))
    assert steps_back(origin, origin) == 1
    along = torch.arange(origin.shape[1]).expand_as(origin)
    assert steps_back(along, origin) == 0
    half = along.clone()
    half[0] = origin[0]
    assert steps_back(half, origin) == pytest.approx(1 / 3)  # one turn in 42, two in 342,567


@pytest.mark.parametrize("reader", LIGHT)
def test_the_weights_that_come_with_the_package(reader):
    judged = judge(load_light(reader), light(reader).of("test"))
    assert judged["exact"] > 0.9
    assert judged["near"] > 0.9
    assert judged["found"] > {"location": 0.5, "content": 0.9}[reader]
    assert judged["by length"][3:] == [None, None]


def test_a_reader_without_attention_is_judged_by_its_words_alone():
    model = recipe("no attention").build()
    assert not isinstance(model, AttentionSeq2Seq)
    assert set(judge(model, (7, 42, 100))) == {"exact", "by length"}


def test_what_was_recorded_is_complete():
    found = measured()
    for reader in READERS:
        assert len(found[reader]) == len(SEEDS)
        for run in found[reader]:
            assert len(run["by length"]) == len(BINS)
            assert ("back" in run) == (reader != "no attention")
            assert all(0 <= share <= 1 for name, share in run.items() if isinstance(share, float) and name != "seconds")
    seconds = torch.tensor([[run["seconds"] for run in found[reader]] for reader in READERS])
    assert seconds.mean(1).max() < 1.4 * seconds.mean(1).min()
