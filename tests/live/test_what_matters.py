"""Rules that judge two sets of runs, in a real browser: verdicts as scipy gives them, and how often they are fooled."""

import numpy as np
import pytest
from scipy import stats

from attend.live.what_matters import Verdicts


def figure(**change):
    return Verdicts(**({"mean": 7.0, "sd": 1.5} | change))


def by_scipy(base, changed):
    found = stats.ttest_ind(changed, base, equal_var=False)
    by, spread = np.mean(changed) - np.mean(base), np.ptp(base)
    apart = min(changed) > max(base) or max(changed) < min(base)
    verdicts = {"range": abs(by) > spread, "apart": apart, "welch": found.pvalue < 0.05}
    return by, found.pvalue, found.confidence_interval(), verdicts


@pytest.mark.parametrize("runs", [2, 3, 5, 20])
def test_one_experiment_is_judged_as_by_scipy(compute, runs):
    forward, seen = compute(figure()), set()
    for draw in range(12):
        got = forward({"runs": runs, "effect": draw / 4, "draw": draw})
        assert len(got["base"]) == len(got["changed"]) == runs
        by, p, interval, verdicts = by_scipy(got["base"], got["changed"])
        assert got["by"] == pytest.approx(by)
        assert got["p"] == pytest.approx(p, rel=1e-6, abs=1e-9)
        assert got["interval"] == pytest.approx(list(interval), rel=1e-4)
        assert got["verdicts"] == verdicts
        seen.add(tuple(verdicts.values()))
    assert len(seen) > 1


@pytest.mark.nightly
def test_the_numbers_drawn_are_normal(compute):
    forward = compute(figure())
    drawn = [forward({"runs": 20, "effect": 2, "draw": draw}) for draw in range(60)]
    for name, mean in (("base", 7), ("changed", 10)):
        values = np.concatenate([one[name] for one in drawn])
        assert stats.kstest((values - mean) / 1.5, "norm").pvalue > 0.001


@pytest.mark.parametrize("runs", [3, 5, 10])
def test_shares_are_those_of_a_simulation_in_numpy(compute, runs):
    got = compute(figure())({"runs": runs, "effect": 0, "draw": 0})
    rng = np.random.default_rng(0)
    for effect in (0, 1, 2):
        base, changed = rng.normal(0, 1, (8_000, runs)), rng.normal(effect, 1, (8_000, runs))
        by = changed.mean(1) - base.mean(1)
        wanted = {
            "range": abs(by) > np.ptp(base, axis=1),
            "apart": (changed.min(1) > base.max(1)) | (changed.max(1) < base.min(1)),
            "welch": stats.ttest_ind(changed, base, axis=1, equal_var=False).pvalue < 0.05,
        }
        place = got["effects"].index(effect)
        for rule, says in wanted.items():
            assert got["shares"][rule][place] == pytest.approx(says.mean(), abs=0.04)


def test_effect_and_runs_are_chosen_and_runs_drawn_anew(mount):
    shown = mount(figure())
    first = shown.value()
    assert (first["runs"], first["effect"]) == (5, 2)
    assert first["share"]["welch"] > 0.7 > 0.5 > first["share"]["range"]
    handle = shown.root.get_by_role("slider", name="True mean of the changed model")
    handle.press("ArrowLeft")
    assert shown.value()["effect"] == pytest.approx(1.9)
    box, mouse = handle.locator(".dot").bounding_box(), shown.page.mouse
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    mouse.move(x, y)
    mouse.down()
    mouse.move(x - 600, y, steps=4)
    mouse.up()
    assert shown.value()["effect"] == 0
    assert shown.value()["share"]["welch"] < 0.08
    assert "false alarms" in shown.root.locator(".says").inner_text()
    shown.root.get_by_role("button", name="Draw again").click()
    assert shown.value()["draw"] == 1
    shown.root.get_by_role("slider", name="Runs a side").press("End")
    assert shown.value()["runs"] == 20
    shown.root.get_by_role("button", name="Start again").click()
    assert shown.value() == first


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_a_phone_and_works_by_touch(mount, theme):
    shown = mount(figure(), width=360, theme=theme, has_touch=True)
    shown.root.get_by_role("button", name="Draw again").tap()
    assert shown.value()["draw"] == 1
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize(
    ("change", "says"),
    [({"runs": 1}, "runs: got 1"), ({"runs": 21}, "runs: got 21"), ({"effect": 3.5}, "effect: got 3.5")],
)
def test_what_cannot_be_drawn_is_refused_by_name(change, says):
    with pytest.raises(ValueError, match=says):
        figure(**change)


def calls():
    return {Verdicts: {"mean": 7.0, "sd": 1.5, "runs": 5, "effect": 2.0}}


def good():
    return {Verdicts: {"effect": {"zero"}}}
