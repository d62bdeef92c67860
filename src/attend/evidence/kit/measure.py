"""Measure claims: a seed is a unit of work, in a process of its own, on one thread.

A worker that fails or is killed loses its own seed alone. Finished seeds are kept beside the record, in
`records/PAGE.part`, until the record is written, so a second run goes on where the first one ended.
"""

import hashlib
import importlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from attend.core import files
from attend.evidence.kit import earlier, records
from attend.evidence.kit.claims import Claim
from attend.evidence.kit.made_by import made_by
from attend.evidence.kit.rules import Finding
from attend.train import sweep

Unit = tuple[str, str, int]
"""The module of a claim, its name in there, and a seed."""
Outcome = tuple[dict[str, float] | None, float, str]
"""The numbers, processor seconds, and what went wrong (then there are no numbers)."""
Engine = Callable[[list[Unit], int], Iterable[tuple[Unit, Outcome]]]
"""Runs units, so many side by side, and gives each with its outcome as soon as it is done, in any order."""


def run(unit: Unit) -> Outcome:
    """Measure one claim with one seed, here."""
    module, name, seed = unit
    claim = getattr(importlib.import_module(module), name)
    began = time.process_time()
    values = claim(seed)
    return values, time.process_time() - began, ""


def processes(units: list[Unit], jobs: int) -> Iterator[tuple[Unit, Outcome]]:
    """The engine of one machine: a new process for each unit, forked from one that has imported the pages."""
    yield from _outcomes(sweep.processes(run, units, jobs, sorted({module for module, _, _ in units})))


def on_ray(units: list[Unit], jobs: int) -> Iterator[tuple[Unit, Outcome]]:
    """The engine of a cluster: a task for each unit, begun again where a worker is lost."""
    yield from _outcomes(sweep.on_ray(run, units, jobs))


ENGINES: dict[str, Engine] = {"here": processes, "ray": on_ray}


def _outcomes(done: Iterable[sweep.Done]) -> Iterator[tuple[Unit, Outcome]]:
    for unit, outcome, wrong in done:
        yield unit, (None, 0.0, wrong) if wrong else outcome


@dataclass
class Row:
    """How one claim came out: its finding (None while seeds are missing), the verdict before, and what went wrong."""

    claim: Claim
    seeds: tuple[int, ...]
    before: str = ""
    found: Finding | None = None
    seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)
    made_by: dict[str, str] = field(default_factory=dict)

    @property
    def good(self) -> bool:
        """All was measured, and the verdict is what it was before, if there was one."""
        return not self.wrong and self.found is not None and self.before in ("", self.found.verdict)


def measure(
    claims: list[Claim],
    seeds: Mapping[str, Iterable[int]] | None = None,
    jobs: int = 1,
    engine: Engine = processes,
    folder: Path = records.RECORDS,
    say: Callable[[str], None] = print,
) -> list[Row]:
    """Measure claims and write their records; claims for which `seeds` names others are tried, and no record changes.

    Raises ValueError for seeds that may not judge, and for a rule that was changed after these very seeds were looked
    at: let others judge it.
    """
    table = [Row(claim, tuple((seeds or {}).get(claim.name, claim.seeds))) for claim in claims]
    known = {}
    for row in table:
        row.claim.may_judge(row.seeds)
        known[row.claim.name] = _known(row, folder)
    units = [
        (row.claim.module, row.claim.name.partition(".")[2], seed)
        for row in table
        for seed in row.seeds
        if seed not in known[row.claim.name]
    ]
    by_unit = {(row.claim.module, row.claim.name.partition(".")[2]): row for row in table}
    for count, (unit, (values, seconds, wrong)) in enumerate(engine(units, jobs), 1):
        row = by_unit[unit[:2]]
        if values is None:
            row.wrong.append(f"seed {unit[2]}: {wrong}")
            said = f"failed: {wrong.splitlines()[-1]}"
        else:
            known[row.claim.name][unit[2]] = values, seconds
            _keep(row, unit[2], values, seconds, folder)
            said = ", ".join(f"{name} {value:.4g}" for name, value in values.items())
        say(f"{count} of {len(units)}  {row.claim.name}, seed {unit[2]}: {said} ({seconds:.1f} s)")
    for row in table:
        _judge(row, known[row.claim.name], folder)
    _forget([row for row in table if row.found], folder)
    return table


