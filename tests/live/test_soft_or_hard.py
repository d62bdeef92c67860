"""Five places in a real browser: the same as torch in weights and gradients; mouse, touch, keyboard."""

import pytest
import torch
from torch.nn import functional as F

from attend.hard.look import sparsemax, straight_through
from attend.live.soft_or_hard import LETTERS, SCENES, SURE, WAYS, SoftOrHard

SCORES = [0.5, 1.0, 0.0, -0.5, 0.8]


def drawn(seed=0):
    return SoftOrHard(generator=torch.Generator().manual_seed(seed))


def by_torch(way, scene, scores, noise, temperature):
    """The mean estimate over rows of noise, by autograd; the logits are the values."""
    letters = torch.tensor([LETTERS.index(letter) for letter in SCENES[scene]])
    values = SURE * F.one_hot(letters, 3).double()
    e = torch.tensor(scores, dtype=torch.float64).expand(len(noise), -1).clone().requires_grad_()
    noisy, index = e + noise, (e + noise).argmax(dim=1)
    relaxed = (noisy / temperature).softmax(dim=1)
    if way == "REINFORCE":
        rewards = values.log_softmax(dim=1)[index, 0]
        loss = (rewards * e.log_softmax(dim=1).gather(1, index[:, None])[:, 0]).sum()
    else:
        read = {
            "soft": lambda: e.softmax(dim=1),
            "sparsemax": lambda: sparsemax(e),
            "Gumbel-softmax": lambda: relaxed,
            "straight-through Gumbel": lambda: straight_through(relaxed, index),
        }[way]()
        loss = (read @ values).log_softmax(dim=1)[:, 0].sum()
    return torch.autograd.grad(loss, e)[0].mean(dim=0)


@pytest.mark.parametrize("way", WAYS)
def test_every_estimate_is_that_of_torch_for_the_same_noise(compute, way):
    figure, temperature = drawn(), 0.4
    noise = figure.seen()["noise"][7:16].double()
    for scene in ("one place knows", "three know"):
        state = {"scene": scene, "scores": SCORES, "way": way, "temperature": temperature, "from": 7, "draws": 9}
        got = compute(figure)(state | {"baseline": False})
        expected = by_torch(way, scene, SCORES, noise, temperature)
        assert got["estimate"] == pytest.approx(expected.tolist(), abs=1e-6)
        assert got["weights"]["sparsemax"] == pytest.approx(sparsemax(torch.tensor(SCORES)).tolist(), abs=1e-6)


def test_the_mean_of_reinforce_comes_to_the_exact_gradient_with_and_without_a_baseline(compute):
    state = {"scene": "one place knows", "scores": SCORES, "way": "REINFORCE", "temperature": 1, "from": 0}
    off = [compute(drawn())(state | {"draws": 1_000, "baseline": on})["off"] for on in (False, True)]
    assert off[1] < 0.15
    assert off[0] < 0.3


def test_a_score_moves_by_mouse_and_keys_and_the_draws_are_forgotten(mount):
    shown = mount(drawn())
    shown.root.get_by_role("button", name="Draw", exact=True).click()
    before = shown.value()
    assert before["draws"] == 2
    handle = shown.root.get_by_role("slider", name="Score of place 2")
    handle.press("Shift+ArrowUp")
    after = shown.value()
    assert after["scores"][1] == pytest.approx(before["scores"][1] + 1)
    assert after["draws"] == 0
    box, mouse = handle.bounding_box(), shown.page.mouse
    mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    mouse.down()
    mouse.move(box["x"] + box["width"] / 2, box["y"] + 90, steps=4)
    mouse.up()
    assert shown.value()["scores"][1] < after["scores"][1] - 0.5


def test_a_low_temperature_turns_the_mixture_into_the_draw_and_starting_again_leads_back(mount):
    shown = mount(drawn(2), reduced_motion="reduce")
    first = shown.value()
    for _ in range(20):
        shown.root.get_by_role("slider", name="temperature").press("ArrowLeft")
    cold = shown.value()["weights"]
    assert cold["relaxed"] == pytest.approx(cold["drawn"], abs=0.1)
    shown.root.get_by_role("radio", name="soft", exact=True).press("Space")
    assert shown.value()["off"] < 0.1
    shown.root.get_by_role("radio", name="three know").press("Space")
    assert shown.value()["off"] > 0.5
    shown.root.get_by_role("button", name="Start again").click()
    assert shown.value() == first


def test_it_works_by_touch_and_on_a_phone(mount):
    shown = mount(drawn(), width=360, has_touch=True, reduced_motion="reduce")
    shown.root.get_by_role("button", name="Draw 100").tap()
    assert shown.value()["draws"] == 101
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
