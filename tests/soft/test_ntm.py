"""The Neural Turing Machine beside the paper's equations, slot by slot; a memory of any size; what is refused."""

import math

import pytest
import torch
from tests.agreement import agree

from attend.soft.ntm import NTM, Head

B, N, W = 3, 7, 5


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def given():
    """A memory, the last weights, and the five quantities of a head."""
    return {
        "M": draw(B, N, W),
        "last": draw(B, N, seed=1).softmax(1),
        "k": draw(B, W, seed=2),
        "beta": draw(B, 1, seed=3).exp(),
        "g": draw(B, 1, seed=4).sigmoid(),
        "s": draw(B, 3, seed=5).softmax(1),
        "gamma": 1 + draw(B, 1, seed=6).exp(),
    }


def by_the_paper(M, last, k, beta, g, s, gamma):
    """Equations 5 to 9, one slot after the other; s[0] belongs to a shift by -1."""
    rows = []
    for b in range(B):
        content = [
            (beta[b, 0] * (k[b] @ M[b, i]) / (k[b].square().sum().sqrt() * M[b, i].square().sum().sqrt())).exp()
            for i in range(N)
        ]
        w = [g[b, 0] * one / sum(content) + (1 - g[b, 0]) * last[b, i] for i, one in enumerate(content)]
        w = [sum(w[j] * s[b, (i - j + 1) % N] for j in range(N) if (i - j + 1) % N < 3) for i in range(N)]
        w = [one ** gamma[b, 0] for one in w]
        rows.append(torch.stack(w) / sum(w))
    return torch.stack(rows)


def test_an_address_is_the_papers_in_value_and_gradient():
    inputs = {name: value.requires_grad_() for name, value in given().items()}
    agree(Head.address(**inputs), by_the_paper(**inputs), list(inputs.values()))


def test_a_step_erases_and_adds_as_the_paper_says():
    torch.manual_seed(0)
    model = NTM(4, 3, width=W, hidden_size=6).double()
    x, state = draw(B, 4), (draw(B, N, W), *(draw(B, N, seed=n).softmax(1) for n in (1, 2)), draw(B, W, seed=3))
    _, (M, w, w_read, r) = model.step(x, state)
    h = torch.tanh(model.controller(torch.cat([x, state[3]], 1)))
    erase, add = model.erase_add(h).split(W, dim=1)
    for b in range(B):
        for i in range(N):
            wanted = state[0][b, i] * (1 - w[b, i] * torch.sigmoid(erase[b])) + w[b, i] * torch.tanh(add[b])
            torch.testing.assert_close(M[b, i], wanted)
        torch.testing.assert_close(r[b], sum(w_read[b, i] * M[b, i] for i in range(N)))


def test_sharp_weights_do_not_become_nan_where_a_plain_power_does():
    quantities = {name: value.float() for name, value in given().items()} | {"gamma": torch.full((B, 1), 200.0)}
    w = Head.address(**quantities)
    assert w.isfinite().all()
    torch.testing.assert_close(w.sum(1), torch.ones(B))
    plain = torch.full((1, N), 1 / N) ** 200
    assert math.isnan((plain / plain.sum()).max().item())


def test_weights_are_shares_and_slots_are_chosen_at_each_call():
    torch.manual_seed(0)
    model = NTM(4, 3, width=W, hidden_size=6)
    x = draw(B, 9, 4).float()
    for slots in (3, 20):
        logits, writes, reads = model(x, slots)
        assert logits.shape == (B, 9, 3)
        for w in (writes, reads):
            assert w.shape == (B, 9, slots)
            torch.testing.assert_close(w.sum(2), torch.ones(B, 9))
            assert (w >= 0).all()


def test_slots_that_begin_alike_stay_alike_unless_a_head_stands_somewhere():
    """Without a first slot every slot is written alike for ever, whatever the weights of the network are."""
    torch.manual_seed(0)
    model, x = NTM(4, 3, width=W, hidden_size=6).double(), draw(B, 9, 4)
    M, _, _, r = model.start(B, N)
    even = torch.full((B, N), 1 / N, dtype=torch.float64)
    state = (M, even, even, r)
    for x_t in x.unbind(1):
        _, state = model.step(x_t, state)
    torch.testing.assert_close(state[0], state[0][:, :1].expand(B, N, W))
    assert state[0].std() > 0.01


def test_fewer_than_three_slots_are_refused():
    with pytest.raises(ValueError, match="slots: got 2"):
        NTM(4, 3)(torch.zeros(1, 2, 4), 2)


def calls():
    return {
        Head: {"hidden_size": 3, "width": 4},
        NTM: {"inputs": 4, "outputs": 3, "width": 5, "hidden_size": 6},
        NTM(4, 3, 5, 6).forward: {"x": torch.zeros(2, 3, 4), "slots": 4},
    }
