"""A scene to compose, and two writers that caption it: where each looks before each word, softly and at one region."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure
from attend.live.rounding import rounded

ENCODER = tuple(f"conv{n}.{part}" for n in (1, 2, 3) for part in ("weight", "bias"))
"""The convolutional encoder, which both captioners share."""

DECODER = (
    *(
        "positions",
        "embed.weight",
        "score.weights.W",
        "score.weights.U",
        "score.weights.v",
        "decoder.from_input.weight",
        "decoder.from_hidden.weight",
    ),
    *("decoder.from_input.bias", "from_hidden.weight", "from_hidden.bias", "from_context.weight", "from_context.bias"),
    *("readout.weight", "readout.bias"),
)
"""What each captioner has for itself."""

LARGE = (
    *(
        "conv2.weight",
        "conv3.weight",
        "score.weights.W",
        "score.weights.U",
        "decoder.from_input.weight",
        "decoder.from_hidden.weight",
    ),
    *("from_hidden.weight", "from_context.weight"),
)
LEVELS = 7
"""The large weights travel in steps of a seventh of the largest of their row: the page stays light, and on validation

scenes the writers write as well as before.
"""

LEEWAY = {"things": 2, "scraps": 10}
"""How far from the corner of its cell a thing or a scrap may lie, in pixels."""

Held = tuple[str, int, int, int]


class Caption(LiveFigure):
    """Nine cells to put things into, and the captions of a soft and of a hard writer, with their looks.

    `things` (N, 14, 14) and `scraps` (M, 6, 6), float in [0, 1], may lie in cells; `names` are the numbers in `words`
    of the things. `soft` and `hard` are the weights of two captioners by name, which share their conv net. `scene`
    holds for each of nine cells, row by row, None or ("things" or "scraps", number, pixels down, pixels across).
    Word 0 ends a caption; one has at most `steps` words. The weights are rounded (LEVELS).
    Raises ValueError for what does not fit together.
    """

    @checked
    def __init__(
        self,
        things: Float[Tensor, "N 14 14"],
        names: Sequence[int],
        scraps: Float[Tensor, "M 6 6"],
        words: Sequence[str],
        soft: Mapping[str, Any],
        hard: Mapping[str, Any],
        scene: Sequence[Held | None] = (None,) * 9,
        steps: int = 6,
    ):
        expect(len(names) == len(things), "names", len(names), f"{len(things)} names, one for each thing")
        expect(all(0 <= name < len(words) for name in names), "names", names, f"numbers from 0 to {len(words) - 1}")
        _share(soft, hard)
        count = {"things": len(things), "scraps": len(scraps)}
        expect(len(scene) == 9 and all(_fits(held, count) for held in scene), "scene", scene, "nine cells")
        expect(steps > 0, "steps", steps, "a positive whole number")
        super().__init__(
            alt=(
                "Three squares of nine cells. In the first stand two things, such as a digit and a coat, among scraps. "
                "The other two show the same scene under the looks of a soft and of a hard writer, and their captions. "
                "Before the word for a thing, both lay nearly all their weight on the cell in which it stands."
            ),
            invite="Point at a word to see where each writer looked for it. Then put something else into a cell.",
            data={
                "words": list(words),
                "names": list(names),
                "scene": [held and list(held) for held in scene],
                "end": 0,
                "steps": steps,
                "seed": 1,
            },
            tensors={
                **{f"encoder.{part}": _light(soft, part) for part in ENCODER},
                **{f"soft.{part}": _light(soft, part) for part in DECODER},
                **{f"hard.{part}": _light(hard, part) for part in DECODER},
                **{name: (of * 255).round().byte() for name, of in (("things", things), ("scraps", scraps))},
            },
            precision="int8",
        )


def _share(soft: Mapping[str, Any], hard: Mapping[str, Any]) -> None:
    for name, weights in (("soft", soft), ("hard", hard)):
        expect(sorted(weights) == sorted(ENCODER + DECODER), name, sorted(weights), f"{', '.join(ENCODER + DECODER)}")
    shared = all(torch.equal(torch.as_tensor(soft[part]), torch.as_tensor(hard[part])) for part in ENCODER)
    expect(shared, "hard", "another conv net", "the conv net of the soft writer")


def _light(of: Mapping[str, Any], part: str) -> Tensor:
    """These weights; the large ones rounded to a few levels in each row."""
    weights = torch.as_tensor(of[part])
    return rounded(weights, LEVELS) if part in LARGE else weights


def _fits(held: Held | None, count: Mapping[str, int]) -> bool:
    if held is None:
        return True
    kind, which, down, across = held
    return kind in count and 0 <= which < count[kind] and min(down, across) >= 0 and max(down, across) <= LEEWAY[kind]
