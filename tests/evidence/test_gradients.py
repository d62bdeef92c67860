"""What page gradients measures is what its sentences are about."""

import pytest
import torch
from torch.nn.functional import cross_entropy

from attend.evidence.gradients import by_character, from_one_hot, left, random_products, steps_of
from attend.gating.gru import GRU
from attend.gating.lstm import LanguageModel
from attend.recipes.gradients import logits
from attend.tasks import plays
from attend.transformers.tiny_transformer import TinyTransformer

V = len(plays.ALPHABET)


def models():
    torch.manual_seed(0)
    return [LanguageModel(GRU(V, 5)), TinyTransformer(V, 8, 2, 2, 16)]


@pytest.mark.parametrize("model", models())
def test_tokens_written_as_vectors_give_the_same_logits(model):
    tokens = plays.encode("Ay me!")[None]
    x = torch.nn.functional.one_hot(tokens, V).float()
    torch.testing.assert_close(from_one_hot(model, x), logits(model, tokens)[:, -1])


@pytest.mark.parametrize("model", models())
def test_the_gradient_by_a_character_is_what_a_small_change_towards_others_does(model):
    tokens = plays.encode("Ay me!")[None]
    x = torch.nn.functional.one_hot(tokens[:, :-1], V).double()
    model = model.double()

    def loss(x):
        return cross_entropy(from_one_hot(model, x), tokens[:, -1])

    by = torch.stack([(loss(_moved(x, 2, v)) - loss(x)) / 1e-5 for v in range(V)])
    assert by_character(model.float(), tokens)[0, 2].item() == pytest.approx((by - by.mean()).norm().item(), rel=1e-3)


def _moved(x, t, v):
    moved = x.clone()
    moved[0, t, v] += 1e-5
    return moved


def test_what_is_left_without_tanh_is_a_power_of_the_radius():
    steps = steps_of(0.7, 0, 20)
    flat = torch.full_like(steps, 0.0) + 0.7 * torch.eye(32, dtype=steps.dtype)
    torch.testing.assert_close(left(flat)[0], 0.7 ** torch.arange(20, dtype=steps.dtype))
    assert (left(steps)[0] <= 0.7 ** torch.arange(20) + 1e-9).all()


def test_random_products_keep_the_mean_of_the_squared_norm():
    norms = random_products(0, steps=5)
    assert norms.shape == (6, 2_000)
    assert norms[5].mean().item() == pytest.approx(1, abs=0.15)
    assert norms[5].median() < 0.9
