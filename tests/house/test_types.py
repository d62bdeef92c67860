"""Shapes and types of systems and tasks are checked at run time in every test: what goes in, and what comes out."""

import pytest
import torch
from jaxtyping import TypeCheckError

from attend.memory.elman import RNN


def test_what_a_function_returns_is_checked(monkeypatch):
    monkeypatch.setattr(RNN, "step", lambda self, x, h: h[None])
    with pytest.raises(TypeCheckError):
        RNN(2, 3)(torch.ones(1, 1, 2))
