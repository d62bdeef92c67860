"""One look among five places in a real browser: the same as torch in values and slopes; mouse, touch, keyboard."""

import pytest
import torch
from torch.nn.functional import one_hot

from attend.hard.look import Attended, hard_loss, log_marginal, log_probs_of_each, lower_bound, soft_log_prob
from attend.live.soft_or_hard import DICE, LETTERS, SCENES, SURE, SoftOrHard

SCORES = [[0.5, 1.0, 0.0, -0.5, 0.8], [-3.0, 3.0, 0.1, 2.2, 0.0], [0.0] * 5]


def drawn(seed=0):
    return SoftOrHard(generator=torch.Generator().manual_seed(seed))


def by_torch(scene, scores):
    """Chances, the three aims and their slopes, by attend.hard.look; the values are the logits themselves."""
    e = torch.tensor([scores], dtype=torch.float64, requires_grad=True)
    letters = torch.tensor([[LETTERS.index(letter) for letter in SCENES[scene]]])
    values, right = SURE * one_hot(letters, 3).double(), torch.zeros(1, dtype=torch.long)
    view = Attended(e.softmax(1), values)
    log_right = log_probs_of_each(values, lambda read: read, right)
    aims = {
        "marginal": log_marginal(view.weights, log_right),
        "bound": lower_bound(view.weights, log_right),
        "soft": soft_log_prob(view, lambda read: read, right),
    }
    slopes = {name: torch.autograd.grad(aim.sum(), e, retain_graph=True)[0][0] for name, aim in aims.items()}
    return view, log_right, {name: aim.exp().item() for name, aim in aims.items()}, slopes


@pytest.mark.parametrize("scene", SCENES)
def test_same_as_torch(compute, scene):
    forward = compute(drawn())
    for scores in SCORES:
        got = forward({"scene": scene, "scores": scores, "from": 0, "looks": 0, "baseline": False})
        view, _, values, slopes = by_torch(scene, scores)
        assert got["weights"] == pytest.approx(view.weights[0].tolist(), abs=1e-9)
        assert got["values"] == pytest.approx(values, abs=1e-9)
        assert got["estimate"] is None
        for name, slope in slopes.items():
            assert got["slopes"][name] == pytest.approx(slope.tolist(), abs=1e-9)


@pytest.mark.parametrize("baseline", [False, True])
def test_the_estimate_is_the_slope_of_the_loss_for_the_same_looks(compute, monkeypatch, baseline):
    got = compute(drawn())({"scene": "three know", "scores": SCORES[0], "from": 7, "looks": 9, "baseline": baseline})
    e = torch.tensor([SCORES[0]], dtype=torch.float64, requires_grad=True)
    letters = torch.tensor([[LETTERS.index(letter) for letter in SCENES["three know"]]])
    view = Attended(e.softmax(1), SURE * one_hot(letters, 3).double())
    monkeypatch.setattr(torch, "multinomial", lambda *args, **kwargs: torch.tensor(got["looks"])[:, None])
    loss = hard_loss(view, lambda read: read, torch.zeros(1, dtype=torch.long), 9, baseline)
    (slope,) = torch.autograd.grad(-loss, e)
    assert got["estimate"] == pytest.approx(slope[0].tolist(), abs=1e-9)


def test_looks_fall_by_their_chances(compute):
    got = compute(drawn())(
        {"scene": "one place knows", "scores": SCORES[0], "from": 0, "looks": DICE, "baseline": True}
    )
    weights = torch.tensor(got["weights"])
    error = (weights * (1 - weights) / DICE).sqrt()
    assert ((torch.tensor(got["counts"]) / DICE - weights).abs() < 3 * error).all()
    off = torch.tensor(got["estimate"]) - torch.tensor(got["slopes"]["bound"])
    assert off.norm() < 0.2 * torch.tensor(got["slopes"]["bound"]).norm()


def test_it_starts_with_one_look_where_one_place_knows(mount):
    start = mount(drawn()).value()
    assert start["scene"] == "one place knows"
    assert len(start["looks"]) == 1
    assert max(abs(slope) for slope in start["slopes"]["bound"]) > 0.1


def test_a_score_moves_by_mouse_and_keys_and_the_looks_are_forgotten(mount):
    shown = mount(drawn())
    shown.root.get_by_role("button", name="Draw a look").click()
    before = shown.value()
    assert len(before["looks"]) == sum(before["counts"]) == 2
    handle = shown.root.get_by_role("slider", name="Score of place 2")
    handle.press("Shift+ArrowUp")
    after = shown.value()
    assert after["scores"][1] == pytest.approx(before["scores"][1] + 1)
    assert after["looks"] == []
    box, mouse = handle.bounding_box(), shown.page.mouse
    mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    mouse.down()
    mouse.move(box["x"] + box["width"] / 2, box["y"] + 90, steps=4)
    mouse.up()
    assert shown.value()["scores"][1] < after["scores"][1] - 0.5


def test_a_baseline_changes_the_estimate_and_no_exact_slope(mount):
    shown = mount(drawn())
    for _ in range(3):
        shown.root.get_by_role("button", name="Draw a look").press("Enter")
    before = shown.value()
    shown.root.get_by_role("checkbox", name="baseline").press("Space")
    after = shown.value()
    assert (after["looks"], after["slopes"]) == (before["looks"], before["slopes"])
    assert after["estimate"] != before["estimate"]


def test_climbing_leads_where_the_aim_says_and_starting_again_leads_back(mount):
    shown = mount(drawn(), reduced_motion="reduce")
    first = shown.value()
    for button, aim in (
        ("Climb the bound", "bound"),
        ("Climb the marginal", "marginal"),
        ("Climb the soft aim", "soft"),
    ):
        shown.root.get_by_role("button", name=button).click()
        assert shown.value()["values"][aim] > first["values"][aim] + 0.1
        shown.root.get_by_role("button", name="Start again").click()
        assert shown.value() == first


def test_where_all_places_say_the_same_no_score_needs_to_move(mount):
    shown = mount(drawn())
    shown.root.get_by_role("radio", name="all the same").press("Space")
    assert max(abs(slope) for row in shown.value()["slopes"].values() for slope in row) < 1e-9


def test_it_works_by_touch_and_on_a_phone(mount):
    shown = mount(drawn(), width=360, has_touch=True, reduced_motion="reduce")
    shown.root.get_by_role("button", name="Draw 100").tap()
    assert sum(shown.value()["counts"]) == 101
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_bad_scores_are_refused_by_name():
    with pytest.raises(ValueError, match="scores: got"):
        SoftOrHard((1.0, 2.0))
    with pytest.raises(ValueError, match="scores: got"):
        SoftOrHard((9.0,) * 5)


def calls():
    return {
        SoftOrHard: {"scores": [0.5, 0.0, 1.0, -1.0, 0.2], "generator": torch.Generator()},
    }
