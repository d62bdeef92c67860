"""What page self_attention measures is what its sentences are about."""

import pytest
import torch

from attend.evidence.self_attention import looks_back, saturation
from attend.transformers.tiny_transformer import TinyTransformer


def test_a_head_that_attends_to_the_position_before_is_found():
    T, model = 20, TinyTransformer(5, d_model=40, num_heads=2, num_layers=1, context=20)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
        model.position.weight[:, :T] = torch.eye(T)
        block = model.blocks[0]
        block.norm1.weight.fill_(1)
        block.self_attn.q_proj.weight[1:T, : T - 1] = 10 * torch.eye(T - 1)  # head 0: a query meets the position after
        block.self_attn.k_proj.weight[:T, :T] = 10 * torch.eye(T)
    found = looks_back(model, torch.zeros(3, T, dtype=torch.long))
    assert found.shape == (2,)
    assert found[1] == pytest.approx(sum(1 / (t + 1) for t in range(17, T)) / (T - 17), rel=0.05)  # spread evenly
    assert found[0] < 0.01
    with torch.no_grad():
        block.self_attn.q_proj.weight.zero_()
        block.self_attn.q_proj.weight[: T - 1, 1:T] = 10 * torch.eye(T - 1)
    assert looks_back(model, torch.zeros(3, T, dtype=torch.long))[0] > 0.99


@pytest.mark.nightly
def test_scaling_keeps_the_jacobian_of_wide_queries():
    found = saturation(1024, torch.Generator().manual_seed(0))
    assert found["unscaled"] < 0.01 < 0.1 < found["scaled"]
    narrow = saturation(1, torch.Generator().manual_seed(0))
    assert narrow["unscaled"] == narrow["scaled"]
