"""Five ways to teach a look: a short training learns, all ways begin alike, and what is told is what is measured."""

import pytest
import torch

from attend.hard.look import predict
from attend.recipes.look import WAYS, LookRecipe, cost, differ, found, right, surprise


@pytest.mark.nightly
@pytest.mark.parametrize("way", WAYS)
def test_every_way_learns_something_in_a_hundred_steps(way):
    recipe = LookRecipe(way, S=4, steps=100)
    model, known = recipe.train(every=50)
    assert [state.step for state in known] == [0, 50, 100]
    assert known[-1].right["mixture"] > known[0].right["mixture"] + 0.2
    assert known[-1].right == right(model, recipe.held_out())


def test_all_ways_of_a_seed_begin_with_the_same_weights_and_read_the_same_examples():
    first, *rest = (LookRecipe(way, seed=3) for way in WAYS)
    for other in rest:
        for a, b in zip(first.build().parameters(), other.build().parameters(), strict=True):
            assert torch.equal(a, b)
        assert torch.equal(next(first.batches()).marks, next(other.batches()).marks)


def test_the_share_of_a_drawn_look_is_the_mean_over_draws():
    recipe = LookRecipe(S=4)
    model, batch = recipe.build(), recipe.held_out()
    view, generator = model(batch.marks, batch.letters, batch.asked), torch.Generator().manual_seed(0)
    told = [predict(view, model.readout, "drawn", generator).argmax(1) == batch.answer for _ in range(50)]
    assert right(model, batch)["drawn"] == pytest.approx(torch.stack(told).float().mean().item(), abs=0.006)


def test_surprise_is_the_cost_of_the_way_that_is_read():
    recipe = LookRecipe(S=5, bearers=3)
    model, batch = recipe.build(), recipe.held_out()
    told = surprise(model, batch)
    for way, reading in (("soft", "mean"), ("bound", "drawn"), ("marginal", "mixture")):
        assert cost(way, model, batch).item() == pytest.approx(told[reading], rel=1e-5)


def test_two_looks_give_two_answers_as_often_as_it_is_said():
    recipe = LookRecipe(S=4)
    model, batch = recipe.build(), recipe.held_out()
    view, generator = model(batch.marks, batch.letters, batch.asked), torch.Generator().manual_seed(0)
    said = [predict(view, model.readout, "drawn", generator).argmax(1) for _ in range(100)]
    apart = [(one != two).float().mean() for one, two in zip(said[::2], said[1::2], strict=True)]
    assert differ(model, batch) == pytest.approx(torch.stack(apart).mean().item(), abs=0.006)


def test_the_weight_on_bearers_is_told_for_each_mark():
    recipe = LookRecipe(S=4)
    model, batch = recipe.build(), recipe.held_out()
    with torch.no_grad():
        weights = model(batch.marks, batch.letters, batch.asked).weights
    for mark, told in enumerate(found(model, batch)):
        rows = (batch.asked == mark).nonzero()[:, 0].tolist()
        by_hand = sum(weights[row][batch.marks[row] == mark].item() for row in rows) / len(rows)
        assert told == pytest.approx(by_hand, rel=1e-5)


def test_the_same_seed_gives_the_same_training():
    one, two = (LookRecipe("hard", S=4, steps=5).train(every=5)[1][-1].right for _ in range(2))
    assert one == two


def test_an_unknown_way_is_refused():
    with pytest.raises(ValueError, match="way: got"):
        LookRecipe("halfway")
