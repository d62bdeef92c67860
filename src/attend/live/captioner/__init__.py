"""A scene to compose, and two captioners: where each attends before each word, softly and to one region."""

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

LAYERS = ("from_hidden", "from_context", "readout")
DECODER = (
    *("positions", "query_proj.weight", "key_proj.weight", "score.weight", "embed.weight"),
    *("lstm.weight_ih", "lstm.weight_hh", "lstm.bias_ih", "lstm.bias_hh"),
    *(f"{layer}.{part}" for layer in LAYERS for part in ("weight", "bias")),
)
"""What each captioner has for itself."""

LARGE = (
    *("conv2.weight", "conv3.weight", "query_proj.weight", "key_proj.weight", "lstm.weight_ih", "lstm.weight_hh"),
    *("from_hidden.weight", "from_context.weight"),
)
LEVELS = 7
"""The large weights travel in steps of a seventh of the largest of their row: the page stays light, and on validation

scenes the captioners write as well as before.
"""

LEEWAY = {"things": 2, "scraps": 10}
"""How far from the corner of its cell a thing or a scrap may lie, in pixels."""

Held = tuple[str, int, int, int]


class Caption(LiveFigure):
    """Nine cells to put things into, and the captions of soft and of hard attention, with their weights.

    `things` (N, 14, 14) and `scraps` (M, 6, 6), float in [0, 1], may lie in cells; `names` are the numbers in `words`
    of the things. `encoder`, `soft` and `hard` are the weights of the encoder and of two captioners by name. `scene`
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
        encoder: Mapping[str, Any],
        soft: Mapping[str, Any],
        hard: Mapping[str, Any],
        scene: Sequence[Held | None] = (None,) * 9,
        steps: int = 6,
    ):
        expect(len(names) == len(things), "names", len(names), f"{len(things)} names, one for each thing")
        expect(all(0 <= name < len(words) for name in names), "names", names, f"numbers from 0 to {len(words) - 1}")
        for name, weights, wanted in (("encoder", encoder, ENCODER), ("soft", soft, DECODER), ("hard", hard, DECODER)):
            expect(sorted(weights) == sorted(wanted), name, sorted(weights), f"{', '.join(wanted)}")
        count = {"things": len(things), "scraps": len(scraps)}
        expect(len(scene) == 9 and all(_fits(held, count) for held in scene), "scene", scene, "nine cells")
        expect(steps > 0, "steps", steps, "a positive whole number")
        super().__init__(
            alt=(
                "Three squares of nine cells. In the first stand two things, such as a digit and a coat, among scraps. "
                "The others show the same scene under the weights of soft and of hard attention, with their captions. "
                "Before the word for a thing, both lay nearly all their weight on the cell in which it stands."
            ),
            invite="Point at a word to see where each captioner looked for it. Then put something else into a cell.",
            data={
                "words": list(words),
                "names": list(names),
                "scene": [held and list(held) for held in scene],
                "end": 0,
                "steps": steps,
                "seed": 1,
            },
            tensors={
                **{f"encoder.{part}": _light(encoder, part) for part in ENCODER},
                **{f"soft.{part}": _light(soft, part) for part in DECODER},
                **{f"hard.{part}": _light(hard, part) for part in DECODER},
                **{name: (of * 255).round().byte() for name, of in (("things", things), ("scraps", scraps))},
            },
            precision="int8",
        )


def _light(of: Mapping[str, Any], part: str) -> Tensor:
    """These weights; the large ones rounded to a few levels in each row."""
    weights = torch.as_tensor(of[part])
    return rounded(weights, LEVELS) if part in LARGE else weights


def _fits(held: Held | None, count: Mapping[str, int]) -> bool:
    if held is None:
        return True
    kind, which, down, across = held
    return kind in count and 0 <= which < count[kind] and min(down, across) >= 0 and max(down, across) <= LEEWAY[kind]
