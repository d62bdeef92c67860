"""Many heads beside torch.nn.MultiheadAttention, with and without masks; with a cache beside all at once."""

import pytest
import torch
from benchmarks.twin import attention_twin
from tests.agreement import agree

from attend.transformers.heads import KVCache, MultiHeadAttention
from attend.transformers.self_attention import causal_mask

B, T, S, D, HEADS = 3, 4, 6, 8, 2


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def model():
    drawn = MultiHeadAttention(D, HEADS, generator=seeded(1)).double()
    with torch.no_grad():
        for part in (drawn.q_proj, drawn.k_proj, drawn.v_proj, drawn.out_proj):
            part.bias.normal_(generator=seeded(2))
    return drawn


def given():
    drawn = torch.randn(B, T, D, generator=seeded(3), dtype=torch.float64).requires_grad_()
    return drawn, torch.randn(B, S, D, generator=seeded(4), dtype=torch.float64).requires_grad_()


ROWS = torch.tensor([[1, 1, 1, 1, 1, 1], [1, 1, 0, 0, 0, 0], [1, 0, 1, 1, 0, 1]]).bool()
MASKS = {"none": None, "padding": ROWS[:, None, None], "both": (ROWS[:, None] & causal_mask(T, S))[:, None]}


@pytest.mark.parametrize("mask", MASKS)
def test_values_weights_and_gradients_are_those_of_torch(mask):
    ours, (x, memory), mask = model(), given(), MASKS[mask]
    theirs = attention_twin(ours)
    hidden = {} if mask is None else {"attn_mask": ~mask.expand(B, HEADS, T, S).flatten(0, 1)}
    wanted, looked = theirs(x, memory, memory, average_attn_weights=False, **hidden)
    torch.testing.assert_close(ours.attend(x, ours.keys_values(memory), mask)[1], looked)
    agree(ours(x, memory, mask), wanted, [x, memory])
    pull = torch.randn(B, T, D, generator=seeded(5), dtype=torch.float64)
    linears = ours.q_proj, ours.k_proj, ours.v_proj
    mine = torch.autograd.grad((ours(x, memory, mask) * pull).sum(), [part.weight for part in linears])
    (other,) = torch.autograd.grad((theirs(x, memory, memory, **hidden)[0] * pull).sum(), [theirs.in_proj_weight])
    torch.testing.assert_close(torch.cat(mine), other)


def test_without_a_memory_it_is_self_attention():
    ours, (x, _) = model(), given()
    assert torch.equal(ours(x), ours(x, x))


def test_one_query_at_a_time_with_a_cache_is_all_at_once():
    ours, (x, _) = model(), given()
    whole, cache, said = ours(x, mask=causal_mask(T)), None, []
    for t in range(T):
        now = ours.keys_values(x[:, t : t + 1])
        cache = now if cache is None else KVCache(*(torch.cat(pair, dim=2) for pair in zip(cache, now, strict=True)))
        said.append(ours.attend(x[:, t : t + 1], cache)[0])
    torch.testing.assert_close(torch.cat(said, dim=1), whole)


def test_steps_in_another_order_give_the_same_in_that_order():
    ours, (x, _), order = model(), given(), torch.tensor([2, 0, 3, 1])
    torch.testing.assert_close(ours(x[:, order]), ours(x)[:, order])


def test_what_is_masked_changes_nothing():
    ours, (x, memory) = model(), given()
    other = torch.where(ROWS[..., None], memory, torch.full_like(memory, 1e3))
    torch.testing.assert_close(ours(x, other, MASKS["padding"]), ours(x, memory, MASKS["padding"]))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: MultiHeadAttention(8, 3), "num_heads: got 3"),
        (lambda: MultiHeadAttention(0, 1), "d_model: got 0"),
        (lambda: model()(*given(), ROWS[:, None, None] & False), "mask: got"),
        (lambda: model()(given()[0][..., :4]), "x: got"),
    ],
)
def test_what_does_not_fit_is_refused(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def calls():
    X = torch.ones(2, 3, 4)
    SOURCE = torch.ones(2, 5, 4)
    PADDING = torch.ones(2, 1, 1, 5, dtype=torch.bool)
    DRAW = {"generator": torch.Generator()}
    return {
        MultiHeadAttention: {"d_model": 4, "num_heads": 2, **DRAW},
        MultiHeadAttention(4, 2).forward: {"x": X, "memory": SOURCE, "mask": PADDING},
    }
