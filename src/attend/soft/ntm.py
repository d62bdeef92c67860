"""A Neural Turing Machine: a small network with a memory outside itself, and heads that read and write it.

Source   Graves, Wayne and Danihelka 2014, arXiv:1410.5401, sections 3.1-3.3.
Departs  the controller is one tanh layer; both heads start on slot 0, and every slot holds the same learned row at
         first, so that no parameter's size depends on how many slots there are; weights are divided by their largest
         before they are raised to a power, which changes nothing but keeps the power from underflow.
Agrees   the paper's equations written slot by slot, and torch.nn.functional.cosine_similarity
         (tests/soft/test_ntm.py).
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity, softplus

from attend.core.expect import checked, expect
from attend.core.types import Plural, Positive


# Listings have at most 76 columns once annotations are gone.
# fmt: off
class Head(nn.Module):
    """Turns the controller's output into a key and four more quantities, and these into weights over the slots."""

    @checked
    def __init__(self, hidden_size: Positive, width: Positive):
        super().__init__()
        self.width = width
        self.linear = nn.Linear(hidden_size, width + 6)

    @staticmethod
    def address(
        M: Tensor, last: Tensor, k: Tensor, beta: Tensor, g: Tensor, s: Tensor, gamma: Tensor
    ) -> Tensor:
        """The next weights (B, N) from the last, in four steps, over the memory M (B, N, W).

        k (B, W) is the key, `beta` its strength, g the gate (1: content alone), s (B, 3) how much goes one slot back,
        stays, and goes one slot ahead, `gamma` the power; all but k and s are (B, 1).
        """
        scores = beta * cosine_similarity(M, k[:, None], dim=2)
        w = scores.softmax(dim=1)                    # 1 content, (B, N)
        w = g * w + (1 - g) * last                   # 2 interpolation
        back, stay, ahead = s.split(1, dim=1)
        w = (back * w.roll(-1, dims=1) + stay * w
             + ahead * w.roll(1, dims=1))            # 3 shift, in a ring
        w = (w / w.amax(dim=1, keepdim=True)) ** gamma
        return w / w.sum(dim=1, keepdim=True)        # 4 sharpening

    def weights(self, h: Tensor, M: Tensor, last: Tensor) -> Tensor:
        """The next weights (B, N), for the controller's output h (B, H)."""
        sizes = [self.width, 1, 1, 3, 1]
        k, beta, g, s, gamma = self.linear(h).split(sizes, dim=1)
        return self.address(
            M, last, k=torch.tanh(k), beta=softplus(beta),
            g=torch.sigmoid(g), s=s.softmax(dim=1),
            gamma=1 + softplus(gamma))


class NTM(nn.Module):
    """Controller, one head that writes, one that reads. Its number of slots is chosen at each call."""

    @checked
    def __init__(self, inputs: Positive, outputs: Plural, width: Positive = 16, hidden_size: Positive = 64):
        super().__init__()
        self.inputs, self.width = inputs, width
        self.row = nn.Parameter(0.1 * torch.randn(width))   # every slot
        self.first_read = nn.Parameter(0.1 * torch.randn(width))
        self.controller = nn.Linear(inputs + width, hidden_size)
        self.write_head = Head(hidden_size, width)
        self.read_head = Head(hidden_size, width)
        self.erase_add = nn.Linear(hidden_size, 2 * width)
        self.out = nn.Linear(hidden_size + width, outputs)

    def start(self, B: int, slots: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Memory (B, N, W), weights of both heads (B, N), on slot 0, and the vector that counts as read (B, W)."""
        M = self.row.expand(B, slots, -1)
        w = torch.zeros(B, slots, device=M.device, dtype=M.dtype)
        w[:, 0] = 1
        return M, w, w, self.first_read.expand(B, -1)

    def step(self, x: Tensor, state: tuple[Tensor, ...]) -> tuple[Tensor, tuple[Tensor, ...]]:
        """Logits (B, V) for one input x (B, D), and the next state."""
        M, w_write, w_read, r = state
        h = torch.tanh(self.controller(torch.cat([x, r], dim=1)))
        w_write = self.write_head.weights(h, M, w_write)
        e, a = self.erase_add(h)[:, None].chunk(2, dim=2)  # (B, 1, W)
        w = w_write[:, :, None]                            # (B, N, 1)
        M = M * (1 - w * torch.sigmoid(e))                 # erase
        M = M + w * torch.tanh(a)                          # add
        w_read = self.read_head.weights(h, M, w_read)
        r = (w_read[:, None] @ M)[:, 0]                    # (B, W)
        logits = self.out(torch.cat([h, r], dim=1))
        return logits, (M, w_write, w_read, r)

    @checked
    def forward(
        self, x: Float[Tensor, "B T {self.inputs}"], slots: Positive
    ) -> tuple[Float[Tensor, "B T V"], Float[Tensor, "B T N"], Float[Tensor, "B T N"]]:
        """Logits, and the weights of the writing and of the reading head, step by step."""
        expect(slots >= 3, "slots", slots, "at least 3: a head moves one slot either way")
        state, steps = self.start(len(x), slots), []
        for x_t in x.unbind(dim=1):
            logits, state = self.step(x_t, state)
            steps.append((logits, state[1], state[2]))
        parts = zip(*steps, strict=True)
        return tuple(torch.stack(part, dim=1) for part in parts)
