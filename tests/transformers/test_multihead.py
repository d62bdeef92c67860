"""Many heads beside torch.nn.MultiheadAttention, with and without masks, and one head beside a plain reading."""

import pytest
import torch
from benchmarks.twin import attention_twin

from attend.soft.read import read
from attend.transformers.multihead import MultiHead, earlier

B, T, S, D, K = 3, 4, 6, 8, 2


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def model(**options):
    drawn = MultiHead(D, K, generator=seeded(1), **options).double()
    with torch.no_grad():
        for part in (drawn.query, drawn.key, drawn.value, drawn.mix):
            part.bias.normal_(generator=seeded(2))
    return drawn


def given():
    drawn = torch.randn(B, T, D, generator=seeded(3), dtype=torch.float64).requires_grad_()
    return drawn, torch.randn(B, S, D, generator=seeded(4), dtype=torch.float64).requires_grad_()


ROWS = torch.tensor([[1, 1, 1, 1, 1, 1], [1, 1, 0, 0, 0, 0], [1, 0, 1, 1, 0, 1]]).bool()
MASKS = {"none": None, "rows": ROWS, "later": (ROWS[:, None] & earlier(T, S))}


@pytest.mark.parametrize("mask", MASKS)
def test_values_weights_and_gradients_are_those_of_torch(mask):
    ours, (x, memory), mask = model(), given(), MASKS[mask]
    theirs = attention_twin(ours)
    hidden = {}
    if mask is not None:
        hidden = {"key_padding_mask": ~mask} if mask.ndim == 2 else {"attn_mask": ~mask.repeat_interleave(K, 0)}
    wanted, looked = theirs(x, memory, memory, average_attn_weights=False, **hidden)
    got, weights = ours.look(x, ours.remember(memory), mask)
    torch.testing.assert_close(got, wanted)
    torch.testing.assert_close(weights, looked)
    torch.testing.assert_close(ours(x, memory, mask), wanted)
    pull = torch.randn(B, T, D, generator=seeded(5), dtype=torch.float64)
    expected = torch.autograd.grad((wanted * pull).sum(), [x, memory, theirs.in_proj_weight, theirs.out_proj.weight])
    for said in (got, ours(x, memory, mask)):
        parts = [ours.query.weight, ours.key.weight, ours.value.weight, ours.mix.weight]
        to_x, to_memory, *to_parts = torch.autograd.grad((said * pull).sum(), [x, memory, *parts])
        for mine, other in zip((to_x, to_memory, torch.cat(to_parts[:3]), to_parts[3]), expected, strict=True):
            torch.testing.assert_close(mine, other)


def test_heads_of_any_width_read_each_by_itself():
    ours = model(Q=3, R=5)
    x, memory = given()
    got, weights = ours.look(x, ours.remember(memory))
    contexts = []
    for head in range(K):
        q, k = (x @ ours.query.weight.T + ours.query.bias), (memory @ ours.key.weight.T + ours.key.bias)
        v = memory @ ours.value.weight.T + ours.value.bias
        q, k = (part[..., 3 * head : 3 * head + 3] for part in (q, k))
        found = read(q @ k.mT / 3**0.5, v[..., 5 * head : 5 * head + 5])
        torch.testing.assert_close(weights[:, head], found.weights)
        contexts.append(found.context)
    torch.testing.assert_close(got, torch.cat(contexts, dim=2) @ ours.mix.weight.T + ours.mix.bias)


def test_steps_in_another_order_give_the_same_in_that_order():
    ours, (x, _), order = model(), given(), torch.tensor([2, 0, 3, 1])
    torch.testing.assert_close(ours(x[:, order], x[:, order]), ours(x, x)[:, order])


def test_what_is_hidden_changes_nothing():
    ours, (x, memory) = model(), given()
    other = torch.where(ROWS[..., None], memory, torch.full_like(memory, 1e3))
    torch.testing.assert_close(ours(x, other, ROWS), ours(x, memory, ROWS))


def test_earlier_steps_are_those_up_to_now():
    assert earlier(3).tolist() == [[True, False, False], [True, True, False], [True, True, True]]
    assert earlier(2, 3).tolist() == [[True, True, False], [True, True, True]]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: MultiHead(8, 3), "K: got 3"),
        (lambda: MultiHead(0, 1), "D: got 0"),
        (lambda: MultiHead(8, 2, Q=0, R=1), "Q: got 0"),
        (lambda: MultiHead(8, 2, Q=1, R=-1), "R: got -1"),
        (lambda: earlier(0), "T: got 0"),
        (lambda: earlier(4, 3), "S: got 3"),
        (lambda: model()(*given(), ROWS & False), "mask: got"),
    ],
)
def test_what_does_not_fit_is_refused(call, says):
    with pytest.raises(ValueError, match=says):
        call()
