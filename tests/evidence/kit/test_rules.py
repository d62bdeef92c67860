"""The rules on samples whose answers are known, beside scipy.stats, and how often they are right."""

import numpy as np
import pytest
from scipy import stats

from attend.evidence import Alike, All, Exact, More, OnlyIf, Reaches, Share, Slip
from attend.evidence.kit import rules

TRIALS = 2_000
ON, OFF = {"x": 1.0, "y": 0.0, "ok": True}, {"x": 0.0, "y": 1.0, "ok": False}
HOLDS = [ON | {"x": 0.9 + 0.01 * k} for k in range(6)]
FAILS = [OFF | {"x": 0.1 + 0.01 * k} for k in range(6)]
OPEN = [{"x": x, "y": 0.5, "ok": x > 0} for x in (-1, 0, 1, 2, -2, 1)]


def table(**columns):
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def verdicts(rule, draw, seed=0):
    """How often each verdict is given, in shares of many trials."""
    draws = np.random.default_rng(seed)
    found = [rule.judge(draw(draws)).verdict for _ in range(TRIALS)]
    return {verdict: found.count(verdict) / TRIALS for verdict in rules.VERDICTS}


@pytest.mark.parametrize("paired", [True, False])
def test_a_difference_has_the_interval_of_scipy(paired):
    draws = np.random.default_rng(1)
    ours, theirs = draws.normal(1, 2, 9), draws.normal(0, 0.5, 9)
    test = stats.ttest_rel(ours, theirs) if paired else stats.ttest_ind(ours, theirs, equal_var=False)
    low, high = test.confidence_interval(0.95)
    found = rules.difference(list(ours), list(theirs), paired)
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-9)
    assert found.mean == pytest.approx((ours - theirs).mean())


def test_a_mean_has_the_interval_of_scipy():
    values = np.random.default_rng(2).normal(3, 1, 7)
    low, high = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    found = rules.mean_of(list(values))
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-9)


@pytest.mark.parametrize(
    ("interval", "bounds", "text"),
    [
        ((0.2814, 0.2450, 0.3178), (0.1,), "0.281 (0.245 to 0.318)"),
        ((0.0289, 0.0070, 0.0508), (0.01,), "0.0289 (0.0070 to 0.0508)"),
        ((-2e-7, -0.0096, 0.0096), (0,), "0.0000 (-0.0096 to 0.0096)"),
        ((0.2, 0.1002, 0.2998), (0.1,), "0.2000 (0.1002 to 0.2998)"),
        ((0.6746, 0.4177, 0.9315), (), "0.675 (0.418 to 0.931)"),
        ((5231.0, 3997.0, 6465.0), (), "5,231 (3,997 to 6,465)"),
        ((1.0, 1.0, 1.0), (0.95,), "1"),
    ],
)
def test_an_interval_is_printed_as_exactly_as_it_is_known(interval, bounds, text):
    assert rules.Interval(*interval, visible=0.0).beside(*bounds) == text


@pytest.mark.parametrize(("k", "n"), [(0, 6), (3, 8), (11, 11), (19, 20)])
def test_a_share_has_the_exact_interval_of_scipy(k, n):
    interval = stats.binomtest(k, n).proportion_ci(0.95, "exact")
    for bound in (0.3, 0.5):
        rows = [{"ok": i < k} for i in range(n)]
        expected = (
            rules.HOLDS if interval.low > bound else rules.FAILS if interval.high <= bound else rules.OPEN
        )  # fmt: skip
        assert Share("ok", more_than=bound).judge(rows).verdict == expected
        mirrored = [{"ok": not row["ok"]} for row in rows]
        assert Share("ok", less_than=1 - bound).judge(mirrored).verdict == expected


@pytest.mark.parametrize(
    "rule",
    [Reaches("x", at_least=0.5), More("x", "y", by=0.1), More("x", "y", by=0.1, paired=False)],
    ids=repr,
)
@pytest.mark.parametrize(("rows", "verdict"), [(HOLDS, rules.HOLDS), (FAILS, rules.FAILS), (OPEN, rules.OPEN)])
def test_an_interval_beyond_short_of_and_across_the_margin(rule, rows, verdict):
    assert rule.judge(rows).verdict == verdict


