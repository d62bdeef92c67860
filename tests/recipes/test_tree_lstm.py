import json

import pytest
import torch

from attend.recipes import tree_lstm
from attend.recipes.tree_lstm import CodeRecipe, ListsRecipe
from attend.tasks import listops


@pytest.mark.nightly
@pytest.mark.parametrize("kind", [ListsRecipe, CodeRecipe])
@pytest.mark.parametrize("reader", tree_lstm.READERS)
def test_a_few_steps_lower_the_cost(monkeypatch, kind, reader):
    drawn = tree_lstm._lists
    monkeypatch.setattr(tree_lstm, "_lists", lambda part, count, seed: drawn(part, count // 10, seed))
    monkeypatch.setattr(kind, "budget", property(lambda self: (16, 20, 1e-2)))
    model, history = kind(reader=reader).train()
    assert sum(history.losses[-5:]) < sum(history.losses[:5])
    assert 0 <= kind(reader=reader).measure(model, "validation")["all"] <= 1


def test_tree_and_chain_answer_for_the_same_lists():
    lists = [("MAX", (2, ("MIN", (4, 7)), 0)), ("MED", (1, 2, 3))]
    costs = []
    for reader in tree_lstm.READERS:
        recipe = ListsRecipe(reader=reader)
        model = recipe.build()
        torch.nn.init.zeros_(model.readout.weight)
        costs.append(recipe.cost(model, lists).item())
        model.readout.bias.data[2] = 9.0
        assert recipe.right(model, lists).tolist() == [False, True]
    assert costs == pytest.approx([torch.tensor(10.0).log().item()] * 2)


def test_the_tree_that_came_with_the_package_evaluates_lists():
    recipe = ListsRecipe()
    lists = listops.draw(60, "validation", torch.Generator().manual_seed(5))
    assert recipe.right(recipe.load(), lists).double().mean() > 0.9
    with pytest.raises(ValueError, match="reader: got 'chain'"):
        ListsRecipe(reader="chain").load()
    for kind in (ListsRecipe, CodeRecipe):
        with pytest.raises(ValueError, match="reader: got 'web'"):
            kind(reader="web")


def test_what_was_recorded_is_whole():
    found = tree_lstm.recorded()
    assert set(found) == {f"{task}, {reader}" for task in ("lists", "code") for reader in tree_lstm.READERS}
    assert all(len(runs) == len(tree_lstm.SEEDS) and all(run["seconds"] > 0 for run in runs) for runs in found.values())


@pytest.mark.nightly
def test_export_trains_each_reader_once_a_seed(monkeypatch, tmp_path):
    made = []
    for kind in (ListsRecipe, CodeRecipe):

        def train(self, kind=kind):
            made.append((kind.__name__, self.reader, self.seed))
            return self.build(), None

        monkeypatch.setattr(kind, "train", train)
        monkeypatch.setattr(kind, "measure", lambda self, model, part="test": {"all": 0.5})
    monkeypatch.setattr(tree_lstm, "WEIGHTS", tmp_path)
    tree_lstm.export()
    assert len(made) == len(set(made)) == 12
    assert len(json.loads((tmp_path / "tree_lstm.json").read_text())["code, chain"]) == 3
    assert (tmp_path / "lists_tree.safetensors").is_file()
