"""Six scores of a query among keys, in a real browser: the same as torch at every width; mouse, touch, keyboard."""

import pytest
import torch

from attend.live.scores import HIDDEN, WIDTHS, Scores
from attend.soft.read import read
from attend.soft.scores import SCORES

KEYS = torch.tensor([[1.0, 0.7], [1.9, 1.3], [-1.0, 1.4], [-1.6, -0.6], [0.5, -1.7]])
MOVED = torch.tensor([[0.3, -0.7], [2.4, 1.3], [-1.0, -1.4], [0.1, 0.0], [1.5, -1.7]])


def drawn(seed=4):
    return Scores(KEYS, generator=torch.Generator().manual_seed(seed))


def by_torch(seen, score, width, temperature, query, keys):
    """The scores, weights and reading of attend.soft, of vectors and weights cut to the width."""
    whole = torch.cat([torch.cat([query[None], keys]), seen["rest"][:, : width - 2]], dim=1)[None]
    weights = {
        "cosine": {"inverse_temperature": torch.tensor(1.0)},
        "bilinear": {"M": seen["M"][:width, :width] / width},
        "additive": {
            "W": seen["W"][:, :width] * (0.5 / width) ** 0.5,
            "U": seen["U"][:, :width] * (0.5 / width) ** 0.5,
            "v": seen["v"] * (2.5 / HIDDEN) ** 0.5,
        },
        "location": {"W": seen["L"][:, :width] / width**0.5, "b": torch.zeros(5)},
    }
    scores = SCORES[score](whole[:, :1], whole[:, 1:], **weights.get(score, {}))
    context, weights = read(scores / temperature, whole[:, 1:, :2])
    return scores[0, 0], weights[0, 0], context[0, 0]


@pytest.mark.parametrize("score", SCORES)
def test_same_as_torch(compute, score):
    figure = drawn()
    forward = compute(figure)
    for width in WIDTHS:
        for temperature, query, keys in ((1.0, (0.8, -0.6), KEYS), (0.25, (-2.1, 0.4), MOVED)):
            place = {"query": list(query), "keys": keys.tolist()}
            got = forward({"score": score, "width": width, "temperature": temperature, **place})
            scores, weights, context = by_torch(
                figure.seen(), score, width, temperature, torch.tensor(query), torch.tensor(place["keys"])
            )
            for name, expected in (("scores", scores), ("weights", weights), ("context", context)):
                torch.testing.assert_close(torch.tensor(got[name]), expected, rtol=1e-5, atol=2e-5)
            assert got["left"] == pytest.approx(1 - (weights**2).sum().item(), abs=2e-5)


def test_a_query_of_no_length_is_read_without_a_break(compute):
    zero = {"width": 2, "temperature": 1, "query": [0, 0], "keys": KEYS.tolist()}
    assert compute(drawn())({"score": "cosine", **zero})["weights"] == pytest.approx([0.2] * 5)


def choose(shown, name):
    shown.root.locator("label", has_text=name).first.click()


def test_one_key_takes_all_until_the_dot_product_is_scaled(mount):
    shown = mount(drawn())
    assert (shown.value()["score"], shown.value()["width"]) == ("dot", 64)
    wide = shown.value()["left"]
    shown.root.get_by_role("radio", name="scaled dot").press("Space")
    assert shown.value()["score"] == "scaled_dot"
    assert shown.value()["left"] > wide + 0.3


def test_the_query_moves_by_mouse_and_keys_and_weights_follow(mount):
    shown = mount(drawn())
    shown.root.get_by_role("radio", name="2", exact=True).press("Space")
    before = shown.value()
    handle = shown.root.get_by_role("slider", name="Query")
    handle.press("Shift+ArrowRight")
    handle.press("ArrowUp")
    after = shown.value()
    assert after["query"] == pytest.approx([before["query"][0] + 1, before["query"][1] + 0.1])
    assert after["weights"] != before["weights"]
    box, mouse = handle.bounding_box(), shown.page.mouse
    mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    mouse.down()
    mouse.move(box["x"] - 80, box["y"] + 60, steps=4)
    mouse.up()
    assert shown.value()["query"][0] < after["query"][0] - 0.5


def test_location_looks_at_no_key(mount):
    shown = mount(drawn())
    shown.root.get_by_role("radio", name="location").press("Space")
    before = shown.value()
    shown.root.get_by_role("slider", name="Key 2").press("Shift+ArrowLeft")
    after = shown.value()
    assert after["keys"] != before["keys"]
    assert after["weights"] == before["weights"]
    assert "No weight moved" in shown.root.locator(".says").inner_text()


def test_heat_flattens_and_starting_again_brings_everything_back(mount):
    shown = mount(drawn())
    first = shown.value()
    heat = shown.root.get_by_role("slider", name="Temperature")
    for _ in range(8):
        heat.press("ArrowRight")
    hot = shown.value()
    assert hot["temperature"] == 16
    assert max(hot["weights"]) < max(first["weights"])
    shown.root.get_by_role("button", name="Start again").click()
    assert shown.value() == first


def test_it_works_by_touch_and_on_a_phone(mount):
    shown = mount(drawn(), width=360, has_touch=True)
    before = shown.value()
    choose(shown, "cosine")
    assert shown.value()["score"] == "cosine"
    assert shown.value()["weights"] != before["weights"]
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_bad_places_are_refused_by_name():
    with pytest.raises(ValueError, match="keys: got"):
        Scores(torch.full((5, 2), 3.0))
    with pytest.raises(ValueError, match="query: got"):
        Scores(KEYS, query=(1.0, 9.0))


def calls():
    return {
        Scores: {"keys": torch.ones(5, 2), "query": [0.5, -0.5], "generator": torch.Generator()},
    }
