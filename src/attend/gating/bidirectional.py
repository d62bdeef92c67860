"""Bidirectional recurrence: two layers read one line, one from each end, and every step hears both.

Source   Schuster & Paliwal 1997, Bidirectional recurrent neural networks; lecture hu2019lecture16. `FillIn` puts the
         two language models of Peters et al. 2018, arXiv:1802.05365, together for one letter in the middle.
Departs  any two recurrent layers of the course will do, also of different kinds and sizes.
Agrees   torch.nn.RNN, GRU and LSTM with bidirectional=True on packed sequences, in values and gradients
         (tests/gating/test_bidirectional.py).
"""

from collections.abc import Sequence
from typing import Annotated

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from attend.core.expect import checked, expect
from attend.core.types import Lengths, Plural, Rule, Tokens


def _recurrent(layer: nn.Module) -> bool:
    return hasattr(layer, "input_size") and hasattr(layer, "hidden_size")


Recurrent = Annotated[nn.Module, Rule("a recurrent layer, with an input_size and a hidden_size", _recurrent)]


@checked
def reverse(x: Float[Tensor, "B T D"], mask: Lengths["B T"]) -> Float[Tensor, "B T D"]:
    """Each row back to front within its length; padding stays where it is.

    Done twice it changes nothing. Raises ValueError unless the real steps of every row come first.
    """
    last = mask.sum(dim=1, keepdim=True) - 1  # (B, 1)
    t = torch.arange(x.shape[1], device=x.device).expand(mask.shape)  # (B, T)
    source = torch.where(mask, last - t, t)  # where step t is fetched from
    return x.gather(1, source[..., None].expand_as(x))  # (B, T, D)


class Bidirectional(nn.Module):
    """Two recurrent layers: `ahead` reads from the first step on, `back` from the last real one.

    The hidden state of step t is both side by side: of what was read up to t, and of what was read down to t. Raises
    ValueError unless both are recurrent layers of the same input size.
    """

    @checked
    def __init__(self, ahead: Recurrent, back: Recurrent):
        expect(back.input_size == ahead.input_size, "back", back, f"a layer of the same input_size {ahead.input_size}")
        super().__init__()
        self.ahead, self.back = ahead, back
        self.input_size = ahead.input_size
        self.hidden_size = ahead.hidden_size + back.hidden_size

    @checked
    def forward(
        self, x: Float[Tensor, "B T {self.input_size}"], mask: Lengths["B T"] | None = None
    ) -> tuple[Float[Tensor, "B T H"], Float[Tensor, "B H"]]:
        """The hidden states of all steps (B, T, H), and the last one of each layer (B, H); H counts both layers.

        Steps where `mask` is False have the hidden state 0 and change nothing, in value or gradient; they must be the
        last ones of their row.
        """
        if mask is None:
            mask = torch.ones(x.shape[:2], dtype=torch.bool, device=x.device)
        ahead, _ = self.ahead(x, mask=mask)  # (B, T, H)
        back, _ = self.back(reverse(x, mask), mask=mask)  # (B, T, H), last step first
        last = torch.cat([ahead[:, -1], back[:, -1]], dim=1)  # (B, 2H)
        hidden = torch.cat([ahead, reverse(back, mask)], dim=2)  # (B, T, 2H)
        return hidden.where(mask[..., None], 0), last


class Tagger(nn.Module):
    """Labels for every token: an embedding, an encoder, and a linear layer for each question.

    `encoder` is a recurrent layer or a `Bidirectional`; `answers` holds the number of possible answers to each
    question.
    """

    @checked
    def __init__(self, vocab_size: Plural, encoder: Recurrent, answers: Sequence[int]):
        expect(len(answers) > 0, "answers", answers, "at least one question")
        super().__init__()
        self.embed = nn.Embedding(vocab_size, encoder.input_size)
        self.encoder = encoder
        self.readouts = nn.ModuleList(nn.Linear(encoder.hidden_size, count) for count in answers)

    @checked
    def forward(
        self, tokens: Tokens["B T", "self.embed.num_embeddings"], mask: Lengths["B T"]
    ) -> tuple[Float[Tensor, "B T _"], ...]:
        """For each question the logits of its answers at every token (B, T, answers)."""
        hidden, _ = self.encoder(self.embed(tokens), mask=mask)  # (B, T, H)
        return tuple(readout(hidden) for readout in self.readouts)


class FillIn(nn.Module):
    """Predicts each token from both sides, without having read the token itself.

    It gets the state of the step before from a layer that reads ahead, and that of the step behind from one that reads
    back.
    """

    @checked
    def __init__(self, ahead: Recurrent, back: Recurrent):
        super().__init__()
        self.ahead, self.back = ahead, back
        self.vocab_size = ahead.input_size
        self.readout = nn.Linear(ahead.hidden_size + back.hidden_size, self.vocab_size)

    @checked
    def forward(self, tokens: Tokens["B T", "self.vocab_size"]) -> Float[Tensor, "B U {self.vocab_size}"]:
        """The logits of tokens 1 to T - 2 (B, T - 2, V)."""
        x = F.one_hot(tokens, self.vocab_size).to(self.readout.weight.dtype)  # (B, T, V)
        ahead = self.ahead(x)[0]  # (B, T, H): step t has read up to t
        back = self.back(x.flip(1))[0].flip(1)  # (B, T, H): step t has read down to t
        around = torch.cat([ahead[:, :-2], back[:, 2:]], dim=2)  # steps t - 1 and t + 1
        return self.readout(around)  # (B, T - 2, V): the letters in between
