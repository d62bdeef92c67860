"""An ablated Transformer differs from the whole one in what was taken away, and in nothing else."""

import pytest
import torch

from attend.soft.decode import greedy
from attend.transformers.ablated import AblatedTransformer, PlainDecoderBlock, PlainEncoderBlock
from attend.transformers.self_attention import causal_mask
from attend.transformers.translator import Transformer

CHANGES = {"narrow keys": {"d_key": 3}, "no residual": {"residual": False}, "no norm": {"normalise": False}}
SIZES = {"d_model": 8, "num_heads": 2, "d_ff": 12}


def seeded():
    return torch.Generator().manual_seed(0)


def given():
    source = torch.tensor([[1, 2, 3, 4], [4, 3, 0, 0]])
    return source, torch.tensor([[True] * 4, [True, True, False, False]]), torch.tensor([[1, 2, 0], [3, 0, 0]])


def test_without_a_change_it_is_the_transformer():
    plain, ablated = (kind(7, 6, **SIZES, generator=seeded()) for kind in (Transformer, AblatedTransformer))
    assert plain.state_dict().keys() == ablated.state_dict().keys()
    assert torch.equal(plain(*given()), ablated(*given()))


@pytest.mark.parametrize("change", CHANGES)
def test_each_change_changes_what_it_says_and_decodes_step_by_step(change):
    plain = Transformer(7, 6, **SIZES, generator=seeded())
    ablated = AblatedTransformer(7, 6, **CHANGES[change], **SIZES, generator=seeded()).eval()
    assert not torch.allclose(plain(*given()), ablated(*given()), atol=1e-3)
    fewer = sum(p.numel() for p in plain.parameters()) - sum(p.numel() for p in ablated.parameters())
    attentions, norms = 6, 2 * 2 + 2 * 3 + 2
    assert fewer == {"narrow keys": attentions * 2 * (8 * 2 + 2), "no residual": 0, "no norm": norms * 16}[change]
    source, mask, _ = given()
    tokens = torch.zeros(2, 0, dtype=torch.long)
    for _ in range(4):
        logits = ablated(source, mask, torch.cat([tokens, torch.zeros(2, 1, dtype=torch.long)], dim=1))
        tokens = torch.cat([tokens, logits[:, -1:].argmax(2)], dim=1)
    over = (tokens == 0).long().cumsum(1) > 0
    assert torch.equal(greedy(ablated, source, mask, 4).tokens, tokens.masked_fill(over, 0))


def calls():
    X = torch.ones(2, 3, 4)
    SOURCE = torch.ones(2, 5, 4)
    PADDING = torch.ones(2, 1, 1, 5, dtype=torch.bool)
    DRAW = {"generator": torch.Generator()}
    CROSS = {"x": X, "memory": SOURCE, "mask": causal_mask(3), "memory_mask": PADDING}
    return {
        PlainEncoderBlock(4, 2, 3).forward: {"x": SOURCE, "mask": PADDING},
        PlainDecoderBlock(4, 2, 3).forward: CROSS,
        AblatedTransformer: {
            "source_vocab": 5,
            "target_vocab": 4,
            "d_key": 2,
            "residual": False,
            "normalise": False,
            **DRAW,
        },
    }
