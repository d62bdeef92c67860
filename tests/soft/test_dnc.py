"""Every equation beside loops over slots; what usage, allocation and links promise; a memory of any size."""

from itertools import pairwise

import pytest
import torch
from torch.nn.functional import softplus

from attend.soft.dnc import DNC, allocation, content, update_links, update_usage

B, N, R, W, D, V = 2, 5, 2, 4, 3, 6


def drawn(*shape, seed=0):
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def weights(*shape, seed=0):
    return 0.9 * drawn(*shape, seed=seed).mul(3).softmax(dim=-1)


def model(**sizes):
    torch.manual_seed(0)
    return DNC(D, V, **({"slots": N, "width": W, "hidden_size": 7, "heads": R} | sizes)).double()


def test_content_is_a_softmax_of_cosines():
    memory, keys, strengths = 1 + drawn(B, N, W), 1 + drawn(B, R, W, seed=1), 9 * drawn(B, R, seed=2)
    got = content(memory, keys, strengths)
    for b in range(B):
        for r in range(R):
            cosine = torch.nn.functional.cosine_similarity(memory[b], keys[b, r][None], dim=1)
            torch.testing.assert_close(got[b, r], (strengths[b, r] * cosine).softmax(0))


def test_an_empty_memory_is_read_evenly_and_has_a_gradient():
    memory = torch.zeros(1, N, W, requires_grad=True)
    got = content(memory, torch.ones(1, 1, W), torch.ones(1, 1))
    torch.testing.assert_close(got, torch.full((1, 1, N), 1 / N))
    got[0, 0, 0].backward()
    assert torch.isfinite(memory.grad).all()


def test_usage_is_that_of_the_paper():
    usage, write, read, free = drawn(B, N), weights(B, N, seed=1), weights(B, R, N, seed=2), drawn(B, R, seed=3)
    got = update_usage(usage, write, read, free)
    for b in range(B):
        for i in range(N):
            kept = 1.0
            for r in range(R):
                kept *= 1 - free[b, r] * read[b, r, i]
            assert got[b, i].item() == pytest.approx(
                ((usage[b, i] + write[b, i] - usage[b, i] * write[b, i]) * kept).item()
            )


def test_allocation_walks_the_free_list():
    usage = drawn(B, N)
    got = allocation(usage)
    for b in range(B):
        left = 1.0
        for i in sorted(range(N), key=lambda i: usage[b, i].item()):
            assert got[b, i].item() == pytest.approx((1 - usage[b, i].item()) * left, abs=1e-5)
            left *= usage[b, i].item()


def test_an_empty_memory_gives_one_slot_and_a_full_one_none():
    assert allocation(torch.zeros(1, N)).amax(dim=1) > 0.99
    assert allocation(torch.ones(1, N)).sum() < 1e-5
    one_free = torch.tensor([[1.0, 1.0, 0.0, 1.0, 1.0]])
    torch.testing.assert_close(allocation(one_free), 1 - one_free, atol=1e-5, rtol=0)


def test_links_are_those_of_the_paper_and_sharp_writes_make_a_chain():
    links, precedence = 0.2 * drawn(B, N, N), weights(B, N)
    write = weights(B, N, seed=1)
    got, after = update_links(links, precedence, write)
    for b in range(B):
        for i in range(N):
            for j in range(N):
                wanted = (1 - write[b, i] - write[b, j]) * links[b, i, j] + write[b, i] * precedence[b, j]
                assert got[b, i, j].item() == pytest.approx(0 if i == j else wanted.item())
    torch.testing.assert_close(after, (1 - write.sum(1, keepdim=True)) * precedence + write)

    links, precedence = torch.zeros(1, N, N), torch.zeros(1, N)
    order = [3, 0, 4, 1]
    for slot in order:
        links, precedence = update_links(links, precedence, torch.eye(N)[slot][None])
    for one, two in pairwise(order):
        at = torch.eye(N)[one]
        assert (links[0] @ at).argmax() == two  # forward
        assert (links[0].T @ torch.eye(N)[two]).argmax() == one  # backward
    assert links.sum() == len(order) - 1


