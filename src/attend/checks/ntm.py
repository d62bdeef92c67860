"""Exercises of the page on Neural Turing Machines."""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, normalize

from attend.checks.answers import floats, number, parts, recognise, tensor
from attend.checks.exercise import Wrong, blame, exercise
from attend.soft.ntm import NTM, Head
from attend.tasks import tape
from attend.train.fit import fit
from attend.train.schedule import one_cycle

N, SHIFT = 5, (0.2, 0.0, 0.8)


@exercise
def ring(answer: list) -> str:
    """Five weights: from the last slot of five, gate 0, shift (0.2, 0, 0.8), power 2."""
    got = tensor(answer, N, what="the answer")
    if not torch.allclose(got, _moved(SHIFT, 2), atol=0.006):
        blunt = _moved(SHIFT, 1)
        lost = torch.tensor([0.0, 0.0, 0.0, 1.0, 0.0])
        recognise(
            (50 * got).round(),
            {
                "that is before sharpening: square the weights, and divide them by their sum": (50 * blunt).round(),
                "squared, but not divided by their sum: weights add up to 1": (50 * blunt**2).round(),
                "the first number of the shift goes *back*, the last goes ahead": (50 * _moved(SHIFT[::-1], 2)).round(),
                "the tape is a ring: what goes ahead from the last slot comes to slot 0": (50 * lost).round(),
            },
        )
        raise Wrong("0.8 of the weight goes one slot ahead, round the end of the ring, and 0.2 one back; then sharpen")
    return "Sharpening took most of what had gone astray."


def _moved(s: tuple, power: float) -> Tensor:
    w = torch.zeros(N)
    w[N - 1] = 1
    w = s[0] * w.roll(-1) + s[1] * w + s[2] * w.roll(1)
    return w**power / (w**power).sum()


@exercise
def moves(stay: tuple, after: tuple, before: tuple) -> str:
    """Three tuples (beta, g, s, gamma): stay; go to the slot after the key's; go one slot back."""
    given = {"stay": stay, "after": after, "before": before}
    for name, quantities in given.items():
        beta, g, s, gamma = parts(quantities, 4, f"`{name}`")
        beta, g, gamma = (number(value, f"in `{name}` each of beta, g and gamma") for value in (beta, g, gamma))
        shift = tensor(s, 3, what=f"in `{name}` the shift")
        if beta < 0 or not 0 <= g <= 1 or gamma < 1:
            raise Wrong(f"in `{name}`: beta is at least 0, g lies between 0 and 1, gamma is at least 1")
        if bool((shift < 0).any()) or abs(float(shift.sum()) - 1) > 1e-3:
            raise Wrong(f"in `{name}`: the three numbers of the shift are shares, and add up to 1")
        for seed, (slots, W, at, found) in enumerate(((7, 5, 2, 5), (11, 4, 8, 1), (6, 3, 5, 3))):
            generator = torch.Generator().manual_seed(seed)
            M = torch.eye(max(slots, W))[:slots] + 0.2 * torch.rand(slots, max(slots, W), generator=generator)
            last = torch.zeros(1, slots)
            last[0, at] = 1
            one = torch.ones(1, 1)
            key = 3 * M[None, found]
            w = Head.address(M[None], last, key, beta * one, g * one, shift[None], gamma * one)[0]
            right = {"stay": at, "after": (found + 1) % slots, "before": (at - 1) % slots}[name]
            if float(w[right]) < 0.98:
                heaviest = int(w.argmax())
                where = f"of {slots} slots the head stands on {at}, and the key is what slot {found} holds"
                if heaviest == right:
                    raise Wrong(f"`{name}`: the right slot, but with weight {w[right]:.2f} only; {where}")
                raise Wrong(f"`{name}`: {where}; it goes to slot {heaviest}, and not to {right}")
    return "With such moves, and someone to choose among them, one can write programs."


STEPS, FAR, ENOUGH = 300, 50, 0.8
"""Training steps; the digits of the rows that are judged, five times the longest of training; the share to copy."""


