"""The fast translator beside that of the page: values and gradients, and a clear word where it has no derivative."""

import pytest
import torch

from attend.fast import fast
from attend.fast.translation import FastTranslator
from attend.soft.translation import Translator

SOURCE = torch.tensor([[3, 1, 4, 2, 6, 5], [5, 2, 1, 0, 0, 0], [7, 0, 0, 0, 0, 0]])
MASK = torch.arange(6) < torch.tensor([[6], [3], [1]])
TARGET = torch.tensor([[2, 6, 1, 3, 0], [3, 5, 0, 0, 0], [1, 0, 0, 0, 0]])


def both(dtype):
    """The same weights twice, none of them 0."""
    models = []
    for _ in range(2):
        model = Translator(9, 7, 5, 8, generator=torch.Generator().manual_seed(0)).to(dtype)
        for p in model.parameters():
            p.data.add_(0.3 * torch.randn(p.shape, generator=torch.Generator().manual_seed(p.numel()), dtype=dtype))
        models.append(model)
    return models[0], fast(models[1])


def loss_of(outputs):
    """A loss that depends on every logit and every weight."""
    draw = torch.Generator().manual_seed(1)
    return sum((part * torch.randn(part.shape, generator=draw, dtype=part.dtype)).sum() for part in outputs)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_values_and_gradients_are_those_of_the_listing(dtype):
    results = []
    for model in both(dtype):
        outputs = model(SOURCE, MASK, TARGET)
        results.append((*outputs, *torch.autograd.grad(loss_of(outputs), list(model.parameters()))))
    near = {"rtol": 1e-4, "atol": 1e-4} if dtype == torch.float32 else {"rtol": 1e-9, "atol": 1e-10}
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(one, other, **near)


def test_padding_changes_nothing():
    model = both(torch.float64)[1]
    one = model(SOURCE, MASK, TARGET)
    other = model(torch.where(MASK, SOURCE, 8 - SOURCE), MASK, TARGET)
    assert torch.equal(one.logits, other.logits)
    assert not one.weights.permute(0, 2, 1)[~MASK].any()


def test_a_second_derivative_is_refused_and_the_listing_has_it():
    slow, quick = both(torch.float64)

    def curvature(model):
        weight = model.score.weight
        (slope,) = torch.autograd.grad(loss_of(model(SOURCE, MASK, TARGET)), weight, create_graph=True)
        return torch.autograd.grad(slope.square().sum(), weight)[0]

    assert curvature(slow).abs().max() > 0
    with pytest.raises(RuntimeError, match="FastTranslator has no second derivative"):
        curvature(quick)


def test_it_is_the_same_model_with_the_same_names():
    slow, quick = both(torch.float32)
    assert type(quick) is FastTranslator
    assert isinstance(quick, Translator)
    assert quick.state_dict().keys() == slow.state_dict().keys()
