"""The differentiable neural computer: a network beside a memory that knows what is free, and what came after what.

Source   Graves et al. 2016, Nature 538:471-476, Methods.
Departs  a feed-forward controller of one layer in the place of a deep LSTM; strengths start near 9, not near 1.7; a
         vector shorter than 0.1 has a smaller cosine; usage is 1e-6 at least.
Agrees   every equation of the Methods written as loops over slots; usage, links and weights stay where they belong; a
         memory of another size takes the same weights (tests/soft/test_dnc.py).
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import normalize, pad, softplus

from attend.core.expect import checked
from attend.core.types import Positive


# Listings have at most 76 columns once annotations are gone.
# fmt: off
class State(NamedTuple):
    """The memory, what is known of its slots, and where it was read and written last."""

    memory: Tensor      # (B, N, W): N slots of W numbers
    usage: Tensor       # (B, N)
    links: Tensor       # (B, N, N): row i, written just after column j
    precedence: Tensor  # (B, N): where the last write went
    write: Tensor       # (B, N): weights of this step's write
    read: Tensor        # (B, R, N): weights of each of R heads
    vectors: Tensor     # (B, R, W): what they have read


class Interface(NamedTuple):
    """What the controller asks of the memory in one step."""

    read_keys: Tensor        # (B, R, W)
    read_strengths: Tensor   # (B, R)
    write_key: Tensor        # (B, 1, W)
    write_strength: Tensor   # (B, 1)
    erase: Tensor            # (B, W), from 0 to 1
    value: Tensor            # (B, W): what is written
    free: Tensor             # (B, R), from 0 to 1
    allocate: Tensor         # (B, 1), from 0 to 1
    write: Tensor            # (B, 1), from 0 to 1
    modes: Tensor            # (B, R, 3): backward, content, forward


@checked
def content(
    memory: Float[Tensor, "B N W"], keys: Float[Tensor, "B R W"], strengths: Float[Tensor, "B R"]
) -> Float[Tensor, "B R N"]:
    """Weights by content: a softmax over cosines, each key sharpened by its strength."""
    cosine = normalize(keys, dim=2, eps=0.1) @ normalize(
        memory, dim=2, eps=0.1).mT
    return (strengths[..., None] * cosine).softmax(dim=2)    # (B, R, N)


@checked
def update_usage(
    usage: Float[Tensor, "B N"], write: Float[Tensor, "B N"], read: Float[Tensor, "B R N"], free: Float[Tensor, "B R"]
) -> Float[Tensor, "B N"]:
    """Written to: in use. Read and let go: free again. `write` and `read` are those of the step before."""
    usage = usage + write - usage * write
    return usage * (1 - free[..., None] * read).prod(dim=1)


@checked
def allocation(usage: Float[Tensor, "B N"]) -> Float[Tensor, "B N"]:
    """Weights for a new entry: all on the slot that is used least, if it is free."""
    ascending, order = (1e-6 + (1 - 1e-6) * usage).sort(
        dim=1, stable=True)
    before = pad(ascending.cumprod(dim=1)[:, :-1], (1, 0), value=1.0)
    return torch.zeros_like(usage).scatter(
        1, order, (1 - ascending) * before)


@checked
def update_links(
    links: Float[Tensor, "B N N"], precedence: Float[Tensor, "B N"], write: Float[Tensor, "B N"]
) -> tuple[Float[Tensor, "B N N"], Float[Tensor, "B N"]]:
    """The slots written now come after those written last; older links of theirs are forgotten."""
    to, since = write[:, :, None], write[:, None, :]
    links = (1 - to - since) * links + to * precedence[:, None, :]
    links = links * (1 - torch.eye(write.shape[1], device=write.device))
    rest = 1 - write.sum(dim=1, keepdim=True)
    return links, rest * precedence + write


class DNC(nn.Module):
    """A feed-forward controller that reads and writes `slots` slots of `width` numbers with `heads` read heads."""

    @checked
    def __init__(
        self,
        input_size: Positive,
        output_size: Positive,
        slots: Positive = 16,
        width: Positive = 40,
        hidden_size: Positive = 96,
        heads: Positive = 1,
    ):
        super().__init__()
        self.input_size, self.slots = input_size, slots
        self.width, self.heads = width, heads
        R, W = heads, width
        self.sizes = (R * W, R, W, 1, W, W, R, 1, 1, 3 * R)
        self.controller = nn.Linear(input_size + R * W, hidden_size)
        self.to_interface = nn.Linear(hidden_size, sum(self.sizes))
        self.output = nn.Linear(hidden_size + R * W, output_size)

    def start(self, B: int, N: int) -> State:
        """An empty memory."""
        R, W = self.heads, self.width
        zeros = self.output.weight.new_zeros
        return State(
            zeros(B, N, W), zeros(B, N), zeros(B, N, N), zeros(B, N),
            zeros(B, N), zeros(B, R, N), zeros(B, R, W))

    def interface(self, h: Tensor) -> Interface:
        """The controller's wishes, each brought into its range."""
        keys, strengths, key, strength, erase, value, *gates, modes = (
            self.to_interface(h).split(self.sizes, dim=1))
        free, allocate, write = (gate.sigmoid() for gate in gates)
        return Interface(
            keys.unflatten(1, (self.heads, self.width)),
            1 + softplus(strengths + 8), key[:, None],
            1 + softplus(strength + 8), erase.sigmoid(), value,
            free, allocate, write,
            modes.unflatten(1, (self.heads, 3)).softmax(dim=2))

    def step(self, x: Tensor, old: State) -> tuple[Tensor, State]:
        """One input: write first, then read."""
        z = torch.cat([x, old.vectors.flatten(1)], dim=1)
        h = torch.tanh(self.controller(z))
        ask = self.interface(h)

        usage = update_usage(old.usage, old.write, old.read, ask.free)
        found = content(old.memory, ask.write_key, ask.write_strength)
        write = ask.write * (ask.allocate * allocation(usage)
                             + (1 - ask.allocate) * found[:, 0])
        at = write[:, :, None]
        memory = (old.memory * (1 - at * ask.erase[:, None])
                  + at * ask.value[:, None])

        links, precedence = update_links(
            old.links, old.precedence, write)
        ways = torch.stack([old.read @ links,                # backward
                            content(memory, ask.read_keys,
                                    ask.read_strengths),
                            old.read @ links.mT], dim=3)     # forward
        read = (ways * ask.modes[:, :, None]).sum(dim=3)
        vectors = read @ memory

        y = self.output(torch.cat([h, vectors.flatten(1)], dim=1))
        return y, State(memory, usage, links, precedence, write, read,
                        vectors)

    @checked
    def forward(
        self, x: Float[Tensor, "B T {self.input_size}"], slots: Positive | None = None
    ) -> tuple[Float[Tensor, "B T O"], list]:
        """All steps, from an empty memory of `slots` slots; the outputs, and the state after each step."""
        state, y, states = self.start(len(x), slots or self.slots), [], []
        for x_t in x.unbind(dim=1):
            out, state = self.step(x_t, state)
            y.append(out)
            states.append(state)
        return torch.stack(y, dim=1), states
