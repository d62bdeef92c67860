"""A word in its sentence, in a real browser: the same vectors as torch; by typing, mouse, touch and keyboard."""

import pytest
import torch

from attend.live.elmo import WordInContext
from attend.tasks import senses
from attend.transformers.elmo import BiLM

WORDS = ("…", "|", "the", "play", "they", "in", "park")
EXAMPLES = {
    "play": [("the play", "noun"), ("they play", "verb"), ("they play in the park", "verb")],
    "park": [("the park", "noun"), ("they park in the park", "verb")],
}


def model():
    torch.manual_seed(0)
    return BiLM(len(WORDS), 6, num_targets=len(WORDS)).eval()


def figure(**changed):
    torch.manual_seed(1)
    given = {"weights": model().state_dict(), "vocabulary": WORDS, "axes": torch.randn(3, 2, 12)}
    given |= {"centre": torch.randn(3, 12), "examples": EXAMPLES, "text": "they play in the zoo"}
    return WordInContext(**(given | changed))


@pytest.mark.parametrize("place", [0, 2, 4])
def test_same_as_torch(compute, place):
    made = figure()
    seen, twin = made.seen(), model()
    twin.load_state_dict({name: value for name, value in seen.items() if name in twin.state_dict()}, strict=False)
    words = ["they", "play", "in", "zoo", "park"]
    got = compute(made)({"words": words, "place": place})
    with torch.no_grad():
        vectors = twin(*senses.encode([tuple(words)], WORDS))[:, 0, place + 1]
    torch.testing.assert_close(torch.tensor(got["vectors"]), vectors, atol=1e-5, rtol=1e-4)
    axes = seen["axes"].view(3, 2, 12)
    points = torch.einsum("lad,ld->la", axes, vectors - seen["centre"])
    torch.testing.assert_close(torch.tensor(got["points"]), points, atol=1e-4, rtol=1e-4)


def test_the_word_alone_has_one_place_and_in_context_it_has_several(compute):
    forward = compute(figure())
    one, two = (forward({"words": words, "place": 1}) for words in (["the", "play"], ["they", "play", "in"]))
    assert one["points"][0] == two["points"][0]
    assert one["points"][1] != two["points"][1]


def test_typing_moves_the_ring_and_unknown_words_are_named(mount):
    shown = mount(figure())
    first = shown.value()
    assert first["point"] is not None
    assert "zoo" in shown.root.locator(".says").inner_text()
    shown.root.get_by_role("textbox").fill("The play in the park!")
    assert shown.value()["point"] != first["point"]
    shown.root.get_by_role("textbox").fill("in the park")
    assert shown.value()["point"] is None
    assert "lacks" in shown.root.locator(".says").inner_text()


def test_another_word_brings_a_sentence_of_its_own(mount):
    shown = mount(figure())
    assert [radio.get_attribute("value") for radio in shown.root.get_by_role("radio").all()][:2] == ["play", "park"]
    shown.root.get_by_role("radio", name="park", exact=True).press("Space")
    assert (shown.value()["word"], shown.value()["text"]) == ("park", "they park in the park")
    assert shown.value()["point"] is not None


def test_points_tell_their_sentence_by_keyboard_mouse_and_touch(mount):
    shown = mount(figure(), width=360, theme="dark", has_touch=True)
    spots = shown.root.locator(".spot")
    assert spots.count() == 3
    spots.nth(0).focus()
    assert "noun: the play" in shown.root.locator(".elmo-sentence").inner_text()
    shown.root.get_by_role("radio", name="second layer").press("Space")
    assert shown.value()["layer"] == 2
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"vocabulary": WORDS[:-1]}, "vocabulary: got"),
        ({"axes": torch.zeros(3, 2, 10), "centre": torch.zeros(3, 10)}, "axes: got"),
        ({"centre": torch.zeros(3, 10)}, "centre: got"),
        ({"examples": {"play": [("the play", "noun")]}}, "examples: got"),
        ({"examples": {"park": [("the play", "noun"), ("park", "verb")]}}, "examples: got"),
        ({"text": "in the park"}, "text: got"),
    ],
)
def test_what_cannot_be_shown_is_refused_by_name(changed, says):
    with pytest.raises(ValueError, match=says):
        figure(**changed)


def calls():
    given = {"weights": model().state_dict(), "vocabulary": WORDS, "axes": torch.zeros(3, 2, 12)}
    given |= {"centre": torch.zeros(3, 12), "examples": EXAMPLES, "text": "they play"}
    return {WordInContext: given}
