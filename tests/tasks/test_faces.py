import math

import pytest
import torch

from attend.soft.read import read
from attend.tasks import faces


def draw(seed=0):
    return torch.Generator().manual_seed(seed)


def test_the_answer_is_the_number_of_whoever_looks_most_alike_in_what_lasts():
    batch = faces.sample(500, 3, draw())
    gap = (batch.query - batch.key)[:, :, : faces.LASTING].norm(dim=2)
    nearest = batch.value[torch.arange(500), gap.argmin(dim=1)].argmax(dim=1)
    assert (nearest == batch.answer).double().mean() > 0.98
    assert gap.min(dim=1).values.square().mean().item() == pytest.approx(4 * faces.NOISE**2, rel=0.1)


def test_all_lasting_parts_are_equally_long_and_the_rest_is_fresh():
    batch = faces.sample_twice(200, 5, draw(1))
    torch.testing.assert_close(batch.key[:, :, : faces.LASTING].norm(dim=2), torch.full((200, 10), 2.0))
    assert batch.key[:, :, faces.LASTING :].std().item() == pytest.approx(1, abs=0.05)


def test_everybody_is_met_twice_and_the_latest_number_counts():
    batch = faces.sample_twice(300, 4, draw(2))
    lasting = batch.key[:, :, : faces.LASTING]
    same = torch.cdist(lasting, lasting) < 1e-4
    assert (same.sum(dim=2) == 2).all()
    nearest = (batch.query[:, :, : faces.LASTING] - lasting).norm(dim=2).argmin(dim=1)
    last = (same[torch.arange(300), nearest] * torch.arange(1, 9)).argmax(dim=1)
    assert (batch.value[torch.arange(300), last].argmax(dim=1) == batch.answer).double().mean() > 0.98


def test_bayes_rule_by_hand():
    query, key = torch.zeros(1, 1, 16), torch.zeros(1, 2, 16)
    key[0, 1, 0] = faces.NOISE
    key[0, 1, 9] = 5.0
    scores = faces.gaussian(query, key, faces.bayes())
    assert scores[0, 0].tolist() == pytest.approx([0, -0.5])
    weights = read(scores, torch.eye(2)[None]).context[0, 0]
    assert weights[0].item() == pytest.approx(1 / (1 + math.exp(-0.5)))


def test_a_sample_can_be_repeated():
    for sample in (faces.sample, faces.sample_twice):
        one, two = sample(2, 3, draw()), sample(2, 3, draw())
        assert all(torch.equal(a, b) for a, b in zip(one, two, strict=True))
    assert faces.example(seed=0) == faces.example(seed=0) != faces.example(seed=1)


def calls():
    return {
        faces.sample: {"batch": 2, "people": 3, "generator": torch.Generator()},
        faces.sample_twice: {"batch": 2, "people": 3, "generator": torch.Generator()},
        faces.gaussian: {
            "query": torch.zeros(2, 1, 16),
            "key": torch.zeros(2, 3, 16),
            "precision": torch.ones(16),
        },
        faces.example: {"people": 3, "seed": 0},
    }


def good():
    return {faces.example: {"seed": {"zero"}}}
