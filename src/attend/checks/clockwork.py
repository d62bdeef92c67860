"""Exercises of the page on the clockwork RNN."""

from collections.abc import Callable
from fractions import Fraction

import torch
from torch import Tensor, nn

from attend.checks.answers import number, tensor
from attend.checks.exercise import Wrong, blame, exercise
from attend.checks.made import trainable
from attend.tasks import wave


@exercise
def products(average: Callable) -> str:
    """average(periods) -> how many products with U a step takes on average; one hidden unit for each period."""
    for periods in [(1, 2, 4, 8), (3, 5, 6), (1,), (2, 3, 7, 11, 20)]:
        got, G = average(periods), len(periods)
        got = number(float(got) if isinstance(got, Fraction) else got)
        right = sum((G - i) / P for i, P in enumerate(periods))
        if abs(got - right) <= 1e-3 * right:
            continue
        mistakes = {
            "that is the whole matrix, at every step": G * G,
            "that is the triangle, computed at every step: a row costs nothing while its clock rests": G * (G + 1) / 2,
            "that counts rows, and a row of the fast module is longer than one of the slow": sum(
                1 / P for P in periods
            ),
            "the clocks are in it, the triangle is not: nobody hears a faster module": sum(G / P for P in periods),
            "the triangle is upside down: the fast modules hear all, the slowest hears itself alone": sum(
                (i + 1) / P for i, P in enumerate(periods)
            ),
            "every module hears itself, too": sum((G - i - 1) / P for i, P in enumerate(periods)),
            "that is a share of the whole matrix; asked for is the number of products": right / G**2,
        }
        for says, mistaken in mistakes.items():
            if abs(got - mistaken) <= 1e-3 * mistaken:
                raise Wrong(f"for the periods {periods}, {says}")
        raise Wrong(
            f"for the periods {periods} it is not {got:.4g}: for every row, ask how long it is, "
            "and how often it is needed"
        )
    return "With periods that double, the rows of all slow modules together cost less than those of the fastest."


