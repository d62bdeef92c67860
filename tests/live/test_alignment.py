"""EM in a browser: the same weights as attend.soft.lexicon, round by round; by mouse and keyboard."""

import pytest
import torch
from playwright.sync_api import expect

from attend.live.alignment import SMOOTHING, ExpectationMaximisation
from attend.soft import lexicon
from attend.tasks.pairs import padded

PAIRS = (
    ("das Haus", "the house"),
    ("das alte Haus", "the old house"),
    ("ein Buch", "a book"),
    ("das Buch", "the book"),
)


def by_torch(rounds):
    """The weights of every pair after so many rounds, by the E- and M-steps of the page."""
    tokens = [sorted({word for pair in PAIRS for word in pair[side].split()}) for side in (0, 1)]
    source, mask = padded([[tokens[0].index(word) for word in pair[0].split()] for pair in PAIRS])
    target, asked = padded([[tokens[1].index(word) for word in pair[1].split()] for pair in PAIRS])
    table = lexicon.uniform_table(len(tokens[1]), len(tokens[0])).double()
    for _ in range(rounds):
        weights = lexicon.e_step(table, source, target, mask)
        table = lexicon.m_step(weights, source, target, asked, table, SMOOTHING)
    weights = lexicon.e_step(table, source, target, mask)
    sizes = zip(asked.sum(1).tolist(), mask.sum(1).tolist(), strict=True)
    return [weights[n, :T, :S] for n, (T, S) in enumerate(sizes)]


@pytest.mark.parametrize("rounds", [0, 1, 5])
def test_same_as_torch(compute, rounds):
    got = compute(ExpectationMaximisation(PAIRS))({"rounds": rounds})["weights"]
    for ours, theirs in zip(got, by_torch(rounds), strict=True):
        assert torch.tensor(ours).flatten().tolist() == pytest.approx(theirs.flatten().tolist(), abs=1e-5)


def test_rounds_go_by_the_keyboard_and_a_row_by_the_mouse(mount):
    shown = mount(ExpectationMaximisation(PAIRS))
    expect(shown.root.locator(".says")).to_contain_text("After 0 rounds “book”")
    rounds = shown.root.get_by_role("slider", name="Rounds of EM")
    rounds.focus()
    rounds.press("ArrowRight")
    rounds.press("ArrowRight")
    assert shown.value()["rounds"] == 2
    box = shown.root.locator("svg.table .cells rect").first.bounding_box()
    shown.page.mouse.move(box["x"] + 3, box["y"] + 3)
    expect(shown.root.locator(".says")).to_contain_text("After 2 rounds “the”")


def test_it_fits_a_phone(mount):
    shown = mount(ExpectationMaximisation(PAIRS), width=320)
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 320


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match=r"pairs: got .* each with a word"):
        ExpectationMaximisation((("das Haus", " "),))


def calls():
    return {ExpectationMaximisation: {"pairs": (("das Haus", "the house"),)}}
