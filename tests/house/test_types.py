"""Shapes and types are checked at run time in every test, of what goes in and of what comes out."""

import pytest
import torch
from jaxtyping import TypeCheckError

from attend.core.unroll import unroll


def test_what_a_function_returns_is_checked():
    with pytest.raises(TypeCheckError):
        unroll(lambda x, state: (x[0], state), torch.ones(2, 3, 4), torch.zeros(2, 4))
