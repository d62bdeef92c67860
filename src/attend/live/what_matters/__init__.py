"""A table of changes to one model, watched while it learns: drag the step, and see the ranking form."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure

MEASURES = ("exact", "perplexity")


class Ablation(LiveFigure):
    """The rows of an ablation, each seed a dot, beside the base and the spread of its seeds.

    `rows` holds for each name `exact`, shares of answers without a mistake, and `perplexity`, numbers above 1: a list
    for each seed, with a value for each of `steps`. `beside` says in words what another table prints for a row.
    `picked` is the row whose lines are drawn at the start, `at` the place in `steps` that is shown. Raises ValueError
    for rows of other lengths, values that cannot be, and names that are no row.
    """

    @checked
    def __init__(
        self,
        rows: Mapping[str, Mapping[str, Sequence[Sequence[float]]]],
        steps: Sequence[int],
        beside: Mapping[str, str],
        picked: str,
        at: int,
        base: str = "base",
    ):
        expect(len(steps) > 1 and all(a < b for a, b in pairwise(steps)), "steps", steps, "rising")
        _sound(rows, len(steps))
        expect(base in rows and len(rows[base]["exact"]) > 1, "base", base, "a row of at least two seeds")
        expect(picked in rows and picked != base, "picked", picked, f"one of {', '.join(rows)}, not {base}")
        expect(0 <= at < len(steps), "at", at, f"a place from 0 to {len(steps) - 1}")
        expect(set(beside) <= set(rows), "beside", sorted(beside), f"names among {', '.join(rows)}")
        super().__init__(
            alt=(
                "Above, mistakes against steps of training: grey lines for five seeds of the unchanged model, dark "
                "ones for a change, learned positions, which come down faster and meet the grey ones at the end. Step "
                "150 is marked. Below, a row of dots for each change at that step, the best on top, and a grey "
                "band within which a change counts for nothing. Learned positions stand to its left; half the width, "
                "keys of 2, no positions and no residual connections stand to its right."
            ),
            invite="Drag the step to the end. What is left of the lead of learned positions?",
            data={
                "rows": [
                    {"name": name} | {m: [list(s) for s in row[m]] for m in MEASURES} for name, row in rows.items()
                ],
                "steps": list(steps),
                "beside": dict(beside),
                "picked": picked,
                "at": at,
                "base": base,
            },
        )


def _sound(rows: Mapping[str, Mapping[str, Sequence[Sequence[float]]]], steps: int) -> None:
    """Refuse rows without their measures, seeds that are too short or long, and values that cannot be."""
    for name, row in rows.items():
        expect(set(row) == set(MEASURES), f"rows[{name!r}]", sorted(row), " and ".join(MEASURES))
        for measure, seeds in row.items():
            fits = len(seeds) > 0 and all(len(seed) == steps for seed in seeds)
            expect(fits, f"rows[{name!r}][{measure!r}]", seeds, f"{steps} values for each seed")
            values = np.asarray(seeds, float)
            possible = (values >= 0) & (values <= 1) if measure == "exact" else (values > 1) & np.isfinite(values)
            wanted = "shares" if measure == "exact" else "finite numbers above 1"
            expect(bool(possible.all()), f"rows[{name!r}][{measure!r}]", seeds, wanted)