def adopt(
    claims: list[Claim],
    why: str,
    jobs: int = 1,
    engine: Engine = processes,
    folder: Path = records.RECORDS,
    say: Callable[[str], None] = print,
    beside: Mapping[Unit, earlier.Run] | None = None,
) -> list[Row]:
    """Keep records through a change of code or words that measures the same, as a claim's first seed shows anew.

    It must give the numbers of the record, in all the digits that are kept; otherwise, as with timings, the record
    stays as it is, and stale. Training on another kind of processor gives other digits: there `beside`, what the code
    that made the record gives on this machine, is compared in its place. What was adopted, and why, is written into
    the record.
    """
    if not why.strip():
        raise ValueError(f"why: got {why!r}, expected what was changed, and why it computes the same")
    table, rows = check(claims, folder), {}
    for row in table:
        record, name = records.kept(row.claim, folder), row.claim.name.partition(".")[2]
        row.made_by = made_by(row.claim.module, name)
        same = (record or {}) | {"made_by": row.made_by} | records.words(row.claim)
        if record and row.wrong and not records.changes(row.claim, same):
            rows[row.claim.module, name, row.seeds[0]] = row, record
    for unit, (values, seconds, wrong) in engine(list(rows), jobs):
        row, record = rows[unit]
        if values is None:
            row.wrong.append(f"seed {unit[2]}: {wrong}")
            continue
        then, now = records.rows(record)[unit[2]], _rounded(values)
        if beside is not None:
            if beside[unit].made_by != record["made_by"]:
                row.wrong.append("the record was made by other code than the commit's")
                continue
            then = _rounded(beside[unit].values)
        if now != then:
            said = ", ".join(f"{name} was {then.get(name)}, is {now.get(name)}" for name in then | now)
            row.wrong.append(f"seed {unit[2]} gives other numbers: {said}")
            continue
        records.adopt(row.claim, record, row.made_by, why, folder, beside[unit].commit if beside else "")
        (row,) = check([row.claim], folder)
        table[[one.claim for one in table].index(row.claim)] = row
        say(f"{row.claim.name}: seed {unit[2]} gives the same numbers ({seconds:.1f} s)")
    return table


def _rounded(values: Mapping[str, float]) -> dict[str, float]:
    return {name: records.rounded(value) for name, value in values.items()}


def stale(claims: list[Claim], folder: Path = records.RECORDS) -> list[Unit]:
    """The first seed of each claim whose record is refused."""
    refused = [row for row in check(claims, folder) if row.wrong]
    return [(row.claim.module, row.claim.name.partition(".")[2], row.seeds[0]) for row in refused]


def check(claims: list[Claim], folder: Path = records.RECORDS) -> list[Row]:
    """Judge the records again, and run nothing; a stale record is what went wrong."""
    table = []
    for claim in claims:
        if claim.kind == "recorded":
            row = Row(claim, claim.seeds)
            table.append(row)
            try:
                record = records.read(claim, folder)
            except (records.StaleRecord, ValueError) as refused:
                row.wrong.append(str(refused))
            else:
                row.found = claim.judge(records.rows(record).values())
                row.before, row.seconds = record["verdict"], record["seconds"]
    return table


