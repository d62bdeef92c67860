"""The figure computes what torch does, slot by slot, in a real browser; it is played, typed to, dragged and dulled."""

import pytest
import torch
from torch.nn.functional import one_hot, pad

from attend.live.ntm import Tape
from attend.recipes.ntm import BluntHead, build, trained


def figure(number="40714", slots=9):
    return Tape(build("ntm", "copy", 3), number, slots)


def computed(made, digits, steps, blunt, moved):
    """Both heads' weights, memory and logits of each step by torch, from what travels."""
    model = build("blunt" if blunt else "ntm", "copy", 3)
    assert isinstance(model.read_head, BluntHead) == blunt
    model.load_state_dict(made.seen())
    model.double()
    x = pad(one_hot(torch.tensor([digits]), 10).double(), (0, 1, 0, len(digits) + 1))
    x[:, len(digits), 10] = 1
    state, found = model.start(1, made.data["slots"]), []
    for t in range(steps):
        M, write, read, r = state
        if moved and moved["step"] == t:
            read = one_hot(torch.tensor([moved["slot"]]), read.shape[1]).double()
        logits, state = model.step(x[:, t], (M, write, read, r))
        found.append((state[1][0], state[2][0], state[0][0], logits[0]))
    return found


@pytest.mark.parametrize(
    ("digits", "blunt", "moved"),
    [([4, 0, 7, 1, 4], False, None), ([4, 0, 7], True, None), ([4, 0, 7, 1], False, {"step": 5, "slot": 7})],
)
def test_same_as_torch_step_by_step(compute, digits, blunt, moved):
    made, steps = figure(), 2 * len(digits) + 1
    got = compute(made)({"digits": digits, "steps": steps, "blunt": blunt, "moved": moved})["steps"]
    right = computed(made, digits, steps, blunt, moved)
    assert len(got) == len(right) == steps
    for one, (write, read, M, logits) in zip(got, right, strict=True):
        for mine, theirs in ((one["write"]["sharpen"], write), (one["read"]["sharpen"], read), (one["M"], M)):
            torch.testing.assert_close(torch.tensor(mine).double(), theirs, atol=1e-6, rtol=1e-4)
        assert one["digit"] == int(logits.argmax())
        assert one["probability"] == pytest.approx(logits.softmax(0).max().item(), abs=1e-6)
        for stage in ("content", "gate", "shift"):
            assert sum(one["read"][stage]) == pytest.approx(1)


def test_the_shipped_copier_copies_in_sixteen_bits_and_weighs_little(compute):
    made = Tape(trained())
    assert len(made.buffer) < 40_000
    digits = [int(digit) for digit in made.data["number"]]
    steps = compute(made)({"digits": digits, "steps": 2 * len(digits) + 1, "blunt": False, "moved": None})["steps"]
    assert [step["digit"] for step in steps[len(digits) + 1 :]] == digits


def test_it_is_stepped_typed_to_and_dulled(mount):
    shown = mount(Tape(trained()))
    first = shown.value()
    assert first["wrong"] == 0
    shown.root.get_by_role("button", name="Next step").click()
    assert shown.value()["step"] == first["step"] + 1
    shown.root.get_by_role("button", name="One back").click()
    shown.root.get_by_role("radio", name="write head").press("Space")
    assert shown.value()["head"] == "write"
    shown.root.get_by_role("checkbox").check()
    assert shown.value()["sharpest"] < first["sharpest"]
    shown.root.get_by_role("textbox").fill("12a3")
    assert shown.value()["step"] == 1
    shown.root.get_by_role("button", name="Start again").click()
    assert shown.value() == first


def test_the_read_head_is_moved_by_keys_and_by_mouse_and_reads_elsewhere(mount):
    shown = mount(Tape(trained()))
    grip = shown.root.get_by_role("slider", name="Where the read head stands")
    stood = shown.value()["read"]
    grip.press("ArrowLeft")
    value = shown.value()
    assert value["moved"] == {"step": value["step"], "slot": stood - 1}
    for _ in range(2):  # it reads one step ahead of what it answers
        shown.root.get_by_role("button", name="Next step").click()
    assert shown.value()["wrong"] > 0
    box, mouse = grip.bounding_box(), shown.page.mouse
    mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    mouse.down()
    mouse.move(box["x"] + 120, box["y"] + 10, steps=4)
    mouse.up()
    assert shown.value()["moved"]["slot"] != value["moved"]["slot"]
    assert "read head put on slot" in shown.root.locator(".says").inner_text()


def test_it_plays_to_the_end(mount):
    shown = mount(figure("40"))
    shown.root.get_by_role("button", name="Play").click()
    shown.page.wait_for_timeout(2_500)
    assert shown.value()["step"] == 5
    assert shown.root.get_by_role("button", name="Play").is_visible()


def test_it_works_by_touch_and_fits_a_phone_in_the_dark(mount):
    shown = mount(Tape(trained()), width=360, theme="dark", has_touch=True)
    step = shown.value()["step"]
    shown.root.get_by_role("button", name="Next step").tap()
    assert shown.value()["step"] == step + 1
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"model": torch.nn.Linear(2, 2)}, "model: got"),
        ({"model": build("ntm", "sort", 0)}, "model: got"),
        ({"number": ""}, "number: got"),
        ({"number": "12x"}, "number: got"),
        ({"slots": 2}, "slots: got 2"),
    ],
)
def test_what_cannot_be_shown_is_refused_by_name(changed, says):
    with pytest.raises(ValueError, match=says):
        Tape(**({"model": build("ntm", "copy", 3), "number": "40", "slots": 9} | changed))


def calls():
    return {Tape: {"model": build("ntm", "copy", 3), "number": "407", "slots": 5}}
