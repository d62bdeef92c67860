"""Weights by gates and by scores in a real browser: the same as torch; one row moves or many; mouse, touch, keys."""

import pytest
import torch

from attend.live.gates import KEEP, GatesOrScores
from attend.transformers import gates


def by_torch(by, keep, scores):
    """The table of weights (T, T): of attend.transformers.gates, and of a masked softmax."""
    if by == "gates":
        return gates.gate_weights(keep[None, :, None])[0, :, :, 0]
    later = torch.ones(8, 8, dtype=torch.bool).triu(1)
    return scores.masked_fill(later, -torch.inf).softmax(dim=1)


@pytest.mark.parametrize("by", ["gates", "scores"])
@pytest.mark.parametrize("seed", [0, 1])
def test_same_as_torch(compute, by, seed):
    generator = torch.Generator().manual_seed(seed)
    keep = torch.rand(8, generator=generator, dtype=torch.float64)
    scores = 3 * torch.randn(8, 8, generator=generator, dtype=torch.float64)
    got = compute(GatesOrScores())({"by": by, "keep": keep.tolist(), "scores": scores.tolist()})
    expected = by_torch(by, keep, scores)
    torch.testing.assert_close(torch.tensor(got["weights"], dtype=torch.float64), expected, rtol=1e-9, atol=1e-12)
    assert got["granted"] == pytest.approx([expected[5, 1].item(), expected[6, 4].item()])


def changed(before, after):
    """The rows of the table that moved, from 1."""
    return [t for t, (old, new) in enumerate(zip(before["weights"], after["weights"], strict=True), 1) if old != new]


def gate(shown, step):
    return shown.root.get_by_role("slider", name=f"Update gate of step {step}", exact=True)


def score(shown, step):
    return shown.root.get_by_role("slider", name=f"Score of step {step}", exact=True)


def test_it_begins_with_one_wish_granted_and_the_other_not(mount):
    one, two = mount(GatesOrScores()).value()["granted"]
    assert one > 0.9
    assert two < 0.05


def test_a_gate_moves_all_rows_from_its_step_on(mount):
    shown = mount(GatesOrScores())
    before = shown.value()
    gate(shown, 5).press("Shift+ArrowDown")
    after = shown.value()
    assert changed(before, after) == [5, 6, 7, 8]
    assert after["granted"][0] < before["granted"][0]
    assert after["granted"][1] > before["granted"][1]
    assert "h₅ to h₈" in shown.root.locator(".says").inner_text()


def test_no_gates_grant_both_wishes_and_scores_do(mount):
    shown = mount(GatesOrScores())
    for _ in range(5):
        gate(shown, 5).press("Shift+ArrowDown")
        assert sum(shown.value()["granted"]) <= 1 + 1e-9
    shown.root.get_by_role("button", name="Start again").click()
    shown.root.get_by_role("radio", name="set free").press("Space")
    assert shown.value()["t"] == 7
    for _ in range(5):
        score(shown, 5).press("Shift+ArrowUp")
    for _ in range(3):
        score(shown, 2).press("Shift+ArrowDown")
    assert min(shown.value()["granted"]) > 0.85


def test_setting_free_moves_nothing_and_then_a_score_moves_one_row(mount):
    shown = mount(GatesOrScores())
    before = shown.value()
    summary = shown.root.get_by_label("Hidden state")
    assert not summary.is_visible()
    shown.root.get_by_role("radio", name="set free").press("Space")
    summary.press("ArrowLeft")
    free = shown.value()
    assert "scores of row h₆" in shown.root.locator(".says").inner_text()
    torch.testing.assert_close(torch.tensor(free["weights"]), torch.tensor(before["weights"]), rtol=0, atol=0.005)
    score(shown, 4).press("Shift+ArrowUp")
    assert changed(free, shown.value()) == [6]
    assert not score(shown, 7).is_visible()


def test_a_gate_is_dragged_by_the_mouse_and_a_row_is_chosen(mount):
    shown = mount(GatesOrScores())
    box, mouse = gate(shown, 3).bounding_box(), shown.page.mouse
    mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    mouse.down()
    mouse.move(box["x"] + box["width"] / 2, box["y"] + 90, steps=4)
    mouse.up()
    assert shown.value()["keep"][2] < 0.7
    shown.root.locator("rect.row").nth(3).click(position={"x": 5, "y": 10})
    assert shown.value()["t"] == 4
    shown.root.get_by_role("button", name="Start again").click()
    assert shown.value()["keep"] == list(KEEP)
    assert shown.value()["t"] == 6


def test_it_works_by_touch_and_on_a_phone(mount):
    shown = mount(GatesOrScores(), width=360, has_touch=True)
    shown.root.locator("rect.row").nth(6).tap(position={"x": 5, "y": 10})
    assert shown.value()["t"] == 7
    shown.root.locator("label", has_text="set free").tap()
    assert shown.value()["by"] == "scores"
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_bad_gates_and_wishes_are_refused_by_name():
    with pytest.raises(ValueError, match="keep: got"):
        GatesOrScores(keep=[0.5] * 8)
    with pytest.raises(ValueError, match="wishes: got"):
        GatesOrScores(wishes=[[2, 6], [7, 5]])


def calls():
    return {
        GatesOrScores: {"keep": [0.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5], "wishes": [[5, 1], [6, 4]]},
    }
