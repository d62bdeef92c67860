"""Equal sizes, repeatable training, the memory's agreement with the window, and what a recogniser writes as text."""

import pytest
import torch

from attend.recipes.hybrid import HIDDEN, HybridRecipe, Remembering, build, digits, error, transcribe, within
from attend.tasks import speech


def test_all_kinds_have_as_many_weights_to_within_one_in_a_hundred():
    sizes = [sum(p.numel() for p in build(kind, 0).parameters()) for kind in HIDDEN]
    assert max(sizes) < 1.01 * min(sizes)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["hybrid", "rnn"])
def test_training_is_repeatable_and_seeds_differ(kind):
    losses = [HybridRecipe(kind, seed, steps=3).train()[1].losses for seed in (0, 0, 1)]
    assert losses[0] == losses[1]
    assert losses[0] != losses[2]


def test_the_memory_hears_all_steps_and_not_the_last_alone():
    model, spoken = build("rnn", 0).eval(), speech.load("test", 2)
    assert isinstance(model, Remembering)
    target = torch.nn.functional.pad(spoken.target, (0, 1))
    _, weights = model(spoken.x, spoken.mask, target)
    assert weights.shape[:2] == target.shape
    torch.testing.assert_close(weights.sum(2), torch.ones(target.shape))
    _, narrow = model(spoken.x, spoken.mask, target, 10, 0)  # a window of one place: it cannot leave the first
    assert (narrow[:, :, 0] == 1).all()


def test_the_window_is_that_of_the_attention():
    last = torch.tensor([[0.3, 0.1, 0.2, 0.0, 0.4]])
    mask = torch.tensor([[True, True, True, True, False]])
    assert within(last, mask, 1).tolist() == [[False, True, True, True, False]]
    assert within(last, mask, None) is mask


def test_what_is_written_ends_at_the_end():
    assert digits([4, 4, 8, 0, 3]) == "337"
    assert digits([4, 4]) == "33"
    assert digits([0]) == ""


def test_a_recogniser_that_ends_at_once_has_left_out_all():
    model, spoken = build("content", 0).eval(), speech.load("test", 3)
    model.readout.bias.data[0] = 100.0
    assert transcribe(model, spoken) == ["", "", ""]
    assert error(model, spoken) == 1


def test_a_setting_that_does_not_fit_is_refused_by_name():
    with pytest.raises(ValueError, match="steps: got 0"):
        HybridRecipe(steps=0)