def test_a_slot_that_is_written_again_forgets_its_old_place_in_the_order():
    links, precedence = torch.zeros(1, 3, 3), torch.zeros(1, 3)
    for slot in (0, 1, 2, 1):
        links, precedence = update_links(links, precedence, torch.eye(3)[slot][None])
    torch.testing.assert_close(links[0], torch.tensor([[0.0, 0, 0], [0, 0, 1], [0, 0, 0]]))


def test_a_step_is_that_of_the_paper():
    net = model()
    x = drawn(B, 4, D)
    _, states = net(x)
    old, new = states[2], states[3]
    h = torch.tanh(net.controller(torch.cat([x[:, 3], old.vectors.flatten(1)], dim=1)))
    raw = net.to_interface(h)
    ask = net.interface(h)
    torch.testing.assert_close(ask.read_strengths, 1 + softplus(8 + raw[:, R * W : R * W + R]))
    torch.testing.assert_close(ask.modes.sum(2), torch.ones(B, R, dtype=torch.float64))
    usage = update_usage(old.usage, old.write, old.read, ask.free)
    found = content(old.memory, ask.write_key, ask.write_strength)[:, 0]
    write = ask.write * (ask.allocate * allocation(usage) + (1 - ask.allocate) * found)
    torch.testing.assert_close(new.write, write)
    memory = old.memory * (1 - torch.einsum("bn,bw->bnw", write, ask.erase))
    memory = memory + torch.einsum("bn,bw->bnw", write, ask.value)
    torch.testing.assert_close(new.memory, memory)
    links, precedence = update_links(old.links, old.precedence, write)
    torch.testing.assert_close(new.precedence, precedence)
    alike = content(memory, ask.read_keys, ask.read_strengths)
    for r in range(R):
        back = torch.einsum("bij,bi->bj", links, old.read[:, r])
        ahead = torch.einsum("bij,bj->bi", links, old.read[:, r])
        ways = torch.stack([back, alike[:, r], ahead])
        torch.testing.assert_close(new.read[:, r], torch.einsum("kbn,bk->bn", ways, ask.modes[:, r]))
        torch.testing.assert_close(new.vectors[:, r], torch.einsum("bn,bnw->bw", new.read[:, r], memory))


def test_weights_and_usage_stay_where_they_belong():
    _, states = model()(4 * drawn(B, 20, D) - 2)
    for state in states:
        for shares in (state.usage, state.write, state.read, state.links, state.precedence):
            assert shares.min() >= 0
            assert shares.max() <= 1 + 1e-9
        for sums in (state.write.sum(1), state.read.sum(2), state.links.sum(1), state.links.sum(2)):
            assert sums.max() <= 1 + 1e-9
        assert state.links.diagonal(dim1=1, dim2=2).abs().max() == 0


def test_a_memory_of_another_size_takes_the_same_weights():
    net = model()
    y, states = net(drawn(B, 6, D), slots=11)
    assert y.shape == (B, 6, V)
    assert states[-1].memory.shape == (B, 11, W)


def test_gradients_reach_every_weight():
    net = model()
    net(drawn(B, 6, D))[0].square().sum().backward()
    assert all(part.grad.abs().sum() > 0 for part in net.parameters())


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: DNC(0, 3), "input_size: got 0"),
        (lambda: model()(drawn(B, 2, D + 1)), "x: got"),
        (lambda: model()(drawn(B, 2, D), slots=0), "slots: got 0"),
    ],
)
def test_what_does_not_fit_is_refused(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def calls():
    """A valid call of each public function: the house tests break every argument of it."""
    x = torch.ones(2, 3)
    return {
        content: {"memory": torch.ones(2, 3, 4), "keys": torch.ones(2, 1, 4), "strengths": torch.ones(2, 1)},
        update_usage: {"usage": x, "write": x, "read": torch.ones(2, 1, 3), "free": torch.ones(2, 1)},
        allocation: {"usage": x},
        update_links: {"links": torch.ones(2, 3, 3), "precedence": x, "write": x},
        DNC: {"input_size": 3, "output_size": 2, "slots": 4, "width": 5, "hidden_size": 6, "heads": 1},
        DNC(3, 2, 4, 5, 6).forward: {"x": torch.ones(2, 4, 3), "slots": 3},
    }
