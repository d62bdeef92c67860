"""Self-attention beside torch's, and the lecture's two words by hand."""

import pytest
import torch
from tests.agreement import agree
from torch.nn.functional import scaled_dot_product_attention

from attend.transformers.self_attention import self_attention

B, T, D, Q, R = 2, 5, 6, 4, 3


def drawn(*shape, seed):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).requires_grad_()


X, QUERY, KEY, VALUE = drawn(B, T, D, seed=0), drawn(Q, D, seed=1), drawn(Q, D, seed=2), drawn(R, D, seed=3)


@pytest.mark.parametrize("causal", [False, True])
def test_summaries_and_gradients_are_those_of_torch(causal):
    mask = torch.ones(T, T, dtype=torch.bool).tril().expand(B, T, T) if causal else None
    wanted = scaled_dot_product_attention(X @ QUERY.T, X @ KEY.T, X @ VALUE.T, is_causal=causal)
    got = self_attention(X, QUERY, KEY, VALUE, mask).summaries
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
    torch.testing.assert_close(found.summaries, found.weights)


def test_words_in_another_order_become_the_same_in_that_order():
    order = torch.tensor([3, 1, 4, 0, 2])
    one, two = self_attention(X, QUERY, KEY, VALUE), self_attention(X[:, order], QUERY, KEY, VALUE)
    torch.testing.assert_close(two.summaries, one.summaries[:, order])
    torch.testing.assert_close(two.weights, one.weights[:, order][:, :, order])


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"query": drawn(Q, D + 1, seed=5)}, "query: got"),
        ({"key": drawn(Q + 1, D, seed=5)}, "key: got"),
        ({"value": drawn(R, D - 1, seed=5)}, "value: got"),
        ({"mask": torch.zeros(B, T, dtype=torch.bool)}, "mask: got"),
    ],
)
def test_what_does_not_fit_is_refused(changed, says):
    with pytest.raises(ValueError, match=says):
        self_attention(**({"x": X, "query": QUERY, "key": KEY, "value": VALUE} | changed))
