"""What is compared: one decoder, four attentions; orders that are what their names say."""

import pytest
import torch

from attend.recipes.window_copy import KINDS, TRIED, Copier, FreeWindow, WindowCopyRecipe, draw, ordered, right
from attend.soft.window import GaussianWindow

STRING = torch.arange(12)[None]


def test_orders():
    assert ordered(STRING, "copy").tolist() == STRING.tolist()
    assert ordered(STRING, "sixes")[0].tolist() == [5, 4, 3, 2, 1, 0, 11, 10, 9, 8, 7, 6]


def test_without_exp_a_window_moves_by_its_number_and_is_else_the_same():
    torch.manual_seed(0)
    free, window = FreeWindow(4, 2), GaussianWindow(4, 2)
    window.load_state_dict(free.state_dict())
    h, c = torch.randn(3, 4), torch.randn(3, 5, 6)
    moves = free.linear(h).chunk(3, dim=1)[2]
    _, phi, kappa = free.step(h, torch.ones(3, 2), c)
    torch.testing.assert_close(kappa, 1 + moves)
    _, same, _ = window.step(h, kappa - moves.exp(), c)
    torch.testing.assert_close(phi, same)


@pytest.mark.parametrize("kind", KINDS)
def test_weights_of_content_and_location_sum_to_one(kind):
    torch.manual_seed(0)
    model, source = Copier(kind), torch.randint(10, (2, 7))
    c, _ = model.encoder(torch.nn.functional.one_hot(source, 10).float())
    _, phi, _ = model.attention.step(torch.randn(2, 32), torch.zeros(2, 3), c)
    assert phi.shape == (2, 7)
    assert torch.allclose(phi.sum(1), torch.ones(2)) == (kind in ("content", "location"))


def test_with_the_true_symbols_or_its_own():
    torch.manual_seed(0)
    model, (source, target) = (
        Copier("window").requires_grad_(False),
        draw("copy", 6, 4, torch.Generator().manual_seed(0)),
    )
    own = model(source).argmax(2)
    torch.testing.assert_close(model(source, own), model(source))
    assert model(source, target).shape == (4, 6, 10)


def test_one_who_knows_the_answer_is_always_right():
    assert right(lambda source: torch.nn.functional.one_hot(source, 10), "copy", 9, 0) == 1
    assert right(lambda source: torch.nn.functional.one_hot(source, 10), "sixes", 12, 0) == pytest.approx(0.1, abs=0.03)


@pytest.mark.parametrize(("order", "kind", "encoder"), TRIED)
def test_all_that_is_compared_can_be_trained_and_repeated(order, kind, encoder):
    one, two = (WindowCopyRecipe(kind, order, 1, encoder, steps=3).train().state_dict() for _ in "ab")
    assert all(torch.equal(one[name], two[name]) for name in one)


def test_a_setting_that_does_not_fit_is_refused_by_name():
    for field, value in (("steps", 0), ("order", "back"), ("K", 0)):
        with pytest.raises(ValueError, match=f"{field}: got"):
            WindowCopyRecipe(**{field: value})


@pytest.mark.parametrize("kind", ["content", "location"])
def test_a_start_of_moves_is_refused_where_nothing_moves(kind):
    with pytest.raises(ValueError, match=r"offset: got 0\.0 .*expected None"):
        WindowCopyRecipe(kind, steps=1, offset=0.0).train()


def test_a_start_is_the_bias_of_the_moves_alone(monkeypatch):
    monkeypatch.setattr("attend.recipes.window_copy.one_cycle", lambda optimiser, steps: optimiser_at_rest(optimiser))
    late, usual = (
        WindowCopyRecipe("window", seed=1, steps=1, offset=offset).train().attention.linear.bias
        for offset in (-2.5, None)
    )
    torch.testing.assert_close(late[-3:], torch.full((3,), -2.5))
    torch.testing.assert_close(late[:-3], usual[:-3])
    torch.testing.assert_close(usual[-3:], torch.zeros(3))


def optimiser_at_rest(optimiser):
    """A schedule whose rate is 0 from the first step."""
    return torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: 0.0)
