"""What page scores measures is what its sentence is about."""

import pytest
import torch

from attend.evidence.scores import at_the_query
from attend.soft.scores import SCORES


def test_the_gradient_at_the_query_is_the_covariance_of_keys_and_values_under_the_weights():
    d, scaled, generator = 4, True, torch.Generator().manual_seed(2)
    q = torch.randn(2_000, 1, d, generator=generator)
    k = torch.randn(2_000, 10, d, generator=generator)
    v, direction = torch.randn(2_000, 10, 8, generator=generator), torch.randn(8, generator=generator)
    a = SCORES["scaled_dot"](q, k).softmax(dim=2)[0, 0]
    worth = v[0] @ direction
    expected = ((a * worth) @ k[0] - (a @ worth) * (a @ k[0])) / d**0.5
    assert at_the_query(d, scaled, 2)[0].item() == pytest.approx(expected.norm().item(), rel=1e-4)
