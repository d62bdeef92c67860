"""What page translator measures is what its sentences are about."""

import pytest

from attend.evidence import translator as page
from attend.recipes.translator import xavier
from attend.transformers.translator import Transformer


@pytest.mark.nightly
def test_gradients_are_those_of_each_decoder_block():
    model = xavier("pre", 3, 0)
    model.decoder[1].feed_forward.linear1.weight.data.zero_()  # biases are zero: its second layer hears nothing
    norms = page.gradient_norms(model, 0)
    assert len(norms) == 3
    assert [norm == 0 for norm in norms] == [False, True, False]


def test_what_is_lost_is_lost_by_one_use_of_attention(monkeypatch):
    model = Transformer(40, 30, 8, 2, 8, 1)
    monkeypatch.setattr(page, "raced", lambda *_: (model, 1.0))
    monkeypatch.setattr(
        page, "cross_entropy_of", lambda of: 0.0 if of.encoder[0].self_attn.q_proj.weight.any() else 2.0
    )
    assert page.places(0) == {"encoder": 2.0, "decoder": 0.0, "cross-attention": 0.0}


def test_both_write_as_many_tokens(monkeypatch):
    monkeypatch.setattr(page, "LENGTHS", (3,))
    assert page.kv_cache(0)["3 tokens"] > 0
