"""The weights of all heads add up to one over what may be attended to, and uniform attention is even."""

import pytest
import torch

from attend.fast import fast
from attend.transformers.attention_weights import LAYERS, attention_weights, uniform_attention
from attend.transformers.translator import Transformer


def given():
    draw = torch.Generator().manual_seed(3)
    source, target = torch.randint(0, 7, (2, 5), generator=draw), torch.randint(0, 6, (2, 4), generator=draw)
    return source, torch.tensor([[True] * 5, [True] * 3 + [False] * 2]), target


def model(**options):
    return Transformer(7, 6, 8, 2, 12, 3, generator=torch.Generator().manual_seed(0), **options).eval()


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_they_are_those_that_the_model_computes_with(norm):
    ours, (source, mask, target) = model(norm=norm), given()
    found = attention_weights(ours, source, mask, target)
    assert found.encoder.shape == (2, 3, 2, 5, 5)
    assert found.decoder.shape == (2, 3, 2, 4, 4)
    assert found.cross.shape == (2, 3, 2, 4, 5)
    x = ours.embed(ours.source_embedding, source)
    first = ours.encoder[0]
    x = first.norm1(x) if norm == "pre" else x
    cache = first.self_attn.keys_values(x)
    output = (found.encoder[:, 0] @ cache.value).transpose(1, 2).flatten(2)
    torch.testing.assert_close(first.self_attn.out_proj(output), first.self_attn(x, mask=mask[:, None, None]))


def test_they_are_shares_of_what_may_be_attended_to():
    found = attention_weights(model(), *given())
    for weights in found:
        torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:-1]))
    assert (found.encoder[1, ..., 3:] == 0).all()
    assert (found.cross[1, ..., 3:] == 0).all()
    assert (found.decoder.triu(1) == 0).all()


def test_a_fast_model_has_the_same_and_listening_changes_nothing():
    ours = model()
    plain, weights = ours(*given()), attention_weights(ours, *given())
    torch.testing.assert_close(attention_weights(fast(ours), *given()), weights)
    torch.testing.assert_close(ours(*given()), plain)


@pytest.mark.parametrize("kind", LAYERS)
def test_uniform_attention_is_even_in_one_kind_of_layer_only(kind):
    ours, mask = model(), given()[1]
    plain, found = attention_weights(ours, *given()), attention_weights(uniform_attention(ours, kind), *given())
    may = {"encoder": mask[:, None], "decoder": torch.ones(4, 4).tril()[None], "cross": mask[:, None]}[kind]
    even = (may / may.sum(-1, keepdim=True))[:, None, None]
    torch.testing.assert_close(getattr(found, kind), even.expand_as(getattr(found, kind)))
    if kind != "encoder":
        torch.testing.assert_close(found.encoder, plain.encoder)
    torch.testing.assert_close(attention_weights(ours, *given()), plain)


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match=r"kind: got 'above'"):
        uniform_attention(model(), "above")


def calls():
    MODEL = Transformer(5, 4, 4, 2, 3, 1)
    TOKENS = torch.tensor([[1, 2], [3, 0]])
    return {
        attention_weights: {
            "model": MODEL,
            "source": TOKENS,
            "mask": torch.ones(2, 2, dtype=torch.bool),
            "target": TOKENS,
        },
        uniform_attention: {"model": MODEL, "kind": "cross"},
    }
