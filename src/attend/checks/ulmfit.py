"""Exercises of the page on ULMFiT."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from attend.checks.answers import floats, tensor
from attend.checks.exercise import Wrong, exercise
from attend.transformers.ulmfit import concat_pool, slanted


@exercise
def rates(answer: tuple) -> str:
    """Two numbers: the rates of the lower LSTM at steps 20 and 110 of 200, with a peak of 0.01 at the top."""
    got = tensor(answer, 2, what="the two rates")
    top = torch.tensor([slanted(20, 200, 0.01), slanted(110, 200, 0.01)])
    right = top / 2.6**2
    typical = {
        "those are the rates of the classifier: the lower LSTM is the third group from the top": top,
        "the lower LSTM is the third group: two divisions by 2.6, not one": top / 2.6,
        "the lower LSTM is the third group: two divisions by 2.6, not three": top / 2.6**3,
        "halfway down the rate is the middle between peak and peak / 32, not half the peak": (
            torch.tensor([0.01, 0.005]) / 2.6**2
        ),
    }
    if not torch.allclose(got, right, rtol=0.02):
        for hint, wrong in typical.items():
            if torch.allclose(got, wrong, rtol=0.02):
                raise Wrong(hint)
        if not torch.isclose(got[0], right[0], rtol=0.02):
            raise Wrong("step 20 is a tenth of 200: where on the triangle is that? Then divide by 2.6 for each group")
        raise Wrong("step 110 is 90 of the 180 steps down: p = 1/2, and the rate is peak · (1 + p · 31) / 32")
    return "The third group from the top learns at a seventh of the top's rate, all the way."


@exercise
def pool(mine: Callable) -> str:
    """mine(h, mask) -> (B, 3 D): last state, largest and mean values, of what the mask says is there."""
    for seed, (B, T, D) in enumerate(((2, 5, 3), (4, 7, 2), (3, 4, 6))):
        generator = torch.Generator().manual_seed(seed)
        h = (
            torch.randn(B, T, D, generator=generator) - 2
        )  # all below 0 now and then: a 0 for padding would be the largest
        mask = torch.arange(T) < torch.tensor([T, 2, 3, 1])[:B, None]
        right = concat_pool(h, mask)
        got = tensor(floats(mine(h.clone(), mask.clone()), f"the answer must be of shape ({B}, {3 * D})"), B, 3 * D)
        if torch.allclose(got, right, rtol=1e-3, atol=1e-4):
            continue
        names = ("the last state", "the largest values", "the mean")
        wrong = [
            name
            for name, ours, theirs in zip(names, got.chunk(3, 1), right.chunk(3, 1), strict=True)
            if not torch.allclose(ours, theirs, rtol=1e-3, atol=1e-4)
        ]
        parts = right.chunk(3, 1)
        if len(wrong) > 1 and all(any(torch.allclose(a, b, atol=1e-4) for b in parts) for a in got.chunk(3, 1)):
            raise Wrong("the three parts are right, in another order: last, largest, mean")
        last, largest, mean = got.chunk(3, 1)
        hints = {
            "the last state": (last, h[:, -1], "h[:, -1] is padding in all rows but the longest"),
            "the largest values": (
                largest,
                (h * mask[..., None]).amax(1),
                "a state of zeros for padding can be the largest: fill in something that never is",
            ),
            "the mean": (mean, (h * mask[..., None]).mean(1), "divide by the number of real steps, not by T"),
        }
        ours, typical, hint = hints[wrong[0]]
        if torch.allclose(ours, typical, atol=1e-4):
            raise Wrong(hint)
        padded = {"the largest values": h.amax(1), "the mean": h.mean(1)}.get(wrong[0])
        if padded is not None and torch.allclose(ours, padded, atol=1e-4):
            raise Wrong(f"{wrong[0]}: steps that the mask leaves out have a say")
        raise Wrong(f"{wrong[0]} of what the mask says is there: not right yet")
    return "A review means the same alone and beside a longer one."


class Group(nn.Module):
    """Some weights of one size."""

    def __init__(self, size: int):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.zeros(size, 2)), nn.Parameter(torch.zeros(size))

    def __deepcopy__(self, memo: dict) -> "Group":
        """Itself, since what is done to it is what is judged."""
        return self


@exercise
def fine_tune(mine: Callable) -> str:
    """mine(groups, loss, phases, peak, decay) -> the losses: a group more learns in each phase, all on one triangle.

    With a loss whose gradient is 1 everywhere, each step of SGD moves a weight by exactly its rate.
    """
    for sizes, phases, peak, decay in (
        ((3, 2, 4), [20, 30, 50], 0.01, 2.6),
        ((2, 5, 3, 1), [10, 20, 10, 40], 0.2, 2.0),
    ):
        groups, seen = [Group(size) for size in sizes], []

        def state(groups: list[Group] = groups) -> Tensor:
            return torch.tensor([group.bias.detach().double().mean() for group in groups])

        def loss(groups: list[Group] = groups, seen: list[Tensor] = seen, state: Callable = state) -> Tensor:
            seen.append(state())
            return sum(p.sum() for group in groups for p in group.parameters())

        losses = floats(
            mine(groups, loss, list(phases), peak, decay), "the answer must be the losses, a list of numbers"
        )
        seen.append(state())
        if len(seen) - 1 != sum(phases):
            raise Wrong(f"phases of {phases} steps are {sum(phases)} calls of loss(); there were {len(seen) - 1}")
        if losses.numel() != sum(phases):
            raise Wrong(f"phases of {phases} steps have {sum(phases)} losses; you returned {losses.numel()}")
        moved = (torch.stack(seen[:-1]) - torch.stack(seen[1:])).float()
        top = torch.tensor([slanted(step, sum(phases), peak) for step in range(sum(phases))])
        alone = torch.tensor([slanted(step, steps, peak) for steps in phases for step in range(steps)])
        if not torch.allclose(top, moved[:, 0], rtol=2e-2) and torch.allclose(alone, moved[:, 0], rtol=2e-2):
            raise Wrong("each phase has a triangle of its own; here one triangle goes over all of them")
        start = 0
        for k, steps in enumerate(phases, 1):
            part = slice(start, start + steps)
            start += steps
            for n in range(len(groups)):
                right = top[part] / decay**n if n < k else torch.zeros(steps)
                _compare(moved[part, n], right, top[part], n, k, decay)
    return "Layer by layer, each slower than the one above, and all on one triangle."


def _compare(got: Tensor, right: Tensor, top: Tensor, n: int, phase: int, decay: float) -> None:
    """Refuse the moves of one group in one phase, with what is most likely wrong."""
    if torch.allclose(got, right, rtol=2e-2, atol=1e-6 * float(top.max())):
        return
    where = f"group {n} in phase {phase}"
    if n >= phase:
        raise Wrong(f"{where} should be frozen, and it moved: groups[:{phase}] learn in phase {phase}")
    if not got.any():
        raise Wrong(f"{where} should learn, and it did not move")
    if (got < 0).any():
        raise Wrong(f"{where} moved up the gradient")
    if n and torch.allclose(got, top, rtol=2e-2):
        raise Wrong(f"{where} learns as fast as the top: divide its rate by decay ** {n}")
    if torch.allclose(got, got[:1].expand_as(got), rtol=1e-3):
        raise Wrong(f"{where} has the same rate at every step: use slanted(step, steps, peak)")
    if torch.allclose(got / got.max(), right / right.max(), rtol=2e-2, atol=1e-3):
        times = float(got.max() / right.max())
        raise Wrong(f"{where}: the shape is right, the rate {times:.3g} times what it should be (decay = {decay:g})")
    raise Wrong(
        f"{where}: the rate rises from peak / 32 for a tenth of all steps, then falls back to it, in straight lines"
    )
