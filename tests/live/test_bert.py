"""Hidden words in a real browser: the same as torch; mouse, touch and keyboard; what cannot be shown is refused."""

import pytest
import torch

from attend.live.bert import MaskedWords
from attend.recipes.bert import BertRecipe
from attend.tasks import village
from attend.transformers.bert import Bert

TEXTS = (
    "the queen near the boys [MASK] the book and smiles . | she is glad .",
    "the boy bakes the cake and weeps . | he is sad .",
)


def weights():
    return BertRecipe(seed=3).build().state_dict()


def figure(texts=TEXTS):
    return MaskedWords(weights(), 2, village.VOCABULARY, texts)


@pytest.mark.parametrize(("at", "kept"), [(6, None), (1, None), (6, 7)])
def test_same_as_torch(compute, at, kept):
    made, model = figure(), Bert(len(village.VOCABULARY)).double()
    model.load_state_dict(made.seen())
    tokens, segments = (part[:, :kept] for part in village.encode(*([half] for half in TEXTS[0].split(" | "))))
    got = compute(made)({"tokens": tokens[0].tolist(), "segments": segments[0].tolist(), "at": at})
    with torch.no_grad():
        hidden = model(tokens, segments)
        wanted = model.words(hidden[0, at])
        follows = model.follows(hidden).softmax(1)[0, 1].item()
    torch.testing.assert_close(torch.tensor(got["logits"]).double(), wanted, atol=1e-5, rtol=1e-5)
    assert got["follows"] == pytest.approx(follows, abs=1e-6)
    x = model.norm(model.token(tokens) + model.segment(segments) + model.position.weight[: tokens.shape[1]])
    for layer, block in enumerate(model.blocks):
        query, key, _ = (part.unflatten(2, (2, -1)).transpose(1, 2) for part in block.qkv_proj(x).chunk(3, dim=2))
        shares = (query @ key.mT / 24**0.5).softmax(3)[0, :, at]
        torch.testing.assert_close(torch.tensor(got["attention"][layer]).double(), shares, atol=1e-6, rtol=1e-5)
        x = block(x, torch.ones(1, 1, x.shape[1], dtype=torch.bool))


def test_words_are_hidden_and_shown_by_a_press(mount):
    shown = mount(figure())
    first = shown.value()
    assert (first["at"], first["hidden"], first["left"]) == (6, 1, False)
    shown.root.get_by_role("button", name="book, word 8").click()
    assert (shown.value()["at"], shown.value()["hidden"]) == (8, 2)
    shown.root.get_by_role("button", name="[MASK], word 8").press("Enter")
    assert (shown.value()["at"], shown.value()["hidden"]) == (6, 1)
    shown.root.get_by_role("checkbox").check()
    assert shown.value()["left"]
    assert shown.value()["sure"] != first["sure"]
    shown.root.get_by_role("checkbox").uncheck()
    shown.root.get_by_role("radio", name="2.1").press("Space")
    assert shown.value() == first
    shown.root.get_by_role("button", name="Another pair").click()
    assert (shown.value()["at"], shown.value()["hidden"], shown.value()["guess"]) == (0, 0, "")
    shown.root.get_by_role("textbox").fill("the boy eats")
    assert "does not know: eats" in shown.root.locator(".says").inner_text()
    shown.root.get_by_role("textbox").fill("")
    assert "sentences, please" in shown.root.locator(".says").inner_text()
    shown.root.get_by_role("textbox").fill("[MASK] is glad .")
    assert (shown.value()["at"], shown.value()["hidden"]) == (1, 1)


def test_it_works_by_touch_and_fits_a_phone_in_the_dark(mount):
    shown = mount(figure(), width=360, theme="dark", has_touch=True)
    shown.root.get_by_role("button", name="book, word 8").tap()
    assert shown.value()["at"] == 8
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"num_heads": 5}, "num_heads: got 5"),
        ({"vocabulary": ("a", "b")}, "vocabulary: got"),
        ({"texts": ()}, "texts: got"),
        ({"texts": ("the boy",)}, "texts: got"),
        ({"texts": ("the boy | eats",)}, "texts: got"),
        ({"texts": ("the | " + "boy " * 40,)}, "texts: got"),
    ],
)
def test_what_cannot_be_shown_is_refused_by_name(changed, says):
    given = {"weights": weights(), "num_heads": 2, "vocabulary": village.VOCABULARY, "texts": TEXTS}
    with pytest.raises(ValueError, match=says):
        MaskedWords(**(given | changed))


def calls():
    small = Bert(6, 4, 2, 1, 8).state_dict()
    vocabulary = ("[PAD]", "[CLS]", "[SEP]", "[MASK]", "a", "b")
    return {MaskedWords: {"weights": small, "num_heads": 2, "vocabulary": vocabulary, "texts": ("a b | a",)}}
