"""The scores beside torch's own functions and a loop over single pairs, and what sets each of them apart."""

import pytest
import torch
from torch.nn import functional as F

from attend.soft import scores
from attend.soft.scores import SCORES, Lookup, Score

B, T, S, Q, K, A = 2, 3, 4, 5, 5, 6


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


WEIGHTS = {
    "dot": {},
    "scaled_dot": {},
    "cosine": {"inverse_temperature": torch.tensor(3.0, dtype=torch.float64)},
    "bilinear": {"M": draw(Q, K, seed=3)},
    "additive": {"W": draw(A, Q, seed=4), "U": draw(A, K, seed=5), "v": draw(A, seed=6)},
    "location": {"W": draw(7, Q, seed=7), "b": draw(7, seed=8)},
}


def by_torch(name, q, k, place, weights):
    """One query, one key: the score by torch's own functions, or written out where it has none."""
    if name == "cosine":
        return weights["inverse_temperature"] * F.cosine_similarity(q, k, dim=0)
    if name == "bilinear":
        return F.bilinear(q[None], k[None], weights["M"][None])[0, 0]
    if name == "additive":
        return F.linear(torch.tanh(F.linear(q, weights["W"]) + F.linear(k, weights["U"])), weights["v"][None])[0]
    if name == "location":
        return F.linear(q, weights["W"], weights["b"])[place]
    return (q * k).sum() / (Q**0.5 if name == "scaled_dot" else 1)


@pytest.mark.parametrize("name", SCORES)
def test_every_pair_has_the_score_that_torch_gives_it(name):
    found = []
    for way in ("all at once", "one by one"):
        weights = {key: value.clone().requires_grad_() for key, value in WEIGHTS[name].items()}
        queries, keys = draw(B, T, Q, seed=1).requires_grad_(), draw(B, S, K, seed=2).requires_grad_()
        if way == "all at once":
            scores = SCORES[name](queries, keys, **weights)
        else:
            flat = [by_torch(name, q, keys[b, s], s, weights) for b in range(B) for q in queries[b] for s in range(S)]
            scores = torch.stack(flat).view(B, T, S)
        asked = (scores * draw(B, T, S, seed=9)).sum()
        gradients = torch.autograd.grad(asked, (queries, keys, *weights.values()), allow_unused=True)
        found.append((scores, *(None if g is None else g.clone() for g in gradients)))
    for ours, theirs in zip(*found, strict=True):
        assert (ours is None) == (theirs is None)
        if ours is not None:
            torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)


