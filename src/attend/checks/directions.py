"""Exercises of the page on four shapes: turn a row around, keep child by child, share steps on a plane."""

from collections.abc import Callable

import torch
from torch import Tensor

from attend.checks.answers import recognise, tensor
from attend.checks.exercise import Wrong, exercise
from attend.checks.grid import steps

__all__ = ["kept", "steps", "turned"]


@exercise
def turned(turned: Callable) -> str:
    """turned(x (B, T, D), lengths (B)) -> (B, T, D): each row back to front within its own length."""
    x, lengths = torch.arange(24.0).view(3, 4, 2), torch.tensor([4, 2, 1])
    wanted = torch.stack([torch.cat([row[:n].flip(0), row[n:]]) for row, n in zip(x, lengths.tolist(), strict=True)])
    got = tensor(turned(x.clone(), lengths), 3, 4, 2, what="the turned rows")
    if torch.equal(got, wanted):
        again = tensor(turned(got.clone(), lengths), 3, 4, 2, what="the turned rows")
        if not torch.equal(again, x):
            raise Wrong("turned twice, a row must be as it was")
        return "The reader from the right begins at the last real step, and padding stays where it was."
    inside = torch.arange(4) < lengths[:, None]
    mistakes = {
        "this turns whole rows: the padding of the short ones now comes first": x.flip(1),
        "nothing was turned": x,
        "the rows of the batch changed places: turn the steps within each row": x.flip(0),
        "the numbers within a step changed places: turn the steps": x.flip(2),
        "the padding must stay what it was, not become zero": wanted * inside[..., None],
    }
    recognise(got, mistakes)
    if torch.equal(got * inside[..., None], wanted * inside[..., None]):
        raise Wrong("the real steps are turned, but the padding changed too: leave it where it was")
    row, now, then = (", ".join(f"{step:g}" for step in rows[1, :, 0].tolist()) for rows in (x, got, wanted))
    raise Wrong(f"in the row of length 2, the steps that begin with {row} must become {then}, got {now}")


@exercise
def kept(kept: Callable) -> str:
    """kept(x (D), h (K, H), cells (K, H), W (H, D), U (H, H), b (H)) -> (H): what a node keeps of its K children."""
    draw = torch.Generator().manual_seed(0)
    x, h, cells, W, U, b = (
        torch.randn(shape, generator=draw) for shape in ((2,), (3, 4), (3, 4), (4, 2), (4, 4), (4,))
    )

    def asked(children: int) -> Tensor:
        return tensor(kept(x, h[:children], cells[:children], W, U, b), 4, what="what is kept")

    got = asked(3)
    forget = torch.sigmoid(W @ x + h @ U.T + b)
    if torch.allclose(got, (forget * cells).sum(0), atol=1e-5):
        if not torch.allclose(asked(1), forget[0] * cells[0], atol=1e-5):
            raise Wrong("with a single child it must be a step of the LSTM: its forget gate times its cell")
        return "Each child has its own gate: a node can keep one and drop the next."
    common = torch.sigmoid(W @ x + U @ h.sum(0) + b)
    mistakes = {
        "this is one gate for all children, from the sum of their summaries: give each child its own": common
        * cells.sum(0),
        "the cells are added, not averaged": (forget * cells).mean(0),
        "the gate of each child belongs to its own cell: multiply before you add": forget.sum(0) * cells.sum(0),
        "the mean gate on the summed cells keeps all children alike": forget.mean(0) * cells.sum(0),
        "a gate lies between 0 and 1: σ is missing": ((W @ x + h @ U.T + b) * cells).sum(0),
        "the bias b is missing from the gate": (torch.sigmoid(W @ x + h @ U.T) * cells).sum(0),
        "a gate lies between 0 and 1: it is σ, not tanh": (torch.tanh(W @ x + h @ U.T + b) * cells).sum(0),
        "the gate meets the child's cell, not its summary": (forget * h).sum(0),
        "the gate must also hear the node's own input: W x is missing": (torch.sigmoid(h @ U.T + b) * cells).sum(0),
        "the gate must also hear its child: U h is missing": (torch.sigmoid(W @ x + b) * cells).sum(0),
        "a row times U.T is U times the row: h @ U turns the matrix around": (
            torch.sigmoid(W @ x + h @ U + b) * cells
        ).sum(0),
    }
    recognise(got, mistakes)
    raise Wrong("it is the sum over the children of σ(W x + U h_k + b) ⊙ c_k")
