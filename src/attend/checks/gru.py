"""Exercises of the page on the GRU."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn.functional import mse_loss

from attend.checks.answers import number, parts, recognise, tensor
from attend.checks.exercise import Wrong, exercise
from attend.gating.gru import GRU, chrono_
from attend.tasks import adding as task

SIZES = ((3, 2, 5), (4, 7, 3))
"""B, D, H of the two draws by which a cell is judged."""
STEPS, T = 200, 100
"""Of the loop: how long it trains, on sequences of how many numbers."""


@exercise
def bias(bias_for: Callable) -> str:
    """bias_for(steps) -> the bias b with σ(b) ** steps = 1/2."""
    for steps in (3, 10, 1_000):
        got = number(bias_for(steps), "a bias")
        keep = 0.5 ** (1 / steps)
        right, scale = math.log(keep / (1 - keep)), steps / math.log(2)
        if math.isclose(got, right, rel_tol=1e-3, abs_tol=1e-4):
            continue
        mistakes = {
            "this is the gate's value z; the bias is what σ turns into it": keep,
            "with this bias σ gives 1 - z. Which sign keeps?": -right,
            "this is the logarithm of z; σ is undone by log(z / (1 - z))": math.log(keep),
            "with this bias the time scale is steps: 1/e is left, and not one half": math.log(steps - 1),
            "close for long times; but z is exactly the root of one half, not 1 - log 2 / steps": math.log(scale - 1),
            "z falls geometrically: half is left when z ** steps = 1/2": math.log(2 * steps - 1),
        }
        for says, mistaken in mistakes.items():
            if math.isclose(got, mistaken, rel_tol=1e-3, abs_tol=1e-4):
                raise Wrong(says)
        value = 1 / (1 + math.exp(-max(min(got, 700.0), -700.0)))
        raise Wrong(
            f"for {steps} steps the gate must stand at {keep:.4f}; with the bias {got:.3f} it is at {value:.4f}"
        )
    return "Each further unit of bias makes the time about e times as long: 2.6 for 10 steps, 7.3 for 1,000."


@exercise
def sluice(w_z: object, b_z: object, w_h: object, b_h: object) -> str:
    """A GRU of one unit that takes a bit where its mark is 1, and keeps it where the mark is 0."""
    unit = GRU(2, 1).requires_grad_(False)
    unit.from_hidden.weight.zero_()
    unit.from_input.weight[0], unit.from_input.bias[0] = 0, 0
    unit.from_input.weight[1], unit.from_input.bias[1] = _pair(w_z, "w_z"), number(b_z, "b_z")
    unit.from_input.weight[2], unit.from_input.bias[2] = _pair(w_h, "w_h"), number(b_h, "b_h")
    draw = torch.Generator().manual_seed(5)
    for bits in ((1.0, -1.0, -1.0, 1.0), (-1.0, 1.0, 1.0, -1.0)):
        x = torch.stack((2.0 * torch.randint(2, (404,), generator=draw) - 1, torch.zeros(404)), dim=1)
        x[::101] = torch.tensor([[bit, 1.0] for bit in bits])
        kept = unit(x[None])[0][0, :, 0]
        for k, bit in enumerate(bits):
            _held(kept[101 * k : 101 * (k + 1)] * bit)
    return (
        "Only marked bits come in, and each stays for 100 steps, whatever passes by. That is half of the adding task."
    )


def _held(run: Tensor) -> None:
    """Refuse a run of 101 steps, signed so that the marked bit is 1, in which the bit is not taken or not kept."""
    taken = run[0].item()
    if taken < -0.5:
        raise Wrong("a marked bit comes in with the wrong sign: is the candidate's weight of the bit positive?")
    if taken < 0.5:
        raise Wrong(
            f"after a marked bit of 1 the hidden state is {taken:.2f}: at a mark the gate must let it in (z near 0), "
            "and the candidate must be near the bit"
        )
    if (run - taken).abs().max() > 0.1:
        raise Wrong(
            f"100 steps after a marked bit of 1 the hidden state is {run[-1]:.2f}: without a mark the gate must keep, "
            "so tightly that 100 unmarked bits change little (1 - z below a thousandth)"
        )


@exercise
def convert(convert: Callable) -> str:
    """convert(W, U, b) -> the weights (3H, D), (3H, H), (3H) with which a z that takes in becomes one that keeps."""
    for seed, (B, D, H) in enumerate(SIZES):
        W, U, b, x, h = _draw(seed, B, D, H)
        answer = parts(convert(W, U, b), 3, "the answer")
        shapes = ((3 * H, D), (3 * H, H), (3 * H,))
        named = zip(answer, shapes, ("W", "U", "b"), strict=True)
        new = [tensor(value, *shape, what=name) for value, shape, name in named]
        right = _cell(x, h, W, U, b, takes=True)
        if torch.allclose(_cell(x, h, *new), right, rtol=1e-3, atol=1e-5):
            continue
        z, r = slice(H, 2 * H), slice(0, H)

        def turned(rows, *tensors):
            made = [tensor.clone() for tensor in tensors]
            for one in made:
                one[rows] *= -1
            return made

        mistakes = {
            "nothing has changed yet: with these weights z still takes in": (W, U, b),
            "the first block is the reset gate's; the update gate's is the second": turned(r, W, U, b),
            "only the update gate changes: reset gate and candidate stay": turned(slice(None), W, U, b),
            "the last block is the candidate's; the update gate's is the second": turned(slice(2 * H, None), W, U, b),
            "the bias belongs to z as well: 1 - σ(a) = σ(-a) for the whole sum a": (*turned(z, W, U), b),
            "U belongs to z as well: 1 - σ(a) = σ(-a) for the whole sum a": (*turned(z, W), U, *turned(z, b)),
            "W belongs to z as well: 1 - σ(a) = σ(-a) for the whole sum a": (W, *turned(z, U, b)),
            "the bias alone does not turn it: 1 - σ(a) = σ(-a) for the whole sum a": (W, U, *turned(z, b)),
        }
        for says, mistaken in mistakes.items():
            if all(torch.allclose(one, two, atol=1e-6) for one, two in zip(new, mistaken, strict=True)):
                raise Wrong(says)
        raise Wrong("with these weights PyTorch's GRU computes something else; 1 - σ(a) = σ(-a)")
    return "One sign, in three places. Nothing else tells the two conventions apart."


@exercise
def cell(cell: Callable) -> str:
    """cell(x, h, W, U, b) -> the new hidden state (B, H), with PyTorch's conventions and order of blocks."""
    _right(cell)
    return "That is PyTorch's cell. Now let it learn."


