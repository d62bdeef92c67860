"""Equal sizes, repeatable training, what counts as right and found, and the network that is shipped."""

import pytest
import torch

from attend.recipes import memory_network as recipes
from attend.recipes.memory_network import MemoryNetworkRecipe, build, encoded, found, of_facts, right, told_loss
from attend.tasks import world


def size(kind, told_of="where"):
    return sum(part.numel() for part in build(kind, told_of, 0).parameters() if part.requires_grad)


def test_sides_have_as_many_weights_to_within_one_in_twenty():
    assert size("memory") == size("one hop") == 8_448
    assert size("gru") == 8_760
    assert size("memory", "crowd") == 8_512
    assert size("memory", "dropped") == 7_920
    assert size("untimed", "dropped") == 6_720
    assert size("dynamic", "dropped") == 29_657
    assert size("memory", "gave") == size("placed", "gave") == 4_224


@pytest.mark.parametrize("kind", ["memory", "told", "dynamic", "gru"])
def test_training_is_repeatable_and_seeds_differ(kind):
    losses = [MemoryNetworkRecipe(kind, seed=seed, steps=3, stories=50).train()[1].losses for seed in (0, 0, 1)]
    assert losses[0] == losses[1]
    assert losses[0] != losses[2]


def test_the_softmax_is_left_out_at_the_start_of_what_has_several_hops():
    def start(kind, told_of):
        return next(MemoryNetworkRecipe(kind, told_of, stories=70).batches())[1]

    assert start("memory", "where")
    assert start("untimed", "dropped")
    assert not any(start(kind, "where") for kind in ("abrupt", "one hop", "told", "gru"))
    assert not start("memory", "crowd")


def test_told_loss_asks_each_hop_for_its_fact_and_the_rest_for_the_last():
    weights = torch.tensor([[[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.125, 0.125, 0.75]]])
    assert told_loss(weights, torch.tensor([[0, 1, 2]])).item() == pytest.approx(-torch.tensor(0.1875).log().item())
    assert told_loss(weights, torch.tensor([[2, -1, -1]])).item() == pytest.approx(
        -torch.tensor(0.25 * 0.25 * 0.75).log().item()
    )


class Reads(torch.nn.Module):
    """Answers rightly, and reads the first fact in each hop."""

    def forward(self, story, question):
        batch = encoded("where", 200, 3, "test")
        logits = torch.nn.functional.one_hot(batch.answer, len(world.VOCABULARY)).float()
        return logits, torch.nn.functional.one_hot(batch.facts[:, :1], 10).float().expand(-1, 3, -1)


def test_facts_are_found_only_where_all_of_them_are_read():
    batch = encoded("where", 200, 3, "test")
    assert right(Reads(), batch).all()
    assert torch.equal(found(Reads(), batch), of_facts(batch, 1))


def test_a_gru_hears_the_question_last():
    batch, model, read = encoded("crowd", 5, 3, "test"), build("gru", "crowd", 0), []
    model.gru.register_forward_pre_hook(lambda _, given: read.append(given[0]))
    model(batch.story, batch.question)
    torch.testing.assert_close(read[0][:, -1], model.embed(batch.question))


def test_the_shipped_network_answers_and_finds_the_facts():
    batch = encoded("where", 1_000, 3, "validation")
    model = recipes.trained()
    assert right(model, batch).float().mean() > 0.97
    assert found(model, batch).float().mean() > 0.95


def test_a_setting_that_does_not_fit_is_refused_by_name():
    with pytest.raises(ValueError, match="steps: got 0"):
        MemoryNetworkRecipe(steps=0)
