"""GPT: a decoder-only Transformer that reads with a KV cache, is sampled from, and carries a classifier.

Source   Radford et al. 2018 (GPT: pre-training, the classifier at the last token, the auxiliary loss); Radford et al.
         2019 (GPT-2: the norm before each part, and one at the end); Holtzman et al. 2020, arXiv:1904.09751 (top-p);
         Fan et al. 2018, arXiv:1805.04833 (top-k).
Departs  rotary positions (Su et al. 2024) in the place of learned ones, with which no head found its neighbour in as
         many steps; layers are drawn as on the page on heads, not with standard deviation 0.02; no dropout on attention
         weights; the classifier reads the token that ends a text, where GPT has a token of its own for that.
Agrees   attend.transformers.positioned with rotary positions, in values and gradients; with a cache, in pieces, the
         whole text at once (tests/transformers/test_gpt.py).
"""

import math
from typing import Annotated

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.functional import pad, scaled_dot_product_attention

from attend.core.expect import checked, expect
from attend.core.types import Below, DropRate, NonNegativeFloat, Plural, Positive, PositiveFloat, Tokens
from attend.transformers.heads import KVCache, MultiHeadAttention
from attend.transformers.positioned import rotate
from attend.transformers.self_attention import causal_mask


# Listings have at most 76 columns once annotations are gone.
# fmt: off
class RotaryAttention(MultiHeadAttention):
    """Several heads whose queries and keys are turned by their positions; queries are the last T of S positions."""

    def attend(
        self, x: Float[Tensor, "B T D"], cache: KVCache, mask: Bool[Tensor, "T S"] | None = None
    ) -> tuple[Float[Tensor, "B T D"], None]:
        """The output for x; the cache holds keys as they are before they are turned. No weights are made."""
        query = self._split(self.q_proj(x))            # (B, heads, T, d)
        earlier = cache.key.shape[2] - x.shape[1]      # S - T
        # rotate turns row n by n steps, and these T rows are the last of S:
        # S - T empty rows go before them, and come off once all are turned.
        query = rotate(pad(query, (0, 0, earlier, 0)))[:, :, earlier:]
        # The cache keeps keys unturned, so all S of them are turned here.
        read = scaled_dot_product_attention(
            query, rotate(cache.key), cache.value, mask)
        return self.out_proj(read.transpose(1, 2).flatten(2)), None


class GPTBlock(nn.Module):
    """Causal attention to all tokens so far, then a feed-forward network; both read a normalised x and add to x."""

    @checked
    def __init__(self, d_model: Positive, num_heads: Positive, dropout: DropRate = 0.0):
        super().__init__()
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.self_attn = RotaryAttention(d_model, num_heads)
        self.feed_forward = nn.Sequential(
            nn.Linear(d_model, 4 * d_model),
            nn.GELU(approximate="tanh"),               # as in GPT-2
            nn.Linear(4 * d_model, d_model),
        )
        self.dropout = nn.Dropout(dropout)

    @checked
    def forward(
        self, x: Float[Tensor, "B T {self.self_attn.d_model}"], past: KVCache | None = None
    ) -> tuple[Float[Tensor, "B T D"], KVCache]:
        """T new tokens behind those of `past`; with the output the cache of them all."""
        normed = self.norm1(x)
        cache = self.self_attn.keys_values(normed)     # T new tokens
        if past is not None:
            cache = KVCache(torch.cat([past.key, cache.key], dim=2),
                            torch.cat([past.value, cache.value], dim=2))
        # From here on the cache holds all S; row t sees up to S - T + t.
        mask = causal_mask(x.shape[1], cache.key.shape[2], x.device)
        read, _ = self.self_attn.attend(normed, cache, mask)
        x = x + self.dropout(read)
        return x + self.dropout(self.feed_forward(self.norm2(x))), cache


