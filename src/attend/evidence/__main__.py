"""`python -m attend.evidence PAGE [CLAIM …]`: measure what pages claim, judge it, and write the records."""

import argparse
import os
import re
import sys

from attend.evidence.kit import claims, earlier
from attend.evidence.kit.measure import ENGINES, Row, adopt, check, measure, stale


def main(arguments: list[str]) -> int:
    """Measure or check; returns 0 when every claim has a verdict and none differs from its record."""
    parser = argparse.ArgumentParser(prog="python -m attend.evidence", description=main.__doc__)
    parser.add_argument("page", nargs="?", help="a page, as lstm; every page when none is named")
    parser.add_argument("claim", nargs="*", help="claims of this page, all when none is named")
    parser.add_argument("--seeds", metavar="0-19", help="other seeds, or +N: each claim's own plus N; writes no record")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many seeds side by side")
    parser.add_argument(
        "--on",
        choices=sorted(ENGINES),
        default="here",
        help="processes of this machine, or a Ray cluster (RAY_ADDRESS)",
    )
    parser.add_argument("--check", action="store_true", help="judge the records again, and run nothing")
    parser.add_argument(
        "--adopt",
        metavar="WHY",
        help="keep stale records whose code or words measure alike: a seed of each must show it",
    )
    parser.add_argument(
        "--beside", metavar="COMMIT", help="with --adopt, on another kind of processor: compare with that commit's code"
    )
    options = parser.parse_args(arguments)
    try:
        chosen = select(options.page, options.claim)
        wanted = {one.name: seeds(options.seeds, one.seeds) for one in chosen}
        if options.check:
            table = check(chosen)
        elif options.adopt is not None:
            beside = earlier.runs(options.beside, stale(chosen), options.jobs) if options.beside else None
            table = adopt(chosen, options.adopt, options.jobs, ENGINES[options.on], beside=beside)
        else:
            table = measure(chosen, wanted, options.jobs, ENGINES[options.on])
    except ValueError as refused:
        print(refused, file=sys.stderr)
        return 2
    print(tabulate(table))
    return 0 if all(row.good for row in table) else 1


def seeds(text: str | None, own: tuple[int, ...]) -> tuple[int, ...]:
    """`0-4,7` as (0, 1, 2, 3, 4, 7), `+100` as a claim's own seeds, each plus 100; its own when nothing is given."""
    if not re.fullmatch(r"\+\d+|\d+(-\d+)?(,\d+(-\d+)?)*", text or "+0"):
        raise ValueError(f"--seeds: got {text!r}, expected seeds as 0-19 or 0,3,7-9, or +1000")
    if text is None or text.startswith("+"):
        return tuple(seed + int(text or 0) for seed in own)
    ranges = (part.partition("-") for part in text.split(","))
    return tuple(seed for first, _, last in ranges for seed in range(int(first), int(last or first) + 1))


def select(page: str | None, names: list[str]) -> list[claims.Claim]:
    """The claims of a page, or of all; or those that are named."""
    if names:
        return [claims.find(f"{page}.{name}") for name in names]
    known = claims.pages()
    if page is not None and page not in known:
        raise ValueError(f"PAGE: got {page!r}, expected one of {', '.join(known)}")
    return [one for name in ([page] if page else known) for one in claims.claims_of(f"{claims.PAGES}.{name}")]


def tabulate(table: list[Row]) -> str:
    """How each claim came out, for a terminal."""
    lines = []
    for row in table:
        verdict = f"{row.found.verdict} {row.found.only_if}".rstrip() if row.found else "not judged"
        was = f" (recorded: {row.before})" if row.found and row.before not in ("", row.found.verdict) else ""
        lines.append(f"{row.claim.name}: {verdict}{was}")
        if row.found:
            lines += [f"  {line}" for line in row.found.measured.splitlines()] + [
                f"  {row.seconds:.0f} s of processor time"
            ]
        lines += [f"  {wrong}".replace("\n", "\n    ") for wrong in row.wrong]
    return "\n".join(lines)


if __name__ == "__main__":
    os.environ["OMP_NUM_THREADS"] = "1"
    sys.exit(main(sys.argv[1:]))
