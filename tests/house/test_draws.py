"""A cell that draws random numbers says from which seed, so that a page comes out the same in every run."""

import ast

import pytest
from tests.house.course import PAGES, code, nothing, page, page_name, prose, read, syntax
from tests.house.draws import unseeded


def broken(nb):
    """The draws of a page that nothing in their own cell has seeded."""
    names = {}
    for number, cell in enumerate(nb.cells, 1):
        if cell.cell_type == "code":
            tree = syntax(cell)
            kept = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
            exec(compile(ast.Module(kept, []), "<imports>", "exec"), names)
            for line, called, remedy in unseeded(tree, names):
                yield f"cell {number}, line {line}: {called} draws without a seed: {remedy}"


@pytest.mark.parametrize("path", PAGES, ids=page_name)
def test_draws(path):
    nothing(f"{page_name(path)}, {said}" for said in broken(read(path)))


IMPORTS = """
import random
import numpy as np
import torch
import torch.nn.functional as F
from numpy.random import default_rng
from torch import nn, randn
from torch.nn import init
from attend.memory import convnet
from attend.memory.convnet import ConvNet
from attend.memory.elman import Elman
from attend.recipes.convnet import ConvNetRecipe
from attend.recipes.plays import PlaysRecipe
from attend.tasks import coin
"""
UNSEEDED = [
    "torch.rand(3)",
    "randn(2, 2)",
    "x = [torch.randint(3, (2,)) for _ in range(3)]",
    "torch.randperm(5)",
    "torch.bernoulli(p)",
    "torch.multinomial(p, 3)",
    "torch.normal(0.0, 1.0, (3,))",
    "torch.randn_like(x)",
    "torch.rand(3, generator=None)",
    "x.uniform_(-1, 1)",
    "torch.empty(3).normal_()",
    "model.U.data.normal_(0, 0.1)",
    "p.bernoulli()",
    "F.dropout(x)",
    "F.gumbel_softmax(x)",
    "torch.distributions.Normal(0, 1).sample()",
    "torch.distributions.Normal(0, 1).rsample((3,))",
    "nn.init.xavier_uniform_(model.W)",
    "init.orthogonal_(model.U, 2.0)",
    "nn.Linear(2, 3)",
    "nn.LSTM(2, 3, batch_first=True)",
    "nn.MultiheadAttention(8, 2)",
    "np.random.rand(3)",
    "np.random.default_rng()",
    "default_rng(None)",
    "np.random.sample(3)",
    "np.random.RandomState().rand(2)",
    "random.random()",
    "random.shuffle(order)",
    "random.Random()",
    "coin.sample(3, 5)",
    "flips, _ = coin.sample(3, T=5, generator=None)",
    "Elman(2, 3)",
    "Elman(2, 3, 0.9).double()",
    "ConvNet()",
    "convnet.ConvNet((2, 3))",
    "model.write(start, 30)",
    "PlaysRecipe().load().write(start, 30, temperature=0.5)",
    "random.seed()",
]
LATER = [
    (1, "x = torch.rand(3)\ntorch.manual_seed(0)"),
    (3, "if again:\n    torch.manual_seed(0)\nx = torch.rand(3)"),
    (4, "def start():\n    torch.manual_seed(0)\n\nx = torch.rand(3)"),
    (3, "with torch.random.fork_rng():\n    torch.manual_seed(0)\nx = torch.rand(3)"),
    (1, "again = lambda: torch.rand(3)\ntorch.manual_seed(0)"),
    (2, "def one():\n    return torch.rand(3)"),
    (2, "torch.manual_seed(0)\nnp.random.rand(3)"),
    (2, "np.random.seed(0)\ntorch.rand(3)"),
]
SEEDED = [
    "torch.rand(3, generator=draw)",
    "torch.manual_seed(0)\nx = torch.rand(3)",
    "torch.random.manual_seed(0)\nx = nn.Linear(2, 3)(x.uniform_())",
    "for seed in range(3):\n    torch.manual_seed(seed)\n    x = torch.rand(3)",
    "def gap(seed):\n    torch.manual_seed(seed)\n    return nn.RNN(2, 3), torch.rand(3)",
    "with torch.random.fork_rng():\n    torch.manual_seed(0)\n    x = torch.rand(3)",
    "torch.manual_seed(0)\nx = ConvNet(), Elman(2, 3), torch.distributions.Normal(0, 1).sample()",
    "x.uniform_(-1, 1, generator=draw)",
    "x.zero_().add_(1)",
    "nn.init.normal_(model.W, generator=draw)",
    "nn.init.zeros_(model.U)",
    "nn.LayerNorm(3)",
    "nn.Dropout(0.1)",
    "F.relu(x)",
    "draw = torch.Generator().manual_seed(0)",
    "np.random.default_rng(0).normal(size=3)",
    "np.random.seed(0)\nnp.random.rand(3)",
    "random.seed(0)\nrandom.shuffle(order)",
    "random.Random(0).sample(order, 3)",
    "coin.sample(3, 5, torch.Generator().manual_seed(0))",
    "coin.sample(3, generator=draw, T=5)",
    "coin.sample(3, 5, **seeded)",
    "Elman(2, 3, 0.9, draw)",
    "Elman(2, 3, generator=draw)",
    "ConvNetRecipe(seed=3).build()",
    "model.write(start, 30, draw)",
    "model.write(start, 30, generator=draw, temperature=0.5)",
    "file.write(text)",
    "translator.write(source, visible, steps=20)",
    "model.write(start, 30, **how)",
    "convnet.Layer(3)",
    "rand = 3\nnormal = rand + random.choice",
]


@pytest.mark.parametrize(("line", "source"), [*((1, source) for source in UNSEEDED), *LATER])
def test_a_draw_without_a_seed_is_named(line, source):
    (said,) = broken(page(prose("# T"), code(IMPORTS), code(source)))
    assert said.startswith(f"cell 3, line {line}: ")
    assert " draws without a seed: " in said


@pytest.mark.parametrize("source", SEEDED)
def test_a_draw_with_a_seed_passes(source):
    assert list(broken(page(code(IMPORTS), code(source)))) == []


def test_each_draw_is_named_with_its_line():
    cell = "%matplotlib inline\nx = torch.rand(3)\ny = x.normal_() + coin.sample(\n    2, 3)[0]\ntorch.manual_seed(0)"
    assert [said.split(" draws")[0] for said in broken(page(code(IMPORTS), code(cell)))] == [
        "cell 2, line 2: torch.rand",
        "cell 2, line 3: x.normal_",
        "cell 2, line 3: coin.sample",
    ]


def test_a_seed_of_another_cell_does_not_count():
    nb = page(code(IMPORTS), code("torch.manual_seed(0)"), code("x = torch.rand(3)"))
    assert [said.split(":")[0] for said in broken(nb)] == ["cell 3, line 1"]


def test_names_are_those_of_the_imports_so_far():
    nb = page(
        code("import torch as t"), code("t.rand(3)"), code("sample(3, 5)"), code("from attend.tasks.coin import *")
    )
    assert [said.split(" draws")[0] for said in broken(nb)] == ["cell 2, line 1: t.rand"]
