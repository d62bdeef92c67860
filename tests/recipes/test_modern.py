"""What is trained: one change at a time, with equal weights; parts that do what their names say."""

import pytest
import torch
from torch import nn

from attend.recipes.modern import KINDS, Attention, ModernRecipe, build, nats, weights
from attend.tasks import plays
from attend.transformers.modern import RMSNorm
from attend.transformers.positioned import rotate
from attend.transformers.tiny_transformer import CausalSelfAttention, TinyTransformer


def test_all_kinds_have_as_many_weights_to_within_one_in_a_hundred():
    sizes = [weights(build(kind, 0)) for kind in KINDS]
    assert max(sizes) < 1.01 * min(sizes)


def test_a_start_is_repeated_by_its_seed():
    for kind in KINDS:
        one, two, other = (build(kind, seed).state_dict() for seed in (0, 0, 1))
        assert all(torch.equal(one[name], two[name]) for name in one)
        assert any(not torch.equal(one[name], other[name]) for name in one)


def test_the_oldest_is_the_tiny_transformer():
    torch.manual_seed(4)
    plain, tokens = TinyTransformer(63), torch.randint(63, (2, 9), generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(build("2017", 4)(tokens), plain(tokens))


def test_attention_without_a_change_is_that_of_the_tiny_transformer():
    ours, theirs = Attention(8, 4, 4, rotary=False), CausalSelfAttention(8, 4)
    theirs.load_state_dict(ours.state_dict())
    x = torch.randn(2, 5, 8)
    torch.testing.assert_close(ours(x), theirs(x))


def test_rotary_attention_turns_queries_and_keys_alone():
    ours, x = Attention(8, 2, 2, rotary=True), torch.randn(2, 5, 8)
    q, k, v = (part(x).unflatten(2, (2, 4)).transpose(1, 2) for part in (ours.q_proj, ours.k_proj, ours.v_proj))
    read = nn.functional.scaled_dot_product_attention(rotate(q), rotate(k), v, is_causal=True)
    torch.testing.assert_close(ours(x), ours.out_proj(read.transpose(1, 2).flatten(2)))


def test_each_kind_has_its_change_and_no_other():
    changed = {kind: build(kind, 0) for kind in KINDS}
    norms = {kind: sum(isinstance(part, RMSNorm) for part in model.modules()) for kind, model in changed.items()}
    assert norms == dict.fromkeys(KINDS, 0) | {"rmsnorm": 5, "today": 5}
    keys = {kind: model.blocks[0].self_attn.k_proj.out_features for kind, model in changed.items()}
    assert keys == dict.fromkeys(KINDS, 64) | {"gqa": 32, "today": 32}
    tables = {kind: hasattr(model, "position") and model.position.weight.any() for kind, model in changed.items()}
    assert {kind for kind, there in tables.items() if not there} == {"rope", "today"}


@pytest.mark.nightly
def test_a_short_training_lowers_the_loss():
    losses = []
    ModernRecipe(steps=30).train(callbacks=(lambda step: losses.append(step.loss),))
    assert sum(losses[-5:]) < sum(losses[:5])


def test_nats_are_those_of_a_table_of_letters():
    text, model = plays.stream("validation")[: 3 * 64 + 1], nn.Embedding(63, 63)
    model.weight.data.normal_(generator=torch.Generator().manual_seed(0))
    wanted = nn.functional.cross_entropy(model(text[:-1]), text[1:]).item()
    assert nats(model, "validation", 3) == pytest.approx(wanted, rel=1e-5)


@pytest.mark.parametrize(("field", "value"), [("kind", "2018"), ("steps", 0), ("rate", -1.0)])
def test_fields_are_refused_by_name(field, value):
    with pytest.raises(ValueError, match=f"{field}: got"):
        ModernRecipe(**{field: value})
