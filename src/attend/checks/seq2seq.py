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
    """A writer made for the test: after token v in state n it finds 2v + n + 1 likeliest, modulo 7, and counts on."""

    def __init__(self):
        self.read: list[tuple[int, int]] = []

    def step(self, token, state):
        token, state = int(token), int(state)
        self.read.append((token, state))
        logits = -torch.ones(7)
        logits[(2 * token + state + 1) % 7] = 2.0
        return logits, state + 1


def _run(state: int, end: int, most: int, feed: str = "own") -> list[int]:
    token, said = end, []
    for _ in range(most):
        best = (2 * token + state + 1) % 7
        state += feed != "no state"
        if best == end:
            break
        said.append(best)
        token = end if feed == "end" else best
    return said


@exercise
def free(write: Callable) -> str:
    """write(step, bridge, end, most) -> list: the tokens before `end`, at most `most`; step(token, state) takes one."""
    for bridge, end, most in ((2, 0, 20), (4, 0, 20), (5, 6, 20), (4, 0, 5)):
        clock, wanted = _Clock(), _run(bridge, end, most)
        answer = write(clock.step, bridge, end, most)
        if not isinstance(answer, list | tuple | torch.Tensor):
            raise Wrong(f"the answer must be a list of tokens, got {answer!r}")
        got = [int(token) for token in answer]
        if got == wanted:
            continue
        if clock.read and clock.read[0] != (end, bridge):
            raise Wrong(f"the first step reads `end` ({end}) in the state `bridge` ({bridge}), not {clock.read[0]}")
        if got[:-1] == wanted and got[-1] == end:
            raise Wrong("`end` stops the answer and is no part of it")
        if got == _run(bridge, end, most, "end"):
            raise Wrong("each step must read the token that was written last: here all of them read `end`")
        if got == _run(bridge, end, most, "no state"):
            raise Wrong("each step must go on from the state of the step before: here all start from the bridge")
        if len(got) > most:
            raise Wrong(f"an answer has at most {most} tokens, got {len(got)}")
        if got[: len(wanted)] == wanted and end in got:
            raise Wrong("when the likeliest token is `end`, the answer is over: here it goes on")
        raise Wrong(f"from bridge {bridge}, with end {end}, at most {most}: expected {wanted}, got {got}")
    return "State in, state out, and its own last word in between: that is all there is to running free."


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
