"""Exercises of the page on ablations."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import torch
from scipy import stats
from torch import nn

from attend.checks.answers import number, parts, tensor, whole
from attend.checks.exercise import Wrong, exercise
from attend.checks.made import trainable
from attend.tasks import numbers, pairs, translation

VERDICTS = ("worse", "better", "cannot tell")


@exercise
def tables(answer: tuple) -> str:
    """Of 20 rows in which nothing changed, each tested at 5 %: the expected false alarms, and how likely is one."""
    count, chance = (number(part, "each of the two") for part in parts(answer, 2, "the answer"))
    if not math.isclose(count, 1.0, rel_tol=1e-3):
        raise Wrong("each of the twenty rows is a false alarm with probability 0.05: add these up")
    if not math.isclose(chance, 1 - 0.95**20, rel_tol=1e-2):
        if math.isclose(chance, 0.95**20, rel_tol=1e-2):
            raise Wrong("that is the probability that there is no false alarm at all")
        if math.isclose(chance, 1.0, rel_tol=1e-3):
            raise Wrong("probabilities do not add up like that: sometimes two rows are false alarms in one table")
        raise Wrong("start from the probability that no row is a false alarm, 0.95 for each of the twenty")
    return "About two tables of three have a 'finding' where there is nothing to find."


def verdict(changed: Sequence[float], base: Sequence[float]) -> str:
    """What Welch's 95 % interval says, where less is better."""
    low, high = stats.ttest_ind(changed, base, equal_var=False).confidence_interval()
    return "worse" if low > 0 else "better" if high < 0 else "cannot tell"


def _interval(changed: Sequence[float], base: Sequence[float], ddof: int = 1, z: bool = False, half: bool = False):
    """Welch's interval, with mistakes if wanted: variances over n, z for t, one side's error alone."""
    squares = [np.var(side, ddof=ddof) / len(side) for side in (changed, base)]
    df = sum(squares) ** 2 / sum(v**2 / (len(side) - 1) for v, side in zip(squares, (changed, base), strict=True))
    error = math.sqrt(squares[0] if half else sum(squares))
    reach = (1.96 if z else stats.t.ppf(0.975, df)) * error
    by = float(np.mean(changed) - np.mean(base))
    return by - reach, by + reach


def _says(low: float, high: float) -> str:
    return "worse" if low > 0 else "better" if high < 0 else "cannot tell"


SLIPS = {
    "the variance of a few runs is their squared distance from the mean over n − 1, not n": {"ddof": 0},
    "with few runs 1.96 is too small: take the quantile of Student's t": {"z": True},
    "the base's mean is uncertain, too: both sides add to the squared standard error": {"half": True},
}


def cases() -> list[tuple[list[float], list[float]]]:
    """Runs of two sides, of different numbers; among them some in which each slip changes the verdict."""
    rng, found = np.random.default_rng(0), []
    wanted = dict.fromkeys(SLIPS, 3)
    for shift in (-3.0, 0.0, 3.0):
        found.append((rng.normal(5 + shift, 0.5, 6).tolist(), rng.normal(5, 0.5, 4).tolist()))
    for _ in range(5_000):
        n, m = rng.integers(3, 9, 2)
        spread, shift = rng.uniform(0.5, 1.5), rng.choice([-2.0, -1.0, 1.0, 2.0])
        changed, base = rng.normal(5 + shift, spread, n), rng.normal(5, 1, m)
        right = verdict(changed, base)
        fits = [name for name, slip in SLIPS.items() if _says(*_interval(changed, base, **slip)) != right]
        if any(wanted[name] for name in fits):
            wanted |= {name: max(0, wanted[name] - 1) for name in fits}
            found.append((changed.tolist(), base.tolist()))
        if not any(wanted.values()):
            break
    return found


@exercise
def judge(says: Callable) -> str:
    """says(changed, base) -> "worse", "better" or "cannot tell", by Welch's 95 % interval, when less is better."""
    asked, answers = cases(), []
    for changed, base in asked:
        got = says(list(changed), list(base))
        if got not in VERDICTS:
            raise Wrong(f"a verdict is one of {', '.join(VERDICTS)}, got {got!r}")
        answers.append(str(got))
    right = [verdict(*case) for case in asked]
    if answers == right:
        return "Three small faults, and each of them saw differences that were not there."
    if [{"worse": "better", "better": "worse"}.get(one, one) for one in answers] == right:
        raise Wrong("less is better here: a changed model with more mistakes is worse")
    for name, slip in SLIPS.items():
        if answers == [_says(*_interval(*case, **slip)) for case in asked]:
            raise Wrong(name)
    place = next(i for i in range(len(asked)) if answers[i] != right[i])
    low, high = _interval(*asked[place])
    raise Wrong(
        f"for changed = {np.round(asked[place][0], 2).tolist()} and base = {np.round(asked[place][1], 2).tolist()} "
        f"Welch's interval of the difference goes from {low:.2f} to {high:.2f}"
    )


