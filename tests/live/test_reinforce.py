"""Samples around a mean in a real browser: the same as torch for every f and baseline; mouse, touch, keyboard."""

import numpy as np
import pytest
import torch

from attend.hard.reinforce import leave_one_out, normalised, policy_gradient, score
from attend.live.reinforce import COUNT, DRAWS, PLACES, SHAPES, Reinforce

BENT = [0.0, 10.0, 3.2, 3.2, 7.4, 0.6, 5.0]


def drawn(seed=0):
    return Reinforce(generator=torch.Generator().manual_seed(seed))


def f(x, heights):
    return torch.tensor(np.interp(x.numpy(), PLACES, heights))


def by_torch(figure, heights, mean, sigma, baseline, draw):
    """Places, f, advantages and steps of all draws by attend.hard.reinforce, and those of one of them."""
    noise = figure.seen()["noise"].double().T  # COUNT DRAWS
    middle = torch.full((DRAWS, 1), mean, dtype=torch.float64)
    samples = mean + sigma * noise[..., None]
    values = f(samples[..., 0], heights)
    advantages = values
    if baseline == "others":
        advantages = values - leave_one_out(values)
    if baseline == "normalised":
        advantages = torch.stack([normalised(column) for column in values.T], dim=1)
    scores = score(samples, middle, sigma)
    steps = -figure.data["rate"] * policy_gradient(scores, advantages)[:, 0]
    return {
        "samples": samples[:, draw, 0],
        "f": values[:, draw],
        "advantages": advantages[:, draw],
        "steps": -figure.data["rate"] * (scores[..., 0] * advantages)[:, draw],
        "step": steps[draw],
        "others": steps,
        "spread": steps.std(correction=0),
    }


@pytest.mark.parametrize("baseline", ["none", "others", "normalised"])
@pytest.mark.parametrize("heights", [*SHAPES.values(), BENT, [4.0] * 7], ids=[*SHAPES, "bent", "level"])
def test_same_as_torch(compute, baseline, heights):
    figure = drawn()
    forward = compute(figure)
    for mean, sigma, draw in ((-1.6, 0.6, 0), (2.5, 1.0, 57), (0.0, 0.2, DRAWS - 1)):
        how = {"heights": list(heights), "mean": mean, "sigma": sigma, "baseline": baseline}
        got = forward({**how, "draw": draw})
        for name, expected in by_torch(figure, **how, draw=draw).items():
            torch.testing.assert_close(
                torch.tensor(got[name], dtype=torch.float64), expected, rtol=1e-6, atol=1e-8, msg=name
            )


