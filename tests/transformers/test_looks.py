"""All looks at once are those of single steps, and blurred ones change a choice only where they matter."""

import pytest
import torch

from attend.soft.seq2seq import before
from attend.transformers.looks import looks, needed
from attend.transformers.translator import Transformer


def asked():
    draw = torch.Generator().manual_seed(3)
    source, target = torch.randint(0, 7, (2, 5), generator=draw), torch.randint(0, 6, (2, 4), generator=draw)
    return source, torch.tensor([[True] * 5, [True] * 3 + [False] * 2]), target


@pytest.mark.parametrize("order", ["before", "after"])
def test_same_as_step_by_step(order):
    model = Transformer(7, 6, 8, 2, 12, 3, order=order, generator=torch.Generator().manual_seed(0)).eval()
    source, visible, target = asked()
    found = looks(model, source, visible, target)
    assert found.encoder.shape == (2, 3, 2, 5, 5)
    assert found.decoder.shape == (2, 3, 2, 4, 4)
    assert found.between.shape == (2, 3, 2, 4, 5)
    memory = model.read(source, visible)
    state = model.start(memory)
    for t, token in enumerate(before(target, model.end).unbind(1)):
        step = model.step(token, state, memory)
        torch.testing.assert_close(found.between[:, -1, :, t].mean(1), step.weights)
        state = step.state


def test_they_are_shares_of_what_may_be_seen():
    model = Transformer(7, 6, 8, 2, 12, 2, generator=torch.Generator().manual_seed(0)).eval()
    found = looks(model, *asked())
    for weights in found:
        torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:-1]))
    assert (found.encoder[1, ..., 3:] == 0).all()
    assert (found.between[1, ..., 3:] == 0).all()
    assert (found.decoder.triu(1) == 0).all()


def test_listening_changes_nothing():
    model = Transformer(7, 6, 8, 2, 12, 2, generator=torch.Generator().manual_seed(0)).eval()
    plain = model(*asked())
    looks(model, *asked())
    assert torch.equal(model(*asked()), plain)


def test_a_look_at_one_word_is_never_needed():
    model = Transformer(7, 6, 8, 2, 12, 2, generator=torch.Generator().manual_seed(0)).eval()
    source, _, target = asked()
    alone = torch.tensor([[True, False, False, False, False]] * 2)
    assert not needed(model, source, alone, target).any()
    with torch.no_grad():
        for block in model.decoder:
            block.across.query.weights.mul_(40)
    assert needed(model, source, torch.ones(2, 5, dtype=torch.bool), target).any()
