"""The encoder beside torch's own; what the mask, the segments and the hidden words promise."""

import pytest
import torch
from tests.agreement import agree
from torch import nn

from attend.transformers.bert import Bert, EncoderBlock, hide

B, T, D, HEADS, V = 3, 6, 16, 4, 11


@pytest.fixture(autouse=True)
def same_start():
    torch.manual_seed(0)


def test_a_block_is_the_encoder_layer_of_torch():
    ours = EncoderBlock(D, HEADS).double()
    theirs = nn.TransformerEncoderLayer(D, HEADS, 4 * D, 0.0, "gelu", batch_first=True).double()
    pairs = (
        (theirs.self_attn.in_proj_weight, ours.qkv_proj.weight),
        (theirs.self_attn.in_proj_bias, ours.qkv_proj.bias),
        (theirs.self_attn.out_proj.weight, ours.out_proj.weight),
        (theirs.self_attn.out_proj.bias, ours.out_proj.bias),
        (theirs.linear1.weight, ours.feed_forward[0].weight),
        (theirs.linear1.bias, ours.feed_forward[0].bias),
        (theirs.linear2.weight, ours.feed_forward[2].weight),
        (theirs.linear2.bias, ours.feed_forward[2].bias),
    )
    for mine, value in pairs:
        mine.data = value.data
    x = torch.randn(B, T, D, dtype=torch.float64, requires_grad=True)
    there = torch.arange(T) < torch.tensor([[6], [4], [2]])
    agree(ours(x, there[:, None]), theirs(x, src_key_padding_mask=~there), [x])


def drawn():
    tokens = torch.randint(4, V, (B, T), generator=torch.Generator().manual_seed(1))
    return tokens, (torch.arange(T) > 2).long().expand(B, T)


def test_every_vector_depends_on_every_token_and_on_its_segment():
    model, (tokens, segments) = Bert(V, D, HEADS), drawn()
    for t in range(T):
        other = tokens.clone()
        other[:, t] = 4 + (other[:, t] - 3) % (V - 4)
        assert ((model(tokens, segments) - model(other, segments)).abs().amax(2) > 1e-6).all()
    assert not torch.allclose(model(tokens, segments), model(tokens, 1 - segments), atol=1e-4)
    assert not torch.allclose(model(tokens, segments)[:, 0], model(tokens[:, [0, 2, 1, *range(3, T)]], segments)[:, 0])


def test_padding_is_not_read():
    model, (tokens, segments) = Bert(V, D, HEADS), drawn()
    longer = torch.cat([tokens, torch.zeros(B, 3, dtype=torch.long)], 1)
    found = model(longer, torch.cat([segments, segments[:, :3]], 1))[:, :T]
    torch.testing.assert_close(found, model(tokens, segments), atol=1e-5, rtol=1e-5)


def test_under_a_causal_mask_nothing_later_is_read():
    model, (tokens, segments) = Bert(V, D, HEADS), drawn()
    causal, other = torch.ones(1, T, T, dtype=torch.bool).tril(), tokens.clone()
    other[:, 3] = 4 + (other[:, 3] - 3) % (V - 4)
    moved = (model(tokens, segments, causal) - model(other, segments, causal)).abs().amax((0, 2))
    assert (moved[:3] == 0).all()
    assert (moved[3:] > 0).all()


def test_words_are_read_from_the_table_of_embeddings():
    model = Bert(V, D, HEADS)
    hidden = torch.randn(5, D)
    wanted = model.transform(hidden) @ model.token.weight.T
    torch.testing.assert_close(model.words(hidden), wanted)
    assert model.follows(torch.randn(B, T, D)).shape == (B, 2)


def test_of_the_chosen_words_eight_tenths_are_hidden_and_a_tenth_stays():
    tokens = torch.randint(0, 50, (400, 100), generator=torch.Generator().manual_seed(0))
    seen, chosen = hide(tokens, 1_000, generator=torch.Generator().manual_seed(1))
    words = tokens >= 4
    assert not chosen[~words].any()
    assert torch.equal(seen[~chosen], tokens[~chosen])
    n = chosen.sum().item()
    assert n / words.sum().item() == pytest.approx(0.15, abs=0.01)
    assert (seen[chosen] == 3).sum().item() / n == pytest.approx(0.8, abs=0.02)
    assert (seen[chosen] == tokens[chosen]).sum().item() / n == pytest.approx(0.1, abs=0.02)
    changed = seen[chosen & (seen != tokens) & (seen != 3)]
    assert changed.min() >= 4
    assert changed.max() > 900


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: EncoderBlock(16, 3), "num_heads: got 3"),
        (lambda: Bert(V, D, HEADS, context=4)(*drawn()), "tokens: got"),
        (lambda: hide(torch.ones(2, 3, dtype=torch.long), V, rate=1.5), "rate: got"),
    ],
)
def test_what_does_not_fit_is_refused(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def calls():
    tokens, segments = torch.full((2, 3), 4), torch.zeros(2, 3, dtype=torch.long)
    model, block = Bert(9, 8, 2, 1, 5), EncoderBlock(8, 2)
    x = torch.ones(2, 3, 8)
    return {
        EncoderBlock: {"d_model": 8, "num_heads": 2, "dropout": 0.1},
        block.forward: {"x": x, "mask": torch.ones(2, 1, 3, dtype=torch.bool)},
        Bert: {"vocab_size": 9, "d_model": 8, "num_heads": 2, "num_layers": 1, "context": 5, "dropout": 0.1},
        model.forward: {"tokens": tokens, "segments": segments, "mask": torch.ones(2, 1, 3, dtype=torch.bool)},
        model.words: {"hidden": x},
        model.follows: {"hidden": x},
        hide: {"tokens": tokens, "vocab_size": 9, "mask_token": 3, "first_word": 4, "rate": 0.2, "generator": None},
    }


def good():
    """Words are guessed from vectors in any arrangement; a vocabulary may have no special tokens."""
    any_shape = {"hidden": {"rank", "width"}}
    return {Bert(9, 8, 2, 1, 5).words: any_shape, hide: {"mask_token": {"zero"}, "first_word": {"zero"}}}
