"""Self-attention in numbers, in a real browser: the same as torch; mouse, touch, keyboard, and what is said to move."""

import pytest
import torch

from attend.live.self_attention import SelfAttentionByHand
from attend.transformers.self_attention import causal_mask, self_attention

WORDS = ["dog", "bites", "man"]
X = torch.tensor([[1.6, 0.4], [-0.6, 1.5], [1.1, -1.2]])
MAPS = {
    "query": torch.tensor([[0.0, 2.0], [0.5, 0.0]]),
    "key": torch.tensor([[1.0, 0.3], [-0.2, 1.0]]),
    "value": torch.tensor([[1.0, 0.0], [0.4, 1.0]]),
}
TABLES = ("queries", "keys", "values", "scores", "scaled", "weights", "summaries")


def drawn(**changed):
    return SelfAttentionByHand(**({"words": WORDS, "x": X, **MAPS, "asks": 1} | changed))


def drag(shown, part, right, down):
    box, mouse = part.bounding_box(), shown.page.mouse
    at = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    mouse.move(*at)
    mouse.down()
    mouse.move(at[0] + right, at[1] + down, steps=4)
    mouse.up()


@pytest.mark.parametrize("masked", [False, True])
def test_every_step_is_that_of_torch(compute, masked):
    forward = compute(drawn())
    for seed, T in enumerate((2, 3, 4)):
        x, *maps = (torch.randn(n, 2, generator=torch.Generator().manual_seed(seed + n)).double() for n in (T, 2, 2, 2))
        named = dict(zip(("query", "key", "value"), (map.tolist() for map in maps), strict=True))
        got = forward({"x": x.tolist(), "masked": masked, **named})
        wanted = self_attention(x[None], *maps, causal_mask(T) if masked else None)
        for name, expected in zip(TABLES, wanted, strict=True):
            torch.testing.assert_close(torch.tensor(got[name], dtype=torch.float64), expected[0], msg=name)


def test_what_moves_when_a_vector_does(mount):
    shown = mount(drawn())
    assert sum(shown.value()["moved"].values()) == 0
    shown.root.get_by_role("slider", name="man", exact=True).press("Shift+ArrowUp")
    assert shown.value()["x"][2] == [1.1, -0.2]
    moved = shown.value()["moved"]
    assert moved["scores"] == 5  # the row and the column of man
    assert (moved["weights"], moved["summaries"]) == (8, 6)  # one weight is 0.00 before and after
    assert shown.root.locator(".moved").count() == sum(moved.values())
    assert "products 5 of 9" in shown.root.locator(".says").inner_text()


def test_numbers_of_vectors_and_maps_are_dragged_sideways(mount):
    shown = mount(drawn())
    drag(shown, shown.root.get_by_role("slider", name="bites, number 1"), 60, 0)
    assert shown.value()["x"][1] == pytest.approx([0.4, 1.5])
    shown.root.get_by_role("slider", name="value map, row 2, column 1").press("ArrowLeft")
    after = shown.value()
    assert after["value"][1] == pytest.approx([0.3, 1.0])
    assert [after["moved"][name] for name in ("queries", "keys", "scores", "weights")] == [0, 0, 0, 0]
    assert after["moved"]["values"] > 0
    assert after["moved"]["summaries"] > 0


def test_a_point_is_dragged_and_taken_back(mount):
    shown = mount(drawn())
    point = shown.root.get_by_role("slider", name="dog", exact=True)
    drag(shown, point, -60, 40)
    assert shown.value()["x"][0] != pytest.approx([1.6, 0.4])
    drag(shown, point, 60, -40)
    after = shown.value()
    assert after["x"][0] == pytest.approx([1.6, 0.4], abs=0.05)
    assert sum(after["moved"].values()) == 0


def test_words_change_places_and_nothing_moves_until_later_words_are_hidden(mount):
    shown = mount(drawn())
    swap = shown.root.get_by_role("button", name="Swap dog and man")
    swap.click()
    assert shown.value()["order"] == [2, 1, 0]
    assert "No number of any word has moved" in shown.root.locator(".says").inner_text()
    shown.root.get_by_text("no later word").click()
    before = shown.value()
    assert [word[0] for word in before["weights"]] == pytest.approx([before["weights"][0][0], 0, 0])  # dog is last now
    assert before["weights"][2] == pytest.approx([0, 0, 1])
    swap.click()
    assert shown.value()["moved"]["summaries"] > 0


