"""A Transformer of attention alone: embeddings, layers of heads that add to them, and a linear map to the logits.

Source   Elhage et al. 2021, A mathematical framework for Transformer circuits (attention-only Transformers).
Departs  layer normalisation before each layer and at the end, as in GPT-2; biases.
Agrees   torch.nn.MultiheadAttention, layer by layer (tests/transformers/test_attention_only.py).
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attend.core.expect import checked, expect
from attend.core.types import NonNegative, Plural, Positive, Tokens
from attend.transformers.heads import MultiHeadAttention
from attend.transformers.self_attention import causal_mask


class AttentionOnly(nn.Module):
    """Logits at every position, and where every head looked: layers of heads, and no feed-forward layers.

    `causal` hides what comes later. Raises ValueError unless num_heads divides d_model.
    """

    @checked
    def __init__(
        self,
        vocab_size: Plural,
        d_model: Positive = 64,
        num_heads: Positive = 4,
        num_layers: Positive = 2,
        context: Positive = 64,
        causal: bool = True,
    ):
        super().__init__()
        self.vocab_size, self.context = vocab_size, context
        self.causal = causal
        self.token = nn.Embedding(vocab_size, d_model)
        self.position = nn.Embedding(context, d_model)
        sizes = d_model, num_heads
        layers = [MultiHeadAttention(*sizes) for _ in range(num_layers)]
        norms = [nn.LayerNorm(d_model) for _ in range(num_layers + 1)]
        self.layers, self.norms = nn.ModuleList(layers), nn.ModuleList(norms)
        self.output = nn.Linear(d_model, vocab_size)

    @checked
    def forward(
        self, tokens: Tokens["B T", "self.vocab_size"]
    ) -> tuple[Float[Tensor, "B T {self.vocab_size}"], Float[Tensor, "B layers heads T T"]]:
        """The logits and the attention weights. Raises ValueError for more tokens than `context`."""
        T = tokens.shape[1]
        expect(self.context >= T, "tokens", tokens, f"at most context = {self.context} tokens")
        mask = causal_mask(T, device=tokens.device) if self.causal else None
        x = self.token(tokens) + self.position.weight[:T]  # (B, T, d_model)
        found = []
        for norm, attn in zip(self.norms, self.layers, strict=False):
            h = norm(x)
            output, weights = attn.attend(h, attn.keys_values(h), mask)
            x = x + output  # all heads of this layer add to the stream
            found.append(weights)  # (B, heads, T, T)
        return self.output(self.norms[-1](x)), torch.stack(found, dim=1)


@checked
@torch.no_grad()
def cut_(attn: nn.Module, head: NonNegative) -> nn.Module:
    """Silence one head of a layer, in place: its block of the output projection becomes zero. Returns the layer.

    `attn` has `num_heads` and an `out_proj`, as MultiHeadAttention and CausalSelfAttention have. Raises ValueError for
    a head that it does not have.
    """
    expect(head < attn.num_heads, "head", head, f"a head from 0 to {attn.num_heads - 1}")
    width = attn.out_proj.in_features // attn.num_heads
    attn.out_proj.weight[:, head * width : (head + 1) * width] = 0
    return attn
