"""Reading beside torch's attention, and masks that let nothing through."""

import pytest
import torch
from torch.nn import functional as F

from attend.soft.read import attention_weights, read
from attend.soft.scores import SCORES

B, T, S, K = 3, 4, 6, 5
LENGTHS = torch.tensor([[6], [2], [4]])
VISIBLE = torch.arange(S) < LENGTHS


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


SOME = torch.rand(B, T, S, generator=torch.Generator().manual_seed(5)) < 0.7


@pytest.mark.parametrize("mask", [None, VISIBLE, SOME], ids=["all", "by key", "by query and key"])
def test_reading_is_torchs_attention(mask):
    found = []
    for way in ("ours", "torch"):
        queries, keys, values = (draw(B, n, K, seed=n).requires_grad_() for n in (T, S, S))
        if way == "ours":
            context = read(SCORES["scaled_dot"](queries, keys), values, mask).context
        else:
            mask = mask if mask is None or mask.ndim == 3 else mask[:, None].expand(B, T, S)
            context = F.scaled_dot_product_attention(queries, keys, values, mask)
        found.append((context, *torch.autograd.grad((context * draw(B, T, K)).sum(), (queries, keys, values))))
    for ours, theirs in zip(*found, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)


def test_weights_add_up_to_one_and_hidden_places_have_none():
    weights = attention_weights(100 * draw(B, T, S), VISIBLE)
    torch.testing.assert_close(weights.sum(2), torch.ones(B, T, dtype=torch.float64))
    assert (weights[~VISIBLE[:, None].expand(B, T, S)] == 0).all()
    assert (weights >= 0).all()


def test_equal_scores_read_the_mean_and_one_high_score_reads_one_value():
    values = draw(B, S, K)
    torch.testing.assert_close(read(torch.zeros(B, T, S).double(), values).context[:, 0], values.mean(1))
    scores = torch.zeros(B, T, S).double()
    scores[:, :, 2] = 1e4
    assert torch.equal(read(scores, values).context[:, 1], values[:, 2])


def test_a_row_that_may_look_nowhere_is_refused():
    with pytest.raises(ValueError, match=r"mask: got .*, expected .* at least one True in every row"):
        attention_weights(draw(B, T, S), torch.zeros(B, S, dtype=torch.bool))


def calls():
    from attend.soft import read

    VISIBLE = torch.tensor([[True, True, True], [True, False, False]])
    SIZES = {
        "source_vocab": 5,
        "target_vocab": 4,
        "embedding_size": 2,
        "hidden_size": 3,
        "end": 1,
        "generator": torch.Generator(),
    }
    attention = read.SoftAttention(query_size=4, key_size=3, width=2)
    return {
        read.SoftAttention: {"query_size": 4, "key_size": 3, "width": 2},
        attention.forward: {
            "query": torch.ones(2, 4, 4),
            "key": torch.ones(2, 3, 3),
            "value": torch.ones(2, 3, 6),
            "mask": VISIBLE,
        },
        read.attention_weights: {"scores": torch.zeros(2, 4, 3), "mask": VISIBLE},
        read.read: {"scores": torch.zeros(2, 4, 3), "values": torch.ones(2, 3, 6), "mask": VISIBLE},
        read.AttentionSeq2Seq: SIZES | {"score": "location", "max_length": 7},
    }


def good():
    from attend.soft import read

    return {
        read.SoftAttention.forward: {"value": {"width"}},
        read.AttentionSeq2Seq: {"end": {"zero"}},
    }
