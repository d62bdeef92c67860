"""The tiny language model beside attend.transformers.blocks, and the mistakes that a causal model must not make."""

import pytest
import torch
from tests.agreement import agree

from attend.transformers.blocks import EncoderBlock
from attend.transformers.heads import MultiHeadAttention
from attend.transformers.self_attention import causal_mask
from attend.transformers.tiny_transformer import Block, CausalSelfAttention, TinyTransformer

B, T, D, HEADS, V = 3, 6, 8, 2, 11


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def vectors():
    return torch.randn(B, T, D, generator=seeded(1), dtype=torch.float64).requires_grad_()


@pytest.fixture(autouse=True)
def same_start():
    torch.manual_seed(0)


TOKENS = torch.randint(V, (B, T), generator=seeded(2))


def test_attention_is_that_of_many_heads_under_a_causal_mask():
    ours, general = CausalSelfAttention(D, HEADS).double(), MultiHeadAttention(D, HEADS).double()
    general.load_state_dict(ours.state_dict())
    x = vectors()
    agree(ours(x), general(x, mask=causal_mask(T)), [x])


def test_a_block_is_a_pre_norm_encoder_block_under_a_causal_mask():
    ours, general = Block(D, HEADS).double(), EncoderBlock(D, HEADS, 4 * D).double()
    names = {"feed_forward.0": "feed_forward.linear1", "feed_forward.2": "feed_forward.linear2"}
    for old, new in names.items():
        general.get_submodule(new).load_state_dict(ours.get_submodule(old).state_dict())
    for name in ("self_attn", "norm1", "norm2"):
        general.get_submodule(name).load_state_dict(ours.get_submodule(name).state_dict())
    x = vectors()
    agree(ours(x), general(x, causal_mask(T)), [x])


def test_no_position_sees_a_later_token():
    model, other = TinyTransformer(V, D, HEADS), TOKENS.clone()
    other[:, 3] = (other[:, 3] + 1) % V
    moved = (model(TOKENS) - model(other)).abs().amax((0, 2))
    assert (moved[:3] == 0).all()
    assert (moved[3:] > 0).all()


def test_the_order_of_the_tokens_matters():
    model = TinyTransformer(V, D, HEADS)
    assert not torch.allclose(model(TOKENS)[:, -1], model(TOKENS[:, [1, 0, *range(2, T)]])[:, -1], atol=1e-4)


def test_it_learns_to_count():
    model = TinyTransformer(V, 16, HEADS, context=8)
    optimiser = torch.optim.Adam(model.parameters(), 1e-2)
    tokens = (torch.arange(9) + torch.arange(V)[:, None]) % V
    for _ in range(60):
        loss = torch.nn.functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    written = model.generate(torch.tensor([[3]]), 12, temperature=0.1, generator=seeded())
    assert written.tolist() == [[(3 + t) % V for t in range(13)]]


def test_a_generator_repeats_what_is_written():
    model = TinyTransformer(V, D, HEADS, context=4)
    one, two = (model.generate(TOKENS[:, :2], 7, generator=seeded(5)) for _ in range(2))
    assert torch.equal(one, two)
    assert one.shape == (B, 9)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda model: model(torch.zeros(1, 65, dtype=torch.long)), "tokens: got"),
        (lambda model: model(TOKENS + V), "tokens: got"),
        (lambda model: model.generate(TOKENS, 0), "steps: got 0"),
        (lambda model: TinyTransformer(V, 9, 2), "num_heads: got 2"),
    ],
)
def test_what_does_not_fit_is_refused(call, says):
    with pytest.raises(ValueError, match=says):
        call(TinyTransformer(V, D, HEADS))


def calls():
    X = torch.ones(2, 3, 4)
    DRAW = {"generator": torch.Generator()}
    TOKENS = torch.tensor([[1, 2], [3, 3]])
    TINY = TinyTransformer(5, 4, 2, 1, 3)
    return {
        CausalSelfAttention: {"d_model": 4, "num_heads": 2},
        CausalSelfAttention(4, 2).forward: {"x": X},
        Block: {"d_model": 4, "num_heads": 2},
        Block(4, 2).forward: {"x": X},
        TinyTransformer: {"vocab_size": 5, "d_model": 4, "num_heads": 2, "num_layers": 1, "context": 3},
        TINY.forward: {"tokens": TOKENS},
        TINY.generate: {"tokens": TOKENS, "steps": 2, "temperature": 0.5, **DRAW},
    }
