"""Two numbers remember all that a stream of flips can tell."""

import itertools

import pytest
import torch
from scipy.stats import beta

from attend.memory import coin
from attend.memory.coin import CoinRNN

EVERY = torch.tensor(list(itertools.product([0.0, 1.0], repeat=8)), dtype=torch.float64)
BIAS = torch.tensor([0.03, 0.4, 0.5, 0.91], dtype=torch.float64)


def test_likelihood_agrees_with_brute_force_over_all_series():
    brute = torch.where(EVERY[:, :, None] == 1, BIAS, 1 - BIAS).prod(1)
    assert torch.allclose(coin.log_likelihood(coin.summarise(EVERY), BIAS).exp(), brute, rtol=1e-12)


def test_given_the_summary_every_order_is_equally_probable_whatever_the_bias():
    summary = coin.summarise(EVERY)
    for heads in range(9):
        group = coin.log_likelihood(summary[summary[:, 0] == heads], BIAS)
        assert torch.equal(group, group[:1].expand_as(group))


def test_stream_equals_batch():
    state = coin.start(len(EVERY))
    for flip in EVERY.unbind(1):
        state = coin.update(state, flip)
    assert torch.equal(state, coin.summarise(EVERY))


@pytest.mark.parametrize(("heads", "flips"), [(0, 0), (3, 5), (300, 500), (7, 7)])
def test_prediction_is_the_mean_of_the_beta_posterior(heads, flips):
    got = coin.predict(torch.tensor([[heads, flips]], dtype=torch.float64)).item()
    assert got == pytest.approx(beta(heads + 1, flips - heads + 1).mean(), abs=1e-12)


def test_learned_steps_equal_the_learned_sequence_in_value_and_gradient():
    model, flips = CoinRNN(5, torch.Generator().manual_seed(0)).double(), EVERY[:7]
    torch.nn.init.normal_(model.readout.weight)
    state, logits = torch.zeros(7, 5, dtype=torch.float64), []
    for flip in flips.unbind(1):
        logit, state = model.step(flip, state)
        logits.append(logit)
    together, hidden = model(flips)
    assert torch.allclose(torch.stack(logits, 1), together, atol=1e-12)
    assert torch.allclose(hidden[:, -1], state, atol=1e-12)
    one = torch.autograd.grad(torch.stack(logits, 1).square().sum(), list(model.parameters()))
    all_at_once = torch.autograd.grad(together.square().sum(), list(model.parameters()))
    assert all(torch.allclose(a, b, atol=1e-10) for a, b in zip(one, all_at_once, strict=True))


def test_the_rnn_starts_by_keeping_its_hidden_state():
    model = CoinRNN(4)
    assert torch.equal(model.rnn.from_hidden.weight, torch.eye(4))


@pytest.mark.parametrize("flip", [0.5, 2.0, -1.0, float("nan")])
def test_a_flip_is_heads_or_tails(flip):
    with pytest.raises(ValueError, match="flip: got"):
        coin.update(coin.start(1), torch.tensor([flip], dtype=torch.float64))


def test_a_bias_of_one_is_refused():
    with pytest.raises(ValueError, match=r"bias: got .* expected probabilities"):
        coin.log_likelihood(coin.start(1), torch.tensor([0.5, 1.0], dtype=torch.float64))


def calls():
    SUMMARY = torch.tensor([[3.0, 5.0], [0.0, 2.0]])
    MODEL = coin.CoinRNN(4)
    FLIPS = torch.tensor([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]])
    return {
        coin.start: {"batch": 3},
        coin.update: {"summary": SUMMARY, "flip": torch.tensor([1.0, 0.0])},
        coin.summarise: {"flips": FLIPS},
        coin.predict: {"summary": SUMMARY},
        coin.log_likelihood: {"summary": SUMMARY, "bias": torch.tensor([0.2, 0.7])},
        coin.CoinRNN: {"hidden_size": 4, "generator": torch.Generator()},
        MODEL.forward: {"flips": FLIPS},
    }
