"""The bracket writer in a real browser: symbols, logits and weights as torch has them; by typing, keys and touch."""

import pytest
import torch

from attend.live.parser import BracketWriter
from attend.recipes import parser as recipe
from attend.recipes.parser import SYMBOLS, ParserRecipe, spelled, words_of, written
from attend.tasks.pairs import Pairs
from attend.transformers.attention_weights import attention_weights

LINES = {"english": ["the girl sees the boy with the telescope", "the dogs sleep"], "python": ["len ( name ) > 0"]}
LANGUAGES = tuple(LINES)


def figure(**changed):
    given = {
        "weights": {name: recipe.trained(name).state_dict() for name in LANGUAGES},
        "words": {name: words_of(name) for name in LANGUAGES},
        "symbols": SYMBOLS,
        "lines": LINES,
    }
    return BracketWriter(**(given | changed))


def as_the_browser_sees(made, language):
    model = ParserRecipe(language).build()
    parts = (name.partition("/") for name in made.seen())
    model.load_state_dict({part: made.seen()[f"{own}/{part}"] for own, _, part in parts if own == language})
    return model.eval()


def asked(language, line):
    source = torch.tensor([[words_of(language).index(word) for word in line.split()]])
    return Pairs(source, torch.ones_like(source, dtype=torch.bool), source, source > -1)


@pytest.mark.parametrize("constrained", [True, False])
@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("english", LINES["english"][0]),
        pytest.param(
            *("english", "the king thinks that the girl who sings sees the dogs near the house"),
            marks=pytest.mark.nightly,
        ),
        pytest.param("english", "dog", marks=pytest.mark.nightly),
        pytest.param("python", "len ( name ) > 0", marks=pytest.mark.nightly),
        ("python", "( a + b ) [ 0 ] . split ( )"),
    ],
)
def test_same_as_torch(compute, language, line, constrained):
    made = figure()
    got = compute(made)({"language": language, "words": line.split(), "constrained": constrained})
    model, given = as_the_browser_sees(made, language), asked(language, line)
    tokens = written(model, given, constrained, 48)
    symbols = spelled(language, tokens[0])
    assert [symbol for symbol in got["symbols"] if symbol != "end"] == [one for one in symbols if one != "end"]
    tokens = torch.tensor([got["tokens"]])
    with torch.no_grad():
        logits = model(given.source, given.mask, tokens)[0]
    torch.testing.assert_close(torch.tensor(got["logits"], dtype=torch.float), logits, atol=2e-3, rtol=1e-3)
    cross = attention_weights(model, given.source, given.mask, tokens).cross[0]
    torch.testing.assert_close(torch.tensor(got["between"], dtype=torch.float), cross, atol=1e-3, rtol=0)


@pytest.mark.nightly
@pytest.mark.parametrize("language", LANGUAGES)
def test_rounding_changes_hardly_an_answer(language):
    made, data = figure(), recipe.data(language, "validation")
    assert len(made.buffer) < 130_000
    whole, rounded = (
        recipe.scores(language, data, [spelled(language, row) for row in written(model, data.pairs, True)])["F1"]
        for model in (recipe.trained(language), as_the_browser_sees(made, language))
    )
    assert abs(whole - rounded) < 0.01


def test_stepping_and_typing(mount):
    shown = mount(figure())
    first = shown.value()
    assert (first["language"], first["constrained"], first["fault"]) == ("english", True, "")
    assert first["at"] == len(first["symbols"])
    shown.root.get_by_role("button", name="Back").click()
    assert shown.value()["at"] == first["at"] - 1
    line = shown.root.get_by_role("slider", name="Symbols written so far")
    line.press("Home")
    assert (shown.value()["at"], shown.value()["brackets"]) == (0, 0)
    line.press("ArrowRight")
    assert shown.value()["brackets"] == 1
    assert sum(shown.value()["looks"]) == pytest.approx(1, abs=1e-3)
    shown.root.get_by_role("button", name="Next symbol").click()
    assert shown.value()["at"] == 2
    shown.root.get_by_role("radio", name="3", exact=True).press("Space")
    assert shown.value()["head"] == "2"
    line.press("End")
    assert shown.value()["at"] == first["at"]
    box = shown.root.get_by_role("textbox", name="Line to parse")
    box.fill("the unicorn sleeps")
    assert "has never seen unicorn" in shown.root.locator(".says").inner_text()
    box.fill("the " * 16)
    assert "From 1 to 15 words" in shown.root.locator(".says").inner_text()
    box.fill("the dogs sleep")
    assert shown.value()["line"] == "the dogs sleep"
    shown.root.get_by_role("checkbox").uncheck()
    assert shown.value()["constrained"] is False
    shown.root.get_by_role("button", name="Another line").click()
    assert shown.value()["line"] == LINES["english"][1]
    shown.root.get_by_text("Python").click()
    assert (shown.value()["language"], shown.value()["line"]) == ("python", LINES["python"][0])


def test_it_writes_by_itself_and_stops(mount):
    shown = mount(figure())
    shown.root.get_by_role("button", name="Write it").click()
    shown.page.wait_for_timeout(700)
    stop = shown.root.get_by_role("button", name="Stop")
    stop.click()
    at = shown.value()["at"]
    assert 0 < at < len(shown.value()["symbols"])
    shown.page.wait_for_timeout(400)
    assert shown.value()["at"] == at


def test_by_touch_on_a_phone(mount):
    shown = mount(figure(), width=360, theme="dark", has_touch=True)
    shown.root.locator(".parser-symbols span").nth(4).tap()
    assert shown.value()["at"] == 5
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"words": {"english": ("a",), "python": ("a",)}}, "words: got 1"),
        ({"symbols": {"english": ("a",), "python": SYMBOLS["python"]}}, "symbols: got 1"),
        ({"lines": {"english": ["the dogs sleep"]}}, "lines: got"),
        ({"lines": {"english": ["the unicorn"], "python": ["a"]}}, "lines: got"),
        ({"most": 20}, "most: got 20"),
    ],
)
def test_what_cannot_be_shown_is_refused_by_name(changed, says):
    with pytest.raises(ValueError, match=says):
        figure(**changed)


def calls():
    weights = {"x": ParserRecipe("python").build().state_dict()}
    given = {"weights": weights, "words": {"x": words_of("python")}, "symbols": {"x": SYMBOLS["python"]}}
    return {BracketWriter: given | {"lines": {"x": ["a + b"]}, "most": 40}}
