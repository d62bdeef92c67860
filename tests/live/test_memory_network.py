"""The figure answers as torch does, in a real browser; a story is changed by mouse, keys and touch."""

import pytest
import torch

from attend.live.memory_network import StoryFigure
from attend.recipes.memory_network import encoded, right, trained
from attend.soft.memory_network import MemoryNetwork
from attend.tasks import world

FORMS = {
    "went to the": (world.PEOPLE, world.PLACES),
    "took the": (world.PEOPLE, world.CARRIED),
    "is in the": ([f"the {one}" for one in world.THINGS], world.HOLDERS),
}
STORY = [("John", "took the", "football"), ("Mary", "went to the", "kitchen"), ("John", "went to the", "garden")]


def model(**more):
    torch.manual_seed(2)
    return MemoryNetwork(len(world.VOCABULARY), 9, 8, 3, **more)


def figure(network=None, **more):
    given = {"forms": FORMS, "places": world.PLACES, "story": STORY, "asked": "the football"} | more
    return StoryFigure(network or model(), world.VOCABULARY, **given)


def read(made, network, story, question):
    """Weights and probabilities by torch, from what travels."""
    seen = made.seen()
    for i, (embed, time) in enumerate(zip(network.embed, network.time, strict=True)):
        embed.words.weight.data, time.data = seen[f"embed{i}"].double(), seen[f"time{i}"].double()
    batch = world.encode([world.Story(tuple(story), question, "garden", ())], network.slots)
    logits, weights = network(batch.story, batch.question)
    places = [world.VOCABULARY.index(place) for place in world.PLACES]
    return weights[0, :, -len(story) :], logits.softmax(1)[0, places]


@pytest.mark.parametrize("position", [False, True])
@pytest.mark.parametrize("sentences", [1, 3, 8])
def test_same_as_torch(compute, position, sentences):
    network = model(position=position)
    with torch.no_grad():
        for part in network.parameters():
            part.mul_(4.0)
    made = figure(network)
    story = ["the key is in the bag", *(f"{who} took the bag" for who in world.PEOPLE), "Anna went to the attic"]
    story = [*story, "Anna went to the hall", "John took the box"][:sentences]
    question = "where is the key"
    got = compute(made)({"story": story, "question": question})
    weights, probs = read(made, network.double(), story, question)
    torch.testing.assert_close(torch.tensor(got["weights"]).double(), weights, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(torch.tensor(got["probs"]).double(), probs, atol=1e-5, rtol=1e-4)
    assert got["reads"] == weights.argmax(1).tolist()


def test_sixteen_bits_change_no_answer_in_a_hundred_of_the_shipped_network_and_weigh_little():
    made = figure(trained(), most=8)
    assert len(made.buffer) < 30_000
    batch, rounded = encoded("where", 500, 4, "validation"), trained()
    seen = made.seen()
    for i, (embed, time) in enumerate(zip(rounded.embed, rounded.time, strict=True)):
        embed.words.weight.data, time.data = seen[f"embed{i}"].float(), seen[f"time{i}"].float()
    whole = right(trained(), batch).float().mean()
    assert abs(right(rounded, batch).float().mean() - whole) < 0.01


def test_a_story_is_written_by_keys(mount):
    shown = mount(figure(trained()))
    assert shown.value()["answer"] == "garden"
    assert shown.value()["reads"][0] == 0
    shown.root.get_by_label("Where or which, sentence 3").select_option("attic")
    assert shown.value()["answer"] == "attic"
    shown.root.get_by_label("Who or what, sentence 1").select_option("Mary")
    assert shown.value()["answer"] == "kitchen"
    shown.root.get_by_role("button", name="Add a sentence").press("Enter")
    assert len(shown.value()["story"]) == 4
    shown.root.get_by_role("button", name="Move sentence 4 up").press("Enter")
    assert shown.value()["story"][3] == "John went to the attic"
    shown.root.get_by_role("button", name="Delete sentence 1").press("Enter")
    assert len(shown.value()["story"]) == 3
    shown.root.get_by_label("Where is").select_option("John")
    assert shown.value()["answer"] == "attic"
    shown.root.get_by_role("button", name="Start again").press("Enter")
    assert shown.value()["story"] == [" ".join(one) for one in STORY]


def test_another_verb_brings_words_that_fit(mount):
    shown = mount(figure())
    shown.root.get_by_label("Does what, sentence 2").select_option("is in the")
    assert shown.value()["story"][1] == "the key is in the bag"
    shown.root.get_by_label("Does what, sentence 2").select_option("took the")
    assert shown.value()["story"][1] == "John took the bag"


def test_as_many_sentences_as_there_is_room_and_never_none(mount):
    shown = mount(figure(most=4))
    more = shown.root.get_by_role("button", name="Add a sentence")
    more.click()
    assert more.is_disabled()
    for _ in range(3):
        shown.root.get_by_role("button", name="Delete sentence 1").click()
    assert shown.root.get_by_role("button", name="Delete sentence 1").is_disabled()


def test_it_works_by_touch_and_fits_a_phone_in_the_dark(mount):
    shown = mount(figure(), width=360, theme="dark", has_touch=True)
    shown.root.get_by_role("button", name="Delete sentence 2").tap()
    assert len(shown.value()["story"]) == 2
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"story": []}, "story: got"),
        ({"story": [("John", "took the", "kitchen")]}, "story: got"),
        ({"asked": "the moon"}, "asked: got"),
        ({"places": ["moon", "garden"]}, "places: got"),
        ({"forms": {"flew to": (world.PEOPLE, world.PLACES)}}, "forms"),
        ({"most": 10}, "model: got"),
        ({"network": MemoryNetwork(5, 9)}, "model: got"),
    ],
)
def test_what_cannot_be_shown_is_refused_by_name(changed, says):
    with pytest.raises(ValueError, match=says):
        figure(**changed)


def calls():
    return {
        StoryFigure: {
            "model": model(),
            "vocabulary": world.VOCABULARY,
            "forms": FORMS,
            "places": world.PLACES,
            "story": STORY,
            "asked": "the football",
            "most": 8,
        }
    }
