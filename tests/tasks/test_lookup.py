"""Look-up: the answer is the label of the key that belongs to the query, and every label stands there once."""

import pytest
import torch

from attend.tasks import lookup
from attend.tasks.lookup import RELATIONS, S, width


def draw(relation, batch=400):
    return lookup.sample(relation, batch, torch.Generator().manual_seed(3))


@pytest.mark.parametrize("relation", RELATIONS)
def test_every_label_stands_in_a_table_once_and_the_answer_is_one_of_them(relation):
    query, keys, labels, answer = draw(relation)
    D = width(relation)
    assert (query.shape, keys.shape) == ((400, D), (400, S, D))
    assert torch.equal(labels.sort(dim=1).values, torch.arange(S).expand(400, S))
    assert answer.bincount(minlength=S).div(400).sub(lookup.CHANCE).abs().max() < 0.06


def found(relation):
    """How often a search over all keys, which knows the relation, finds the label."""
    query, keys, labels, answer = draw(relation)
    if relation == "place":
        best = query[:, :S].argmax(dim=1)
    else:
        query = query.roll(-1, dims=1) if relation == "shifted" else query
        best = (keys - query[:, None]).norm(dim=2).argmin(dim=1)
    return (labels[torch.arange(400), best] == answer).double().mean().item()


@pytest.mark.parametrize(("relation", "least"), [("alike", 0.99), ("shifted", 0.99), ("nearest", 1.0), ("place", 0.99)])
def test_who_knows_the_relation_finds_the_key(relation, least):
    assert found(relation) >= least


def calls():
    return {
        lookup.width: {"relation": "nearest"},
        lookup.sample: {"relation": "shifted", "batch": 3, "generator": torch.Generator()},
    }
