"""The means over regions beside a loop, the geometric mean beside its definition."""

import pytest
import torch

from attend.hard import nwgm as module
from attend.hard.captioner import Captioner, Regions
from attend.hard.nwgm import EachRegion, attend_to_each, expected_hidden, expected_probs, nwgm, total_variation


def drawn(spread=2.0, seed=0):
    generator = torch.Generator().manual_seed(seed)
    logits = spread * torch.randn(4, 6, 5, generator=generator, dtype=torch.float64)
    hidden = torch.randn(4, 6, 3, generator=generator, dtype=torch.float64)
    return EachRegion(logits, hidden, torch.randn(4, 6, generator=generator, dtype=torch.float64).softmax(1))


def model_and_regions():
    torch.manual_seed(0)
    model = Captioner(5, 4, 6, 3, 4, attention="hard").requires_grad_(False).eval()
    return model, model.read(torch.rand(3, 4, 6))


def test_every_region_is_a_step_that_sees_it_alone():
    model, regions = model_and_regions()
    tokens = torch.tensor([1, 2, 4])
    _, state, _ = model.step(tokens, model.start(regions), regions)
    each = attend_to_each(model, tokens, state, regions)
    for place in range(4):
        alone = Regions(*(part[:, place : place + 1] for part in regions))
        logits, (h, _), _ = model.step(tokens, state, alone)
        torch.testing.assert_close(each.logits[:, place], logits)
        torch.testing.assert_close(each.hidden[:, place], h)
    logits, _, look = model.step(tokens, state, regions)
    torch.testing.assert_close(each.weights, look.weights)
    torch.testing.assert_close(logits, each.logits[torch.arange(3), each.weights.argmax(1)])


def test_the_geometric_mean_is_a_product_of_powers():
    each = drawn()
    product = (each.logits.softmax(2) ** each.weights[:, :, None]).prod(1)
    torch.testing.assert_close(nwgm(each), product / product.sum(1, keepdim=True))


def test_expectations_are_weighted_means():
    each = drawn()
    for found, of in ((expected_probs(each), each.logits.softmax(2)), (expected_hidden(each), each.hidden)):
        torch.testing.assert_close(found, sum(each.weights[:, i, None] * of[:, i] for i in range(6)))


def test_both_means_are_one_where_all_regions_agree_or_one_has_all_the_weight():
    same = drawn()
    same = same._replace(logits=same.logits[:, :1].expand(-1, 6, -1))
    torch.testing.assert_close(nwgm(same), expected_probs(same))
    sure = drawn()._replace(weights=torch.eye(6, dtype=torch.float64)[:4])
    torch.testing.assert_close(nwgm(sure), expected_probs(sure))


def test_the_closer_the_regions_agree_the_closer_the_means():
    near, far = (total_variation(nwgm(drawn(s)), expected_probs(drawn(s))).mean().item() for s in (0.1, 2.0))
    assert near < 0.01 * far


def test_total_variation_is_a_distance_between_0_and_1():
    p = torch.tensor([[1.0, 0.0], [0.5, 0.5], [0.2, 0.8]])
    q = torch.tensor([[0.0, 1.0], [0.5, 0.5], [0.4, 0.6]])
    assert total_variation(p, q).tolist() == pytest.approx([1.0, 0.0, 0.2])


def calls():
    MODEL, REGIONS = model_and_regions()
    TOKEN = torch.tensor([1, 2, 4])
    EACH = attend_to_each(MODEL, TOKEN, MODEL.start(REGIONS), REGIONS)
    P, Q = nwgm(EACH), expected_probs(EACH)
    given = {"model": MODEL, "token": TOKEN, "state": MODEL.start(REGIONS), "regions": REGIONS}
    return {
        module.attend_to_each: given,
        module.expected_hidden: {"each": EACH},
        module.expected_probs: {"each": EACH},
        module.nwgm: {"each": EACH},
        module.total_variation: {"p": P, "q": Q},
    }
