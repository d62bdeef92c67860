"""The weight of each candidate in each hidden state: tied together by gates, or set free by scores."""

from collections.abc import Sequence

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure

T = 8
KEEP = (0.0, 0.02, 0.98, 0.98, 0.98, 0.98, 0.9, 0.9)
WISHES = ((6, 2), (7, 5))


class GatesOrScores(LiveFigure):
    """Eight steps with a table of weights: gates change many rows at a time, scores change one row alone.

    `keep` are the eight gates to begin with, from 0 to 1, of which the first is 0: then the weights in each hidden
    state add up to one. `wishes` are two pairs (t, i) with i ≤ t: whoever plays is asked to give candidate i most of
    hidden state t.
    Raises ValueError for other gates and wishes.
    """

    @checked
    def __init__(self, keep: Sequence[float] = KEEP, wishes: Sequence[Sequence[int]] = WISHES):
        fits = len(keep) == T and all(0 <= z <= 1 for z in keep) and keep[0] == 0
        expect(fits, "keep", keep, f"{T} gates from 0 to 1, the first of them 0")
        there = len(wishes) == 2 and all(len(wish) == 2 and 1 <= wish[1] <= wish[0] <= T for wish in wishes)
        expect(there, "wishes", wishes, f"two pairs (t, i) with 1 ≤ i ≤ t ≤ {T}")
        (t, i), (u, k) = wishes
        super().__init__(
            alt=(
                f"Eight gates as points to be dragged up and down. Below them a table of weights, a row for "
                f"each hidden state and a column for each candidate, empty above its diagonal: the more colour, the "
                f"larger the weight. Candidate {i} has most of hidden state {t}, and its column stays coloured in the "
                f"rows below. Candidate {k} has next to nothing of hidden state {u}. Dragging a gate changes all rows "
                f"from its step on. With the weights set free the points are the scores of one row, and dragging them "
                f"changes no other."
            ),
            invite=f"Candidate {i} has most of h{_small(t)}. Can gates give candidate {k} most of h{_small(u)}, too? "
            "Then set the weights free.",
            data={"keep": [float(z) for z in keep], "wishes": [[int(n) for n in wish] for wish in wishes]},
        )


def _small(number: int) -> str:
    return "₀₁₂₃₄₅₆₇₈"[number]
