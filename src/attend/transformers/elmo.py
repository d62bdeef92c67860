"""ELMo: a frozen language model in both directions, whose layers are mixed into one vector for each word.

Source   Peters et al. 2018, arXiv:1802.05365; lectures erdem2021attention and hu2019lecture16 name it.
Departs  words are looked up in a table, not made of their letters by a convolution; LSTMs as wide as the words, without
         projections. The softmax covers the `num_targets` most frequent words and has their vectors as its weights; the
         paper's has weights of its own.
Agrees   torch.nn.LSTM with bidirectional=True for one layer; hidden states do not depend on padding, and each half sees
         one side only (tests/transformers/test_elmo.py).
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from attend.core.expect import checked, expect
from attend.core.types import DropRate, Lengths, Plural, Positive, Tokens
from attend.gating.bidirectional import reverse


# Listings have at most 76 columns once annotations are gone.
# fmt: off
class BiLM(nn.Module):
    """Two language models over the same words, one that reads ahead and one that reads back.

    Tokens below `num_targets` are predicted, all others as token 0; the vectors of the words are shared.
    """

    @checked
    def __init__(
        self,
        vocab_size: Plural,
        d_model: Positive = 48,
        num_layers: Positive = 2,
        num_targets: Plural = 1_500,
        dropout: DropRate = 0.2,
    ):
        expect(num_targets <= vocab_size, "num_targets", num_targets, f"at most vocab_size = {vocab_size}")
        super().__init__()
        self.vocab_size, self.num_targets = vocab_size, num_targets
        self.token = nn.Embedding(vocab_size, d_model)
        self.ahead, self.back = (            # a stack for each direction
            nn.ModuleList(nn.LSTM(d_model, d_model, batch_first=True)
                          for _ in range(num_layers)) for _ in range(2))
        self.bias = nn.Parameter(torch.zeros(num_targets))
        self.dropout = nn.Dropout(dropout)
        nn.init.normal_(self.token.weight, std=0.1)

    def stack(self, x: Float[Tensor, "B T D"], lstms: nn.ModuleList) -> list[Float[Tensor, "B T D"]]:
        """The vectors of the words, and the hidden states of each LSTM above them."""
        layers = [x]                         # layer 0: the words
        for lstm in lstms:
            h, _ = lstm(self.dropout(layers[-1]))
            # From the second LSTM on, add what it has read.
            layers.append(h if len(layers) == 1 else h + layers[-1])
        return layers

    @checked
    def forward(
        self, tokens: Tokens["B T", "self.vocab_size"], mask: Lengths["B T"]
    ) -> Float[Tensor, "L B T D2"]:
        """Every layer, the words first, (L + 1, B, T, 2 D): what was read from the left, and from the right."""
        x = self.token(tokens)                                 # (B, T, D)
        ahead = self.stack(x, self.ahead)
        back = self.stack(reverse(x, mask), self.back)
        return torch.stack([                           # (L + 1, B, T, 2 D)
            torch.cat([left, reverse(right, mask)], dim=-1)
            for left, right in zip(ahead, back, strict=True)])

    def logits(self, h: Float[Tensor, "*batch D"]) -> Float[Tensor, "*batch {self.num_targets}"]:
        """Logits of the word that comes next on the side to which h reads."""
        words = self.token.weight[:self.num_targets]
        return self.dropout(h) @ words.T + self.bias

    @checked
    def loss(self, tokens: Tokens["B T", "self.vocab_size"], mask: Lengths["B T"]) -> Float[Tensor, ""]:
        """Nats a word, the mean of both directions."""
        ahead, back = self(tokens, mask)[-1].chunk(2, dim=-1)  # (B, T, D)
        target = tokens.where(tokens < self.num_targets, 0)  # rarer: 0
        real = mask[:, 1:]
        # Each state predicts a word that it has not read.
        after = F.cross_entropy(self.logits(ahead[:, :-1][real]),
                                target[:, 1:][real])
        before = F.cross_entropy(self.logits(back[:, 1:][real]),
                                 target[:, :-1][real])
        return (after + before) / 2


class ScalarMix(nn.Module):
    """One vector a word from all layers of a frozen model: shares that a task learns, and a scale."""

    @checked
    def __init__(self, num_layers: Positive):
        super().__init__()
        self.scores = nn.Parameter(torch.zeros(num_layers))
        self.gamma = nn.Parameter(torch.ones(()))

    @checked
    def forward(self, layers: Float[Tensor, "{len(self.scores)} *batch D"]) -> Float[Tensor, "*batch D"]:
        """γ Σ s_j h_j."""
        s = self.scores.softmax(dim=0)
        return self.gamma * torch.tensordot(s, layers, dims=1)
