"""ULMFiT: an LSTM language model is pre-trained, trained on with the task's own texts, and unfrozen under a classifier.

Source   Howard & Ruder 2018, arXiv:1801.06146; the language model is AWD-LSTM, Merity et al. 2018, arXiv:1708.02182;
         lecture hu2019lecture16 names both.
Departs  two LSTMs and not three, and far smaller; one dropout rate for all but the recurrent weights, where the paper
         has four; neither the averaged SGD of AWD-LSTM nor its penalties on the activations (AR, TAR).
Agrees   torch.nn.LSTM without dropout; padding changes no logit; the schedule with the paper's formula
         (tests/transformers/test_ulmfit.py).
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from attend.core.expect import checked, expect
from attend.core.types import DropRate, Lengths, NonNegative, Plural, Positive, PositiveFloat, Tokens

State = tuple[Tensor, Tensor]


# Listings have at most 76 columns once annotations are gone.
# fmt: off
@checked
def locked_dropout(x: Float[Tensor, "B T D"], p: DropRate, training: bool) -> Float[Tensor, "B T D"]:
    """Drop the same entries at every step of a row (variational dropout)."""
    keep = F.dropout(torch.ones_like(x[:, :1]), p, training)   # (B, 1, D)
    return x * keep


class WeightDropLSTM(nn.Module):
    """An LSTM that forgets, anew for each batch, a share of its hidden-to-hidden weights (DropConnect)."""

    @checked
    def __init__(self, input_size: Positive, hidden_size: Positive, weight_drop: DropRate = 0.5):
        super().__init__()
        self.lstm = nn.LSTM(input_size, hidden_size, batch_first=True)
        self.weight_drop = weight_drop

    @checked
    def forward(
        self, x: Float[Tensor, "B T {self.lstm.input_size}"], state: State | None = None
    ) -> tuple[Float[Tensor, "B T {self.lstm.hidden_size}"], State]:
        """The hidden states, and the last state (h, c), each (1, B, H)."""
        U = F.dropout(self.lstm.weight_hh_l0, self.weight_drop,
                      self.training)                          # (4 H, H)
        # Call the LSTM with these weights in place of its own.
        return torch.func.functional_call(
            self.lstm, {"weight_hh_l0": U}, (x, state))


class AWDLSTM(nn.Module):
    """A language model: words, LSTMs with dropped weights, and the words again as the weights of the softmax."""

    @checked
    def __init__(
        self,
        vocab_size: Plural,
        d_model: Positive = 48,
        hidden_size: Positive = 64,
        num_layers: Positive = 2,
        dropout: DropRate = 0.1,
        weight_drop: DropRate = 0.2,
    ):
        super().__init__()
        self.vocab_size, self.dropout = vocab_size, dropout
        self.token = nn.Embedding(vocab_size, d_model)
        sizes = [d_model, *[hidden_size] * (num_layers - 1), d_model]
        self.lstms = nn.ModuleList(      # the last is as wide as the words
            WeightDropLSTM(sizes[n], sizes[n + 1], weight_drop)
            for n in range(num_layers))
        self.bias = nn.Parameter(torch.zeros(vocab_size))
        nn.init.uniform_(self.token.weight, -0.1, 0.1)

    @checked
    def states(
        self, tokens: Tokens["B T", "self.vocab_size"], past: Sequence[State] | None = None
    ) -> tuple[Float[Tensor, "B T D"], list[State]]:
        """The hidden states of the top LSTM (B, T, D), and the state of every LSTM, to go on from."""
        past = past or [None] * len(self.lstms)
        expect(len(past) == len(self.lstms), "past", len(past), f"{len(self.lstms)} states")
        rows = torch.ones_like(self.token.weight[:, :1])
        rows = F.dropout(rows, self.dropout, self.training)      # (V, 1)
        x, new = F.embedding(tokens, rows * self.token.weight), []
        for lstm, state in zip(self.lstms, past, strict=True):
            x = locked_dropout(x, self.dropout, self.training)
            x, state = lstm(x, state)
            new.append(state)
        return locked_dropout(x, self.dropout, self.training), new

    @checked
    def forward(
        self, tokens: Tokens["B T", "self.vocab_size"], past: Sequence[State] | None = None
    ) -> tuple[Float[Tensor, "B T {self.vocab_size}"], list[State]]:
        """The logits of the next token at every step, and the states to go on from."""
        h, new = self.states(tokens, past)
        return h @ self.token.weight.T + self.bias, new   # tied weights


@checked
def concat_pool(h: Float[Tensor, "B T D"], mask: Lengths["B T"]) -> Float[Tensor, "B {3*h.shape[2]}"]:
    """The last state, the largest value of each unit, and the mean: (B, 3 D)."""
    length = mask.sum(dim=1, keepdim=True)                        # (B, 1)
    last = h[torch.arange(len(h), device=h.device), length[:, 0] - 1]
    largest = h.masked_fill(~mask[..., None], -torch.inf).amax(dim=1)
    mean = (h * mask[..., None]).sum(dim=1) / length
    return torch.cat([last, largest, mean], dim=1)


class TextClassifier(nn.Module):
    """A language model with a classifier on its pooled states."""

    @checked
    def __init__(self, encoder: AWDLSTM, classes: Plural = 2, width: Positive = 50, dropout: DropRate = 0.1):
        super().__init__()
        D = encoder.token.embedding_dim
        self.encoder = encoder
        self.head = nn.Sequential(
            nn.BatchNorm1d(3 * D), nn.Dropout(dropout),
            nn.Linear(3 * D, width), nn.ReLU(),
            nn.BatchNorm1d(width), nn.Dropout(dropout),
            nn.Linear(width, classes))

    @checked
    def forward(
        self, tokens: Tokens["B T", "self.encoder.vocab_size"], mask: Lengths["B T"]
    ) -> Float[Tensor, "B C"]:
        """Logits of the classes."""
        h, _ = self.encoder.states(tokens)
        return self.head(concat_pool(h, mask))

    def groups(self) -> list[nn.Module]:
        """The layers from the top down, as they are unfrozen: head, LSTMs, words."""
        below = self.encoder
        return [self.head, *reversed(below.lstms), below.token]


@checked
def slanted(
    step: NonNegative, steps: Positive, peak: PositiveFloat, cut: PositiveFloat = 0.1, ratio: PositiveFloat = 32.0
) -> float:
    """The learning rate at `step` of `steps`: up for a share `cut` of them, then slowly down to peak / ratio."""
    top = max(1, int(steps * cut))                  # the highest step
    if step < top:
        p = step / top                                         # 0 to 1
    else:
        p = max(0, 1 - (step - top) / (top * (1 / cut - 1)))   # 1 to 0
    return peak * (1 + p * (ratio - 1)) / ratio
# fmt: on
