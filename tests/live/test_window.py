"""The figure in a real browser: pen, window and mixture are those of torch; mouse, touch and keyboard."""

import pytest
import torch

from attend.live.window import Handwriting
from attend.recipes.window import nats
from attend.recipes.window_figure import rounded, trained
from attend.soft.window import Handwriter, mixture
from attend.tasks import strokes

TEXT = [3, 1, 20, 0]


def figure(word="cat"):
    return Handwriting(trained().state_dict(), strokes.ALPHABET, word)


def as_seen(made):
    model = Handwriter(27)
    model.load_state_dict(made.seen())
    return model.requires_grad_(False)


@pytest.mark.parametrize(("bias", "seed"), [(0, 1), (1, 2), (3, 5)])
def test_same_as_torch_at_every_step(compute, bias, seed):
    made = figure()
    got = compute(made)({"text": TEXT, "bias": bias, "seed": seed})
    pen, text = torch.tensor(got["pen"])[None], torch.tensor([TEXT])
    output, phi, kappa = as_seen(made)(pen, text, torch.ones_like(text, dtype=torch.bool))
    close = {"atol": 2e-3, "rtol": 1e-3}
    torch.testing.assert_close(torch.tensor(got["outputs"])[None], output, **close)
    torch.testing.assert_close(torch.tensor(got["phi"])[None], phi, **close)
    torch.testing.assert_close(torch.tensor(got["kappa"])[None], kappa, **close)
    arrived = (phi[0].argmax(1) == 3) & (pen[0, :, 2] == 1)
    assert not arrived[:-1].any()
    assert bool(arrived[-1]) or len(got["pen"]) == 160


@pytest.mark.nightly
def test_steps_are_drawn_from_the_mixture(compute):
    forward, steps = compute(figure()), []
    for seed in range(300):
        got = forward({"text": TEXT, "bias": 0.5, "seed": seed})
        steps.append([*got["pen"][0], *got["outputs"][0]])
    steps = torch.tensor(steps)
    m = mixture(steps[0, 3:], 0.5)
    mean = (m.log_pi.exp() * m.mu_x).sum(), (m.log_pi.exp() * m.mu_y).sum()
    spread = [(m.log_pi.exp() * (s**2 + mu**2)).sum() - c**2 for s, mu, c in zip(m[3:5], m[1:3], mean, strict=True)]
    for axis in (0, 1):
        assert steps[:, axis].mean().item() == pytest.approx(
            mean[axis].item(), abs=4 * (spread[axis] / 300).sqrt() + 0.01
        )
        assert steps[:, axis].var().item() == pytest.approx(spread[axis].item(), rel=0.4)


@pytest.mark.nightly
def test_rounding_costs_little():
    exact, seen = trained(), as_seen(figure())
    assert nats(seen, "validation") - nats(exact, "validation") < 0.05
    for one, other in zip(seen.parameters(), rounded().parameters(), strict=True):
        torch.testing.assert_close(one, other)


def test_write_a_word_and_step_through_it(mount):
    shown = mount(figure(), reduced_motion="reduce")
    first = shown.value()
    assert first["word"] == "cat"
    shown.root.get_by_role("button", name="Write").click()
    second = shown.value()
    assert second["step"] == second["steps"]
    assert second["seed"] == first["seed"] + 1
    steps = shown.root.get_by_role("slider", name="Pen step")
    steps.press("Home")
    assert shown.value()["step"] == 1
    steps.press("ArrowRight")
    assert shown.value()["step"] == 2
    assert "weights sum to" in shown.root.locator(".says").inner_text()
    shown.root.get_by_role("slider", name="Neatness").press("ArrowRight")
    assert shown.value()["bias"] == 1.25
    box = shown.root.get_by_role("textbox")
    box.fill("window")
    assert shown.value()["word"] == "window"
    box.press("Enter")
    assert shown.value()["seed"] == second["seed"] + 1
    box.fill("c4t")
    assert "a to z" in shown.root.locator(".says").inner_text()
    box.fill("abcdefghijklm")
    assert "12" in shown.root.locator(".says").inner_text()


def test_it_works_by_touch_and_fits_a_phone_in_the_dark(mount):
    shown = mount(figure("handwriting"), width=360, theme="dark", has_touch=True)
    shown.root.get_by_role("button", name="Write").tap()
    shown.page.wait_for_timeout(200)
    assert 0 < shown.value()["step"] < shown.value()["steps"]
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"alphabet": "ab"}, "alphabet: got"),
        ({"word": ""}, "word: got"),
        ({"word": "Cat"}, "word: got"),
        ({"word": "abcdefghijklm"}, "word: got"),
    ],
)
def test_what_cannot_be_shown_is_refused_by_name(changed, says):
    given = {"weights": Handwriter(27, 4).state_dict(), "alphabet": strokes.ALPHABET, "word": "cat"}
    with pytest.raises(ValueError, match=says):
        Handwriting(**(given | changed))


def calls():
    return {Handwriting: {"weights": Handwriter(4, 5).state_dict(), "alphabet": ".abc", "word": "cab"}}
