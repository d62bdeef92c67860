"""Exercises of the page on a sequence for a sequence."""

from collections.abc import Callable

import torch

from attend.checks.answers import recognise, tensor
from attend.checks.exercise import Wrong, exercise


@exercise
def told(read: Callable) -> str:
    """read(target, end) -> tokens: what the writer reads while it is taught, `end` first; both (B, T)."""
    target = torch.tensor([[3, 1, 4, 2, 6], [5, 2, 6, 3, 1]])
    for end in (0, 7):
        start = torch.full((2, 1), end)
        wanted = torch.cat([start, target[:, :-1]], dim=1).float()
        got = tensor(read(target.clone(), end), *wanted.shape, what="what is read")
        mistakes = {
            "before each step the writer reads the piece that comes before: here it reads the answer": target,
            "the pieces must move to the right: here each step reads what comes after it": torch.cat(
                [target[:, 1:], start], dim=1
            ),
            "before the first piece stands `end`, not the last piece of the row": target.roll(1, dims=1),
            "before the first piece stands `end`: here the first piece is read twice": torch.cat(
                [target[:, :1], target[:, :-1]], dim=1
            ),
            "only the first step reads `end`: after it come the true pieces": start.expand_as(target),
            "the token that starts is `end`, whatever its number: here it is 0": torch.cat(
                [torch.zeros_like(start), target[:, :-1]], dim=1
            ),
        }
        recognise(got, {says: m.float() for says, m in mistakes.items() if not torch.equal(m.float(), wanted)})
        if not torch.equal(got, wanted):
            raise Wrong(f"for the target {target[0].tolist()} and end {end} expected {wanted[0].int().tolist()}")
    return "One place to the right: that is the whole difference between answering and copying the answer."


class _Clock:
    """A writer made for the test: after tokens v in states n it finds 2v + n + 1 likeliest, modulo 7, and counts on."""

    def __init__(self):
        self.read: list[tuple[list[int], list[int]]] = []

    def step(self, tokens, states):
        tokens, states = torch.as_tensor(tokens), torch.as_tensor(states)
        if tokens.shape != states.shape or tokens.ndim != 1:
            shapes = f"{tuple(tokens.shape)} and {tuple(states.shape)}"
            raise Wrong(f"`step` takes one token and one state for each row, both of shape (B), got {shapes}")
        self.read.append((tokens.tolist(), states.tolist()))
        return -((torch.arange(7) - (2 * tokens + states + 1)[:, None]) % 7).float(), states + 1


def _run(bridges: list[int], end: int, most: int, mistake: str = "") -> torch.Tensor:
    """All answers, written one by one; or with one typical mistake."""
    rows = []
    for state in bridges:
        token, said = end, []
        for _ in range(most):
            best, state = (2 * token + state + 1) % 7, state + (mistake != "one state")
            said.append(best)
            token = end if mistake == "reads end" else best
        first = said.index(end) if end in said else most
        rows.append(said if mistake == "goes on" else said[:first] + [end] * (most - first))
    shortest = min((row.index(end) for row in rows if end in row), default=most)
    if mistake == "all stop":
        rows = [row[:shortest] + [end] * (most - shortest) for row in rows]
    return torch.tensor(rows).float()


@exercise
def together(write: Callable) -> str:
    """write(step, bridges, end, most) -> tokens (B, most), each row `end` from its end on; step takes all rows."""
    for bridges, end, most in (([2, 4, 1, 3], 0, 12), ([5, 1, 0], 6, 9), ([4, 2], 0, 3)):
        clock, wanted = _Clock(), _run(bridges, end, most)
        answer = write(clock.step, torch.tensor(bridges), end, most)
        got = tensor(answer, len(bridges), most, what="the answers")
        if clock.read and clock.read[0] != ([end] * len(bridges), bridges):
            raise Wrong(f"the first step reads `end` ({end}) in each row, in the states {bridges}, not {clock.read[0]}")
        if torch.equal(got, wanted):
            continue
        mistakes = {
            "a row that has said `end` is over: here it goes on": "goes on",
            "each row has an end of its own: here all stop with the first": "all stop",
            "each step must read the tokens that were written last: here all of them read `end`": "reads end",
            "each step must go on from the states of the step before: here all start from the bridges": "one state",
        }
        recognise(got, {says: _run(bridges, end, most, mistake) for says, mistake in mistakes.items()})
        row = int((got != wanted).any(dim=1).float().argmax())
        expected, came = wanted[row].int().tolist(), got[row].int().tolist()
        raise Wrong(f"from bridge {bridges[row]}, with end {end}, at most {most}: expected {expected}, got {came}")
    return "As many answers as you like, for the steps of one."


@exercise
def mixed(mix: Callable) -> str:
    """mix(true, own, share, generator) -> tokens (B, T): each place true with chance `share`, else its own."""
    true, own = torch.arange(40_000).view(200, 200), -1 - torch.arange(40_000).view(200, 200)
    for share in (0.0, 0.25, 0.8, 1.0):
        got = tensor(mix(true, own, share, torch.Generator().manual_seed(0)), 200, 200, what="the mixture").long()
        is_true = got == true
        if not bool((is_true | (got == own)).all()):
            raise Wrong("every token must be the true one or its own, at the same place: choose, do not average")
        found, rows, columns = is_true.double().mean(), is_true.double().mean(1), is_true.double().mean(0)
        if 0 < share < 1:
            if bool(((rows == 0) | (rows == 1)).all()):
                raise Wrong("each token needs a coin of its own: here whole rows are true or not")
            if bool(((columns == 0) | (columns == 1)).all()):
                raise Wrong("each token needs a coin of its own: here all rows share their coins")
        if abs(found - share) > 0.02:
            turned = ": it is turned round" if abs(1 - found - share) < 0.02 else ""
            raise Wrong(f"with share {share:g} the true token must come in {share:.0%}, got {found:.0%}{turned}")
    if torch.equal(*(mix(true, own, 0.5, torch.Generator().manual_seed(s)) for s in (1, 2))):
        raise Wrong("the coins must come from the generator: two generators gave the same ones")
    return "With share 1 it is teacher forcing, with share 0 it is running free, and all between is one number away."
