"""Claims: what a page says, measured on the page, and able to fail.

A claim has an id, a sentence, a source and a measurement. Its verdict is part of the page's text and is compared
whenever the page is run again; the measured numbers are shown beside it and may differ from run to run. The ledger
of the book is gathered from the claims that the pages have displayed.
"""

import html
import re

from IPython.display import display

VERDICTS = ("holds", "holds only if", "not reproduced", "wrong in the source")
_CODE = re.compile(r"`([^`]+)`")
_ID = re.compile(r"[a-z][a-z0-9_]*\.[a-z0-9_]+")


class ClaimError(AssertionError):
    """A claim did not come out as the page states it."""


class Claim:
    """One measured claim, as a page displays it and the ledger collects it."""

    def __init__(self, name: str, says: str, source: str, verdict: str, only_if: str, measured: str):
        self.record = {
            "id": name,
            "says": says,
            "source": source,
            "verdict": verdict,
            "only_if": only_if,
            "measured": measured,
        }

    def __repr__(self) -> str:
        return f"{self.record['id']}: {self._verdict()}"

    def _verdict(self) -> str:
        only_if = self.record["only_if"]
        return f"{self.record['verdict']} {only_if}" if only_if else self.record["verdict"]

    def _repr_mimebundle_(self, **_kwargs):
        verdict = self.record["verdict"].replace(" ", "-")
        texts = (self.record["says"], self._verdict(), self.record["measured"])
        says, shown, measured = (_CODE.sub(r"<code>\1</code>", html.escape(text)) for text in texts)
        card = (
            f'<div class="attend-claim {verdict}"><span class="says">{says}</span><br>'
            f'<strong class="verdict">{shown}</strong>: <span class="measured">{measured}</span></div>'
        )
        return {"text/plain": repr(self), "text/html": card}, {"attend": {"claim": self.record}}


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
    """Display a claim with its verdict, or stop the page when it did not come out.

    `name` is `page.claim` in lower case, `says` the claim in one line, `source` a key of the bibliography or
    "ours", `came_out` the outcome of the measurement, `measured` the numbers with their units. `verdict` is one of
    `VERDICTS`; for all but "holds", `came_out` says that the measurement shows just that. Raises ValueError for a
    malformed claim, ClaimError for one that did not come out.
    """
    if not isinstance(name, str) or not _ID.fullmatch(name):
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
    display(Claim(name, says, source, verdict, only_if, measured))
