"""The dialogue to rearrange in a real browser: the same probabilities as torch; by mouse, keyboard and touch."""

import pytest
import torch
from playwright.sync_api import expect

from attend.gating.hierarchical import HRED, FlatEncoderDecoder
from attend.live.hierarchical import Dialogue
from attend.recipes.hierarchical_figure import tensors, trained
from attend.tasks import dialogue

THINGS = {
    "city": {"values": list(dialogue.CITIES), "says": "to {}", "asks": "where ?", "answer": "to {}"},
    "month": {"values": list(dialogue.MONTHS), "says": "in {}", "asks": "when ?", "answer": "in {}"},
}


def figure(hierarchical, flat):
    return Dialogue(tensors(hierarchical), tensors(flat), dialogue.WORDS, THINGS, dialogue.SMALL_TALK, (8, 12))


def small():
    """Two models with weights large enough to have opinions."""
    V = len(dialogue.WORDS)
    made = HRED(V, 3, 5, 4), FlatEncoderDecoder(V, 3, 5, 6)
    with torch.no_grad():
        for p in (p for model in made for p in model.parameters()):
            p.copy_(0.7 * torch.randn(p.shape, generator=torch.Generator().manual_seed(p.numel())))
    return made


def as_the_browser_sees(made, name, model):
    """The model with the weights of the figure, after their rounding to int8."""
    seen = made.seen()
    with torch.no_grad():
        for part, tensor in tensors(model).items():
            tensor.copy_(seen[f"{name}.{part}"])
    return model


@torch.no_grad()
def probs(model, turns, question, answer):
    """The probability of the answer if the question comes after no turn, after one, …"""
    said = torch.tensor([[*(dialogue.PLACE[word] for word in answer.split()), 0]])
    found = []
    for n in range(len(turns) + 1):
        log_probs = model(*dialogue.encode([[*turns[:n], question]]), said).log_softmax(-1)
        found.append(log_probs.gather(2, said[..., None]).sum().exp().item())
    return found


TALK = {
    "turns": ["well to rome", "so in june yes", "oh hm", "right"],
    "question": "oh when ?",
    "answer": "in june",
}


def test_same_as_torch(compute):
    models = small()
    made = figure(*models)
    got = compute(made)(TALK)
    for name, model in zip(("hierarchical", "flat"), models, strict=True):
        model = as_the_browser_sees(made, name, model)
        wanted = probs(model, **TALK)
        assert got[name]["prob"] == pytest.approx(wanted, rel=1e-4)
        assert len({f"{prob:.5e}" for prob in wanted}) == 5
        written = model.generate(*dialogue.encode([[*TALK["turns"], TALK["question"]]]), 8)
        assert got[name]["said"] == dialogue.spell(written[0])


@torch.no_grad()
def test_int8_changes_no_answer_that_matters_and_is_light():
    models = {"hierarchical": trained("hred"), "flat": trained("flat_chrono")}
    made = figure(**models)
    assert len(made.buffer) < 60_000
    batch = dialogue.sample(200, back=None, generator=torch.Generator().manual_seed(5))
    for name, model in models.items():
        exact = model.generate(batch.words, batch.mask, 3)
        rounded = as_the_browser_sees(made, name, model).generate(batch.words, batch.mask, 3)
        assert (rounded == exact).all(1).double().mean() > 0.9


def test_it_starts_where_the_answer_is_three_turns_back(mount):
    shown = mount(figure(*small()))
    value = shown.value()
    assert value["back"] == 3
    assert len(value["turns"]) == 3
    assert len(value["prob"]["flat"]) == 4
    assert all(len(turn.split()) == 8 for turn in [*value["turns"], value["question"]])
    expect(shown.root.locator(".says")).to_contain_text("Said 3 turns ago")


def test_the_keyboard_moves_a_turn_and_changes_a_value(mount):
    shown = mount(figure(*small()))
    before = shown.value()
    shown.root.get_by_role("button", name="Say the city later").press("Enter")
    after = shown.value()
    assert after["back"] == 2
    expect(shown.root.get_by_role("button", name="Say the city later")).to_be_focused()
    assert after["prob"] != before["prob"]
    shown.root.get_by_role("combobox", name="The city").select_option("cairo")
    assert shown.value()["answer"] == "to cairo"
    expect(shown.root.get_by_role("combobox", name="The city")).to_be_focused()
    shown.root.get_by_role("button", name="Say the city later").press("Enter")
    assert shown.value()["back"] == 1
    expect(shown.root.get_by_role("button", name="Say the city earlier")).to_be_focused()
    expect(shown.root.get_by_role("button", name="Say the city later")).to_be_disabled()
    shown.root.get_by_role("button", name="Start again").click()
    assert shown.value() == before


def test_longer_turns_and_another_question(mount):
    shown = mount(figure(*small()))
    slider = shown.root.get_by_role("slider", name="Words a turn")
    slider.press("End")
    assert all(len(turn.split()) == 12 for turn in shown.value()["turns"])
    shown.root.get_by_role("radio", name="month").check(force=True)
    assert shown.value()["question"].endswith("when ?")


def test_a_finger_on_a_phone(mount):
    shown = mount(figure(*small()), width=360, theme="dark", has_touch=True)
    before = shown.value()
    shown.root.get_by_role("button", name="earlier").last.tap()
    assert shown.value()["turns"] != before["turns"]
    overflow = shown.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert overflow <= 0


def test_bad_input_is_refused_by_name():
    hierarchical, flat = map(tensors, small())
    with pytest.raises(ValueError, match=r"hierarchical: got .*V = 3"):
        Dialogue(hierarchical, flat, ["a", "b", "c"], THINGS, ["a"])
    with pytest.raises(ValueError, match="things: got"):
        Dialogue(hierarchical, flat, dialogue.WORDS, {"city": THINGS["city"]}, ["well"])
    with pytest.raises(ValueError, match=r"things: got .*utopia"):
        Dialogue(hierarchical, flat, dialogue.WORDS, THINGS, ["utopia"])
    with pytest.raises(ValueError, match="lengths: got"):
        Dialogue(hierarchical, flat, dialogue.WORDS, THINGS, ["well"], (9, 8))


def calls():
    THING = {"values": ["a", "b"], "says": "go {}", "asks": "go ?", "answer": "go {}"}
    WORDS = ["end", "a", "b", "go", "it", "is", "?"]
    return {
        Dialogue: {
            "hierarchical": tensors(HRED(7, 2, 3, 3)),
            "flat": tensors(FlatEncoderDecoder(7, 2, 3, 4)),
            "words": WORDS,
            "things": {"one": THING, "other": THING},
            "talk": ["it is"],
            "lengths": (8, 9),
        },
    }