def test_at_most_and_alike_have_their_own_sides():
    assert Reaches("x", at_most=0.5).judge(FAILS).verdict == rules.HOLDS
    assert Reaches("x", at_most=0.5).judge(HOLDS).verdict == rules.FAILS
    near = [row | {"y": row["x"] + 0.01 * (-1) ** k} for k, row in enumerate(HOLDS)]
    assert Alike("x", "y", within=0.1).judge(near).verdict == rules.HOLDS
    assert Alike("x", "y", within=0.1).judge(HOLDS).verdict == rules.FAILS
    assert Alike("x", "y", within=0.1).judge(OPEN).verdict == rules.OPEN


def test_no_difference_at_all_is_no_difference():
    rows = [{"x": 0.3, "y": 0.3}] * 6
    assert More("x", "y").judge(rows).verdict == rules.FAILS
    assert More("x", "y", paired=False).judge(rows).verdict == rules.FAILS


def test_an_identity_needs_no_statistics():
    assert Exact("gap", within=1e-9).judge([{"gap": -1e-12}]).verdict == rules.HOLDS
    assert Exact("gap", within=1e-9).judge([{"gap": 0.0}, {"gap": -1e-6}]).verdict == rules.FAILS


@pytest.mark.parametrize("paired", [True, False])
def test_without_an_effect_nothing_holds_in_more_than_five_of_a_hundred(paired):
    for shift, by in ((0.0, 0.0), (0.5, 0.5)):
        shares = verdicts(
            More("x", "y", by=by, paired=paired),
            lambda draws, shift=shift: table(x=draws.normal(shift, 1, 5), y=draws.normal(0, 1, 5)),
        )
        assert shares[rules.HOLDS] <= 0.05
        assert shares[rules.FAILS] <= 0.05


@pytest.mark.parametrize(
    ("rule", "row"),
    [
        (Reaches("x", at_least=1.0), lambda draws: {"x": draws.normal(1, 0.3)}),
        (Alike("x", "y", within=0.5), lambda draws: {"x": draws.normal(0.5, 0.1), "y": draws.normal(0, 0.1)}),
        (Share("ok", more_than=0.5), lambda draws: {"ok": draws.random() < 0.5}),
        (Share("ok", more_than=0.1), lambda draws: {"ok": draws.random() < 0.1}),
    ],
    ids=["mean", "alike", "half", "tenth"],
)
def test_at_its_very_margin_a_sentence_seldom_holds(rule, row):
    assert verdicts(rule, lambda draws: [row(draws) for _ in range(8)])[rules.HOLDS] <= 0.05


@pytest.mark.parametrize(("n", "paired"), [(5, True), (12, True), (5, False)])
def test_the_smallest_visible_effect_is_found_in_four_of_five_trials(n, paired):
    by, error = 0.2, np.sqrt(2 / n)
    shift = by + rules.student(0.0, float(error), n - 1 if paired else 2 * n - 2).visible
    shares = verdicts(
        More("x", "y", by=by, paired=paired),
        lambda draws: table(x=draws.normal(shift, 1, n), y=draws.normal(0, 1, n)),
    )
    assert shares[rules.HOLDS] == pytest.approx(rules.POWER, abs=0.03)
    assert shares[rules.FAILS] == 0


def test_only_if_needs_both_sides():
    rule = OnlyIf("it is wide", Reaches("x", at_least=0.5), Reaches("y", at_least=0.5))
    found = rule.judge(HOLDS)
    assert (found.verdict, found.only_if) == (rules.ONLY_IF, "it is wide")
    assert rule.judge([row | {"y": 1.0} for row in HOLDS]).verdict == rules.HOLDS
    found = rule.judge(FAILS)
    assert (found.verdict, found.only_if) == (rules.FAILS, "")
    assert found.measured.startswith("If it is wide: ✗ x: ")
    unclear = [row | {"y": other["x"]} for row, other in zip(HOLDS, OPEN, strict=True)]
    assert rule.judge(unclear).verdict == rules.OPEN
    assert rule.judge([row | {"x": 0.5 + (-1) ** k} for k, row in enumerate(HOLDS)]).verdict == rules.OPEN


