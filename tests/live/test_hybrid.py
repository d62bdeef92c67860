"""The figure listens as torch does, in a real browser; the last weights are dragged by mouse, keys and touch."""

import pytest
import torch

from attend.live.hybrid import Listening
from attend.recipes.hybrid import build, digits, transcribe
from attend.recipes.hybrid_figure import trained
from attend.soft.hybrid import HybridAttention, Recogniser
from attend.tasks import speech


def models():
    made = build("content", 3), build("hybrid", 3)
    for model in made:  # an answer that is not the end at once
        model.readout.bias.data[0] = -3.0
    return made


def recordings():
    two = speech.load("test", 3)
    return [two.x[n][two.mask[n]] for n in (0, 2)], [speech.said(two)[n] for n in (0, 2)]


def figure():
    return Listening(*models(), *recordings(), reach=6)


@torch.no_grad()
def listened(made, kind, recording, steps, place, reach):
    """The steps by torch, from what travels; the last weights before the last step are moved to `place`."""
    seen = made.seen()
    model = build(kind, 3).eval()
    prefix = f"{kind}."
    travelled = {n.removeprefix(prefix): part for n, part in seen.items() if n.startswith(prefix) and "states" not in n}
    model.load_state_dict(model.state_dict() | travelled)
    model, h = model.double(), seen[f"{kind}.states{recording}"][None].double()
    state, last = model.start(h)
    mask, found = torch.ones(1, h.shape[1], dtype=torch.bool), []
    for i in range(steps):
        if i == steps - 1 and place is not None:
            by = place - int((last.cumsum(1) < 0.5).sum())
            moved = torch.zeros_like(last)
            S = last.shape[1]
            moved[:, max(by, 0) : S + min(by, 0)] = last[:, max(-by, 0) : S - max(by, 0)]
            last = moved / moved.sum()
        weights = model.attention(state, h, mask, last, reach)
        context = (weights[:, None] @ h)[:, 0]
        probs = model.readout(torch.tanh(model.hidden(context))).softmax(1)[0]
        found.append((last[0], weights[0], int(probs.argmax()), probs.max().item()))
        if found[-1][2] == 0:
            break
        token = probs.argmax()[None]
        state, last = model.decoder(torch.cat([context, model.embed(token)], dim=1), state), weights
    return found


@pytest.mark.parametrize(
    ("kind", "recording", "steps", "place", "reach"),
    [("hybrid", 0, 3, None, None), ("content", 1, 2, None, 6), ("hybrid", 1, 3, 4, None), ("hybrid", 1, 2, 12, 5)],
)
def test_same_as_torch_step_by_step(compute, kind, recording, steps, place, reach):
    made = figure()
    given = {"kind": kind, "recording": recording, "steps": steps, "place": place, "reach": reach}
    got = compute(made)(given)["steps"]
    right = listened(made, *given.values())
    assert len(got) == len(right)
    for one, (last, weights, token, probability) in zip(got, right, strict=True):
        assert one["token"] == token
        assert one["probability"] == pytest.approx(probability, abs=1e-5)
        torch.testing.assert_close(torch.tensor(one["last"]).double(), last, atol=1e-6, rtol=1e-4)
        torch.testing.assert_close(torch.tensor(one["weights"]).double(), weights, atol=1e-6, rtol=1e-4)


def test_eight_bits_change_no_digit_of_the_shipped_recognisers_and_weigh_little():
    ten = speech.joined("test", 10, 1, torch.Generator().manual_seed(5))
    x, texts = [recordings()[0][1], ten.x[0]], ["337", speech.said(ten)[0]]
    made = Listening(trained("content"), trained("hybrid"), x, texts)
    assert len(made.buffer) < 150_000
    for kind in ("content", "hybrid"):
        for n, one in enumerate(x):
            (whole,) = transcribe(trained(kind), speech.gather([(one, texts[n])]))
            assert digits([token for *_, token, _ in listened(made, kind, n, 25, None, None)]) == whole


def test_content_does_not_care_where_the_last_weights_stand_and_the_hybrid_does(mount):
    shown = mount(figure())
    first = shown.value()
    shown.root.get_by_role("button", name="Next digit").click()
    bump = shown.root.get_by_role("slider", name="Where the last weights stand")
    bump.press("Shift+ArrowRight")
    assert shown.value()["place"] is not None
    shown.root.get_by_role("radio", name="by content").press("Space")
    assert shown.value()["kind"] == "content"
    at = shown.value()["at"]
    bump.press("Shift+ArrowLeft")
    assert shown.value()["at"] == at
    shown.root.get_by_role("button", name="One back").click()
    shown.root.get_by_role("checkbox").check()
    assert shown.value()["window"]
    shown.root.get_by_role("button", name="Start again").click()
    assert shown.value() == first


def test_the_bump_is_dragged(mount):
    shown = mount(figure())
    bump = shown.root.get_by_role("slider", name="Where the last weights stand")
    box, mouse = bump.bounding_box(), shown.page.mouse
    mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    mouse.down()
    mouse.move(box["x"] + 150, box["y"] + 10, steps=5)
    mouse.up()
    assert shown.value()["place"] > 3
    assert "last weights stand at place" in shown.root.locator(".says").inner_text()


def test_it_works_by_touch_and_fits_a_phone_in_the_dark(mount):
    shown = mount(figure(), width=360, theme="dark", has_touch=True)
    shown.root.get_by_role("radio", name=recordings()[1][1]).tap()
    assert shown.value()["recording"] == 1
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"content": build("hybrid", 0)}, "content: got"),
        ({"hybrid": build("content", 0)}, "hybrid: got"),
        ({"said": ["5"]}, "said: got"),
        ({"said": ["5", "x"]}, "said: got"),
        ({"reach": 0}, "reach: got 0"),
    ],
)
def test_what_cannot_be_shown_is_refused_by_name(changed, says):
    content, hybrid = models()
    x, said = recordings()
    given = {"content": content, "hybrid": hybrid, "recordings": x, "said": said}
    with pytest.raises(ValueError, match=says):
        Listening(**(given | changed))


def calls():
    small = [
        Recogniser(HybridAttention(8, 8, 3, 2, 3, location=location), 4, 11, 4).eval() for location in (False, True)
    ]
    x = [torch.zeros(5, 4)]
    return {Listening: {"content": small[0], "hybrid": small[1], "recordings": x, "said": ["7"], "reach": 2}}
