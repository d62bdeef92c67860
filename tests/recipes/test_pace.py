import time

import pytest
import torch

from attend.recipes.pace import anew, embedded, in_turns, noise, stepwise, training, writing
from attend.recipes.translator import TransformerRecipe
from attend.soft.decode import greedy


def test_the_full_pass_writes_what_the_remembering_one_writes():
    model = TransformerRecipe(d_model=16, d_ff=16).build().eval()
    of = noise(7, 3)
    assert torch.equal(anew(model, of.source, of.mask, 9), greedy(model, of.source, of.mask, 9).tokens)
    with torch.no_grad():
        model.output.bias[model.end] = 1e4
    assert (anew(model, of.source, of.mask, 3) == model.end).all()


def test_single_steps_give_the_logits_of_all_at_once():
    model, of = TransformerRecipe(d_model=16, d_ff=16).build().eval(), noise(6, 2)
    with torch.no_grad():
        whole = model(of.source, of.mask, of.target)
    torch.testing.assert_close(stepwise(model, of.source, of.mask, of.target), whole)


def test_what_is_remembered_is_sent_once():
    model, of = TransformerRecipe(d_model=16, d_ff=16).build().eval(), noise(5, 1)
    with torch.no_grad():
        model.output.bias[model.end] = -1e4
    assert embedded(model, lambda: greedy(model, of.source, of.mask, 7)) == 7
    assert embedded(model, lambda: anew(model, of.source, of.mask, 7)) == 28
    assert embedded(model, lambda: None) == 0


@pytest.mark.nightly
def test_longer_takes_longer():
    for times in (training, writing):
        short, long = times(4, rounds=1), times(64, rounds=1)
        assert short.keys() == long.keys()
        assert all(0 < short[name] < long[name] for name in short)


def test_they_take_turns():
    calls = []
    found = in_turns({"a": lambda: calls.append("a"), "b": lambda: sum(range(200_000))}, rounds=2)
    assert calls == ["a"] * 3
    assert found["a"] < found["b"]
    assert found["b"] < 1000 * time.process_time()
    with pytest.raises(ValueError, match=r"rounds: got 0"):
        in_turns({}, rounds=0)
    with pytest.raises(ValueError, match=r"B: got 0"):
        noise(3, 0)
