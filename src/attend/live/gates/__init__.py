"""What each candidate's share of each summary is: tied together by gates, or set free by scores."""

from collections.abc import Sequence

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure

T = 8
KEEP = (0.0, 0.02, 0.98, 0.98, 0.98, 0.98, 0.9, 0.9)
WISHES = ((6, 2), (7, 5))


class GatesOrScores(LiveFigure):
    """Eight steps with a table of shares: gates change many rows at a time, scores change one row alone.

    `keep` are the eight gates to begin with, from 0 to 1, of which the first is 0: then the shares of each summary add
    up to one. `wishes` are two pairs (t, i) with i ≤ t: the reader is asked to give candidate i most of summary t.
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
                f"Eight gates as points to be dragged up and down. Below them a table of shares, a row for each "
                f"summary and a column for each candidate, empty above its diagonal: the more colour, the larger the "
                f"share. Candidate {i} has most of summary {t}, and its column stays coloured in the rows below. "
                f"Candidate {k} has next to nothing of summary {u}. Dragging a gate changes all rows from its step on. "
                f"With the weights set free the points are the scores of one row, and dragging them changes no other."
            ),
            invite=f"Step {i} has most of h{_small(t)}. Can gates give step {k} most of h{_small(u)} as well? "
            "Then set the weights free.",
            data={"keep": [float(z) for z in keep], "wishes": [[int(n) for n in wish] for wish in wishes]},
        )


def _small(number: int) -> str:
    return "₀₁₂₃₄₅₆₇₈"[number]