def _known(row: Row, folder: Path) -> dict[int, tuple[dict[str, float], float]]:
    """What was measured already by the code that there is now; and the verdict that the record holds."""
    claim, record = row.claim, records.kept(row.claim, folder)
    row.made_by, found = made_by(claim.module, claim.name.partition(".")[2]), {}
    if record:
        row.before = record["verdict"]
        _refuse_moved(claim, record["rule"], set(record["seeds"]) & set(row.seeds))
        if record["made_by"] == row.made_by:
            share = record["seconds"] / len(record["seeds"])
            found = {seed: (values, share) for seed, values in records.rows(record).items()}
    for line in _lines(claim, folder):
        if line["claim"] == claim.name:
            _refuse_moved(claim, line["rule"], {line["seed"]} & set(claim.seeds))
            if line["made"] == _stamp(row.made_by):
                found[line["seed"]] = line["values"], line["seconds"]
    return found


def _refuse_moved(claim: Claim, before: str, seen: set[int]) -> None:
    """Refuse a rule that was changed after seeds that are to judge by it were looked at."""
    if before != repr(claim.rule) and seen:
        raise ValueError(
            f"{claim.name}: rule: was {before}, is {claim.rule!r}: seeds {sorted(seen)} were looked at before it was "
            "changed; declare others, that nobody has seen"
        )


def _judge(row: Row, runs: dict, folder: Path) -> None:
    """Judge a claim all of whose seeds are there; write the record when the seeds are its own."""
    if any(seed not in runs for seed in row.seeds):
        return
    row.seconds = sum(runs[seed][1] for seed in row.seeds)
    try:
        if row.seeds == row.claim.seeds and row.claim.kind == "recorded":
            record = records.made(row.claim, runs, row.made_by) | _adopted(row, folder)
            row.found = row.claim.judge(records.rows(record).values())
            records.write(row.claim, record, folder)
        else:
            row.found = row.claim.judge(runs[seed][0] for seed in row.seeds)
    except ValueError as refused:
        row.wrong.append(str(refused))


def _adopted(row: Row, folder: Path) -> dict[str, list]:
    """What a record that is measured again says of its adoption, while its numbers are still taken from it."""
    before = records.kept(row.claim, folder) or {}
    return {"adopted": before["adopted"]} if "adopted" in before and before["made_by"] == row.made_by else {}


def _part(claim: Claim, folder: Path) -> Path:
    return records.path(claim, folder).with_suffix(".part")


def _stamp(made: dict[str, str]) -> str:
    return hashlib.sha256(json.dumps(made, sort_keys=True).encode()).hexdigest()[:12]


def _lines(claim: Claim, folder: Path) -> list[dict]:
    """The finished seeds that were kept; a last line that was cut off is left out."""
    file, found = _part(claim, folder), []
    for line in file.read_text(encoding="utf-8").splitlines() if file.is_file() else ():
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return found


def _keep(row: Row, seed: int, values: dict[str, float], seconds: float, folder: Path) -> None:
    """Write down one finished seed, at once."""
    line = {
        "claim": row.claim.name,
        "made": _stamp(row.made_by),
        "rule": repr(row.claim.rule),
        "seed": seed,
        "values": values,
        "seconds": round(seconds, 2),
    }
    folder.mkdir(parents=True, exist_ok=True)
    with files.alone(folder), open(_part(row.claim, folder), "a", encoding="utf-8") as out:
        out.write(json.dumps(line) + "\n")
        out.flush()
        os.fsync(out.fileno())


def _forget(table: list[Row], folder: Path) -> None:
    """Drop the kept seeds of claims that have been judged; a trial's, too, except those that are to judge later."""
    for row in table:
        kept = () if row.seeds == row.claim.seeds else row.claim.seeds
        with files.alone(folder):
            left = [
                line for line in _lines(row.claim, folder) if line["claim"] != row.claim.name or line["seed"] in kept
            ]
            if left:
                files.write(_part(row.claim, folder), "".join(json.dumps(line) + "\n" for line in left).encode())
            else:
                _part(row.claim, folder).unlink(missing_ok=True)