def test_rows_stand_in_the_order_of_the_sentence(mount):
    shown = mount(drawn())
    row = "parts => parts.map(part => getComputedStyle(part).gridRowStart)"
    labels = shown.root.locator(".self-attention-block").first.locator(".word")
    before = labels.evaluate_all(row)
    shown.root.get_by_role("button", name="Swap dog and man").click()
    assert labels.evaluate_all(row) == before[::-1]


def test_it_goes_step_by_step_and_spells_each_out(mount):
    shown = mount(drawn())
    said, hidden = set(), []
    for _ in range(6):
        shown.root.get_by_role("button", name="Next step").click()
        said.add(shown.root.locator(".self-attention-working").inner_text())
        hidden.append(shown.root.locator(".self-attention-block[hidden]").count())
    assert hidden == [7, 4, 3, 2, 1, 0]
    shown.root.get_by_role("radio", name="vectors").press("Space")
    assert shown.root.locator('svg [visibility="hidden"]').count() == 9  # the picture grows with the steps, too
    shown.root.get_by_role("radio", name="summaries").press("Space")
    assert shown.root.locator('svg [visibility="hidden"]').count() == 0
    assert len(said) == 6
    shown.root.get_by_role("radio", name="products").press("Space")
    found = shown.value()
    line = f"= {found['scores'][1][0]:.2f}".replace("-", "−")
    assert line in shown.root.locator(".self-attention-working").inner_text()
    shown.root.get_by_role("radio", name="man", exact=True).press("Space")
    assert shown.value()["asks"] == 2
    assert "query of man" in shown.root.locator(".self-attention-working").inner_text()


@pytest.mark.parametrize("step", ["scaled", "weights"])
def test_a_hidden_word_is_said_to_come_later(mount, step):
    shown = mount(drawn())
    shown.root.get_by_text("no later word").click()
    shown.root.get_by_role("radio", name=step, exact=True).press("Space")
    assert "man comes later" in shown.root.locator(".self-attention-working").inner_text()


def test_numbers_keep_their_width(mount):
    shown = mount(drawn())
    cell = shown.root.locator(".self-attention-block").nth(4)
    before = cell.bounding_box()["width"]
    for name in ("query map, row 1, column 1", "query map, row 1, column 2", "key map, row 1, column 1"):
        for _ in range(2):
            shown.root.get_by_role("slider", name=name).press("Shift+ArrowRight")
    assert cell.bounding_box()["width"] == before
    assert all(len(text) <= 5 for text in cell.locator("div:not(.title)").all_inner_texts())


def test_starting_again_brings_everything_back(mount):
    shown = mount(drawn())
    first = shown.value()
    shown.root.get_by_role("slider", name="man", exact=True).press("Shift+ArrowLeft")
    shown.root.get_by_role("button", name="Swap dog and man").click()
    shown.root.get_by_text("no later word").click()
    shown.root.get_by_role("button", name="Next step").click()
    shown.root.get_by_role("button", name="Start again").click()
    assert shown.value() == first


def test_it_works_by_touch_and_fits_a_phone(mount):
    shown = mount(drawn(), width=360, has_touch=True)
    shown.root.get_by_text("no later word").tap()
    assert shown.value()["masked"]
    shown.root.get_by_role("button", name="Swap dog and man").tap()
    assert shown.value()["order"] == [2, 1, 0]
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"x": X * 2}, "x: got"),
        ({"key": torch.full((2, 2), 3.0)}, "key: got"),
        ({"words": ["dog", "dog", "man"]}, "words: got"),
        ({"words": ["dog", "man"]}, "words: got"),
        ({"words": ["dog", "swallows", "man"]}, "words: got"),
        ({"x": X[:1]}, "x: got"),
        ({"asks": 3}, "asks: got"),
    ],
)
def test_what_cannot_be_shown_is_refused_by_name(changed, says):
    with pytest.raises(ValueError, match=says):
        drawn(**changed)


def calls():
    MAPS = {name: torch.eye(2) for name in ("query", "key", "value")}
    return {
        SelfAttentionByHand: {"words": ["so", "it", "is"], "x": torch.ones(3, 2), "asks": 2, **MAPS},
    }


def good():
    return {
        SelfAttentionByHand: {"asks": {"zero"}},
    }
