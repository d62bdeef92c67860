"""The model of the live figure finds signs that it has not seen."""

from attend.recipes.ram import held_out, right, search
from attend.recipes.ram_shown import trained
from attend.tasks import signs


def test_the_model_that_came_along_finds_signs():
    of = held_out("validation", 1, count=500)
    episode = search(trained(), of, steps=4)
    away = signs.distance(episode.locations, of.middles).mean(dim=0)
    assert right(episode.logits, of.labels)[-1] > 0.75
    assert away[-1] < away[0] - 2
