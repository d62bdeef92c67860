"""The page's Transformer with one part changed: what is changed, and nothing else."""

import pytest
import torch
from torch import nn

from attend.recipes.self_attention import CONTEXT, KINDS, SelfAttentionRecipe, build
from attend.tasks import plays
from attend.transformers.tiny_transformer import TinyTransformer

TOKENS = plays.stream("test")[None, :20]


def weights(model):
    return sum(p.numel() for p in model.parameters())


def logits(model, tokens=TOKENS):
    with torch.no_grad():
        return model(tokens)


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_model_without_mask_sees_what_comes_later(kind):
    model, changed = build(kind, 0), TOKENS.clone()
    changed[0, 10] = (changed[0, 10] + 1) % len(plays.ALPHABET)
    before = (logits(model, changed) - logits(model))[:, :10].abs().max()
    assert (before > 1e-4) == (kind == "no_mask")


def test_without_positions_nothing_is_added_before_or_after_training():
    assert build("whole", 0).position.weight.any()
    assert not SelfAttentionRecipe("no_positions", steps=3).train().position.weight.any()


def test_without_scale_is_with_longer_queries():
    bare, whole = build("no_scale", 0), build("whole", 0)
    for block in whole.blocks:
        for parameter in block.self_attn.q_proj.parameters():
            parameter.data *= 16**0.5
    torch.testing.assert_close(logits(bare), logits(whole))


def test_sizes_are_what_the_page_says():
    whole = weights(build("whole", 0))
    assert whole == weights(TinyTransformer(len(plays.ALPHABET))) == weights(build("one_head", 0)) == 112_319
    assert weights(build("gru", 0)) == 112_623


def test_a_recipe_is_repeated_by_its_seed():
    one, two, other = (SelfAttentionRecipe(seed=seed, steps=3).train() for seed in (0, 0, 1))
    assert torch.equal(logits(one), logits(two))
    assert not torch.equal(logits(one), logits(other))


def test_what_comes_with_the_package_was_trained():
    recipe = SelfAttentionRecipe()
    assert recipe.load().context == CONTEXT
    assert recipe.loss(recipe.load(), "validation") < 1.6


def test_without_residuals_and_norm_the_parts_are_bare():
    assert not any(isinstance(part, nn.LayerNorm) for part in build("no_norm", 0).modules())
    x, block = torch.randn(1, 5, 64), build("no_residual", 0).blocks[0]
    with torch.no_grad():
        expected = block.feed_forward(block.norm2(block.self_attn(block.norm1(x))))
        torch.testing.assert_close(block(x), expected)


@pytest.mark.parametrize(("field", "value"), [("kind", "no_head"), ("steps", 0), ("seed", -1), ("rate", 0.0)])
def test_fields_are_refused_by_name(field, value):
    with pytest.raises(ValueError, match=f"{field}: got"):
        SelfAttentionRecipe(**{field: value})
