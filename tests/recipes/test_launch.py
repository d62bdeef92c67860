"""Launching: one command, one process or two, the same training; and what it would cost, before it is begun."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn

from attend.recipes import __main__ as command
from attend.recipes import launch
from attend.recipes.launch import Launchable
from attend.recipes.llama import SIZES
from attend.train.checkpoint import load

ROOT = Path(__file__).parents[2]
SHORT = ("llama", "--size", "small", "--steps", "6", "--batch", "4", "--seed", "3")


@pytest.mark.nightly
def test_two_processes_train_to_the_weights_of_one(tmp_path):
    """By the command that a reader types, with no network: `accelerate launch`, gloo, two processes."""
    several = ["--cpu", "--num_processes", "2", "--num_machines", "1", "--mixed_precision", "no"]
    several += ["--dynamo_backend", "no", "--main_process_port", "0", "--gradient_accumulation_steps", "2"]
    done = subprocess.run(
        [sys.executable, "-m", "accelerate.commands.launch", *several, "-m", "attend.recipes", *SHORT],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"},
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    losses = []
    alone = replace(SIZES["small"], steps=6, batch=4, seed=3).train([lambda state: losses.append(state.loss)])
    assert f"loss {losses[0]:.4f} at step 1, {losses[-1]:.4f} at step 6" in done.stdout
    assert done.stdout.count("loss") == 1, "one process speaks"
    found = load(tmp_path / "runs" / "llama-small-3" / "weights.safetensors", SIZES["small"].build())
    for a, b in zip(found.parameters(), alone.parameters(), strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=2e-4)
    assert [path.name for path in (tmp_path / "runs" / "llama-small-3").glob("step-*")] == ["step-000000006"]


@pytest.mark.nightly
def test_a_dry_run_says_what_a_published_size_costs(capsys):
    assert command.main(["llama", "--size", "paper", "--dry-run", "--processes", "64", "--accumulate", "8"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("8,030,261,248 weights; ")
    assert "of each of 64 processes" in said


def test_what_a_process_computes_at_a_time_is_its_part_of_the_share():
    one = SIZES["small"]
    whole, part = launch.dry_run(one), launch.dry_run(one, processes=2, accumulate=4)
    assert part.flops * 8 == whole.flops
    assert part.parameters == whole.parameters == sum(weight.numel() for weight in one.build().parameters())
    assert part.activations < whole.activations <= 8 * part.activations
    with pytest.raises(ValueError, match="processes: got 3"):
        launch.dry_run(one, processes=3)


def test_every_size_is_launchable():
    assert SIZES.keys() >= {"small", "paper"}
    assert all(isinstance(one, Launchable) for one in SIZES.values())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("llama", "--size", "huge"), "--size: got 'huge', expected one of small, paper"),
        (("elman", "--size", "small"), "NAME: got 'elman', expected a recipe"),
        (("nowhere", "--size", "small"), "NAME: got 'nowhere', expected a recipe"),
        (("--size", "small"), "NAME: got [], expected one recipe"),
        (("llama", "--size", "small", "--steps", "0"), "steps: got 0"),
        (("llama", "--size", "small", "--batch", "9", "--accumulate", "2"), "batches: got 9"),
        (("llama", "--size", "small", "--every", "0"), "every: got 0"),
        (("llama", "--size", "small", "--dry-run", "--processes", "0"), "processes: got 0"),
        (("llama", "--size", "small", "--dry-run", "--accumulate", "0"), "accumulate: got 0"),
        (("llama", "--size", "paper"), "data: got None"),
        (("llama", "--size", "small", "--data", "no such file"), "data: got 'no such file'"),
    ],
)
def test_bad_arguments_are_refused_by_name(arguments, message, capsys, tmp_path):
    assert command.main([*arguments, "--folder", str(tmp_path)]) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_recipe_of_another_kind_needs_no_more_than_the_protocol():
    class Line:
        seed, steps, batch, clip = 0, 2, 4, None

        def build(self):
            return nn.Linear(1, 1)

        def batches(self):
            return launch.in_order(torch.utils.data.TensorDataset(torch.ones(8, 1)), 4)

        def example(self):
            return [torch.ones(self.batch, 1)]

        def loss(self, model, batch):
            return (model(batch[0]) - 1).square().mean()

        def optimiser(self, model):
            return torch.optim.SGD(model.parameters(), lr=0.1)

        def schedule(self, optimiser):
            return None

    assert isinstance(Line(), Launchable)
    assert set(launch.pieces(Line())) >= {"model", "loss", "batches", "steps", "optimiser", "schedule", "clip"}