@exercise
def build(address: Callable) -> str:
    """address(M, last, k, beta, g, s, gamma) -> (B, N), put into the page's model, trained, and judged on long rows."""
    for seed, (B, slots, W) in enumerate(((3, 7, 5), (2, 11, 4), (4, 5, 6))):
        given = _quantities(B, slots, W, seed)
        answer = address(*given)
        arrays = isinstance(answer, np.ndarray)
        said = floats(answer, f"the weights must be a tensor of shape ({B}, {slots})")
        if said.shape == (B, slots) and bool(said.isnan().any()):
            raise Wrong("nan: is every row divided by its own sum?")
        got = tensor(said, B, slots, what="the weights")
        if torch.allclose(got, Head.address(*given), atol=1e-4):
            continue
        recognise(got, _mistakes(*given))
        if not torch.allclose(got.sum(1), torch.ones(B), atol=1e-3):
            raise Wrong("the weights of a row do not add up to 1: divide by the sum over slots, dimension 1")
        raise Wrong("shares, but not those of the four steps: print what you have after each, and compare by hand")

    class Mine(Head):
        address = staticmethod(lambda *given, **named: wrapped(*given, **named))

    def wrapped(M, last, k, beta, g, s, gamma):
        return (Head.address if arrays else address)(M, last, k, beta, g, s, gamma)

    torch.manual_seed(5)
    model = NTM(tape.INPUTS["copy"], tape.OUTPUTS)
    model.write_head, model.read_head = Mine(64, model.width), Mine(64, model.width)
    optimiser = torch.optim.Adam(model.parameters(), lr=RATE)
    with blame("your address", "in training"):
        fit(
            model,
            _cost,
            _batches(torch.Generator().manual_seed(5)),
            steps=STEPS,
            optimiser=optimiser,
            schedule=one_cycle(optimiser, STEPS),
            clip=1.0,
        )
        x, answer = tape.sample("copy", 50, FAR, torch.Generator().manual_seed(6))
        with torch.no_grad():
            said = model.eval()(x, FAR + 10)[0][:, -FAR:].argmax(2)
    copied = float((said == answer).all(1).float().mean())
    if copied >= ENOUGH:
        if arrays:
            return "The weights are right. An array carries no gradients, so what was trained are our four steps."
        return f"Trained on rows of at most 10 digits, it copies {copied:.0%} of rows of {FAR} without a mistake."
    raise Wrong(
        f"the weights are right, and yet only {copied:.0%} of rows of {FAR} digits were copied: do gradients flow "
        "through all seven arguments (no `.item()`, no `torch.no_grad`, no `.detach()`)?"
    )


RATE = 2e-2


def _batches(generator):
    while True:
        length = int(torch.randint(1, 11, (), generator=generator))
        yield tape.sample("copy", 32, length, generator)


def _cost(model, batch):
    x, answer = batch
    return cross_entropy(model(x, 16)[0][:, -answer.shape[1] :].flatten(0, 1), answer.flatten())


def _quantities(B: int, slots: int, W: int, seed: int) -> tuple:
    generator = torch.Generator().manual_seed(seed)
    M, k = torch.randn(B, slots, W, generator=generator), torch.randn(B, W, generator=generator)
    last = torch.randn(B, slots, generator=generator).softmax(1)
    s = torch.randn(B, 3, generator=generator).softmax(1)
    beta, gamma = (1 + 2 * torch.rand(B, 1, generator=generator) for _ in range(2))
    return M, last, k, beta, 0.2 + 0.6 * torch.rand(B, 1, generator=generator), s, gamma


def _steps(
    M, last, k, beta, g, s, gamma, *, score="cosine", back=False, ring=True, sharpen=True, late=False, temper=True
):
    """The four steps, with one thing done otherwise."""
    if score == "cosine":
        scores = (normalize(M, dim=2) @ normalize(k, dim=1)[:, :, None])[:, :, 0]
    else:
        scores = (M @ k[:, :, None])[:, :, 0]
    w = ((beta if temper else 1.0) * scores).softmax(1)
    w = (1 - g) * w + g * last if back else g * w + (1 - g) * last
    if late:
        w = w**gamma / (w**gamma).sum(1, keepdim=True)
    ahead, behind = w.roll(1, 1), w.roll(-1, 1)
    if not ring:
        ahead[:, 0], behind[:, -1] = 0.0, 0.0
    w = s[:, :1] * behind + s[:, 1:2] * w + s[:, 2:] * ahead
    if sharpen and not late:
        w = w**gamma
    return w / w.sum(1, keepdim=True) if sharpen and not late else w


def _mistakes(M, last, k, beta, g, s, gamma) -> dict[str, Tensor]:
    given = M, last, k, beta, g, s, gamma
    unsummed = _steps(*given, sharpen=False) ** gamma
    turned = _steps(M, last, k, beta, g, s.flip(1), gamma)
    return {
        "the scores are cosines: divide by both lengths": _steps(*given, score="dot"),
        "β is missing: it multiplies the cosines before the softmax": _steps(*given, temper=False),
        "the gate is the wrong way round: g = 1 is content alone": _steps(*given, back=True),
        "the shift goes the wrong way: s[:, 0] moves weight one slot back, s[:, 2] one ahead": turned,
        "the ends of the tape are not joined: what leaves it on one side comes back on the other": _steps(
            *given, ring=False
        ),
        "the power γ is missing": _steps(*given, sharpen=False),
        "sharpen after the shift, and not before": _steps(*given, late=True),
        "after the power the weights have to be divided by their sum": unsummed,
    }
