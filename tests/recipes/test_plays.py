import pytest
import torch

from attend.recipes.plays import BURN_IN, PlaysRecipe
from attend.tasks import plays


def test_a_few_steps_already_learn_something():
    recipe = PlaysRecipe(H=32, steps=80, batch=16, T=16)
    model, history = recipe.train()
    assert len(history.losses) == 80
    assert recipe.measure(model, "validation") < 25
    again, _ = recipe.train()
    assert all(torch.equal(one, two) for one, two in zip(model.parameters(), again.parameters(), strict=True))


@torch.no_grad()
def test_perplexity_letter_by_letter():
    recipe = PlaysRecipe(H=8)
    model = recipe.build()
    surprises = []
    for page in plays.pages("validation")[:, None]:
        logits, _ = model(page[:, :-1])
        chances = logits[0].softmax(-1).gather(1, page[0, 1:, None])
        surprises.append(-chances[BURN_IN - 1 :].log())
    assert recipe.measure(model, "validation") == pytest.approx(torch.cat(surprises).mean().exp().item(), rel=1e-5)


def test_the_weights_that_come_with_the_package():
    recipe = PlaysRecipe()
    model = recipe.load()
    assert recipe.measure(model, "validation") < 5.2
    written = plays.spell(
        model.generate(plays.encode("MACBETH.\n")[None], 200, 0.7, torch.Generator().manual_seed(0))[0, 9:]
    )
    assert len(written) == 200
    assert {" ", "e"} < set(written)