@exercise
def compare(W: object, U: object) -> str:
    """W: the input weights of fast and slow unit; U: [[fast to fast, slow to fast], [fast to slow, slow to slow]]."""
    W, U = tensor(W, 2, what="W").double(), tensor(U, 2, 2, what="U").double()
    if U[1, 0] != 0:
        raise Wrong("the slow unit may not hear the fast one: the lower left of U stays 0")
    for seed, period in ((1, 5), (2, 7)):
        x = 0.2 * torch.rand(41, generator=torch.Generator().manual_seed(seed), dtype=torch.float64) - 0.1
        fast = _fast(W, U, x, period)
        sample = torch.stack([x[(t - 1) // period * period] for t in range(1, 41)])
        if (fast - (x[1:] - sample)).abs().max() <= 0.01:
            continue
        for says, mistaken in {
            "the fast unit shows the input, and compares it with nothing: it has to hear the slow one": x[1:],
            "the fast unit adds the sample: it should be taken away": x[1:] + sample,
            "the difference is turned round: asked for is the input minus the sample": sample - x[1:],
            "the fast unit shows the sample alone": sample,
        }.items():
            if (fast - mistaken).abs().max() <= 0.01:
                raise Wrong(says)
        if W[1] == 0:
            raise Wrong("the slow unit never hears the input, so there is no sample to compare with")
        if U[0, 0] != 0:
            raise Wrong(
                "the fast unit carries its own past along: one of the weights in U should be 0 for it to forget"
            )
        if U[1, 1] != 0:
            raise Wrong("the slow unit mixes the new sample with the old one: its clock keeps it, U need not")
        far = (fast - (x[1:] - sample)).abs().max().item()
        raise Wrong(f"the fast unit is up to {far:.2f} away from the input minus the sample, and 0.01 is asked for")
    return "Sample and hold needs no gate where a clock says when, and the holding costs no weight."


def _fast(W: Tensor, U: Tensor, x: Tensor, period: int) -> Tensor:
    """What the fast unit (period 1) shows from step 1 on, beside a slow one."""
    h, shown = torch.zeros(2, dtype=torch.float64), []
    for t, x_t in enumerate(x):
        new = torch.tanh(W * x_t + U @ h)
        h = torch.stack([new[0], new[1] if t % period == 0 else h[1]])
        shown.append(h[0])
    return torch.stack(shown[1:])


@exercise
def build(make: Callable) -> str:
    """make(input_size, module_size, periods) -> a module from inputs (B, T, D) to states (B, T, H), fast first."""
    for seed, (size, fast, slow) in enumerate(((3, 2, 3), (2, 3, 5))):
        torch.manual_seed(seed)
        D, T, H = 4, 2 * slow + 1, 2 * size
        model = trainable(make(D, size, (fast, slow)), "make(input_size, module_size, periods)")
        x = torch.randn(7, T, D)
        with torch.no_grad():
            h = _hidden(model, x, H)
            _kept(h, size, fast, slow)
            _heard(model, x, h, size, fast, slow)
            if _hidden(model, 100 * x, H).abs().max() > 1 + 1e-5:
                raise Wrong(
                    "with large inputs the hidden state leaves the range from -1 to 1: is there a tanh around the sum?"
                )
    error = _trained(make(1, 3, (1, 2, 4, 8, 16, 32, 64, 128, 256)))
    if error > ENOUGH:
        raise Wrong(
            f"clocks and wires are right, but after 60 steps of training the wave still has an error of {error:.2f}, "
            f"and {ENOUGH} is asked for. How large are the weights at the start?"
        )
    return f"Its clocks tick, it hears whom it should, and after 60 steps the wave has an error of {error:.2f}."


ENOUGH = 0.4
"""The error of the wave after 60 steps."""


def _hidden(model: nn.Module, x: Tensor, hidden_size: int) -> Tensor:
    with blame("your network", f"at an input of shape {tuple(x.shape)}"):
        found = model(x)
    if found is None or found is ...:
        raise Wrong("`forward` gives nothing back: it needs a `return`")
    found = found[0] if isinstance(found, tuple) and found else found
    if not isinstance(found, Tensor) or found.shape != (*x.shape[:2], hidden_size):
        raise Wrong(
            f"for {x.shape[1]} steps and modules with {hidden_size} units in all, the hidden states must be a "
            f"tensor of shape {(*x.shape[:2], hidden_size)}"
        )
    return found


def _kept(h: Tensor, size: int, fast: int, slow: int) -> None:
    """Refuse modules that move between their ticks, or rest at them."""
    moved = (h[:, 1:] != h[:, :-1]).any(dim=0)  # (T - 1, H)
    steps = torch.arange(1, h.shape[1])
    for period, units in ((fast, slice(size)), (slow, slice(size, None))):
        ticks, did = steps % period == 0, moved[:, units]
        if (h[:, 0, units] == 0).any():
            raise Wrong("at step 0 every clock ticks, because every period divides 0")
        if (did & ~ticks[:, None]).any():
            if not did[:, 0].any() and period == fast:
                raise Wrong(f"the units of period {period} move at the wrong steps; the fastest module comes first")
            other = slow if period == fast else fast
            if torch.equal(did.any(dim=1), steps % other == 0):
                raise Wrong("the modules stand the wrong way round: the fastest comes first")
            raise Wrong(f"between its ticks, the module of period {period} must keep its state exactly")
        if not did[ticks].any(dim=1).all():
            raise Wrong(f"the module of period {period} does not move at some step that {period} divides")


def _heard(model: nn.Module, x: Tensor, h: Tensor, size: int, fast: int, slow: int) -> None:
    """Refuse wrong wires: who hears the input, itself, the slower and the faster module."""

    def moves(t: int, at: int) -> tuple[bool, bool]:
        changed = x.clone()
        changed[:, t] += 1.0
        away = (_hidden(model, changed, 2 * size) - h)[:, at].abs().amax(dim=0) > 1e-6
        return bool(away[:size].any()), bool(away[size:].any())

    before = (slow - 1) // fast * fast  # the last tick of the fast module before the slow one's
    after = (slow // fast + 1) * fast  # and the first one after it
    if moves(2 * slow, slow) != (False, False):
        raise Wrong("a later input changes an earlier hidden state")
    if not moves(slow, slow)[1]:
        raise Wrong("at a tick the slow module does not hear the input")
    if moves(before, slow)[1]:
        raise Wrong("the slow module hears the fast one: U must be 0 there, in the lower left block")
    if not moves(0, slow)[1]:
        raise Wrong("at its ticks the slow module does not hear what it held itself")
    if not moves(slow, after)[0]:
        raise Wrong("the fast module does not hear the slow one: U must not be 0 there, in the upper right block")
    if not moves(0, fast)[0]:
        raise Wrong("the fast module does not hear what it held itself")


def _trained(model: nn.Module) -> float:
    """The error of the wave after 60 steps of the page's loop."""
    wanted = wave.recording()
    start = wave.start_signal(len(wanted))
    readout = nn.Linear(27, 1)
    weights = [*model.parameters(), *readout.parameters()]
    optimiser = torch.optim.Adam(weights, lr=0.03, betas=(0.9, 0.99))
    for _ in range(60):
        loss = wave.cost(readout(_hidden(model, start, 27))[..., 0], wanted).mean()
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(weights, 1.0)
        optimiser.step()
    return loss.item()
