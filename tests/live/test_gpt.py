"""The figure computes what torch computes, cuts text as the tokeniser does, and works by keyboard and by touch."""

import pytest
import torch
from playwright.sync_api import expect

from attend.live.figure import unpack
from attend.live.gpt import WriteWithGPT
from attend.recipes import gpt as recipes
from attend.transformers.gpt import next_probs
from attend.transformers.positioned import rotate

HEADS, TEXT = 4, "The film is not"


@pytest.fixture(scope="module")
def trained():
    return recipes.trained()


def figure(model, text=TEXT):
    return WriteWithGPT(model.state_dict(), HEADS, recipes.CONTEXT, recipes.tokeniser().vocab, text)


def calls():
    weights, vocab = recipes.trained().state_dict(), recipes.tokeniser().vocab
    return {WriteWithGPT: {"weights": weights, "num_heads": 4, "context": 80, "vocab": vocab, "text": "a"}}


def good():
    return {WriteWithGPT: {"text": {"word"}}}


def as_the_browser_sees(made):
    """The model with the weights of the figure, after their rounding to int8."""
    seen = recipes.GPTRecipe().build()
    seen.load_state_dict(unpack(made.layout_of_tensors, made.buffer))
    return seen.eval()


@torch.no_grad()
def by_torch(model, tokens):
    """Logits (T, V), and the weights of every head by layer, (heads, T, T) each."""
    x, found = model.token(tokens), []
    later = torch.ones(tokens.shape[1], tokens.shape[1], dtype=torch.bool).triu(1)
    for block in model.blocks:
        attn, read = block.self_attn, block.norm1(x)
        query, key = (rotate(attn._split(part(read))) for part in (attn.q_proj, attn.k_proj))
        found.append((query @ key.mT / query.shape[-1] ** 0.5).masked_fill(later, -torch.inf).softmax(-1)[0])
        x, _ = block(x)
    return model(tokens)[0][0], found


def test_same_as_torch(compute, trained):
    made = figure(trained)
    forward, model = compute(made), as_the_browser_sees(made)
    text = recipes.stream("test")
    for T, dials in ((1, (1.0, None, 1.0)), (17, (0.5, 7, 0.8)), (80, (1.7, None, 0.6))):
        tokens = text[300 : 300 + T]
        heat, k, p = dials
        got = forward({"tokens": tokens.tolist(), "temperature": heat, "topK": k or recipes.V, "topP": p})
        logits, found = by_torch(model, tokens[None])
        torch.testing.assert_close(torch.tensor(got["logits"]), logits, atol=5e-4, rtol=1e-4)
        torch.testing.assert_close(torch.tensor(got["probs"]), next_probs(logits[-1], heat, k, p), atol=1e-4, rtol=1e-2)
        for layer, weights in zip(got["weights"], found, strict=True):
            rows = torch.tensor([[row + [0.0] * (T - len(row)) for row in head] for head in layer], dtype=torch.float)
            torch.testing.assert_close(rows, weights, atol=1e-4, rtol=1e-3)


@pytest.mark.nightly
def test_the_weights_are_light_and_nearly_the_same(trained):
    made = figure(trained)
    assert len(made.buffer) < 150_000
    window = recipes.stream("validation")[: 60 * 81].view(60, 81)
    before, after = (recipes.language_loss(model, window).item() for model in (trained, as_the_browser_sees(made)))
    assert after < before + 0.02


def test_typed_text_is_cut_as_the_tokeniser_cuts_it(mount, trained):
    shown = mount(figure(trained))
    for text in ("The most wonderful film", "naïve café!", "12,5 % of  it…"):
        shown.root.get_by_role("textbox").fill(text)
        value = shown.value()
        assert value["tokens"] == len(recipes.tokeniser().encode(text))
        assert value["text"] == text


def test_drawing_writes_on_and_a_press_on_a_bar_writes_its_token(mount, trained):
    shown = mount(figure(trained))
    length = shown.value()["tokens"]
    shown.root.get_by_role("button", name="Draw a token").press("Enter")
    assert shown.value()["tokens"] == length + 1
    likeliest = shown.value()["next"]
    shown.root.locator(".gpt-next").first.click()
    assert shown.value()["tokens"] == length + 2
    text = shown.value()["text"]
    assert recipes.tokeniser().encode(text)[-1] == likeliest or likeliest == recipes.END
    shown.root.get_by_role("button", name="Start again").click()
    assert shown.value()["text"] == TEXT


def test_the_dials_cut(mount, trained):
    shown = mount(figure(trained))
    assert shown.value()["left"] == recipes.V
    shown.root.get_by_role("slider", name="top-k").press("Home")
    assert shown.value()["left"] == 1
    shown.root.get_by_role("button", name="Start again").click()
    shown.root.get_by_role("slider", name="top-p").press("ArrowLeft")
    assert 1 < shown.value()["left"] < recipes.V
    assert shown.value()["held"] >= 0.95 - 1e-6


def test_arrow_keys_choose_the_token_that_asks(mount, trained):
    shown = mount(figure(trained))
    line = shown.root.get_by_role("listbox")
    line.press("Home")
    assert shown.value()["at"] == 0
    weights = line.get_by_role("option").evaluate_all("cells => cells.map(c => c.style.getPropertyValue('--weight'))")
    assert [float(one) for one in weights] == [1.0] + [0.0] * (len(weights) - 1)
    line.press("ArrowRight")
    assert shown.value()["at"] == 1


def test_an_empty_text_asks_for_one(mount, trained):
    shown = mount(figure(trained))
    shown.root.get_by_role("textbox").fill("")
    assert shown.value()["at"] == -1
    expect(shown.root.get_by_role("button", name="Draw a token")).to_be_disabled()


def test_writing_on_can_be_stopped_and_hurries_where_motion_is_unwanted(mount, trained):
    shown = mount(figure(trained))
    length = shown.value()["tokens"]
    shown.root.get_by_role("button", name="Write on", exact=True).click()
    shown.page.wait_for_function(f"published.tokens > {length + 1}")
    shown.root.get_by_role("button", name="Stop").click()
    held = shown.value()["tokens"]
    shown.page.wait_for_timeout(400)
    assert shown.value()["tokens"] == held
    hurried = mount(figure(trained), reduced_motion="reduce")
    hurried.root.get_by_role("button", name="Write on", exact=True).click()
    assert hurried.value()["tokens"] == length + 20


def test_it_works_by_touch_and_fits_a_phone_in_the_dark(mount, trained):
    shown = mount(figure(trained), width=360, theme="dark", has_touch=True)
    shown.root.get_by_role("option").nth(1).tap()
    assert shown.value()["at"] == 1
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"num_heads": 5}, "num_heads: got 5"),
        ({"num_heads": 0}, "num_heads: got 0"),
        ({"vocab": [b"a"]}, "vocab: got 1"),
        ({"context": 0}, "context: got 0"),
        ({"text": ""}, "text: got ''"),
    ],
)
def test_what_cannot_be_shown_is_refused_by_name(trained, changed, says):
    given = {"weights": trained.state_dict(), "num_heads": 4, "context": 80, "text": "a"}
    given |= {"vocab": recipes.tokeniser().vocab}
    with pytest.raises(ValueError, match=says):
        WriteWithGPT(**(given | changed))
