"""What is measured of hierarchies: the gradient by every word, and what is left of it."""

import pytest
import torch

from attend.evidence.hierarchical import gradient_by_word, left
from attend.recipes.hierarchical import build
from attend.tasks import dialogue


def test_a_word_that_nobody_reads_gets_no_gradient():
    torch.manual_seed(0)
    model, words = build("hred").double(), dialogue.sample(2, 4, 3).words
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.startswith("encoder.from_input"):
                parameter.zero_()
    found = gradient_by_word(model, words)
    assert found.shape == words.shape
    assert found.abs().max().item() == 0


@pytest.mark.parametrize("kind", ["hred", "flat"])
def test_the_newest_word_hears_more_than_the_oldest(kind):
    found = left(kind, 0, 6, 3)
    assert found.shape[1] == 6
    assert found[-1, -1] > found[0, 0] > 0
