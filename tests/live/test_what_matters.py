"""The rows of an ablation in a real browser: verdicts as numpy gives them; the step, the measure and the rows move."""

import numpy as np
import pytest

from attend.live.what_matters import Ablation

STEPS = [50, 100, 150, 200]
NAMES = ("base", "no positions", "1 block", "more dropout", "no smoothing")


def table(seed=3):
    """Made-up runs that learn; the second hardly does."""
    draw, rows = np.random.default_rng(seed), {}
    for place, name in enumerate(NAMES):
        seeds = 5 if name == "base" else 3
        slow = 6 if name == "no positions" else 1 + 0.1 * place
        noise = draw.uniform(0.9, 1.1, (2, seeds, len(STEPS)))
        mistakes = np.exp(-np.array(STEPS) / 70 / slow) * noise[0]
        perplexity = 1.02 + 5 * np.exp(-np.array(STEPS) / 50 / slow) * noise[1]
        rows[name] = {"exact": (1 - mistakes).clip(0, 1).round(4).tolist(), "perplexity": perplexity.round(4).tolist()}
    return rows


def drawn(**change):
    valid = {"rows": table(), "steps": STEPS, "beside": {"1 block": "The paper: 6.11."}, "picked": "1 block", "at": 3}
    return Ablation(**(valid | change))


def by_numpy(rows, at, measure):
    """Means, differences and verdicts: apart from the base by more than its seeds are from each other?"""
    values = {name: np.array(row[measure])[:, at] for name, row in rows.items()}
    values = {name: 1 - v if measure == "exact" else v for name, v in values.items()}
    base, found = values["base"], {}
    for name, v in values.items():
        by = v.mean() - base.mean()
        same = name == "base" or abs(by) <= np.ptp(base)
        found[name] = (v.mean(), by, "as the base" if same else "worse" if by > 0 else "better")
    return found, base


@pytest.mark.parametrize("measure", ["exact", "perplexity"])
def test_the_verdicts_of_every_step_are_those_of_numpy(compute, measure):
    rows = table()
    forward = compute(drawn())
    seen = set()
    for at in range(len(STEPS)):
        got = forward({"at": at, "measure": measure})
        expected, base = by_numpy(rows, at, measure)
        assert got["base"] == pytest.approx({"mean": base.mean(), "margin": np.ptp(base)})
        assert [row["name"] for row in got["rows"]] == sorted(expected, key=lambda name: expected[name][0])
        for row in got["rows"]:
            assert (row["mean"], row["by"]) == pytest.approx(expected[row["name"]][:2], abs=1e-9)
            assert row["verdict"] == expected[row["name"]][2]
            seen.add(row["verdict"])
    assert {"worse", "as the base"} <= seen


def test_a_better_row_is_called_so(compute):
    rows = table()
    rows["1 block"]["perplexity"] = [[1.01] * 4] * 3
    got = compute(drawn(rows=rows))({"at": 3, "measure": "perplexity"})
    assert got["rows"][0]["name"] == "1 block"
    assert got["rows"][0]["verdict"] == "better"


def test_the_step_moves_by_keys_mouse_and_a_press_beside_it(mount):
    shown = mount(drawn())
    assert shown.value()["step"] == 200
    step = shown.root.get_by_role("slider", name="Step")
    step.press("ArrowLeft")
    assert shown.value()["step"] == 150
    assert step.get_attribute("aria-valuetext") == "step 150"
    box, mouse = step.bounding_box(), shown.page.mouse
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    mouse.move(x, y)
    mouse.down()
    mouse.move(x - 320, y, steps=4)
    mouse.up()
    assert shown.value()["step"] == 50
    mouse.click(x, y - 60)
    assert shown.value()["step"] == 150
    step.press("ArrowRight")
    assert shown.value()["step"] == 200


def test_rows_are_picked_by_keys_and_click_and_say_what_the_paper_prints(mount):
    shown = mount(drawn())
    assert shown.value()["picked"] == "1 block"
    assert "The paper: 6.11." in shown.root.get_by_role("status").inner_text()
    ranks = [name for name in shown.value()["order"] if name != "base"]
    rows = shown.root.get_by_role("slider", name="Change")
    rows.press("Home")
    assert shown.value()["picked"] == ranks[0]
    rows.press("ArrowDown")
    assert shown.value()["picked"] == ranks[1]
    rows.press("ArrowUp")
    rows.press("End")
    assert shown.value()["picked"] == ranks[-1] == "no positions"
    assert rows.get_attribute("aria-valuetext") == "no positions: worse"
    shown.root.get_by_text("more dropout", exact=True).click()
    assert shown.value()["picked"] == "more dropout"
    shown.root.get_by_text("base", exact=True).click()
    assert shown.value()["picked"] == "more dropout"


def test_the_measure_is_chosen_and_the_step_stays(mount):
    shown = mount(drawn())
    shown.root.get_by_role("slider", name="Step").press("ArrowLeft")
    shown.root.get_by_role("radio", name="perplexity").press("Space")
    assert (shown.value()["measure"], shown.value()["step"]) == ("perplexity", 150)
    shown.root.get_by_role("slider", name="Step").press("ArrowLeft")
    assert shown.value()["step"] == 100


def test_on_a_phone_by_touch_nothing_stands_out(mount):
    shown = mount(drawn(), width=360, has_touch=True, reduced_motion="reduce")
    shown.root.get_by_text("no positions", exact=True).tap()
    assert shown.value()["picked"] == "no positions"
    shown.root.get_by_text("perplexity", exact=True).tap()
    assert shown.value()["measure"] == "perplexity"
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360
    row = shown.root.locator(".ranking .row").first
    assert row.evaluate("row => getComputedStyle(row).transitionDuration") == "0s"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"steps": [50, 50, 100, 150]}, "steps: got"),
        ({"steps": [50, 100]}, r"rows\['base'\]"),
        ({"picked": "luck"}, "picked: got 'luck'"),
        ({"picked": "base"}, "picked: got 'base'"),
        ({"base": "luck"}, "base: got 'luck'"),
        ({"at": 4}, "at: got 4"),
        ({"beside": {"luck": "well"}}, "beside: got"),
        ({"rows": table() | {"1 block": {"exact": [[0.5] * 4]}}}, r"rows\['1 block'\]: got"),
        ({"rows": table() | {"1 block": {"exact": [[1.5] * 4], "perplexity": [[2.0] * 4]}}}, "expected shares"),
        ({"rows": table() | {"1 block": {"exact": [[0.5] * 4], "perplexity": [[0.5] * 4]}}}, "numbers above 1"),
    ],
)
def test_bad_tables_are_refused_by_name(change, says):
    with pytest.raises(ValueError, match=says):
        drawn(**change)


def calls():
    SEEDS = {"exact": [[0.1, 0.9], [0.2, 0.8]], "perplexity": [[3.0, 1.1], [4.0, 1.2]]}
    return {
        Ablation: {
            "rows": {"base": SEEDS, "1 head": SEEDS},
            "steps": [50, 100],
            "beside": {"1 head": "The paper: 5.29."},
            "picked": "1 head",
            "at": 1,
            "base": "base",
        },
    }


def good():
    return {
        Ablation: {"at": {"zero"}},
    }
