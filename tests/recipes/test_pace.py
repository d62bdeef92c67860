import pytest
import torch

from attend.recipes.pace import anew, noise, training, writing
from attend.recipes.translator import TransformerRecipe
from attend.soft.decode import greedy


def test_the_full_pass_writes_what_the_remembering_one_writes():
    model = TransformerRecipe(D=16, F=16).build().eval()
    of = noise(7, 3)
    assert torch.equal(anew(model, of.source, of.visible, 9), greedy(model, of.source, of.visible, 9).tokens)
    with torch.no_grad():
        model.readout.bias[model.end] = 1e4
    assert (anew(model, of.source, of.visible, 3) == model.end).all()


@pytest.mark.parametrize("name", ["Transformer", "gated units"])
def test_longer_takes_longer(name):
    assert 0 < training(name, 4, rounds=1) < training(name, 96, rounds=1)
    assert 0 < writing(name, 3, rounds=1) < writing(name, 48, rounds=1)


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match=r"name: got 'abacus'"):
        training("abacus", 4)
    with pytest.raises(ValueError, match=r"cached: got False"):
        writing("gated units", 4, cached=False)
    with pytest.raises(ValueError, match=r"rounds: got 0"):
        training("Transformer", 4, rounds=0)
