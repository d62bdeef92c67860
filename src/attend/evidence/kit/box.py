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
    """One claim as Jupyter displays it; the site makes page and ledger from the record in the output's metadata."""

    def __init__(self, record: dict[str, Any]):
        self.record = record

    def __repr__(self) -> str:
        record, lines = self.record, [f"{self.record['id']}: {self.record['heading']}"]
        lines += [f"  {record['says']}"]
        lines += [f"  {line}" for line in record["measured"].splitlines() if record["kind"] == "recorded"]
        lines += [f"  “{record['quote']}”"] if record["quote"] else []
        lines += [f"  {record['source']} · {record['told'][-1]}"]
        return "\n".join(lines)

    def _repr_mimebundle_(self, **_kwargs):
        record = self.record
        says, heading, measured = (_marked(record[name]) for name in ("says", "heading", "measured"))
        card = (
            f'<div class="attend-claim {record["verdict"].replace(" ", "-")}">'
            f'<strong class="verdict">{heading[0].upper()}{heading[1:]}:</strong> <span class="says">{says}</span> '
            f'<span class="source">({html.escape(record["source"])})</span><br><span class="measured">{measured}</span>'
        )
        fold = "".join(f"<p>{_marked(text)}</p>" for text in record["told"])
        fold += f"<blockquote>“{html.escape(record['quote'])}”</blockquote>" if record["quote"] else ""
        card += f"<details><summary>{record['fold']}</summary>{fold}<pre>{html.escape(record['how'])}</pre></details>"
        return {"text/plain": repr(self), "text/html": f"{card}</div>"}, {"attend": {"claim": record}}


def _marked(text: str) -> str:
    return _CODE.sub(r"<code>\1</code>", html.escape(text)).replace("\n", "<br>")


def measured(claim: Claim) -> Box:
    """The box of a claim: measured now, or read from its record. Raises StaleRecord for a record that is not fresh."""
    if claim.kind == "recorded":
        record = records.read(claim)
        values, made = records.rows(record).values(), "Recorded by `{}`, {:,.0f} s of processor time."
        made = made.format(records.command(claim), record["seconds"])
    else:
        values, made = [claim(seed) for seed in claim.seeds], f"{claim.kind.capitalize()}."
    found = claim.judge(values)
    units = [f"{claim.unit[0].upper()}{claim.unit[1:]}"] if claim.unit else []
    units += [f"{len(values)} {'seed' if len(values) == 1 else 'seeds'}"]
    units += ["95 % intervals in brackets"] if (intervals := " to " in found.measured) else []
    parts = f"({found.parts})" if found.parts else ""
    budget = f"Budget: {claim.budget}." if claim.budget else ""
    return Box(
        {
            "id": claim.name,
            "says": claim.says,
            "source": claim.source,
            "verdict": found.verdict,
            "heading": " ".join(filter(None, (found.verdict, found.only_if, parts))),
            "measured": f"{'; '.join(units)}:\n{found.measured}",
            "quote": "" if found.verdict == HOLDS or claim.source == OURS else claim.quote,
            "kind": claim.kind,
            "fold": HOW,
            "told": list(filter(None, (LEGEND if intervals else "", budget, *found.power.splitlines(), made))),
            "how": made_by.how(claim.module, claim.name.partition(".")[2]),
        }
    )