@exercise
def plan(share: Callable) -> str:
    """share(runs, rows) -> (runs of the base, runs of each row) that keep every difference as certain as can be."""
    for runs, rows in ((150, 25), (60, 4), (96, 9)):
        base, each = (whole(part, "each of the two") for part in parts(share(runs, rows), 2, "the answer"))
        if base < 2 or each < 2:
            raise Wrong("with one run there is no spread: two at the least")
        if base + rows * each > runs:
            raise Wrong(f"{base} of the base and {rows} × {each} of the rows are more than {runs} runs")
        best = min(1 / b + 1 / ((runs - b) // rows) for b in range(2, runs - 2 * rows + 1))
        if 1 / base + 1 / each <= 1.02 * best:
            continue
        if abs(base - each) <= 1 or abs(base - runs // (rows + 1)) <= 1:
            raise Wrong("all rows are compared with the same base: its runs count in every difference, so give it more")
        if base > runs / 2:
            raise Wrong("that is too much for the base: make 1 / base + 1 / each small")
        raise Wrong(
            f"with {runs} runs and {rows} rows your differences have a variance of {1 / base + 1 / each:.3f} (in "
            f"squared standard deviations), and {best:.3f} can be had"
        )
    return "About the root of the number of rows: so many times as many runs for the base as for each row."


@exercise
def build(make: Callable) -> str:
    """make(source_vocab, target_vocab) -> a module for (source, mask, target) -> logits, without any LayerNorm."""
    S, V = len(translation.ENGLISH), len(translation.GERMAN)
    torch.manual_seed(0)
    model = _made(make, S, V)
    source, target = torch.tensor([[3, 1, 2, 5], [4, 2, 0, 0]]), torch.tensor([[5, 2, 6, 1, 0], [3, 3, 0, 0, 0]])
    mask = source > 0
    model.eval()
    with torch.no_grad():
        before = tensor(model(source, mask, target), 2, 5, V, what="the logits")
        later, other = target.clone(), source.clone()
        later[:, 3], other[~mask] = 4, 6
        if not torch.allclose(model(source, mask, later)[:, :4], before[:, :4], atol=1e-4):
            raise Wrong("a logit changes when a later token of the target does")
        if not torch.allclose(model(other, mask, target), before, atol=1e-4):
            raise Wrong("a logit changes when padding of the source does")
    mistakes = []
    for seed in range(RUNS):
        torch.manual_seed(seed)
        model = practise(_made(make, S, V), seed)
        mistakes.append(_mistakes(model.eval()))
    said = ", ".join(f"{one:.1f}" for one in mistakes)
    if min(mistakes) > 60:
        raise Wrong(f"per cent of validation numbers with a mistake: {said}: is anything but the norms changed?")
    return f"Per cent of validation numbers with a mistake: {said}. Judge them beside the base's six, {PILOT}."


RUNS = 3
"""How often the learner's model is trained."""
PILOT = "7.7, 6.5, 7.9, 6.2, 7.7 and 4.7"
"""Six runs of the base on the same numbers."""


def _made(make: Callable, source_vocab: int, target_vocab: int) -> nn.Module:
    model = trainable(make(source_vocab, target_vocab), "make(source_vocab, target_vocab)")
    if left := [name for name, part in model.named_modules() if isinstance(part, nn.LayerNorm)]:
        raise Wrong(f"there are still {len(left)} LayerNorms in it, the first at {left[0]}")
    return model


@torch.no_grad()
def _mistakes(model: nn.Module) -> float:
    """Per cent of the page's validation numbers with a mistake."""
    source, mask, target, asked = translation.encode(numbers.numbers("validation", 6, 1_000))
    right = pairs.exact(model(source, mask, target).argmax(dim=2), target, asked)
    return 100 * (1 - right.double().mean().item())


def practise(model: nn.Module, seed: int, steps: int = 300, rate: float = 1e-2) -> nn.Module:
    """Train as the page does."""
    optimiser = torch.optim.Adam(model.parameters())
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps + 1, pct_start=0.1)
    train = translation.encode(numbers.numbers("train", 6, 200))
    draw = pairs.batches(train, 32, torch.Generator().manual_seed(seed))
    model.train()
    for _ in range(steps):
        source, mask, target, asked = next(draw)
        logits = model(source, mask, target)
        loss = nn.functional.cross_entropy(logits[asked], target[asked], label_smoothing=0.1)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()
    return model
