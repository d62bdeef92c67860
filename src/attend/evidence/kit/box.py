"""The box in which a page shows a claim: verdict, sentence, source, numbers; how it was measured is folded."""

import html
import re
from typing import Any

from attend.evidence.kit import made_by, records
from attend.evidence.kit.claims import OURS, Claim
from attend.evidence.kit.rules import HOLDS

_CODE = re.compile(r"`([^`]+)`")
HOW = "How to read this, and how it was measured"
LEGEND = (
    "What the claim needs was written down before the runs. In brackets: the 95 % interval. ✓ met: all of it meets "
    "what is needed; ✗ missed: none of it does; ? too close to call: only a part of it does."
)


class Box:
    """One claim as Jupyter displays it; the record goes into the output's metadata, from which the ledger is made."""

    def __init__(self, record: dict[str, Any]):
        self.record = record

    @property
    def verdict(self) -> str:
        """The verdict with its condition, or with how many of the claim's parts hold."""
        parts = f"({self.record['parts']})" if self.record["parts"] else ""
        return " ".join(filter(None, (self.record["verdict"], self.record["only_if"], parts)))

    def __repr__(self) -> str:
        record, lines = self.record, [f"{self.record['id']}: {self.verdict}"]
        lines += [f"  {record['says']}"]
        lines += [f"  {line}" for line in record["measured"].splitlines() if record["kind"] == "recorded"]
        lines += [f"  “{record['quote']}”"] if record["quote"] else []
        lines += [f"  {record['source']} · {self.made()}"]
        return "\n".join(lines)

    def made(self) -> str:
        """Whether the numbers are from here and now, or by which command they were recorded."""
        if self.record["kind"] != "recorded":
            return self.record["kind"]
        return f"recorded: `{self.record['command']}`, {self.record['seconds']:.0f} s of processor time"

    def _repr_mimebundle_(self, **_kwargs):
        record = self.record
        says, verdict, measured = (_marked(text) for text in (record["says"], self.verdict, record["measured"]))
        card = (
            f'<div class="attend-claim {record["verdict"].replace(" ", "-")}">'
            f'<strong class="verdict">{verdict[0].upper()}{verdict[1:]}:</strong> <span class="says">{says}</span> '
            f'<span class="source">({html.escape(record["source"])})</span><br><span class="measured">{measured}</span>'
        )
        budget = f"Budget: {record['budget']}." if record["budget"] else ""
        told = [record["legend"], budget, record["power"], self.made()]
        fold = "".join(f"<p>{_marked(text)}</p>" for text in told if text)
        fold += f"<blockquote>“{html.escape(record['quote'])}”</blockquote>" if record["quote"] else ""
        card += f"<details><summary>{HOW}</summary>{fold}<pre>{html.escape(record['how'])}</pre></details>"
        return {"text/plain": repr(self), "text/html": f"{card}</div>"}, {"attend": {"claim": record}}


def _marked(text: str) -> str:
    return _CODE.sub(r"<code>\1</code>", html.escape(text)).replace("\n", "<br>")


def measured(claim: Claim) -> Box:
    """The box of a claim: measured now, or read from its record. Raises StaleRecord for a record that is not fresh."""
    if claim.kind == "recorded":
        record = records.read(claim)
        values = records.rows(record).values()
        about = {"command": records.command(claim), "seconds": record["seconds"]}
    else:
        values, about = [claim(seed) for seed in claim.seeds], {}
    found = claim.judge(values)
    told = [f"{claim.unit[0].upper()}{claim.unit[1:]}"] if claim.unit else []
    told += [f"{len(values)} {'seed' if len(values) == 1 else 'seeds'}"]
    told += ["95 % intervals in brackets"] if (intervals := " to " in found.measured) else []
    return Box(
        {
            "id": claim.name,
            "says": claim.says,
            "source": claim.source,
            "verdict": found.verdict,
            "only_if": found.only_if,
            "measured": f"{'; '.join(told)}:\n{found.measured}",
            "parts": found.parts,
            "legend": LEGEND if intervals else "",
            "power": found.power,
            "budget": claim.budget,
            "quote": "" if found.verdict == HOLDS or claim.source == OURS else claim.quote,
            "kind": claim.kind,
            **about,
            "how": made_by.how(claim.module, claim.name.partition(".")[2]),
        }
    )