class GPT(nn.Module):
    """A language model over `vocab_size` tokens, whose texts have at most `context` of them."""

    @checked
    def __init__(
        self,
        vocab_size: Plural,
        d_model: Positive = 48,
        num_heads: Positive = 4,
        num_layers: Positive = 2,
        context: Positive = 64,
        dropout: DropRate = 0.0,
    ):
        super().__init__()
        self.vocab_size, self.context = vocab_size, context
        self.d_model = d_model
        self.token = nn.Embedding(vocab_size, d_model)
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(
            GPTBlock(d_model, num_heads, dropout)
            for _ in range(num_layers))
        self.norm = nn.LayerNorm(d_model)
        nn.init.normal_(self.token.weight, std=0.1)    # 1 is too large

    @checked
    def states(
        self, tokens: Tokens["B T", "self.vocab_size"], past: list[KVCache] | None = None
    ) -> tuple[Float[Tensor, "B T {self.d_model}"], list[KVCache]]:
        """The last hidden state of each token, and the caches of all blocks.

        `past` holds the caches of the tokens before. Raises ValueError for more tokens than `context` in all.
        """
        in_all = tokens.shape[1] + (past[0].key.shape[2] if past else 0)
        if in_all > self.context:
            raise ValueError(
                f"tokens: got {in_all} with those in the cache, "
                f"expected at most context = {self.context}")
        x = self.dropout(self.token(tokens))
        caches = []
        for n, block in enumerate(self.blocks):        # each has a cache
            x, cache = block(x, past[n] if past else None)
            caches.append(cache)
        return self.norm(x), caches

    @checked
    def forward(
        self, tokens: Tokens["B T", "self.vocab_size"], past: list[KVCache] | None = None
    ) -> tuple[Float[Tensor, "B T V"], list[KVCache]]:
        """Logits of the token that follows each, and the caches."""
        x, caches = self.states(tokens, past)
        return x @ self.token.weight.T, caches         # (B, T, V), tied


@checked
def next_probs(
    logits: Float[Tensor, "*B V"],
    temperature: PositiveFloat = 1.0,
    top_k: Positive | None = None,
    top_p: NonNegativeFloat = 1.0,
) -> Float[Tensor, "*B V"]:
    """The probabilities to draw the next token from: heated or cooled, then cut to the top k, then to the top p.

    The likeliest token stays whatever top_p is, of 0, too.
    """
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        least = logits.topk(k).values[..., -1:]        # the k-th largest
        logits = logits.masked_fill(logits < least, -math.inf)
    probs, order = logits.softmax(-1).sort(descending=True)
    before = probs.cumsum(-1) - probs                  # of the likelier
    before[..., 0] = -1.0                              # the first stays
    probs = probs.masked_fill(before >= top_p, 0.0)
    probs = torch.zeros_like(probs).scatter(-1, order, probs)
    return probs / probs.sum(-1, keepdim=True)


@checked
@torch.no_grad()
def generate(
    model: GPT,
    tokens: Int[Tensor, "B T"],
    steps: Positive,
    temperature: PositiveFloat = 1.0,
    top_k: Positive | None = None,
    top_p: NonNegativeFloat = 1.0,
    generator: torch.Generator | None = None,
) -> Int[Tensor, "B U"]:
    """`tokens`, continued by `steps` more. Raises ValueError where that makes more than the model's context."""
    new, past = tokens, None
    for _ in range(steps):
        logits, past = model(new, past)                # the new ones only
        probs = next_probs(logits[:, -1], temperature, top_k, top_p)
        new = torch.multinomial(probs, 1, generator=generator)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens


class Classifier(nn.Module):
    """A GPT, and on its last hidden state one linear layer with a logit for each class."""

    @checked
    def __init__(self, gpt: GPT, classes: Plural = 2):
        super().__init__()
        self.gpt = gpt
        self.head = nn.Linear(gpt.d_model, classes)
        nn.init.zeros_(self.head.weight)

    @checked
    def forward(
        self, tokens: Tokens["B T", "self.gpt.vocab_size"], last: Annotated[Int[Tensor, "B"], Below("self.gpt.context")]
    ) -> tuple[Float[Tensor, "B C"], Float[Tensor, "B T D"]]:
        """Logits of the classes, read at position `last` of each text, and all last hidden states."""
        expect(bool((last < tokens.shape[1]).all()), "last", last, f"positions below {tokens.shape[1]}")
        x, _ = self.gpt.states(tokens)
        rows = torch.arange(len(tokens), device=tokens.device)
        return self.head(x[rows, last]), x             # (B, C), (B, T, D)
