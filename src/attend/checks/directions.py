"""Exercises of the page on two directions: the last step, both ways in a stream, steps of a plane, one's own layer.

(`kept` belongs to the page on trees.)
"""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attend.checks.answers import parts, recognise, tensor, whole
from attend.checks.exercise import Wrong, blame, exercise
from attend.checks.made import trainable
from attend.memory.elman import RNN
from attend.tasks import places
from attend.tasks.numbers import ENGLISH


@exercise
def ends(read: object) -> str:
    """How many of nine inputs the two halves of torch's `output[:, -1]` have read: two numbers."""
    ahead, back = (whole(count, "a count") for count in parts(read, 2, "the answer"))
    if (ahead, back) == (9, 1):
        return "So `output[:, -1]` is half blind. The layer that reads back has finished at step 0: `output[:, 0, H:]`."
    if (ahead, back) == (1, 9):
        raise Wrong("the halves are exchanged: the layer that reads ahead comes first")
    if back == 9:
        raise Wrong("step 8 is where the layer that reads back *begins*: how much has it read by then?")
    if back == 0:
        raise Wrong("the state of a step is taken after its own input was read")
    if ahead != 9:
        raise Wrong("look at the first half again: step 8 is the last of nine, and this layer began at step 0")
    raise Wrong("look at the second half again: at step 8 this layer has done its first step")


@exercise
def chunked(chunked: Callable) -> str:
    """chunked(ahead, back, x (B, T, D), size, extra) -> (B, T, H + G): both layers, the second one in chunks."""
    for seed, (B, T, D, size, extra) in enumerate([(2, 7, 3, 3, 2), (3, 8, 2, 4, 1), (1, 5, 4, 2, 0)]):
        torch.manual_seed(seed)
        ahead, back, x = RNN(D, 5).requires_grad_(False), RNN(D, 4).requires_grad_(False), torch.randn(B, T, D)

        def pieces(extra: int, cut: int, T=T, size=size, back=back, x=x) -> Tensor:
            starts = range(0, T, size)
            read = (back(x[:, t : t + size + extra].flip(1))[0].flip(1)[:, :cut] for t in starts)
            return torch.cat(list(read), dim=1)[:, :T]

        forth, once = ahead(x)[0], back(x.flip(1))[0].flip(1)
        wanted = torch.cat([forth, pieces(extra, size)], dim=2)
        got = chunked(ahead, back, x, size, extra)
        got = tensor(got.detach() if isinstance(got, Tensor) else got, B, T, 9, what="the hidden states")
        if torch.allclose(got, wanted, rtol=1e-3, atol=1e-5):
            continue
        anew = torch.cat([ahead(part)[0] for part in x.split(size, dim=1)], dim=1)
        unturned = torch.cat(
            [back(x[:, t : t + size + extra].flip(1))[0][:, : min(size, T - t)] for t in range(0, T, size)], dim=1
        )
        mistakes = {
            "here the second layer reads the whole row: it would have to wait for the end": torch.cat([forth, once], 2),
            "the second layer stops at the end of the chunk: let it begin `extra` steps behind it": torch.cat(
                [forth, pieces(0, size)], 2
            ),
            "the first layer begins anew in every chunk: it may go on, it has nothing to wait for": torch.cat(
                [anew, pieces(extra, size)], 2
            ),
            "the states of the second layer must be turned back, each chunk by itself": torch.cat([forth, unturned], 2),
            "the two layers are exchanged: `ahead` comes first": torch.cat([pieces(extra, size), forth], 2),
        }
        recognise(got, mistakes)
        half = "second" if torch.allclose(got[..., :5], forth, rtol=1e-3, atol=1e-5) else "first"
        raise Wrong(
            f"with T = {T}, size = {size} and extra = {extra} the {half} layer's states are not as they should be"
        )
    return "After each chunk you wait for `extra` steps and no longer. With `extra` = T it is the whole layer again."


@exercise
def steps(diagonals: Callable) -> str:
    """diagonals(rows, columns): the pixels (row, column) of each step, so that those above and left come before."""
    for rows, columns in [(2, 2), (3, 5), (6, 2), (1, 4)]:
        asked = f"{rows} rows and {columns} columns"
        made = _pixels(diagonals(rows, columns), asked)
        _every_pixel_once(made, rows, columns, asked)
        turn = {pixel: n for n, step in enumerate(made, start=1) for pixel in step}
        for (row, column), n in sorted(turn.items()):
            for name, before in (("above", (row - 1, column)), ("to the left", (row, column - 1))):
                if turn.get(before, 0) == n:
                    raise Wrong(f"{asked}: pixel {(row, column)} shares step {n} with the pixel {name}, which it asks")
                if turn.get(before, 0) > n:
                    raise Wrong(f"{asked}: pixel {(row, column)} has its turn before the pixel {name}, which it asks")
        if len(made) > rows + columns - 1:
            least = rows + columns - 1
            raise Wrong(f"{asked}: that takes {len(made)} steps, and {least} are enough: which pixels can share one?")
    return "An image of 1,000 x 1,000 pixels takes 1,999 steps instead of a million."