def test_a_slip_needs_the_correction_to_hold():
    rule = Slip(printed=Exact("y"), corrected=Exact("z"))
    assert rule.judge([{"y": 1.0, "z": 0.0}]).verdict == rules.SLIP
    assert rule.judge([{"y": 1.0, "z": 1.0}]).verdict == rules.FAILS
    assert rule.judge([{"y": 0.0, "z": 0.0}]).verdict == rules.HOLDS


def test_all_is_as_good_as_its_weakest_part():
    rule = All((Reaches("x", at_least=0.5), Reaches("y", at_most=0.5)))
    assert rule.judge(HOLDS).verdict == rules.HOLDS
    assert not rule.judge(HOLDS).parts
    assert rule.judge([row | {"y": 1.0} for row in HOLDS]).verdict == rules.FAILS
    assert rule.judge([row | {"y": 1.0} for row in HOLDS]).parts == "1 part holds, 1 fails"
    found = rule.judge([row | {"x": other["x"]} for row, other in zip(HOLDS, OPEN, strict=True)])
    assert (found.verdict, found.parts) == (rules.OPEN, "1 part holds, 1 is open")
    found = All((Reaches("x", at_least=0.5),) * 3).judge(OPEN)
    assert (found.verdict, found.parts) == (rules.OPEN, "3 parts are open")


@pytest.mark.parametrize(
    "rule",
    [
        Reaches("x", at_least=0.5),
        More("x", "y"),
        All((More("x", "y"), Reaches("x", at_least=0.5))),
        OnlyIf("the sun shines", inside=More("x", "y"), outside=Reaches("y", at_least=2)),
        Slip(printed=More("x", "y"), corrected=More("y", "x")),
    ],
)
def test_what_so_many_runs_could_have_shown_is_said_where_they_left_it_open(rule):
    for rows in (HOLDS, FAILS):
        assert not rule.judge(rows).power
    found = rule.judge(OPEN)
    assert found.verdict == rules.OPEN
    assert "too close to call" in found.measured
    assert all("6 runs easily miss a gap" in line.partition(":")[2] for line in found.power.splitlines())
    assert len(found.power.splitlines()) == found.measured.count("too close to call")


def test_four_seeds_are_refused():
    for rule in (Reaches("x", at_least=0), More("x", "y"), Alike("x", "y", within=1), Share("ok", more_than=0.1)):
        with pytest.raises(ValueError, match="seeds: got 4, expected at least 5"):
            rule.judge(HOLDS[:4])


def test_a_share_needs_enough_seeds_to_hold_at_all():
    for bound in (0.3, 0.5, 0.9):
        least = Share("ok", more_than=bound).least
        assert Share("ok", more_than=bound).judge([{"ok": True}] * least).verdict == rules.HOLDS
        if least > rules.LEAST_SEEDS:
            assert stats.binomtest(least - 1, least - 1).proportion_ci(0.95, "exact").low <= bound


@pytest.mark.parametrize(
    ("judge", "message"),
    [
        (lambda: Reaches("x", at_least=0).judge([row | {"x": float("nan")} for row in HOLDS]), "x: got nan"),
        (lambda: More("x", "z").judge(HOLDS), "'z' among them"),
        (lambda: Share("x", more_than=0.5).judge(HOLDS), "expected True or False"),
        (lambda: Reaches("x"), "exactly one"),
        (lambda: Share("x", more_than=0.2, less_than=0.3), "exactly one"),
        (lambda: Share("x", more_than=1.0), "between 0 and 1"),
        (lambda: More("x", "y", by=-0.1), "by: got"),
        (lambda: Alike("x", "y", within=0), "within: got"),
        (lambda: OnlyIf(" ", Exact("x"), Exact("y")), "condition: got"),
    ],
)
def test_bad_input_is_refused(judge, message):
    with pytest.raises(ValueError, match=message):
        judge()
