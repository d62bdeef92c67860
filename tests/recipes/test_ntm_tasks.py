"""A write head that begins by walking, repeatable training, and the share of exact answers over all repeats."""

import pytest
import torch

from attend.recipes.ntm_tasks import KINDS, LENGTHS, SLOTS, TaskRecipe, batches, exact, new
from attend.tasks import tape


def row(task, length=3):
    return tape.sample(task, 2, length, torch.Generator().manual_seed(1))[0]


def test_a_walking_write_head_goes_one_slot_a_step_and_the_read_head_begins_as_it_did():
    with torch.no_grad():
        x = row("recall")
        (_, plain, _), (_, walking, _) = (new(kind, "recall", 0)(x, SLOTS) for kind in ("plain", "walking"))
    steps = x.shape[1]
    assert walking[0].argmax(1).tolist() == list(range(1, steps + 1))
    assert walking[0].amax(1).min() > 2 * plain[0, -1].max()
    others = [name for name, value in new("plain", "recall", 0).named_parameters() if name != "write_head.linear.bias"]
    a, b = (dict(new(kind, "recall", 0).named_parameters()) for kind in ("plain", "walking"))
    assert all(torch.equal(a[name], b[name]) for name in others)
    changed = (a["write_head.linear.bias"] != b["write_head.linear.bias"]).nonzero().flatten().tolist()
    assert changed == [17, 20], "the gate, and the share that goes ahead"


def test_content_and_location_alone_stay_what_they_are():
    h, last = torch.randn(1, 64), torch.eye(9)[:2, None]
    content, location = new("content", "recall", 0).write_head, new("location", "recall", 0).write_head
    M = torch.randn(2, 1, 9, 16)
    assert torch.equal(content.weights(h, M[0], last[0]), content.weights(h, M[0], last[1]))
    assert torch.equal(location.weights(h, M[0], last[0]), location.weights(h, M[1], last[0]))


@pytest.mark.parametrize("task", LENGTHS)
def test_no_slot_is_reached_twice_in_training(task):
    assert row(task, LENGTHS[task][1]).shape[1] <= SLOTS


def test_batches_have_the_lengths_of_training():
    items = [(x.shape[1] - 5) // 3 for (x, _), _ in zip(batches("recall", 0), range(40), strict=False)]
    assert set(items) == {2, 3, 4, 5}


@pytest.mark.parametrize("kind", KINDS)
def test_training_is_repeatable_and_seeds_differ(kind):
    losses = [TaskRecipe(kind, "recall", seed, steps=2).train()[1].losses for seed in (0, 0, 1)]
    assert losses[0] == losses[1]
    assert losses[0] != losses[2]


def test_one_wrong_digit_makes_a_row_wrong_whatever_the_repeats():
    class Knows(torch.nn.Module):
        """Repeats the digits and ends; the first row of each batch has one wrong."""

        def forward(self, x, slots):
            """Logits of every step."""
            times = round(float(x[0, 4, tape.EXTRA]) * tape.REPEATS)
            answer = torch.cat([x[:, :4, :11].repeat(1, times, 1), x[:, 4:5, :11]], dim=1)
            answer[0, 1] = answer[0, 1].roll(1, 0)
            return (torch.cat([x[:, :5, :11], answer], dim=1),)

    assert exact(Knows(), "repeat", 4, 3, rows=10) == pytest.approx(0.9)


def test_a_setting_that_does_not_fit_is_refused_by_name():
    with pytest.raises(ValueError, match="steps: got 0"):
        TaskRecipe(steps=0)
