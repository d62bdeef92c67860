"""Exercises of the page on the vanilla RNN."""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from attend.checks.answers import number, tensor
from attend.checks.exercise import Wrong, blame, exercise
from attend.checks.made import trainable
from attend.tasks import switch

ONE_DIRECTION = torch.tensor([[1.0, -2.0], [0.5, -1.0]])


@exercise
def inert(direction: object) -> str:
    """A movement of the input, two numbers, that changes no hidden state although W is not zero."""
    move = tensor(direction, 2, what="the movement")
    if move.norm() < 1e-6:
        raise Wrong("an input that does not move cannot change anything; find a movement that is not zero")
    push = ONE_DIRECTION @ move
    if push.norm() > 1e-4 * move.norm():
        raise Wrong(f"this movement shifts every hidden state by W d = {_spell(push)}; it must be (0.00, 0.00)")
    return "The network sees its input only through W x. Whatever W maps to zero stays unseen."


@exercise
def latch(w: object, u: object, b: object) -> str:
    """Three numbers for one hidden unit that keeps the sign of the last pulse of ±1 and ignores inputs up to 0.3."""
    w_, u_, b_ = number(w, "w"), number(u, "u"), number(b, "b")
    silent, state = torch.zeros(50), 0.0
    for pulse in (1.0, -1.0, -1.0, 1.0):
        draw = torch.Generator().manual_seed(int(pulse > 0))
        noise = 0.6 * torch.rand(50, generator=draw) - 0.3
        runs = [pulse * _states(w_, u_, b_, state, pulse, between) for between in (silent, noise, silent - 0.3 * pulse)]
        _kept(runs[0], pulse, u_)
        if any(bool((run < 0).any()) for run in runs[1:]):
            rest = pulse * runs[0][-1].item()
            if (pulse * _states(w_, u_, b_, rest, 0.0, silent - 0.3 * pulse) > 0).all():
                raise Wrong(
                    f"a pulse of {pulse:+.0f} turns the state over, but only to {pulse * runs[0][0]:.2f}, and from "
                    "there inputs of no more than 0.3 pull it back: let w beat u by more"
                )
            raise Wrong(
                f"after a pulse of {pulse:+.0f}, inputs of no more than 0.3 turn the state over: hold on harder, "
                "with a larger u, and see to it that a pulse of 1 still gets through"
            )
        state = pulse * runs[1][-1].item()
    return "One hidden unit can hold one bit for as long as nobody writes over it, and it need not listen to whispers."


def _states(w: float, u: float, b: float, state: float, pulse: float, between: Tensor) -> Tensor:
    """The states after a pulse, and after each of the inputs that follow it."""
    states, h = [], torch.tensor(state, dtype=torch.float64)
    for x in (pulse, *between.tolist()):
        h = torch.tanh(w * x + u * h + b)
        states.append(h)
    return torch.stack(states)


def _kept(run: Tensor, pulse: float, u: float) -> None:
    """Refuse a run of 51 steps, signed so that the pulse is positive, in which silence does not keep the sign."""
    if run[0] <= 0:
        raise Wrong(f"a pulse of {pulse:+.0f} must turn the state over: w has to beat what u h and b add up to")
    if u < 0 and bool((run[1:6] < 0).any()):
        raise Wrong("a negative u turns the sign at every step")
    if run[-1] < -0.5:
        raise Wrong(f"after a pulse of {pulse:+.0f} the state falls to the other side: the bias prefers one of them")
    if run[-1] < 0.5:
        raise Wrong(
            f"50 steps after a pulse of {pulse:+.0f} the state is {run[-1] * pulse:.2f}: it has faded. "
            "Near zero a step multiplies it by u, so u must be well above 1"
        )


@exercise
def build(make: Callable) -> str:
    """make(input_size, hidden_size) -> a module from inputs (B, T, D) to hidden states (B, T, H), to be trained."""
    torch.manual_seed(6)
    B, T, D, H = 3, 5, 2, 7
    model = trainable(make(D, H), "make(input_size, hidden_size)")
    x = torch.randn(B, T, D)
    with torch.no_grad():
        before = _hidden(model, x, H)
        for t in range(T):
            changed = x.clone()
            changed[:, t] += 1.0
            after = _hidden(model, changed, H)
            if not torch.allclose(after[:, :t], before[:, :t], atol=1e-6):
                raise Wrong(f"a change of the input at step {t} changes the state before it")
            if torch.allclose(after[:, t], before[:, t], atol=1e-6):
                raise Wrong(f"a change of the input at step {t} leaves the state of that step as it was")
            if t + 1 < T and torch.allclose(after[:, t + 1], before[:, t + 1], atol=1e-6):
                raise Wrong(f"step {t + 1} does not know what came at step {t}: the state must be handed on")
        if not torch.allclose(_hidden(model, x[:1], H), before[:1], atol=1e-5):
            raise Wrong("a sequence comes out otherwise when it is alone: does one row of the batch read another?")
        if not torch.allclose(_hidden(model, x, H), before, atol=1e-6):
            raise Wrong("the same input gives another answer the second time: start every call from a state of zeros")
    right, largest = _trained(make(1, 8))
    if right >= ENOUGH:
        return f"{right:.1%} right on streams four times as long as those of training, and every line of it is yours."
    beyond = f" (its largest value is {largest:.1f})" if largest > 1 else ""
    without = "is there a tanh around the sum, and is the old state in it?"
    raise Wrong(f"after 300 steps it is right at {right:.1%} of all steps, and 98 % are asked for{beyond}: {without}")


ENOUGH = 0.98
"""The share of right steps on streams of 200; without tanh one gets about 0.83."""


def _hidden(model: nn.Module, x: Tensor, hidden_size: int) -> Tensor:
    with blame("your network", f"at an input of shape {tuple(x.shape)}"):
        found = model(x)
    found = found[0] if isinstance(found, tuple) and found else found
    return tensor(found, *x.shape[:2], hidden_size, what="the hidden states")


def _trained(model: nn.Module) -> tuple[float, float]:
    """The share of right steps after 300 steps on the switch, and the largest hidden value."""
    head = nn.Linear(8, 1)
    weights = [*model.parameters(), *head.parameters()]
    optimiser = torch.optim.Adam(weights, lr=1e-2)
    for _ in range(300):
        x, on = switch.sample(64, 50)
        loss = binary_cross_entropy_with_logits(head(_hidden(model, x, 8)).squeeze(2), on.float())
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(weights, 1.0)
        optimiser.step()
    with torch.no_grad():
        x, on = switch.sample(200, 200)
        hidden = _hidden(model, x, 8)
    return ((head(hidden).squeeze(2) > 0) == on).float().mean().item(), hidden.abs().max().item()


def _spell(vector: Tensor) -> str:
    return "(" + ", ".join(f"{value:.2f}" for value in vector.tolist()) + ")"
