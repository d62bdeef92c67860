import pytest
import torch

from attend.live.directions import Influence
from attend.recipes import reach


@pytest.mark.nightly
def test_the_figure_takes_what_the_recipe_brings():
    weights, examples = reach.weights(), reach.examples()
    figure = Influence(weights, examples)
    assert len(figure.buffer) < 60_000
    for name, tensor in figure.seen().items():
        assert (tensor - weights[name]).abs().max() < 0.02 * weights[name].abs().max() + 1e-6


@pytest.mark.nightly
def test_one_kind_alone_is_what_it_is_among_all():
    assert reach.examples("tree") == {"tree": reach.examples()["tree"]}
    one, every = reach.weights("line"), reach.weights()
    assert set(one) == {name for name in every if name.startswith("line")}
    assert all(torch.equal(tensor, every[name]) for name, tensor in one.items())


def test_examples_are_whole():
    examples = reach.examples()
    for example in examples["tree"]:
        assert len(example["names"]) == len(example["inputs"]) == len(example["parent"])
        assert all(parent < node for node, parent in enumerate(example["parent"]))
    for example in examples["graph"]:
        count = len(example["features"])
        assert sorted(example["order"]) == list(range(count))
        assert all(i in example["neighbours"][k] for i, row in enumerate(example["neighbours"]) for k in row)
    for example in examples["grid"]:
        assert len(example["pixels"]) == example["side"] ** 2
        assert torch.tensor(example["pixels"]).max() > 200
