"""Attention beside torch's, in values and gradients; and the lecture's two words by hand."""

import pytest
import torch
from tests.agreement import agree
from torch.nn.functional import scaled_dot_product_attention

from attend.transformers.self_attention import attention, causal_mask, self_attention

B, T, S, D, K, V = 2, 5, 7, 6, 4, 3


def drawn(*shape, seed):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).requires_grad_()


X, QUERY, KEY, VALUE = drawn(B, T, D, seed=0), drawn(K, D, seed=1), drawn(K, D, seed=2), drawn(V, D, seed=3)
MASKS = {
    "none": None,
    "causal": causal_mask(T, S),
    "padding": (torch.arange(S) < torch.tensor([[7], [3]]))[:, None, None],
}


@pytest.mark.parametrize("mask", MASKS)
def test_attention_is_that_of_torch(mask):
    query, key, value = drawn(B, 2, T, K, seed=4), drawn(B, 2, S, K, seed=5), drawn(B, 2, S, V, seed=6)
    wanted = scaled_dot_product_attention(query, key, value, MASKS[mask])
    output, weights = attention(query, key, value, MASKS[mask])
    agree(output, wanted, [query, key, value])
    torch.testing.assert_close(weights.sum(-1), torch.ones(B, 2, T, dtype=torch.float64))
    if mask != "none":
        assert (weights.masked_select(~MASKS[mask].expand_as(weights)) == 0).all()


def test_attention_has_second_derivatives():
    query, key, value = (drawn(3, 2, seed=seed) for seed in (7, 8, 9))
    assert torch.autograd.gradgradcheck(lambda *given: attention(*given, causal_mask(3))[0], (query, key, value))


def test_a_causal_mask_lets_nothing_later_through():
    assert causal_mask(3).tolist() == [[True, False, False], [True, True, False], [True, True, True]]
    assert causal_mask(2, 3).tolist() == [[True, True, False], [True, True, True]]


@pytest.mark.parametrize("causal", [False, True])
def test_self_attention_and_its_gradients_are_those_of_torch(causal):
    wanted = scaled_dot_product_attention(X @ QUERY.T, X @ KEY.T, X @ VALUE.T, is_causal=causal)
    got = self_attention(X, QUERY, KEY, VALUE, causal_mask(T) if causal else None).output
    agree(got, wanted, [X, QUERY, KEY, VALUE])


def test_the_two_words_of_the_lecture():
    """Queries and keys of 64 numbers: 112 and 96 become 14 and 12, and these .88 and .12."""
    x = torch.eye(2)[None]
    query, key = torch.zeros(64, 2), torch.zeros(64, 2)
    query[0, 0], key[0, 0], key[0, 1] = 16, 7, 6
    found = self_attention(x, query, key, torch.eye(2))
    assert found.scores[0, 0].tolist() == [112, 96]
    assert found.scaled[0, 0].tolist() == [14, 12]
    assert found.weights[0, 0].tolist() == pytest.approx([0.8808, 0.1192], abs=5e-5)
    torch.testing.assert_close(found.output, found.weights)


def test_words_in_another_order_become_the_same_in_that_order():
    order = torch.tensor([3, 1, 4, 0, 2])
    one, two = self_attention(X, QUERY, KEY, VALUE), self_attention(X[:, order], QUERY, KEY, VALUE)
    torch.testing.assert_close(two.output, one.output[:, order])
    torch.testing.assert_close(two.weights, one.weights[:, order][:, :, order])


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"w_query": drawn(K, D + 1, seed=5)}, "w_query: got"),
        ({"w_key": drawn(K + 1, D, seed=5)}, "w_key: got"),
        ({"w_value": drawn(V, D - 1, seed=5)}, "w_value: got"),
        ({"mask": torch.zeros(T, T, dtype=torch.bool)}, "mask: got"),
    ],
)
def test_what_does_not_fit_is_refused(changed, says):
    with pytest.raises(ValueError, match=says):
        self_attention(**({"x": X, "w_query": QUERY, "w_key": KEY, "w_value": VALUE} | changed))


def calls():
    X = torch.ones(2, 3, 4)
    SOURCE = torch.ones(2, 5, 4)
    MATRIX = torch.ones(2, 4)
    return {
        attention: {
            "query": X,
            "key": SOURCE,
            "value": torch.ones(2, 5, 3),
            "mask": torch.ones(3, 5, dtype=torch.bool),
        },
        causal_mask: {"T": 3, "S": 5},
        self_attention: {
            "x": SOURCE,
            "w_query": MATRIX,
            "w_key": MATRIX,
            "w_value": torch.ones(3, 4),
            "mask": causal_mask(5),
        },
    }


def good():
    return {
        attention: {"mask": {"rank"}},
        self_attention: {"mask": {"rank"}},
    }