@pytest.mark.parametrize("heights", [SHAPES["bowl"], BENT], ids=["bowl", "bent"])
def test_the_exact_step_is_the_slope_of_the_mean_of_f(compute, heights):
    figure = drawn()
    forward = compute(figure)
    how = {"heights": list(heights), "sigma": 0.6, "baseline": "none", "draw": 0}
    below = torch.special.ndtr((torch.tensor(PLACES, dtype=torch.float64) + 0.4) / 0.6)  # chances to the left of each
    slope = (torch.tensor(heights, dtype=torch.float64).diff() * below.diff()).sum().item()
    assert forward({**how, "mean": -0.4})["exact"] == pytest.approx(-figure.data["rate"] * slope, abs=1e-5)
    samples = -0.4 + 0.6 * torch.randn(400_000, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    values = f(samples, heights)
    off = values.mean().item() - forward({**how, "mean": -0.4})["value"]
    assert abs(off) < 3 * values.std().item() / len(values) ** 0.5


def test_the_mean_of_f_leads_to_a_needle_where_f_itself_is_level(compute):
    how = {"heights": list(SHAPES["needle"]), "mean": 0.3, "baseline": "others", "draw": 0}
    narrow, wide = (compute(drawn())({**how, "sigma": sigma})["exact"] for sigma in (0.2, 0.6))
    assert 0 <= narrow < 1e-3 < wide


def test_after_the_last_draw_comes_the_first(compute):
    forward = compute(drawn())
    how = {"heights": BENT, "mean": 0.5, "sigma": 0.5, "baseline": "others"}
    assert forward({**how, "draw": DRAWS + 3}) == forward({**how, "draw": 3})


def test_a_seed_gives_the_same_draws_again():
    assert drawn(3).buffer == drawn(3).buffer
    assert drawn(3).buffer != drawn(4).buffer
    assert drawn().seen()["noise"].shape == (DRAWS, COUNT)


def press(shown, name):
    shown.root.get_by_role("radio", name=name).press("Space")


def test_without_a_baseline_all_push_and_with_one_some_pull(mount):
    shown = mount(drawn())
    before = shown.value()
    assert min(before["advantages"]) > 0
    assert "Every sample pushes" in shown.root.locator(".says").inner_text()
    press(shown, "mean of the others")
    after = shown.value()
    assert min(after["advantages"]) < 0 < max(after["advantages"])
    assert after["spread"] < 0.5 * before["spread"]
    assert after["exact"] == before["exact"]


def test_thirty_steps_lead_to_the_bottom(mount):
    shown = mount(drawn(), reduced_motion="reduce")
    press(shown, "mean of the others")
    shown.root.get_by_role("button", name="Take 30 steps").click()
    value = shown.value()
    assert value["draw"] == 30
    assert abs(value["mean"] - 1.2) < 0.5


def test_a_needle_that_no_sample_meets_teaches_nothing(mount):
    shown = mount(drawn())
    press(shown, "needle")
    press(shown, "mean of the others")
    assert shown.value()["step"] == pytest.approx(0, abs=1e-12)
    assert "No sample pulls or pushes" in shown.root.locator(".says").inner_text()


def test_keys_move_the_mean_and_bend_f(mount):
    shown = mount(drawn())
    mean = shown.root.get_by_role("slider", name="Mean", exact=True)
    mean.press("Shift+ArrowRight")
    mean.press("ArrowLeft")
    assert shown.value()["mean"] == pytest.approx(-1.15)
    shown.root.get_by_role("slider", name="f at 2").press("Shift+ArrowUp")
    assert shown.value()["heights"][5] == pytest.approx(3.8)
    wide = shown.root.get_by_role("slider", name="σ")
    wide.press("ArrowRight")
    assert shown.value()["sigma"] == pytest.approx(0.65)


def test_the_mouse_bends_f_and_starting_again_brings_everything_back(mount):
    shown = mount(drawn())
    first, mouse = shown.value(), shown.page.mouse
    box = shown.root.get_by_role("slider", name="f at 1", exact=True).bounding_box()
    mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    mouse.down()
    mouse.move(box["x"] + 40, box["y"] - 100, steps=4)
    mouse.up()
    assert shown.value()["heights"][4] > first["heights"][4] + 2
    shown.root.get_by_role("button", name="Take the step").click()
    assert shown.value()["mean"] == pytest.approx(first["mean"] + first["step"], abs=0.2)
    shown.root.get_by_role("button", name="Start again").click()
    assert shown.value() == first


def test_a_new_draw_changes_the_samples_and_not_the_mean(mount):
    shown = mount(drawn())
    before = shown.value()
    shown.root.get_by_role("button", name="Draw anew").click()
    after = shown.value()
    assert after["mean"] == before["mean"]
    assert after["samples"] != before["samples"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_works_by_touch_and_on_a_phone(mount, theme):
    shown = mount(drawn(), width=360, theme=theme, has_touch=True)
    box = shown.root.get_by_role("slider", name="Mean", exact=True).bounding_box()
    shown.root.get_by_role("button", name="Take the step").tap()
    assert shown.value()["mean"] != -1.6
    assert min(box["width"], box["height"]) >= 24
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("arguments", [{"mean": 4.0}, {"sigma": 0.0}, {"rate": 0.0}])
def test_bad_input_is_refused_by_name(arguments):
    with pytest.raises(ValueError, match=f"{next(iter(arguments))}: got"):
        Reinforce(**arguments)


def calls():
    return {
        Reinforce: {"mean": 0.5, "sigma": 0.5, "rate": 0.1, "generator": torch.Generator()},
    }
