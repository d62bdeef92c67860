"""Hybrid attention: what a frame sounds like, and where the last attention weights stood, decide together.

Source   Chorowski et al. 2015, arXiv:1506.07503, sections 2.1-2.3; lecture erdem2021attention.
Departs  a token is read from the context alone, not from the decoder's state as well; the first weights stand on the
         first frame; the encoder has one layer; the window is a number of frames on each side of the median, and has
         no part in training, as theirs had none.
Agrees   torch.nn.functional.conv1d and plain sums over frames; what stands behind a recording changes nothing
         (tests/soft/test_hybrid.py).
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import one_hot, pad
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from attend.core.expect import checked, expect
from attend.core.types import Lengths, Mask, Plural, Positive, Tokens


class HybridAttention(nn.Module):
    """Weights from the decoder's state, from what stands in each place, and from the last weights.

    The scores are wᵀtanh(W h̃ + V h_s + U f_s + b), where f is the last weights, convolved with `filters` filters of
    `width` numbers. Without `content` V is left out, without `location` U. Raises ValueError without both, and for a
    width that is even.
    """

    @checked
    def __init__(
        self,
        state_size: Positive,
        key_size: Positive,
        hidden_size: Positive = 48,
        filters: Positive = 8,
        width: Positive = 31,
        content: bool = True,
        location: bool = True,
    ):
        expect(content or location, "location", location, "True where there is no content: something must be scored")
        expect(width % 2 == 1, "width", width, "an odd number, so that a filter has a middle")
        super().__init__()
        self.content, self.location = content, location
        A, C, r = hidden_size, filters, width // 2
        self.query_proj = nn.Linear(state_size, A)  # W, b
        if content:
            self.key_proj = nn.Linear(key_size, A, bias=False)  # V
        if location:
            self.convolve = nn.Conv1d(1, C, width, padding=r, bias=False)
            self.place_proj = nn.Linear(C, A, bias=False)  # U
        self.score = nn.Linear(A, 1, bias=False)  # w

    @checked
    def forward(
        self,
        state: Float[Tensor, "B {self.query_proj.in_features}"],
        h: Float[Tensor, "B S K"],
        mask: Mask["B S"],
        last: Float[Tensor, "B S"],
        reach: Positive | None = None,
    ) -> Float[Tensor, "B S"]:
        """The next weights from the `last`; with `reach`, none further than that from the median of the last."""
        expect(not self.content or h.shape[2] == self.key_proj.in_features, "h", h, "states as wide as key_size")
        hidden = self.query_proj(state)[:, None]  # (B, 1, A)
        if self.content:
            hidden = hidden + self.key_proj(h)  # (B, S, A)
        if self.location:
            f = self.convolve(last[:, None])  # (B, C, S)
            hidden = hidden + self.place_proj(f.mT)  # (B, S, A)
        scores = self.score(torch.tanh(hidden))[..., 0]  # (B, S)
        if reach is not None:  # the window
            median = (last.cumsum(1) < 0.5).sum(1, keepdim=True)  # (B, 1)
            place = torch.arange(last.shape[1], device=last.device)
            mask = mask & ((place - median).abs() <= reach)
        return scores.masked_fill(~mask, -torch.inf).softmax(dim=1)


class Recogniser(nn.Module):
    """Speech to tokens: a bidirectional GRU reads frames, a decoder attends to its states, a token a step.

    `attention` is a HybridAttention for the decoder's H numbers of state and the encoder's 2 `encoder_size`. Two
    frames make a state, and two more stand for the end. Token 0 ends what is written.
    """

    @checked
    def __init__(
        self,
        attention: nn.Module,
        bands: Positive = 16,
        tokens: Plural = 11,
        encoder_size: Positive = 32,
    ):
        super().__init__()
        self.bands, self.tokens = bands, tokens
        E, H = encoder_size, 2 * encoder_size
        self.pairs = nn.Conv1d(bands, E, 5, stride=2, padding=2)
        self.encoder = nn.GRU(E, E, batch_first=True, bidirectional=True)
        self.drop = nn.Dropout(0.3)
        self.attention = attention
        self.embed = nn.Embedding(tokens, 16)
        self.decoder = nn.GRUCell(2 * E + 16, H)
        self.hidden = nn.Linear(2 * E, H)
        self.readout = nn.Linear(H, tokens)

    def read(self, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """The encoder's states (B, S, 2E), S = T / 2 rounded up, and their mask (B, S)."""
        x = pad(x * mask[..., None], (0, 0, 0, 4))  # (B, T + 4, bands)
        mask = pad(mask, (4, 0), value=True)[:, ::2]  # the end is heard
        x = torch.relu(self.pairs(x.mT)).mT  # (B, S, E)
        lengths, batch = mask.sum(1).cpu(), {"batch_first": True}
        x = pack_padded_sequence(x, lengths, enforce_sorted=False, **batch)
        h, _ = self.encoder(x)
        h, _ = pad_packed_sequence(h, total_length=mask.shape[1], **batch)
        return h, mask

    def start(self, h: Tensor) -> tuple[Tensor, Tensor]:
        """The decoder's first state (B, H), of zeros, and the first weights (B, S): all on the first place."""
        state = h.new_zeros(len(h), self.decoder.hidden_size)
        last = one_hot(torch.zeros_like(h[:, 0, 0]).long(), h.shape[1])
        return state, last.to(h.dtype)

    @checked
    def forward(
        self,
        x: Float[Tensor, "B T {self.bands}"],
        mask: Lengths["B T"],
        target: Tokens["B L", "self.tokens"] | None = None,
        most: Positive = 10,
        reach: Positive | None = None,
    ) -> tuple[Float[Tensor, "B L {self.tokens}"], Float[Tensor, "B L S"]]:
        """Logits and attention weights of each token, given the true ones before it (teacher forcing).

        Without a target, greedy decoding: the likeliest token each time, until every row has ended or `most` are
        written. `reach` is the attention's.
        """
        h, mask = self.read(x, mask)
        state, last = self.start(h)
        logits, weights = [], []
        ended = torch.zeros(len(h), dtype=torch.bool, device=h.device)
        for i in range(most if target is None else target.shape[1]):
            query = self.drop(state)
            last = self.attention(query, h, mask, last, reach)  # (B, S)
            context = (last[:, None] @ h)[:, 0]  # (B, 2E)
            scores = self.readout(torch.tanh(self.hidden(context)))
            token = scores.argmax(1) if target is None else target[:, i]
            logits.append(scores)
            weights.append(last)
            ended = ended | (token == 0)
            if target is None and ended.all():
                break
            heard = torch.cat([context, self.embed(token)], dim=1)
            state = self.decoder(heard, state)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)
