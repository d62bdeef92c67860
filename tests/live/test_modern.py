"""Attention by blocks, in a real browser: the same as torch at the end and on the way; mouse, touch and keyboard."""

import pytest
import torch

from attend.live.modern import AttentionByBlocks
from attend.recipes.modern import build
from attend.tasks.plays import ALPHABET, encode
from attend.transformers.modern import ModernTransformer
from attend.transformers.positioned import rotate

TEXT = "ROMEO.\nO, what is this?"


def figure(text=TEXT):
    return AttentionByBlocks(build("today", 3).state_dict(), 4, ALPHABET, text)


def met(made, text, head):
    """What the last character meets in one head: scores and values, by torch, from the weights that travel."""
    model = build("today", 3)
    seen = {name if name.startswith("token") else f"blocks.0.{name}": part for name, part in made.seen().items()}
    model.load_state_dict(seen, strict=False)
    block = model.double().blocks[0]
    x = block.norm1(model.token(encode(text)[None]))
    attn = block.self_attn
    query, key, value = (
        part(x).unflatten(2, (-1, attn.d_head)).transpose(1, 2)[0] for part in (attn.q_proj, attn.k_proj, attn.v_proj)
    )
    scores = rotate(query)[head, -1] @ rotate(key)[head // attn.group].T / attn.d_head**0.5
    return scores.detach(), value[head // attn.group].detach()


@pytest.mark.parametrize(("head", "size"), [(0, 6), (1, 1), (2, 4), (3, 16)])
def test_same_as_torch_after_every_block(compute, head, size):
    made = figure()
    tokens = encode(TEXT)
    got = compute(made)({"tokens": tokens.tolist(), "head": head, "size": size, "rescale": True})
    scores, values = met(made, TEXT, head)
    close = {"atol": 1e-5, "rtol": 1e-5}
    torch.testing.assert_close(torch.tensor(got["scores"]).double(), scores, **close)
    torch.testing.assert_close(torch.tensor(got["weights"]).double(), scores.softmax(0), **close)
    torch.testing.assert_close(torch.tensor(got["exact"]).double(), scores.softmax(0) @ values, **close)
    for n, step in enumerate(got["steps"], 1):
        read = scores[: n * size]
        assert step["to"] == len(read)
        assert step["max"] == pytest.approx(read.max().item(), abs=1e-5)
        assert step["sum"] == pytest.approx((read - read.max()).exp().sum().item(), abs=1e-4)
        output = read.softmax(0) @ values[: n * size]
        torch.testing.assert_close(torch.tensor(step["output"]).double(), output, **close)
    assert got["steps"][-1]["output"] == pytest.approx(got["exact"], abs=1e-12)


def test_unless_what_was_read_is_scaled_the_end_is_wrong(compute):
    forward = compute(figure())
    given = {"tokens": encode(TEXT).tolist(), "head": 0, "size": 3}
    right, wrong = (forward(given | {"rescale": rescale}) for rescale in (True, False))
    assert right["exact"] == wrong["exact"]
    assert wrong["steps"][-1]["output"] != pytest.approx(wrong["exact"], abs=1e-6)


def test_block_by_block_the_output_becomes_exact(mount):
    shown = mount(figure())
    first = shown.value()
    assert (first["keys"], first["read"]) == (6, 1)
    button = shown.root.get_by_role("button", name="Next block")
    for _ in range(3):
        button.click()
    assert button.is_disabled()
    assert shown.value()["keys"] == len(TEXT)
    assert shown.value()["error"] < 1e-12
    assert "exactly" in shown.root.locator(".says").inner_text()
    shown.root.get_by_role("slider", name="Keys a block").press("Home")
    assert shown.value()["size"] == 1
    shown.root.get_by_role("checkbox").uncheck()
    shown.root.get_by_role("slider", name="Keys read so far").press("Shift+ArrowRight")
    shown.root.get_by_role("radio", name="3", exact=True).press("Space")
    assert shown.value()["head"] == 2
    shown.root.get_by_role("textbox").fill("A")
    assert "From 2 to 32" in shown.root.locator(".says").inner_text()
    shown.root.get_by_role("textbox").fill("~~")
    assert "Unknown" in shown.root.locator(".says").inner_text()
    shown.root.get_by_role("textbox").fill("My lord")
    assert shown.value()["text"] == "My lord"
    shown.root.get_by_role("button", name="Start again").click()
    assert shown.value() == first


def test_the_line_is_dragged_both_ways(mount):
    shown = mount(figure())
    line = shown.root.get_by_role("slider", name="Keys read so far")
    box, mouse = line.bounding_box(), shown.page.mouse
    at = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    mouse.move(*at)
    mouse.down()
    mouse.move(at[0] + 200, at[1], steps=5)
    assert shown.value()["keys"] > 6
    mouse.move(at[0] - 200, at[1], steps=5)
    mouse.up()
    assert shown.value()["keys"] == 6
    line.press("ArrowRight")
    assert shown.value()["keys"] == 12
    line.press("ArrowLeft")
    assert shown.value()["keys"] == 6


def test_it_works_by_touch_and_fits_a_phone_in_the_dark(mount):
    shown = mount(figure(), width=360, theme="dark", has_touch=True)
    shown.root.get_by_role("button", name="Next block").tap()
    assert shown.value()["keys"] == 12
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"num_heads": 3}, "num_heads: got 3"),
        ({"alphabet": "ab"}, "alphabet: got"),
        ({"text": "O"}, "text: got"),
        ({"text": "~~"}, "text: got"),
        ({"text": "O" * 33}, "text: got"),
    ],
)
def test_what_cannot_be_shown_is_refused_by_name(changed, says):
    given = {"weights": build("today", 0).state_dict(), "num_heads": 4, "alphabet": ALPHABET, "text": TEXT}
    with pytest.raises(ValueError, match=says):
        AttentionByBlocks(**(given | changed))


def calls():
    weights = ModernTransformer(3, 4, 2, 1, 4, 1).state_dict()
    return {AttentionByBlocks: {"weights": weights, "num_heads": 2, "alphabet": "abc", "text": "abca"}}
