"""An aligner: attention learns where the next word comes from, a lexical translation table says what it will be.

Source   Brown et al. 1993, section 4 (a word comes from one position); Bahdanau et al. 2014, arXiv:1409.0473 (a hidden
         state is the query); Deng et al. 2018, arXiv:1807.03756 (attention before and after the word).
Departs  the table is that of IBM Model 1, and is not trained any further.
Agrees   the weights of attend.soft.read.AttentionSeq2Seq, in values and gradients, and Bayes' rule position by
         position (tests/soft/test_aligner.py).
"""

from typing import Annotated

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attend.core.expect import checked
from attend.core.init import embedding_
from attend.core.types import Below, DropRate, Lengths, Mask, Plural, Positive, Rule, Tokens
from attend.gating.gru import GRU
from attend.memory.supervision import shift_right
from attend.soft.lexicon import e_step
from attend.soft.read import attention_weights
from attend.soft.scores import Score

LEAST = 1e-9


class Aligner(nn.Module):
    """An encoder reads the source, a decoder the target up to the last word; its state is the query for the next one.

    Token `end` of the target vocabulary starts and ends every target.
    """

    @checked
    def __init__(
        self,
        source_vocab: Plural,
        target_vocab: Plural,
        embedding_size: Positive,
        hidden_size: Positive,
        end: Annotated[int, Below("target_vocab")] = 0,
        generator: torch.Generator | None = None,
    ):
        super().__init__()
        self.end = end
        self.embed_source = embedding_(nn.Embedding(source_vocab, embedding_size), 0.3, generator)
        self.embed_target = embedding_(nn.Embedding(target_vocab, embedding_size), 0.3, generator)
        self.encoder = GRU(embedding_size, hidden_size, generator)
        self.decoder = GRU(embedding_size, hidden_size, generator)
        self.score = Score("bilinear", hidden_size, hidden_size, generator=generator)

    @checked
    def forward(
        self,
        source: Tokens["B S", "self.embed_source.num_embeddings"],
        mask: Lengths["B S"],
        target: Tokens["B T", "self.embed_target.num_embeddings"],
        dropout: DropRate = 0.0,
        generator: torch.Generator | None = None,
    ) -> Float[Tensor, "B T S"]:
        """Attention weights for each word of `target`, before it is seen; `dropout` acts on the embeddings."""

        def dropped(x: Tensor) -> Tensor:
            kept = torch.rand(x.shape, generator=generator, device=x.device) >= dropout if dropout else 1.0
            return x * kept / (1 - dropout)

        keys, last = self.encoder(dropped(self.embed_source(source)), mask=mask)
        previous = self.embed_target(shift_right(target, self.end))
        queries, _ = self.decoder(dropped(previous), last)
        return attention_weights(self.score(queries, keys), mask)


@checked
def posterior(
    weights: Annotated[
        Float[Tensor, "B T S"], Rule("shares, none of them negative", lambda weights: bool((weights >= 0).all()))
    ],
    table: Float[Tensor, "V U"],
    source: Int[Tensor, "B S"],
    target: Int[Tensor, "B T"],
    mask: Mask["B S"],
) -> Float[Tensor, "B T S"]:
    """The weights after each word was seen, by Bayes' rule: those before it, times what `table` says of the word."""
    return e_step(table, source, target, mask, prior=weights.clamp(min=LEAST).log())
