"""The mean over looks beside a loop, the geometric mean beside its definition, Monte Carlo beside both."""

import pytest
import torch

from attend.hard import captioner
from attend.hard.captioner import Captioner
from attend.hard.nwgm import EachRegion, attend_to_each, expected_probs, monte_carlo, nwgm, total_variation


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def drawn(spread=2.0, seed=0):
    logits = spread * torch.randn(4, 6, 5, generator=seeded(seed), dtype=torch.float64)
    weights = torch.randn(4, 6, generator=seeded(seed + 1), dtype=torch.float64).softmax(1)
    return EachRegion(logits, weights)


def test_every_look_is_a_step_that_sees_one_region():
    model = Captioner(5, 3, 4, 6, "hard", (2, 3), 2, 8, generator=seeded())
    regions = model.encode(torch.rand(3, 16, 16, generator=seeded(1)))
    tokens = torch.tensor([1, 2, 4])
    state = model.step(tokens, model.start(3), regions).state
    of = attend_to_each(model, tokens, state, regions)
    for place in range(4):
        alone = model.step(tokens, state, regions[:, place : place + 1])
        torch.testing.assert_close(of.logits[:, place], alone.logits)
    torch.testing.assert_close(of.weights, model.attention_weights(state, regions))
    hard = model.step(tokens, state, regions)
    torch.testing.assert_close(hard.logits, of.logits[torch.arange(3), of.weights.argmax(1)])


def test_the_geometric_mean_is_a_product_of_powers():
    of = drawn()
    chances = of.logits.softmax(2)
    product = (chances ** of.weights[:, :, None]).prod(1)
    torch.testing.assert_close(nwgm(of), product / product.sum(1, keepdim=True))


def test_the_expected_chances_are_a_mean():
    of = drawn()
    mean = sum(of.weights[:, i, None] * of.logits[:, i].softmax(1) for i in range(6))
    torch.testing.assert_close(expected_probs(of), mean)


def test_both_means_are_one_where_all_looks_say_the_same_or_one_look_is_sure():
    same = drawn()
    same = same._replace(logits=same.logits[:, :1].expand(-1, 6, -1))
    torch.testing.assert_close(nwgm(same), expected_probs(same))
    sure = drawn()._replace(weights=torch.eye(6, dtype=torch.float64)[:4])
    torch.testing.assert_close(nwgm(sure), expected_probs(sure))
    torch.testing.assert_close(monte_carlo(sure, 1, seeded()), expected_probs(sure))


def test_the_closer_the_looks_agree_the_closer_the_means():
    errors = [
        total_variation(nwgm(drawn(spread)), expected_probs(drawn(spread))).mean().item() for spread in (0.1, 0.5, 2.0)
    ]
    assert errors[0] < 0.1 * errors[1] < 0.1 * errors[2]


def test_monte_carlo_comes_closer_as_the_root_of_the_draws():
    of, generator = drawn(), seeded(3)
    error = {}
    for count in (16, 256):
        tries = [
            total_variation(monte_carlo(of, count, generator), expected_probs(of)).mean().item() for _ in range(40)
        ]
        error[count] = sum(tries) / len(tries)
    assert error[16] / error[256] == pytest.approx(4, rel=0.15)


def test_total_variation_is_a_distance_between_0_and_1():
    p = torch.tensor([[1.0, 0.0], [0.5, 0.5], [0.2, 0.8]])
    q = torch.tensor([[0.0, 1.0], [0.5, 0.5], [0.4, 0.6]])
    torch.testing.assert_close(total_variation(p, q), torch.tensor([1.0, 0.0, 0.2]))


def calls():
    from attend.hard import nwgm

    IMAGES = torch.rand(2, 16, 16, generator=torch.Generator().manual_seed(0))
    MODEL = captioner.Captioner(4, 3, 4, 5, features=(2, 3), side=2, cell=8, generator=torch.Generator().manual_seed(0))
    REGIONS = MODEL.encode(IMAGES).detach().contiguous()
    STATE = MODEL.start(2)
    TOKEN = torch.tensor([1, 2])
    EACH = nwgm.attend_to_each(MODEL, TOKEN, STATE, REGIONS)
    P = nwgm.nwgm(EACH)
    Q = nwgm.expected_probs(EACH)
    return {
        nwgm.attend_to_each: {"model": MODEL, "token": TOKEN, "state": STATE, "regions": REGIONS},
        nwgm.expected_probs: {"each": EACH},
        nwgm.nwgm: {"each": EACH},
        nwgm.monte_carlo: {"each": EACH, "samples": 2, "generator": torch.Generator()},
        nwgm.total_variation: {"p": P, "q": Q},
    }
