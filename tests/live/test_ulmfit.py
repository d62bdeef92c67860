"""A classifier reads word by word in a real browser: the same as torch; by typing, mouse, touch and keyboard."""

import pytest
import torch

from attend.live.ulmfit import ReadWordByWord
from attend.recipes import ulmfit_figure
from attend.transformers.ulmfit import AWDLSTM, TextClassifier, concat_pool

WORDS = ("…", "|", "the", "film", "is", "dull", "but", "fine")
TEXT = "the film is dull"


def model():
    torch.manual_seed(0)
    made = TextClassifier(AWDLSTM(len(WORDS), 4, 6), width=5)
    for norm in (made.head[0], made.head[4]):
        torch.nn.init.uniform_(norm.running_var, 0.5, 2.0)
        for one in (norm.running_mean, norm.weight, norm.bias):
            torch.nn.init.normal_(one)
    return made.eval()


def figure(**changed):
    torch.manual_seed(1)
    given = {"weights": model().state_dict(), "vocabulary": WORDS, "average": torch.randn(12), "text": TEXT}
    return ReadWordByWord(**(given | changed))


def calls():
    given = {"weights": model().state_dict(), "vocabulary": WORDS, "average": torch.zeros(12), "text": TEXT}
    return {ReadWordByWord: given}


def good():
    return {ReadWordByWord: {"text": {"word"}}}


@pytest.mark.parametrize("part", ["all", "last", "max", "mean"])
def test_same_as_torch(compute, part):
    made = figure()
    seen, twin = made.seen(), model()
    twin.encoder.token.weight.data = seen["token"]
    for n, lstm in enumerate(twin.encoder.lstms):
        for name, value in lstm.lstm.named_parameters():
            value.data = seen[f"{n}.{name}"]
    words = ["the", "zoo", "is", "fine", "but", "the", "film"]
    got = compute(made)({"words": words, "part": part})
    tokens = torch.tensor([[1, *(WORDS.index(word) if word in WORDS else 0 for word in words)]])
    with torch.no_grad():
        states, _ = twin.encoder.states(tokens)
        for t in range(1, tokens.shape[1] + 1):
            pooled = concat_pool(states[:, :t], torch.ones(1, t, dtype=torch.bool))[0].view(3, 4)
            if part != "all":
                kept = seen["average"].view(3, 4).clone()
                kept[("last", "max", "mean").index(part)] = pooled[("last", "max", "mean").index(part)]
                pooled = kept
            logits = judged(seen, pooled.flatten()[None])[0]
            torch.testing.assert_close(torch.tensor(got["logits"][t - 1]), logits, atol=1e-4, rtol=1e-4)
            assert got["probs"][t - 1] == pytest.approx(logits.softmax(0)[1].item(), abs=1e-5)
            assert got["holders"][t - 1] == states[0, :t].argmax(0).tolist()


def judged(seen, x):
    for n in (1, 2):
        x = x * seen[f"scale{n}"][:, 0] + seen[f"shift{n}"][:, 0]
        x = x @ seen[f"W{n}"].T + seen[f"b{n}"][:, 0]
        x = torch.relu(x) if n == 1 else x
    return x


def test_the_head_as_it_is_judged():
    made, head = figure(), model().head
    x = torch.randn(7, 12)
    torch.testing.assert_close(judged(made.seen(), x), head(x).detach(), atol=0.05, rtol=0.02)


@torch.no_grad()
def test_the_trained_one_says_in_bytes_what_it_says_in_torch(compute):
    classifier, average = ulmfit_figure.trained()
    words = ulmfit_figure.words()
    forward = compute(ReadWordByWord(classifier.state_dict(), words, average, TEXT))
    for text in ("this is one of the best films of the year .", "this is one of best the films of the year ."):
        tokens = torch.tensor([[1, *(words.index(word) for word in text.split())]])
        right = classifier(tokens, torch.ones_like(tokens, dtype=torch.bool)).softmax(1)[0, 1].item()
        assert forward({"words": text.split(), "part": "all"})["probs"][-1] == pytest.approx(right, abs=0.02)


def test_words_are_exchanged_and_put_back(mount):
    shown = mount(figure())
    assert shown.value()["text"] == TEXT
    line = shown.root.get_by_role("listbox")
    line.press("Home")
    assert shown.value()["at"] == 0
    button = shown.root.get_by_role("button", name="Exchange with the next word")
    button.press("Enter")
    assert (shown.value()["text"], shown.value()["at"]) == ("film the is dull", 1)
    line.press("End")
    assert button.is_disabled()
    shown.root.get_by_role("button", name="Start again").click()
    assert shown.value()["text"] == TEXT


def test_typing_reads_anew_names_unknown_words_and_asks_for_some(mount):
    shown = mount(figure())
    first = shown.value()["prob"]
    shown.root.get_by_role("textbox").fill("The zoo is fine")
    assert shown.value()["prob"] != first
    assert "1 underlined word is unknown" in shown.root.locator(".says").inner_text()
    shown.root.get_by_role("textbox").fill("")
    assert shown.value()["at"] == -1
    assert "type a sentence" in shown.root.locator(".says").inner_text()


def test_the_parts_of_the_pooled_vector_can_be_chosen_and_the_maxima_are_shared_out(mount):
    shown = mount(figure())
    first = shown.value()
    shown.root.get_by_role("radio", name="the mean").press("Space")
    assert shown.value()["part"] == "mean"
    assert shown.value()["prob"] != first["prob"]
    line, total = shown.root.get_by_role("listbox"), 0
    options = line.get_by_role("option")
    shares = options.evaluate_all("cells => cells.map(c => Number(c.lastChild.style.getPropertyValue('--n')))")
    total = sum(shares)
    assert 0 <= total <= 1 + 1e-3
    assert shares[-1] == pytest.approx(first["held"] / 4, abs=1e-3)


def test_it_works_by_touch_and_fits_a_phone_in_the_dark(mount):
    shown = mount(figure(), width=360, theme="dark", has_touch=True)
    shown.root.get_by_role("option").nth(1).tap()
    assert shown.value()["at"] == 1
    shown.root.get_by_role("button", name="Exchange with the next word").tap()
    assert shown.value()["text"] == "the is film dull"
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"vocabulary": WORDS[1:]}, "vocabulary: got 7"),
        ({"average": torch.zeros(5)}, "average"),
        ({"text": " "}, "text: got ' '"),
    ],
)
def test_what_cannot_be_shown_is_refused_by_name(changed, says):
    with pytest.raises(ValueError, match=says):
        figure(**changed)