def _pixels(answer: object, asked: str) -> list[list[tuple[int, int]]]:
    """The steps as lists of pairs, whatever they came in: lists, sets, arrays, tensors, or {step: pixels}."""
    answer = [answer[step] for step in sorted(answer)] if isinstance(answer, dict) else answer
    if not isinstance(answer, Iterable):
        raise Wrong(f"{asked}: expected a list of steps, each a list of pixels (row, column)")
    made = []
    for step in answer:
        if not isinstance(step, Iterable):
            raise Wrong(f"{asked}: expected a list of steps, each a list of pixels (row, column)")
        made.append([])
        for pixel in step:
            if not isinstance(pixel, Iterable):
                raise Wrong(
                    f"{asked}: expected steps with pixels (row, column) in them; this step is one pixel, or numbers"
                )
            made[-1].append(tuple(whole(one, "a row or column") for one in parts(pixel, 2, "a pixel")))
    return [step for step in made if step]


def _every_pixel_once(made: list, rows: int, columns: int, asked: str) -> None:
    flat = [pixel for step in made for pixel in step]
    wanted = {(row, column) for row in range(rows) for column in range(columns)}
    if strange := sorted(set(flat) - wanted):
        raise Wrong(f"{asked}: {strange[0]} lies outside of the image")
    if missing := sorted(wanted - set(flat)):
        raise Wrong(f"{asked}: pixel {missing[0]} never has its turn")
    if len(flat) > len(wanted):
        raise Wrong(f"{asked}: a pixel has its turn twice")


ENOUGH = 0.97
"""The share of right places and columns; who hears one side alone gets at most 0.77 of the one or 0.36 of the other."""


@exercise
def build(make: Callable) -> str:
    """make(input_size, hidden_size) -> a module from x (B, T, D) and mask (B, T) to hidden states (B, T, 2H)."""
    torch.manual_seed(4)
    D, H, lengths = 3, 5, torch.tensor([6, 2, 4, 1])
    model, x = trainable(make(D, H), "make(input_size, hidden_size)"), torch.randn(4, 6, D)
    mask = torch.arange(6) < lengths[:, None]
    with torch.no_grad():
        before = _hidden(model, x, mask, H)
        if not torch.allclose(_hidden(model, x, mask, H)[mask], before[mask], atol=1e-5):
            raise Wrong("the same input gives another answer the second time: start every call from a state of zeros")
        if not torch.allclose(
            _hidden(model, torch.where(mask[..., None], x, 5.0), mask, H)[mask], before[mask], atol=1e-5
        ):
            raise Wrong("other numbers in the padding change the states of real steps: turn each row within its length")
        for row, length in enumerate(lengths.tolist()):
            for s in range(length):
                changed = x.clone()
                changed[row, s] += 1.0
                moved = (_hidden(model, changed, mask, H) - before).abs().sum(2) > 1e-6
                if bool(moved[torch.arange(4) != row].any()):
                    raise Wrong("a change in one row of the batch changes another row")
                deaf = [t for t in range(length) if not moved[row, t]]
                if deaf:
                    side = "later" if s > deaf[0] else "earlier" if s < deaf[0] else "all"
                    raise Wrong(
                        f"in a row of length {length}, step {deaf[0]} does not hear {side} inputs: it misses step {s}"
                    )
    place, column = _trained(make(16, 16))
    if min(place, column) >= ENOUGH:
        return f"Places {place:.1%} right and columns {column:.1%}, and every line of it is yours."
    raise Wrong(
        f"after {STEPS} steps it names {place:.1%} of the places and {column:.1%} of the columns; 97 % are asked for"
    )


STEPS = 150


def _hidden(model: nn.Module, x: Tensor, mask: Tensor, H: int) -> Tensor:
    with blame("your layer", f"at an input of shape {tuple(x.shape)}"):
        found = model(x, mask)
    found = found[0] if isinstance(found, tuple) and found else found
    return tensor(found, *x.shape[:2], 2 * H, what="the hidden states")


def _trained(model: nn.Module) -> tuple[float, float]:
    """The shares of right places and columns of unseen numbers after a short training."""
    embed, place, column = nn.Embedding(len(ENGLISH), 16), nn.Linear(32, places.LONGEST), nn.Linear(32, places.LONGEST)
    weights = [*model.parameters(), *embed.parameters(), *place.parameters(), *column.parameters()]
    optimiser = torch.optim.Adam(weights, lr=2e-2)
    stream = places.batches(places.encode(places.numbers("train", 500)), 64, torch.Generator().manual_seed(0))
    for _, batch in zip(range(STEPS), stream, strict=False):
        hidden = _hidden(model, embed(batch.tokens), batch.mask, 16)[batch.asked]
        loss = cross_entropy(place(hidden), batch.place[batch.asked])
        loss = loss + cross_entropy(column(hidden), batch.column[batch.asked])
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(weights, 1.0)
        optimiser.step()
    of = places.encode(places.numbers("validation", 500))
    with torch.no_grad():
        hidden = _hidden(model, embed(of.tokens), of.mask, 16)
    return places.accuracy(place(hidden), of.place, of), places.accuracy(column(hidden), of.column, of)


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
