"""An aligner: attention learns where the next word comes from, a lexical translation table says what it will be.

Source   Brown et al. 1993, section 4 (a word comes from one position); Bahdanau et al. 2014, arXiv:1409.0473 (a hidden
         state is the query); Deng et al. 2018, arXiv:1807.03756 (attention before and after the word).
Departs  the table comes from EM, and is not trained any further; the decoder starts from zeros.
Agrees   the weights of torch.nn.GRU and a bilinear score, and Bayes' rule position by position
         (tests/soft/test_aligner.py).
"""

from typing import Annotated

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from attend.core.expect import checked
from attend.core.types import DropRate, Lengths, Mask, Plural, Positive, Rule, Tokens
from attend.soft.lexicon import e_step


class Aligner(nn.Module):
    """An encoder reads the source, a decoder the target up to the last word; its state is the query for the next one.

    Token 0 starts every target. The first weights are drawn from torch's global generator, as is the dropout of the
    embeddings in training mode.
    """

    @checked
    def __init__(
        self,
        source_vocab: Plural,
        target_vocab: Plural,
        embedding_size: Positive,
        hidden_size: Positive,
        dropout: DropRate = 0.3,
    ):
        super().__init__()
        D, H = embedding_size, hidden_size
        self.embed_source = nn.Embedding(source_vocab, D)
        self.embed_target = nn.Embedding(target_vocab, D)
        for embedding in (self.embed_source, self.embed_target):
            nn.init.normal_(embedding.weight, std=0.3)
        self.encoder = nn.GRU(D, H, batch_first=True)
        self.decoder = nn.GRU(D, H, batch_first=True)
        self.query_proj = nn.Linear(H, H, bias=False)
        self.dropout = nn.Dropout(dropout)

    @checked
    def forward(
        self,
        source: Tokens["B S", "self.embed_source.num_embeddings"],
        mask: Lengths["B S"],
        target: Tokens["B T", "self.embed_target.num_embeddings"],
    ) -> Float[Tensor, "B T S"]:
        """Attention weights for each word of `target`, before it is seen."""
        source = self.dropout(self.embed_source(source))
        keys, _ = self.encoder(source)  # (B, S, H)
        previous = F.pad(target[:, :-1], (1, 0))  # one step later
        previous = self.dropout(self.embed_target(previous))
        states, _ = self.decoder(previous)  # (B, T, H)
        scores = self.query_proj(states) @ keys.mT  # (B, T, S)
        scores = scores.masked_fill(~mask[:, None], -torch.inf)
        return scores.softmax(dim=2)


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
    before = weights.clamp(min=1e-9).log()
    return e_step(table, source, target, mask, prior=before)
