"""What the pages claim, measured: a file per page, a function per claim.

A page shows a claim by `evidence.show("lstm.lag")`; `python -m attend.evidence lstm` measures a page's claims again.
A claim is declared with its sentence, its source and the rule that will judge it before it is measured:

    @recorded(
        "With a forget bias of 1 more is recalled.", source="jozefowicz2015empirical", quote="…",
        rule=More("one", "zero", by=0.1), seeds=range(10), unit="share of right answers", budget="400 steps a side",
    )
    def bias(seed):
        return {start: recall(start, seed) for start in ("one", "zero")}

The verdict follows from the rule: holds, holds only if …, does not hold here, cannot tell at this size, slip in the
source.
"""

from IPython.display import display

# Pages' modules become attributes of this one, and a page is called read: what it uses itself has a name of its own.
from attend.evidence.kit import records as _records
from attend.evidence.kit.box import measured as _measured
from attend.evidence.kit.claims import Claim, find, measured_here, recorded
from attend.evidence.kit.records import StaleRecord
from attend.evidence.kit.rules import SHARE, VERDICTS, Alike, All, Exact, More, OnlyIf, Reaches, Share, Slip

__all__ = [
    "SHARE",
    "VERDICTS",
    "Alike",
    "All",
    "Claim",
    "Exact",
    "More",
    "OnlyIf",
    "Reaches",
    "Share",
    "Slip",
    "StaleRecord",
    "measured_here",
    "recorded",
    "show",
    "values",
]


def show(name: str) -> None:
    """Display the claim `page.claim` with its verdict and numbers, and the code that measured it, folded.

    Raises ValueError for a claim that there is not, StaleRecord for a record that something else made than there is
    now: it names what changed and the command that measures again.
    """
    display(_measured(find(name)))


def values(name: str) -> dict[str, list[float]]:
    """The numbers of a recorded claim, by what was measured, one for each seed: for a picture of them.

    Raises ValueError for a claim that there is not or that is not recorded, StaleRecord as `show` does.
    """
    claim = find(name)
    if claim.kind != "recorded":
        raise ValueError(f"name: got {name!r}, expected a recorded claim")
    found = _records.rows(_records.read(claim)).values()
    return {key: [row[key] for row in found] for key in next(iter(found))}
