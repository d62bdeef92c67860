"""Records: what was measured, by what, and how it was judged; refused when any of that has changed.

A page has one, `records/PAGE.json`: small, in a fixed order, written whole or not at all.
"""

import json
from pathlib import Path
from typing import Any

import torch

from attend.core import files
from attend.evidence.kit.claims import Claim
from attend.evidence.kit.made_by import made_by

RECORDS = Path(__file__).parents[1] / "records"
WORDS = ("says", "unit", "budget")
"""What of a claim is for readers alone: another wording is no other measurement."""
DECLARED = ("says", "source", "quote", "rule", "unit", "budget", "seeds", "tuned_on")


class StaleRecord(RuntimeError):
    """A record that was made by other code, or judged by another rule, than there is now."""


def command(claim: Claim) -> str:
    """What measures a claim again."""
    page, _, name = claim.name.partition(".")
    return f"python -m attend.evidence {page} {name}"


def declared(claim: Claim) -> dict[str, Any]:
    """What was stated beforehand, as a record keeps it."""
    found = {name: getattr(claim, name) for name in DECLARED} | {"rule": repr(claim.rule)}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}


def words(claim: Claim) -> dict[str, str]:
    """What of it is for readers alone."""
    return {name: getattr(claim, name) for name in WORDS}


def path(claim: Claim, folder: Path = RECORDS) -> Path:
    """The file of a claim's record."""
    return folder / f"{claim.name.partition('.')[0]}.json"


def kept(claim: Claim, folder: Path = RECORDS) -> dict[str, Any] | None:
    """What the record holds of a claim, fresh or not; None when there is nothing."""
    file = path(claim, folder)
    if not file.is_file():
        return None
    return json.loads(file.read_text(encoding="utf-8")).get(claim.name)


def rows(record: dict[str, Any]) -> dict[int, dict[str, float]]:
    """The numbers of a record, by seed."""
    columns = record["values"]
    return {
        seed: {name: column[place] for name, column in columns.items()} for place, seed in enumerate(record["seeds"])
    }


def read(claim: Claim, folder: Path = RECORDS) -> dict[str, Any]:
    """The record of a claim. Raises StaleRecord when it is missing or not of what there is now, and says why."""
    record = kept(claim, folder)
    why = ["there is none"] if record is None else changes(claim, record)
    if not why:
        found = claim.judge(rows(record).values())
        if found.verdict != record["verdict"]:
            why = [f"by its numbers the verdict is {found.verdict!r}, in it stands {record['verdict']!r}"]
    if why:
        said = "; ".join(why)
        raise StaleRecord(f"{claim.name}: its record is refused: {said}. Measure it again: {command(claim)}")
    return record


def changes(claim: Claim, record: dict[str, Any]) -> list[str]:
    """What differs between a record and what there is now, in words. A file no longer needed changes nothing."""
    now = declared(claim)
    said = [f"{name} was {record.get(name)!r}, is {now[name]!r}" for name in DECLARED if record.get(name) != now[name]]
    then, today = record["made_by"], made_by(claim.module, claim.name.partition(".")[2])
    said += [f"{file} changed" for file in sorted(then.keys() & today.keys()) if then[file] != today[file]]
    return said + [f"{file} is new to it" for file in sorted(today.keys() - then.keys())]


def rounded(value: float) -> float:
    """A number as a record keeps it: six digits."""
    return float(f"{value:.6g}")


def adopt(
    claim: Claim, record: dict[str, Any], by: dict[str, str], why: str, folder: Path = RECORDS, beside: str = ""
) -> None:
    """Say of a record that other code or words than made it measure the same, and what of it had changed.

    `beside` is the commit whose code was run for it, where it was not the record that the numbers were compared with.
    """
    then = record["made_by"]
    now = words(claim)
    changed = sorted(name for name in then.keys() | by.keys() if then.get(name) != by.get(name))
    changed += [name for name in WORDS if record[name] != now[name]]
    note = {"why": why, "changed": changed, "seed": claim.seeds[0]} | ({"beside": beside} if beside else {})
    write(claim, record | now | {"made_by": by, "adopted": [*record.get("adopted", []), note]}, folder)


def made(claim: Claim, runs: dict[int, tuple[dict[str, float], float]], by: dict[str, str]) -> dict[str, Any]:
    """A record of these runs, (numbers, processor seconds) by seed, judged; `by` is what made them when they began."""
    names = list(runs[claim.seeds[0]][0])
    values = {name: [rounded(runs[seed][0][name]) for seed in claim.seeds] for name in names}
    found = claim.judge({name: column[k] for name, column in values.items()} for k in range(len(claim.seeds)))
    return declared(claim) | {
        "verdict": found.verdict,
        "only_if": found.only_if,
        "values": values,
        "seconds": round(sum(runs[seed][1] for seed in claim.seeds), 1),
        "torch": torch.__version__.partition("+")[0],
        "made_by": by,
    }


def write(claim: Claim, record: dict[str, Any], folder: Path = RECORDS) -> None:
    """Put a claim's record into its page's file; the other claims stay as they are."""
    file = path(claim, folder)
    file.parent.mkdir(parents=True, exist_ok=True)
    with files.alone(file.parent):
        book = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
        book[claim.name] = record
        entries = []
        for name in sorted(book):
            lines = (
                f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in book[name].items()
            )
            entries.append(f" {json.dumps(name)}: {{\n" + ",\n".join(lines) + "\n }")
        files.write(file, ("{\n" + ",\n".join(entries) + "\n}\n").encode())
