"""Four tasks for a memory outside the network: copy, repeat copy, associative recall, priority sort, on digits.

A row is read one step at a time, the question last; the answers are asked for at its last steps, whose inputs are
empty. Each input is a vector: ten numbers for the digit, then one for END, where a task needs it one for ASK or for a
number (repeats, priority).

Source   Graves, Wayne and Danihelka 2014, arXiv:1410.5401, sections 4.1-4.3 and 4.5.
Departs  digits in the place of six or eight random bits; shorter rows; sorting gives back all digits, not the highest.
Agrees   worked cases, and the rows read back digit by digit (tests/tasks/test_tape.py).
"""

from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import one_hot, pad

from attend.core.expect import checked, expect
from attend.core.types import Positive, Seed

Task = Literal["copy", "repeat", "recall", "sort"]
INPUTS: dict[str, int] = {"copy": 11, "repeat": 12, "recall": 12, "sort": 12}
"""Numbers in one input."""
END, EXTRA = 10, 11
"""Where END (in recall: the start of an item) stands in an input, and ASK or the number."""
OUTPUTS = 11
"""Ten digits, and the end that repeat copy has to write after the last repeat."""
REPEATS, ITEM = 5, 2
"""The most repeats, and the digits of an item of recall."""


@checked
def sample(
    task: Task, batch: Positive, length: Positive, generator: torch.Generator | None = None
) -> tuple[Float[Tensor, "B T D"], Int[Tensor, "B A"]]:
    """Inputs x and the answers of the last A steps; `length` counts digits, in recall items.

    Every row of a batch has the same length, and in repeat copy as many repeats.
    """
    expect(task != "recall" or 2 <= length <= 50, "length", length, "2 items or more, and 50 at most")
    return {"copy": _copy, "repeat": _repeat, "recall": _recall, "sort": _sort}[task](batch, length, generator)


def _digits(digits: Tensor, width: int) -> Tensor:
    """One-hot inputs (B, L, width) of digits (B, L)."""
    return pad(one_hot(digits, 10).float(), (0, width - 10))


def _copy(batch, length, generator):
    digits = torch.randint(10, (batch, length), generator=generator)
    x = pad(_digits(digits, 11), (0, 0, 0, length + 1))
    x[:, length, END] = 1.0
    return x, digits


def _repeat(batch, length, generator):
    times = int(torch.randint(1, REPEATS + 1, (), generator=generator))
    digits = torch.randint(10, (batch, length), generator=generator)
    x = pad(_digits(digits, 12), (0, 0, 0, times * length + 2))
    x[:, length, END], x[:, length, EXTRA] = 1.0, times / REPEATS
    return x, pad(digits.repeat(1, times), (0, 1), value=END)


def _recall(batch, length, generator):
    drawn = torch.rand(batch, 10**ITEM, generator=generator).argsort(dim=1)[:, :length]  # no item comes twice
    items = torch.stack([drawn // 10**k % 10 for k in range(ITEM)], dim=2)  # (B, n, ITEM)
    which, row = torch.randint(length - 1, (batch,), generator=generator), torch.arange(batch)
    x = pad(_digits(items.flatten(0, 1), 12), (0, 0, 1, 0)).unflatten(0, (batch, length))
    x[:, :, 0, END] = 1.0
    asked = pad(_digits(items[row, which], 12), (0, 0, 1, 1 + ITEM))
    asked[:, [0, ITEM + 1], EXTRA] = 1.0
    return torch.cat([x.flatten(1, 2), asked], dim=1), items[row, which + 1]


def _sort(batch, length, generator):
    digits = torch.randint(10, (batch, length), generator=generator)
    priority = 2 * torch.rand(batch, length, generator=generator) - 1
    x = pad(_digits(digits, 12), (0, 0, 0, length + 1))
    x[:, :length, EXTRA], x[:, length, END] = priority, 1.0
    return x, digits.gather(1, priority.argsort(dim=1, descending=True))


@checked
def example(task: Task = "copy", length: Positive = 3, seed: Seed = 0) -> str:
    """One row to read, with its answer: `4 9 3 END → 4 9 3`."""
    x, answer = sample(task, 1, length, torch.Generator().manual_seed(seed))
    steps = []
    for vector in x[0, : x.shape[1] - answer.shape[1]].tolist():
        extra = vector[EXTRA] if len(vector) > EXTRA else 0.0
        name = str(vector.index(1.0)) if 1.0 in vector[:10] else ""
        if vector[END]:
            name = "|" if task == "recall" else "END"
        if task == "recall" and extra:
            name = "ASK"
        elif task == "repeat" and extra:
            name = f"END ×{extra * REPEATS:.0f}"
        elif task == "sort" and name != "END":
            name += f" ({extra:.2f})"
        steps.append(name)
    return " ".join(steps) + " → " + " ".join("END" if digit == END else str(digit) for digit in answer[0].tolist())
