"""What is trained: words of like length, two writers that learn."""

import itertools

import pytest
import torch

from attend.recipes.window import FixedWriter, V, WindowRecipe, batches, build, loss, nats, written
from attend.tasks import strokes


def test_words_of_like_length_stand_together():
    for batch in itertools.islice(batches(0, 8), 4):
        sizes = batch.letters.sum(1)
        assert len(sizes) == 8
        assert sizes.max() - sizes.min() <= 2


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["window", "fixed"])
def test_training_lowers_the_loss_and_is_repeatable(kind):
    losses = [WindowRecipe(kind, seed, steps=12, batch=8).train()[1].losses for seed in (0, 0, 1)]
    assert losses[0] == losses[1] != losses[2]
    assert sum(losses[0][-3:]) < sum(losses[0][:3])


def test_one_vector_is_the_encoders_state_after_the_last_letter():
    torch.manual_seed(0)
    model, text = FixedWriter(), torch.tensor([[3, 1, 20, 0, 0], [5, 0, 0, 0, 0]])
    letters = torch.tensor([[True] * 4 + [False], [True] * 2 + [False] * 3])
    both = model.context(text, letters)
    torch.testing.assert_close(both[1:], model.context(text[1:, :2], letters[1:, :2]))
    pen = torch.zeros(2, 6, 3)
    assert model(pen, text, letters)[0].shape == (2, 6, 31)


def test_one_vector_writes_as_it_was_taught_to():
    torch.manual_seed(0)
    model, text = FixedWriter().requires_grad_(False), torch.tensor([[3, 1, 20, 0]])
    (pen,) = model.write(text, 0.0, 15, torch.Generator().manual_seed(0))
    assert pen.shape[1] == 3
    assert len(pen) <= 15


def test_nats_are_the_mean_over_steps():
    torch.manual_seed(0)
    model = build("fixed", 0).requires_grad_(False)
    words = sorted(strokes.lexicon("validation", longest=6)[::4], key=len)
    rows = [strokes.draw(words[n : n + 32], n) for n in range(0, len(words), 32)]
    total = sum(loss(model, batch).item() * batch.mask.sum().item() for batch in rows)
    assert nats(model, "validation") == pytest.approx(total / sum(batch.mask.sum().item() for batch in rows))


def test_nobody_writes_for_ever():
    def endless(text, bias, most, generator):
        return (torch.zeros(most, 3),)

    assert [len(pen) for pen in written(endless, ("cat", "horse"), 0.0, 0)] == [160, 240]


def test_a_setting_that_does_not_fit_is_refused_by_name():
    for field, value in (("steps", 0), ("kind", "two"), ("offset", float("nan"))):
        with pytest.raises(ValueError, match=f"{field}: got"):
            WindowRecipe(**{field: value})
    assert V == 27
