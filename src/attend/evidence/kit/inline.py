"""The inline form of a claim: measured by the page's own cells and stated there, verdict included."""

from IPython.display import display

from attend.evidence.kit.box import Box
from attend.evidence.kit.claims import NAME
from attend.evidence.kit.rules import VERDICTS


class ClaimError(AssertionError):
    """A claim did not come out as the page states it."""


def claim(
    name: str,
    says: str,
    *,
    source: str,
    came_out: bool,
    measured: str,
    verdict: str = "holds",
    only_if: str = "",
) -> None:
    """Display a claim that the page has measured itself, or stop the page when it did not come out.

    This is the inline form; a page's evidence stands in `attend.evidence.<page>` and is shown by `show`, with a
    verdict that follows from a rule. `name` is `page.claim` in lower case, `says` the claim in one line, `source` a key
    of the bibliography or "ours", `came_out` the outcome of the measurement, `measured` the numbers with their units.
    `verdict` is one of `VERDICTS`; for all but "holds", `came_out` says that the measurement shows just that. Raises
    ValueError for a malformed claim, ClaimError for one that did not come out.
    """
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise ValueError(f"name: got {name!r}, expected page.claim in lower case, as in 'coin.order'")
    for argument, text in (("says", says), ("source", source), ("measured", measured)):
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"{argument}: got {text!r}, expected a text that is not empty")
    if verdict not in VERDICTS:
        raise ValueError(f"verdict: got {verdict!r}, expected one of {', '.join(VERDICTS)}")
    if (verdict == "holds only if") != bool(only_if):
        raise ValueError(f"only_if: got {only_if!r}, expected a condition exactly when the verdict is 'holds only if'")
    if not isinstance(came_out, bool) and type(came_out).__name__ not in ("bool", "bool_"):
        raise ValueError(f"came_out: got {came_out!r} ({type(came_out).__name__}), expected True or False")
    if not came_out:
        raise ClaimError(f"{name} did not come out: {says} (stated: {verdict}; measured: {measured})")
    record = {"id": name, "says": says, "source": source, "verdict": verdict, "only_if": only_if, "measured": measured}
    display(Box(record))
