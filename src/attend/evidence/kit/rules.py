"""Rules that turn the measurements of many seeds into a verdict.

A rule is written down before the runs that it judges: which columns it compares, in which direction, and the margin
that would count. What it answers follows from a 95 % interval alone: an interval wholly beyond the margin "holds",
one wholly on the other side "does not hold here", anything else "cannot tell at this size". So a sentence that is
false by the margin itself is said to hold in at most 2.5 % of all trials.

Agrees   scipy.stats: ttest_1samp, ttest_rel, ttest_ind (Welch), binomtest's exact interval, power by simulation
         (tests/evidence/kit/test_rules.py).
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

HOLDS = "holds"
ONLY_IF = "holds only if"
FAILS = "does not hold here"
OPEN = "cannot tell at this size"
SLIP = "slip in the source"
VERDICTS = (HOLDS, ONLY_IF, FAILS, OPEN, SLIP)
MARKS = {HOLDS: "✓", FAILS: "✗", OPEN: "?"}
COUNTED = ((HOLDS, "holds", "hold"), (FAILS, "fails", "fail"), (OPEN, "is open", "are open"))
SAID = {HOLDS: "met", FAILS: "missed", OPEN: "too close to call"}

CONFIDENCE = 0.95
POWER = 0.8
LEAST_SEEDS = 5
"""Fewer runs say too little about training."""

SHARE = (0.0, 1.0)
"""The limits of a share."""

Values = Sequence[dict[str, float]]
"""What was measured, by name, a dictionary for each seed."""


@dataclass(frozen=True)
class Finding:
    """What a rule made of the measurements: the verdict, the numbers as text, and the condition of "holds only if".

    `power` says what so many runs could have shown, where they left it open. Of several rules each has its own line.
    `parts` says how many of several rules hold, fail or are left open, where not all hold.
    """

    verdict: str
    measured: str
    only_if: str = ""
    power: str = ""
    parts: str = ""


@dataclass(frozen=True)
class Interval:
    """A mean with its 95 % interval; `visible` is the smallest effect that would have been found with 80 % power."""

    mean: float
    low: float
    high: float
    visible: float

    def beside(self, *bounds: float) -> str:
        """As text: two digits of the half-width, three of a mean beyond it, and more to tell a limit from `bounds`."""
        half = max(self.high - self.mean, self.mean - self.low)
        if half == 0:
            return number(self.mean)
        digits = max(0, 1 - math.floor(math.log10(half)))
        if abs(self.mean) > half:
            digits = max(digits, 2 - math.floor(math.log10(abs(self.mean))))
        while any(end != bound == round(end, digits) for end in (self.low, self.high) for bound in bounds):
            digits += 1
        mean, low, high = (f"{round(value, digits) + 0.0:,.{digits}f}" for value in (self.mean, self.low, self.high))
        return f"{mean} ({low} to {high})"

    def within(self, low: float, high: float) -> "Interval":
        """The same interval without what lies beyond these limits."""
        return replace(self, low=max(self.low, low), high=min(self.high, high))

    def power(self, name: str, runs: int) -> str:
        """How far from what is needed the true value may be without its being seen in four times out of five."""
        return f"{name}: {runs} runs easily miss a gap of less than {number(self.visible)} (power 80 %)."


def number(value: float) -> str:
    """Three digits are enough to judge by."""
    return f"{value:.3g}".replace("-0", "0") if value == 0 else f"{value:.3g}"


def student(mean: float, error: float, df: float) -> Interval:
    """The t-interval of a mean from its standard error and degrees of freedom."""
    from scipy.special import nctdtrinc, stdtrit

    if error == 0:
        return Interval(mean, mean, mean, 0.0)
    critical = float(stdtrit(df, (1 + CONFIDENCE) / 2))
    half = critical * error
    return Interval(mean, mean - half, mean + half, float(nctdtrinc(df, 1 - POWER, critical)) * error)


def moments(values: Sequence[float]) -> tuple[float, float, int]:
    """Mean, squared standard error of the mean, and how many."""
    n = len(values)
    mean = math.fsum(values) / n
    return mean, math.fsum((value - mean) ** 2 for value in values) / (n - 1) / n, n


def mean_of(values: Sequence[float]) -> Interval:
    """The mean of a sample with its t-interval."""
    mean, squared, n = moments(values)
    return student(mean, math.sqrt(squared), n - 1)


def difference(ours: Sequence[float], theirs: Sequence[float], paired: bool) -> Interval:
    """The mean difference: of pairs that share a seed, or of two separate samples (Welch)."""
    if paired:
        return mean_of([a - b for a, b in zip(ours, theirs, strict=True)])
    (a, va, n), (b, vb, m) = moments(ours), moments(theirs)
    df = (va + vb) ** 2 / (va**2 / (n - 1) + vb**2 / (m - 1)) if va + vb else 1.0
    return student(a - b, math.sqrt(va + vb), df)


class Rule(ABC):
    """What every rule has: the fewest seeds it judges by, and `judge`, which gives a Finding."""

    least: ClassVar[int] = LEAST_SEEDS

    @abstractmethod
    def judge(self, values: Values) -> Finding:
        """The verdict on these measurements. Raises ValueError for too few of them, or for one that is missing."""

    def _column(self, values: Values, name: str) -> list[float]:
        if len(values) < self.least:
            raise ValueError(f"seeds: got {len(values)}, expected at least {self.least} to judge {self}")
        if missing := [number for number, row in enumerate(values) if name not in row]:
            raise ValueError(f"values: got {sorted(values[missing[0]])}, expected {name!r} among them")
        column = [float(row[name]) for row in values]
        if wild := [value for value in column if not math.isfinite(value)]:
            raise ValueError(f"{name}: got {wild[0]}, expected finite numbers")
        return column


def _verdict(holds: bool, fails: bool) -> str:
    return HOLDS if holds else FAILS if fails else OPEN


def _line(measured: str, needed: str, verdict: str) -> str:
    """What was measured, what the claim needs, and whether that was met: by a sign to look for, and in words."""
    return f"{MARKS[verdict]} {measured} · needed: {needed} ({SAID[verdict]})"


def _sides(*means: tuple[str, float]) -> str:
    return " · ".join(f"{name}: {number(mean)}" for name, mean in means)


def _parts(verdicts: Sequence[str]) -> str:
    """How many of the parts came out how: "2 parts hold, 1 is open"."""
    counts = [(verdicts.count(name), one, many) for name, one, many in COUNTED]
    words = [(number, one if number == 1 else many) for number, one, many in counts if number]
    (number, verb), *others = words
    return ", ".join(
        [f"{number} part{'' if number == 1 else 's'} {verb}", *(f"{count} {how}" for count, how in others)]
    )


def _powers(*found: Finding) -> str:
    return "\n".join(one.power for one in found if one.power)


def _bound(lower: float | None, upper: float | None, names: str) -> None:
    if (lower is None) == (upper is None):
        raise ValueError(f"{names}: got {lower} and {upper}, expected exactly one of them")


@dataclass(frozen=True)
class Reaches(Rule):
    """The mean of one column is at least (or at most) a number. No value lies beyond the `limits`, nor the interval."""

    name: str
    at_least: float | None = None
    at_most: float | None = None
    limits: tuple[float, float] = field(default=(-math.inf, math.inf), repr=False)

    def __post_init__(self):
        _bound(self.at_least, self.at_most, "at_least, at_most")

    def judge(self, values: Values) -> Finding:
        """Compare the interval of the mean with the bound."""
        column = self._column(values, self.name)
        if beyond := [value for value in column if not self.limits[0] <= value <= self.limits[1]]:
            raise ValueError(f"{self.name}: got {beyond[0]}, expected values from {self.limits[0]} to {self.limits[1]}")
        found = mean_of(column).within(*self.limits)
        if self.at_least is not None:
            verdict, word = _verdict(found.low >= self.at_least, found.high < self.at_least), "at least"
        else:
            verdict, word = _verdict(found.high <= self.at_most, found.low > self.at_most), "at most"
        bound = self.at_most if self.at_least is None else self.at_least
        measured = _line(f"{self.name}: {found.beside(bound)}", f"{word} {number(bound)}", verdict)
        return Finding(verdict, measured, power=found.power(self.name, len(column)) if verdict == OPEN else "")


@dataclass(frozen=True)
class More(Rule):
    """`ours` is larger than `baseline` on average, by more than `by`. `paired`: the two share data, seed by seed."""

    ours: str
    baseline: str
    by: float = 0.0
    paired: bool = True

    def __post_init__(self):
        if not 0 <= self.by < math.inf:
            raise ValueError(f"by: got {self.by}, expected a finite number, 0 or more (exchange the columns)")

    def judge(self, values: Values) -> Finding:
        """Compare the interval of the difference with the margin."""
        ours, theirs = self._column(values, self.ours), self._column(values, self.baseline)
        found = difference(ours, theirs, self.paired)
        sides = _sides((self.ours, moments(ours)[0]), (self.baseline, moments(theirs)[0]))
        verdict = _verdict(found.low > self.by, found.high <= self.by)
        measured = _line(f"{sides} · difference {found.beside(self.by)}", f"more than {number(self.by)}", verdict)
        name = f"{self.ours} beside {self.baseline}"
        return Finding(verdict, measured, power=found.power(name, len(ours)) if verdict == OPEN else "")


@dataclass(frozen=True)
class Alike(Rule):
    """`ours` and `baseline` differ on average by less than `within`, either way."""

    ours: str
    baseline: str
    within: float
    paired: bool = True

    def __post_init__(self):
        if not 0 < self.within < math.inf:
            raise ValueError(f"within: got {self.within}, expected a positive number")

    def judge(self, values: Values) -> Finding:
        """The whole interval of the difference lies inside the margin, or wholly outside."""
        ours, theirs = self._column(values, self.ours), self._column(values, self.baseline)
        found = difference(ours, theirs, self.paired)
        inside = -self.within < found.low and found.high < self.within
        outside = found.low >= self.within or found.high <= -self.within
        sides = _sides((self.ours, moments(ours)[0]), (self.baseline, moments(theirs)[0]))
        verdict = _verdict(inside, outside)
        measured = f"{sides} · difference {found.beside(-self.within, self.within)}"
        return Finding(verdict, _line(measured, f"less than {number(self.within)} either way", verdict))


@dataclass(frozen=True)
class Share(Rule):
    """Of all seeds, more (or less) than this share come out: a column of True and False, judged by exact intervals."""

    name: str
    more_than: float | None = None
    less_than: float | None = None

    def __post_init__(self):
        _bound(self.more_than, self.less_than, "more_than, less_than")
        bound = self.more_than if self.less_than is None else self.less_than
        if not 0 < bound < 1:
            raise ValueError(f"more_than, less_than: got {bound}, expected a share between 0 and 1")

    @property
    def least(self) -> int:
        """So many seeds that all of them coming out would settle it."""
        bound = self.more_than if self.less_than is None else 1 - self.less_than
        return max(LEAST_SEEDS, math.floor(math.log((1 - CONFIDENCE) / 2) / math.log(bound)) + 1)

    def judge(self, values: Values) -> Finding:
        """Compare the Clopper-Pearson interval of the share with the bound."""
        from scipy.special import betaincinv

        column = self._column(values, self.name)
        if odd := [value for value in column if value not in (0, 1)]:
            raise ValueError(f"{self.name}: got {odd[0]}, expected True or False for each seed")
        n, k, tail = len(column), int(sum(column)), (1 - CONFIDENCE) / 2
        low = float(betaincinv(k, n - k + 1, tail)) if k else 0.0
        high = float(betaincinv(k + 1, n - k, 1 - tail)) if k < n else 1.0
        if self.less_than is None:
            verdict, word = _verdict(low > self.more_than, high <= self.more_than), f"more than {self.more_than:g}"
        else:
            verdict, word = _verdict(high < self.less_than, low >= self.less_than), f"less than {self.less_than:g}"
        bound = self.more_than if self.less_than is None else self.less_than
        share = Interval(k / n, low, high, 0.0).beside(bound)
        return Finding(verdict, _line(f"{self.name}: in {k} of {n} seeds, a share of {share}", word, verdict))


@dataclass(frozen=True)
class Exact(Rule):
    """An identity: in every seed the column is at most `within` away from 0. Says nothing about training."""

    name: str
    within: float = 0.0
    least: ClassVar[int] = 1

    def judge(self, values: Values) -> Finding:
        """The largest deviation counts."""
        largest = max(map(abs, self._column(values, self.name)))
        said = f"at most {number(largest)}" if largest else "exactly 0"
        needed = f"at most {number(self.within)}" if self.within else "exactly 0"
        verdict = _verdict(largest <= self.within, True)
        return Finding(verdict, _line(f"{self.name}: {said}", needed, verdict))


@dataclass(frozen=True)
class All(Rule):
    """Several rules at once: it holds if all of them do, and not if one of them does not."""

    rules: tuple[Rule, ...]

    @property
    def least(self) -> int:
        """As many as the most demanding of them."""
        return max(rule.least for rule in self.rules)

    def judge(self, values: Values) -> Finding:
        """The verdict of the weakest."""
        found = [rule.judge(values) for rule in self.rules]
        verdicts = [one.verdict for one in found]
        verdict = _verdict(set(verdicts) == {HOLDS}, FAILS in verdicts)
        parts = _parts(verdicts) if verdict != HOLDS else ""
        return Finding(verdict, "\n".join(one.measured for one in found), power=_powers(*found), parts=parts)


@dataclass(frozen=True)
class OnlyIf(Rule):
    """The sentence holds under a condition (rule `inside`) and does not without it (rule `outside`)."""

    condition: str
    inside: Rule
    outside: Rule

    def __post_init__(self):
        if not self.condition.strip():
            raise ValueError(f"condition: got {self.condition!r}, expected the words that follow 'holds only if'")

    @property
    def least(self) -> int:
        """As many as the more demanding of the two."""
        return max(self.inside.least, self.outside.least)

    def judge(self, values: Values) -> Finding:
        """Where both hold there is no condition; where `inside` does not, nothing is left of the sentence."""
        inside, outside = self.inside.judge(values), self.outside.judge(values)
        measured = f"{inside.measured}\nOtherwise: {outside.measured}"
        if inside.verdict == HOLDS and outside.verdict == FAILS:
            return Finding(ONLY_IF, measured, self.condition)
        verdict = inside.verdict if inside.verdict != HOLDS else outside.verdict
        return Finding(verdict, f"If {self.condition}: {measured}", power=_powers(inside, outside))


@dataclass(frozen=True)
class Slip(Rule):
    """The source as `printed` does not hold, and as `corrected` it does."""

    printed: Rule
    corrected: Rule

    @property
    def least(self) -> int:
        """As many as the more demanding of the two."""
        return max(self.printed.least, self.corrected.least)

    def judge(self, values: Values) -> Finding:
        """A slip only where the correction holds; else the verdict on what is printed."""
        printed, corrected = self.printed.judge(values), self.corrected.judge(values)
        slipped = (printed.verdict, corrected.verdict) == (FAILS, HOLDS)
        measured = f"As printed: {printed.measured}\nCorrected: {corrected.measured}"
        return Finding(SLIP if slipped else printed.verdict, measured, power=_powers(printed, corrected))
