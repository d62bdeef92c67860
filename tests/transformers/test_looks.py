"""All looks at once are those of single steps, and blurred ones weigh alike what may be seen."""

import pytest
import torch

from attend.memory.supervision import shift_right
from attend.transformers.looks import PLACES, blurred, looks
from attend.transformers.translator import Transformer


def asked():
    draw = torch.Generator().manual_seed(3)
    source, target = torch.randint(0, 7, (2, 5), generator=draw), torch.randint(0, 6, (2, 4), generator=draw)
    return source, torch.tensor([[True] * 5, [True] * 3 + [False] * 2]), target


@pytest.mark.parametrize("order", ["before", "after"])
def test_same_as_step_by_step(order):
    model = Transformer(7, 6, 8, 2, 12, 3, order=order, generator=torch.Generator().manual_seed(0)).eval()
    source, mask, target = asked()
    found = looks(model, source, mask, target)
    assert found.encoder.shape == (2, 3, 2, 5, 5)
    assert found.decoder.shape == (2, 3, 2, 4, 4)
    assert found.between.shape == (2, 3, 2, 4, 5)
    memory = model.read(source, mask)
    state = model.start(memory)
    for t, token in enumerate(shift_right(target, model.end).unbind(1)):
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


@pytest.mark.parametrize("place", PLACES)
def test_blurred_looks_are_even_at_one_place_only(place):
    model = Transformer(7, 6, 8, 2, 12, 2, generator=torch.Generator().manual_seed(0)).eval()
    mask = asked()[1]
    plain, found = looks(model, *asked()), looks(blurred(model, place), *asked())
    may = {"encoder": mask[:, None], "decoder": torch.ones(4, 4).tril()[None], "between": mask[:, None]}[place]
    even = (may / may.sum(-1, keepdim=True))[:, None, None]
    torch.testing.assert_close(getattr(found, place), even.expand_as(getattr(found, place)))
    if place != "encoder":
        torch.testing.assert_close(found.encoder, plain.encoder)
    torch.testing.assert_close(looks(model, *asked()), plain)
    with pytest.raises(ValueError, match=r"place: got 'above'"):
        blurred(model, "above")