@exercise
def adding(cell: Callable) -> str:
    """The reader's cell in the page's loop, trained on the adding task for 20 to 60 seconds."""
    _right(cell)
    torch.manual_seed(0)
    start, head = chrono_(GRU(2, 32), 100.0), nn.Linear(32, 1)
    W, U, b = start.from_input.weight, start.from_hidden.weight, start.from_input.bias
    weights = [W, U, b, *head.parameters()]
    optimiser = torch.optim.Adam(weights, lr=0.03)

    def answers(x: Tensor) -> Tensor:
        h = x.new_zeros(len(x), 32)
        for x_t in x.unbind(dim=1):
            h = cell(x_t, h, W, U, b)
            if not isinstance(h, Tensor) or (torch.is_grad_enabled() and not h.requires_grad):
                raise Wrong("no gradient comes through your cell: keep to torch, without .detach, .item or numpy")
        return head(h)[:, 0]

    for _ in range(STEPS):
        x, total = task.sample(32, T)
        loss = mse_loss(answers(x), total)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(weights, 1.0)
        optimiser.step()
    with torch.no_grad():
        x, total = task.sample(1_000, T)
        explained = task.explained(answers(x), total)
    if explained < 0.9:
        raise Wrong(f"after {STEPS} steps your cell explains {explained:.0%} of the variance, and the page's over 90 %")
    return f"After {STEPS} steps your own cell explains {explained:.1%} of the variance of sums that it never saw."


