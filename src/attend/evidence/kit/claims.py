"""A claim: the sentence, whose it is, what would count, and the function that measures it for one seed."""

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from attend.evidence.kit.rules import HOLDS, Finding, Rule

OURS = "ours"
NAME = re.compile(r"[a-z][a-z0-9_]*\.[a-z0-9_]+")
PAGES = "attend.evidence"


@dataclass(frozen=True)
class Claim:
    """What is stated before anything is measured.

    `says` is the sentence, no stronger than the source's own words; `source` a key of the bibliography or "ours";
    `quote` those words to the letter, needed by every verdict but "holds"; `rule` what would count; `seeds` those
    that judge, and `tuned_on` those by which settings were chosen, which may not judge; `unit` what the numbers are;
    `budget` what each side was given. `measure(seed)` returns the numbers of one seed by name.

    Raises ValueError for a declaration that lacks something, for fewer seeds than the rule needs, and for a seed that
    was tuned on.
    """

    name: str
    module: str
    measure: Callable[[int], dict[str, float]]
    kind: str
    says: str
    source: str
    rule: Rule
    seeds: tuple[int, ...]
    unit: str = ""
    budget: str = ""
    quote: str = ""
    tuned_on: tuple[int, ...] = ()

    def __post_init__(self):
        if not NAME.fullmatch(self.name):
            raise ValueError(f"name: got {self.name!r}, expected page.claim in lower case, as in 'lstm.lag'")
        for name in ("says", "source", *(["budget"] if self.kind == "recorded" else [])):
            text = getattr(self, name)
            if not isinstance(text, str) or not text.strip():
                raise ValueError(f"{self.name}: {name}: got {text!r}, expected a text that is not empty")
        if not isinstance(self.rule, Rule):
            raise ValueError(f"{self.name}: rule: got {self.rule!r}, expected a rule, such as Reaches or More")
        self.may_judge(self.seeds)

    def __call__(self, seed: int) -> dict[str, float]:
        """Measure one seed. Raises ValueError unless the outcome is numbers by name."""
        values = self.measure(seed)
        if not isinstance(values, dict) or not values:
            raise ValueError(f"{self.name}: got {values!r} for seed {seed}, expected numbers by name")
        return {str(name): float(value) for name, value in values.items()}

    def may_judge(self, seeds: Iterable[int]) -> None:
        """Refuse seeds that are too few, that repeat, or by which something was chosen."""
        seeds = tuple(seeds)
        if any(not isinstance(seed, int) or seed < 0 for seed in seeds) or len(set(seeds)) < len(seeds):
            raise ValueError(f"{self.name}: seeds: got {seeds}, expected different whole numbers, 0 or more")
        if len(seeds) < self.rule.least:
            raise ValueError(f"{self.name}: seeds: got {len(seeds)}, expected at least {self.rule.least}")
        if tuned := sorted(set(seeds) & set(self.tuned_on)):
            raise ValueError(f"{self.name}: seeds: got {tuned}, by which its settings were chosen; they may not judge")

    def judge(self, values: Iterable[dict[str, float]]) -> Finding:
        """The verdict. Raises ValueError where it needs the source's own words and there are none."""
        found = self.rule.judge(list(values))
        if found.verdict != HOLDS and self.source != OURS and not self.quote.strip():
            raise ValueError(f"{self.name}: quote: got none, expected {self.source} to the letter: {found.verdict!r}")
        return found


def recorded(says: str, **told) -> Callable[[Callable], Claim]:
    """Declare a claim whose numbers are read from a record; `python -m attend.evidence PAGE` makes the record."""
    return _declared("recorded", says, told)


def measured_here(says: str, **told) -> Callable[[Callable], Claim]:
    """Declare a claim that is measured wherever it is shown: for what takes a few seconds."""
    return _declared("measured here", says, told)


def _declared(kind: str, says: str, told: dict) -> Callable[[Callable], Claim]:
    def declare(measure: Callable) -> Claim:
        page = measure.__module__.rpartition(".")[2]
        seeds = {name: tuple(told.get(name, ())) for name in ("seeds", "tuned_on")}
        return Claim(f"{page}.{measure.__name__}", measure.__module__, measure, kind, says, **told | seeds)

    return declare


def pages() -> list[str]:
    """The pages that have evidence."""
    package = importlib.import_module(PAGES)
    return sorted(m.name for m in pkgutil.iter_modules(package.__path__) if not (m.ispkg or m.name.startswith("_")))


def claims_of(module: str) -> list[Claim]:
    """The claims of a module, in the order in which they stand there."""
    found = vars(importlib.import_module(module)).values()
    return [one for one in found if isinstance(one, Claim) and one.module == module]


def find(name: str) -> Claim:
    """The claim of this name, `page.claim`. Raises ValueError for a page or a claim that there is not."""
    page = name.partition(".")[0]
    if page not in (known := pages()):
        raise ValueError(f"name: got {name!r}, expected a page with evidence first: {', '.join(known)}")
    claims = {one.name: one for one in claims_of(f"{PAGES}.{page}")}
    if name not in claims:
        raise ValueError(f"name: got {name!r}, expected one of {', '.join(claims)}")
    return claims[name]