def test_scaled_dot_is_what_torchs_attention_weighs_with():
    queries, keys = draw(B, T, Q, seed=1), draw(B, S, K, seed=2)
    scores = SCORES["scaled_dot"](queries, keys)
    weights = F.scaled_dot_product_attention(queries, keys, torch.eye(S, dtype=torch.float64).expand(B, S, S))
    torch.testing.assert_close(scores.softmax(2), weights, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", [name for name in SCORES if name != "dot"])
def test_scores_of_a_fresh_score_have_unit_variance_at_any_width(name):
    for width in (8, 128):
        score = Score(name, width, width, generator=torch.Generator().manual_seed(0)).double()
        scores = score(draw(50, 20, width, seed=1), draw(50, 20, width, seed=2))
        assert 0.3 < scores.var().item() < 3


def test_the_variance_of_the_dot_product_is_the_width():
    for width in (4, 64, 256):
        scores = SCORES["dot"](draw(100, 20, width, seed=1), draw(100, 20, width, seed=2))
        assert scores.var().item() == pytest.approx(width, rel=0.1)


def test_the_length_of_a_key_counts_for_the_dot_product_and_not_for_the_cosine():
    queries, keys = draw(B, T, Q, seed=1), draw(B, S, K, seed=2)
    twice = {name: SCORES[name](queries, 2 * keys, **WEIGHTS[name]) for name in ("dot", "cosine")}
    torch.testing.assert_close(twice["dot"], 2 * SCORES["dot"](queries, keys))
    torch.testing.assert_close(twice["cosine"], SCORES["cosine"](queries, keys, **WEIGHTS["cosine"]))


def test_location_does_not_look_at_the_keys_and_knows_only_its_places():
    score = Score("location", Q, K, max_length=S, generator=torch.Generator().manual_seed(0)).double()
    queries = draw(B, T, Q, seed=1)
    assert torch.equal(score(queries, draw(B, S, K, seed=2)), score(queries, draw(B, S, K, seed=3)))
    with pytest.raises(ValueError, match=r"keys: got .*, expected at most as many keys as there are positions, S <= 4"):
        score(queries, draw(B, S + 1, K))


def test_keys_of_another_width_are_refused_where_the_score_compares_them():
    for name in ("dot", "scaled_dot", "cosine"):
        with pytest.raises(ValueError, match="keys: got"):
            SCORES[name](draw(B, T, Q), draw(B, S, Q + 1), **WEIGHTS[name])
    assert Score("bilinear", 5, 3).double()(draw(B, T, 5), draw(B, S, 3)).shape == (B, T, S)
    with pytest.raises(ValueError, match="name: got 'content'"):
        Score("content", Q, K)


def test_an_additive_score_is_odd_unless_the_query_has_a_constant():
    queries, keys = draw(B, T, Q, seed=1), draw(B, S, K, seed=2)
    found, mirrored = (SCORES["additive"](sign * queries, sign * keys, **WEIGHTS["additive"]) for sign in (1, -1))
    torch.testing.assert_close(mirrored, -found)
    model = Lookup(Score("additive", Q + 1, K).double(), S, constant=True).double()
    labels = torch.arange(S).expand(B, S)
    weights, turned = (model(sign * queries[:, 0], sign * keys, labels)[1].log() for sign in (1, -1))
    assert not torch.allclose((weights + turned).diff(dim=1), torch.zeros(B, S - 1, dtype=torch.float64), atol=1e-3)


def test_a_look_up_reads_the_label_of_the_key_that_has_all_the_weight():
    keys, labels = torch.eye(S, Q).double().expand(B, S, Q), torch.tensor([[2, 0, 3, 1], [1, 3, 0, 2]])
    context, weights = Lookup(Score("dot", Q, K), S, temperature=0.01)(keys[:, 1], keys, labels)
    torch.testing.assert_close(weights, torch.eye(S).double()[[1, 1]])
    torch.testing.assert_close(context, torch.eye(S).double()[labels[:, 1]])
    hot = Lookup(Score("dot", Q, K), S, temperature=1e6)(keys[:, 1], keys, labels)[0]
    torch.testing.assert_close(hot, torch.full((B, S), 1 / S).double(), atol=1e-5, rtol=0)


class Even(torch.nn.Module):
    """Every key has the score 0, whatever it is."""

    def forward(self, queries, keys):
        return queries.new_zeros(len(queries), queries.shape[1], keys.shape[1])


LOOKUP = Lookup(Even(), 5)


def good():
    return {LOOKUP.forward: {"query": {"width"}, "keys": {"width"}}}


def calls():
    SCORE = scores.Score("additive", 3, 2)
    QUERIES = torch.ones(2, 4, 3)
    KEYS = torch.ones(2, 5, 3)
    OF_ONE_SCORE = {
        "dot": {},
        "scaled_dot": {},
        "cosine": {"inverse_temperature": torch.tensor(2.0)},
        "bilinear": {"M": torch.ones(3, 3)},
        "additive": {"W": torch.ones(6, 3), "U": torch.ones(6, 3), "v": torch.ones(6)},
        "location": {"W": torch.ones(7, 3), "b": torch.zeros(7)},
    }
    return {
        **{
            scores.SCORES[name]: {"queries": QUERIES, "keys": KEYS, **weights} for name, weights in OF_ONE_SCORE.items()
        },
        scores.Score: {
            "name": "cosine",
            "query_size": 3,
            "key_size": 2,
            "hidden_size": 6,
            "max_length": 7,
            "generator": torch.Generator(),
        },
        SCORE.forward: {"queries": QUERIES, "keys": torch.ones(2, 5, 2)},
        scores.Lookup: {"score": SCORE, "labels": 5, "constant": True, "temperature": 2.0},
        LOOKUP.forward: {
            "query": torch.ones(2, 3),
            "keys": torch.ones(2, 5, 2),
            "labels": torch.arange(5).repeat(2, 1),
        },
    }