def _right(cell: Callable) -> None:
    """Refuse a cell that is not PyTorch's, by name where it is a likely one."""
    for seed, (B, D, H) in enumerate(SIZES):
        W, U, b, x, h = _draw(seed, B, D, H)
        got = tensor(cell(x, h, W, U, b), B, H, what="the new hidden state")
        if torch.allclose(got, _cell(x, h, W, U, b), rtol=1e-3, atol=1e-5):
            continue
        (a_r, a_z, a_n), (u_r, u_z, u_n) = (x @ W.T + b).chunk(3, dim=1), (h @ U.T).chunk(3, dim=1)
        bare = (x @ W.T).chunk(3, dim=1)
        r, z = torch.sigmoid(a_r + u_r), torch.sigmoid(a_z + u_z)
        n = torch.tanh(a_n + r * u_n)
        other = torch.tanh(a_n + z * u_n)
        bare_r, bare_z = torch.sigmoid(bare[0] + u_r), torch.sigmoid(bare[1] + u_z)
        bare_n = torch.tanh(bare[2] + bare_r * u_n)
        recognise(
            got,
            {
                "z = 1 must keep the old state, as in PyTorch; here it takes the candidate": (1 - z) * h + z * n,
                "the blocks are r, z, candidate; here the first two are exchanged": r * h + (1 - r) * other,
                "r is missing: it multiplies U h inside the candidate": z * h + (1 - z) * torch.tanh(a_n + u_n),
                "r stands before the product, U (r * h), as in the published paper; in PyTorch it stands after, "
                "r * (U h)": z * h + (1 - z) * torch.tanh(a_n + (r * h) @ U[2 * H :].T),
                "r weighs U h only, and not the input's part": z * h + (1 - z) * torch.tanh(r * (a_n + u_n)),
                "the candidate lacks its tanh": z * h + (1 - z) * (a_n + r * u_n),
                "the two shares must add up to 1: the candidate is weighed by 1 - z": z * h + n,
                "the old state must enter: z * h is missing": (1 - z) * n,
                "this is the candidate; the new state lies between it and the old one": n,
                "b is added twice; once, beside W x, is enough": _cell(x, h, W, U, 2 * b),
                "the bias b is missing": bare_z * h + (1 - bare_z) * bare_n,
                "what is kept is weighed by z alone, not by r": z * r * h + (1 - z) * n,
                "the gates are sigmoids, not tanh": torch.tanh(a_z + u_z) * h
                + (1 - torch.tanh(a_z + u_z)) * torch.tanh(a_n + torch.tanh(a_r + u_r) * u_n),
            },
        )
        raise Wrong("the new state differs from PyTorch's; compare r, z and candidate one by one with the equations")


def _cell(x: Tensor, h: Tensor, W: Tensor, U: Tensor, b: Tensor, takes: bool = False) -> Tensor:
    (a_r, a_z, a_n), (u_r, u_z, u_n) = (x @ W.T + b).chunk(3, dim=1), (h @ U.T).chunk(3, dim=1)
    z, n = torch.sigmoid(a_z + u_z), torch.tanh(a_n + torch.sigmoid(a_r + u_r) * u_n)
    return (1 - z) * h + z * n if takes else z * h + (1 - z) * n


def _draw(seed: int, B: int, D: int, H: int) -> list[Tensor]:
    generator = torch.Generator().manual_seed(seed)
    shapes = ((3 * H, D), (3 * H, H), (3 * H,), (B, D), (B, H))
    W, U, b, x, h = (torch.randn(*shape, generator=generator) for shape in shapes)
    return [W, U, b, x, h.tanh()]


def _pair(answer: object, what: str) -> Tensor:
    if isinstance(answer, int | float):
        raise Wrong(f"{what} must be two weights, of the bit and of the mark, got {answer!r}")
    return torch.tensor([number(value, what) for value in parts(answer, 2, what)])
