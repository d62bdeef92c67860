import pytest

from attend.recipes.gradients import KINDS, TextRecipe, logits
from attend.recipes.gradients_text import trained
from attend.tasks import plays


@pytest.mark.nightly
def test_the_weights_that_come_with_the_package():
    models = trained()
    assert tuple(models) == KINDS
    tokens = plays.pages("validation", 65)[:100]
    for kind, model in models.items():
        found = logits(model, tokens[:, :-1]).log_softmax(dim=2).gather(2, tokens[:, 1:, None])
        assert -found.mean().item() < 2.1, kind
        assert TextRecipe(kind).loss(model, "validation") == pytest.approx(-found.mean().item(), abs=0.1)
