"""Bidirectional recurrence: two layers read one line, one from each end, and every step hears both.

Source   Schuster & Paliwal 1997, Bidirectional recurrent neural networks; lecture hu2019lecture16.
Departs  any two recurrent layers of the course will do, also of different kinds.
Agrees   torch.nn.GRU and torch.nn.LSTM with bidirectional=True on packed sequences, in values and gradients
         (tests/gating/test_bidirectional.py).
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attend.core.expect import checked, expect
from attend.core.init import embedding_, linear_
from attend.core.types import Lengths, Plural, Tokens


@checked
def lengths(mask: Lengths["B T"]) -> Tensor:
    """How many steps of each row are real (B). Raises ValueError unless they are its first ones, at least one."""
    return mask.sum(dim=1)


@checked
def reverse(x: Float[Tensor, "B T D"], mask: Lengths["B T"]) -> Float[Tensor, "B T D"]:
    """Each row back to front within its length; padding stays where it is.

    Done twice it changes nothing. Raises ValueError unless the real steps of every row come first.
    """
    last = mask.sum(dim=1, keepdim=True) - 1  # (B, 1)
    t = torch.arange(x.shape[1], device=x.device).expand(mask.shape)
    source = torch.where(mask, last - t, t)
    return x.gather(1, source[..., None].expand_as(x))


class Bidirectional(nn.Module):
    """Two layers of equal input size: `ahead` reads from the first step on, `back` from the last real one.

    The hidden state of step t is both side by side: of what was read up to t, and of what was read down to t. Either
    of the two may be None; what is left reads one way. Raises ValueError when both are, or when the widths differ.
    """

    @checked
    def __init__(self, ahead: nn.Module | None, back: nn.Module | None):
        layers = [layer for layer in (ahead, back) if layer is not None]
        expect(len(layers) > 0, "ahead", ahead, "a layer, where `back` is None")
        for name, layer in (("ahead", ahead), ("back", back)):
            fits = layer is None or hasattr(layer, "hidden_size")
            expect(fits, name, layer, "a recurrent layer with input_size and hidden_size, or None")
        width = layers[0].input_size
        expect(layers[-1].input_size == width, "back", back, f"a layer of the same input size {width}")
        super().__init__()
        self.ahead, self.back = ahead, back
        self.input_size, self.hidden_size = width, sum(layer.hidden_size for layer in layers)

    @checked
    def forward(
        self, x: Float[Tensor, "B T {self.input_size}"], mask: Lengths["B T"] | None = None
    ) -> tuple[Float[Tensor, "B T H"], Float[Tensor, "B H"]]:
        """The hidden states of all steps (B, T, H), and the last one of each reader (B, H); H counts both.

        Steps where `mask` is False have the hidden state 0 and change nothing, in value or gradient; they must be the
        last ones of their row.
        """
        if mask is None:
            mask = torch.ones(x.shape[:2], dtype=torch.bool, device=x.device)
        outputs, last = [], []
        if self.ahead is not None:
            hidden, state = self.ahead(x, mask=mask)
            outputs, last = [hidden], [_hidden(state)]
        if self.back is not None:
            hidden, state = self.back(reverse(x, mask), mask=mask)
            outputs, last = [*outputs, reverse(hidden, mask)], [*last, _hidden(state)]
        return torch.cat(outputs, dim=2).where(mask[..., None], 0), torch.cat(last, dim=1)


def _hidden(state: Tensor | tuple[Tensor, Tensor]) -> Tensor:
    """The hidden state h: the state itself, or the first of a pair (h, c)."""
    return state if isinstance(state, Tensor) else state[0]


class Tagger(nn.Module):
    """Several labels for every token: an embedding, a bidirectional encoder, and a linear layer for each question.

    `answers` holds the number of possible answers to each question.
    """

    @checked
    def __init__(
        self, V: Plural, encoder: Bidirectional, answers: Sequence[int], generator: torch.Generator | None = None
    ):
        expect(len(answers) > 0, "answers", answers, "at least one question")
        super().__init__()
        self.embed = embedding_(nn.Embedding(V, encoder.input_size), generator=generator)
        self.encoder = encoder
        self.readouts = nn.ModuleList(linear_(nn.Linear(encoder.hidden_size, count), generator) for count in answers)

    @checked
    def forward(
        self, tokens: Tokens["B T", "self.embed.num_embeddings"], mask: Lengths["B T"]
    ) -> tuple[Float[Tensor, "B T _"], ...]:
        """For each question the logits of its answers at every token (B, T, answers)."""
        hidden, _ = self.encoder(self.embed(tokens), mask)
        return tuple(readout(hidden) for readout in self.readouts)
