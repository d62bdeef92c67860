"""Valid calls of attend.train."""

import tempfile
from pathlib import Path

import torch
from torch import nn

from attend.train import checkpoint, fit, schedule


def fitting():
    model = nn.Linear(1, 1)
    return {
        "model": model,
        "loss": lambda model, batch: model(batch).square().mean(),
        "batches": [torch.ones(1, 1)],
        "steps": 1,
        "optimiser": torch.optim.SGD(model.parameters(), lr=0.1),
        "clip": 1.0,
        "label": "training",
    }


def written():
    path = Path(tempfile.mkdtemp()) / "weights.safetensors"
    checkpoint.save(path, nn.Linear(1, 1))
    return {"path": path, "model": nn.Linear(1, 1)}


def scheduled():
    return {"optimiser": torch.optim.SGD([torch.zeros(1)], lr=0.1), "steps": 3}


CALLS = {
    fit.fit: fitting,
    checkpoint.save: written,
    checkpoint.load: written,
    schedule.one_cycle: scheduled,
}
GOOD = {fit.fit: {"label": {"word"}}}
