"""Sentences as curves in a real browser: the same points as torch; by mouse, keyboard and touch."""

import pytest
import torch
from playwright.sync_api import expect

from attend.live.seq2seq import EmbeddingPlanes
from attend.memory.supervision import shift_right
from attend.recipes.seq2seq import PlaneRecipe
from attend.soft.decode import greedy
from attend.soft.nearest import NearestSeq2Seq
from attend.tasks import numbers, pairs, translation

RECIPE = PlaneRecipe()
V, W = (len(rows) for rows in (RECIPE.build().embed_source.weight, RECIPE.build().embed_target.weight))
ENGLISH, GERMAN = translation.ENGLISH[:V], translation.GERMAN[:W]


def small():
    """A model of width 5 with weights large enough to say many things."""
    model = NearestSeq2Seq(V, W, 2, 5, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(1.5 * torch.randn(p.shape, generator=torch.Generator().manual_seed(p.numel())))
    return model


def figure(model, **options):
    return EmbeddingPlanes(dict(model.state_dict()), ENGLISH, GERMAN, **options)


def as_the_browser_sees(made, model):
    model.load_state_dict(made.seen())
    return model.requires_grad_(False)


def path(model, asked, fed):
    """Where the decoder points when `fed` are read, what is nearest, and how far the true words are."""
    memory = model.read(asked.source, asked.mask)
    told = model.embed_target(shift_right(fed, model.end))
    points = model.readout(model.decoder(told, model.start(memory))[0])[0]
    rows = model.embed_target.weight
    return points, torch.cdist(points, rows).argmin(1), (points - rows[asked.target[0]]).norm(dim=1)


def own(model, asked):
    """The writer's own tokens, an end that comes early read like any other."""
    memory = model.read(asked.source, asked.mask)
    state, token, said = model.start(memory), torch.tensor([model.end]), []
    for _ in range(asked.target.shape[1]):
        logits, state, _ = model.step(token, state, memory)
        token = logits.argmax(1)
        said.append(token)
    return torch.stack(said, dim=1)


@pytest.mark.parametrize("model", [small(), RECIPE.load()], ids=["small", "trained"])
@pytest.mark.parametrize("number", [0, 7, 101, 2_863, 616_719, 999_999])
def test_same_as_torch(compute, model, number):
    made = figure(model)
    got = compute(made)({"number": number})
    model = as_the_browser_sees(made, model)
    asked = translation.encode((number,))
    assert got["english"] == list(numbers.english(number))
    assert got["german"] == [*numbers.german(number), GERMAN[0]]
    for reads, fed in (("forced", asked.target), ("free", own(model, asked))):
        points, nearest, off = path(model, asked, fed)
        torch.testing.assert_close(torch.tensor(got[reads]["points"]), points, atol=2e-3, rtol=1e-3)
        torch.testing.assert_close(torch.tensor(got[reads]["distances"]), off, atol=2e-3, rtol=1e-3)
        assert got[reads]["said"] == [GERMAN[token] for token in nearest]


def test_int8_changes_few_answers():
    asked = translation.encode(RECIPE.of("test"))
    steps = asked.target.shape[1]
    exact = []
    for model in (RECIPE.load(), as_the_browser_sees(figure(RECIPE.load()), RECIPE.build())):
        written = greedy(model, asked.source, asked.mask, steps).tokens
        exact.append(pairs.exact(written, asked.target, asked.asked).double().mean().item())
    assert exact[1] > exact[0] - 0.02
    assert exact[0] > 0.75


def test_the_weights_are_light():
    assert len(figure(RECIPE.load()).buffer) < 32_000


def test_it_starts_two_tokens_after_the_first_mistake(mount):
    shown = mount(figure(RECIPE.load()))
    value = shown.value()
    first = next(i for i, (a, b) in enumerate(zip(value["said"], value["german"], strict=True)) if a != b)
    assert value["at"] == first + 2
    assert value["reads"] == "free"
    expect(shown.root.locator(".says")).to_contain_text(f"Token {first + 3} of {len(value['said'])}")


def test_true_tokens_bring_the_decoder_back(mount):
    shown = mount(figure(RECIPE.load()))
    free = shown.value()["wrong"]
    shown.root.get_by_role("radio", name="the true tokens").check(force=True)
    assert free == 3
    assert shown.value()["wrong"] == 1


def test_the_keyboard_steps_along_and_changes_digits(mount):
    shown = mount(figure(RECIPE.load()))
    pieces = shown.root.get_by_role("listbox")
    pieces.press("Home")
    assert shown.value()["at"] == 0
    pieces.press("ArrowRight")
    assert shown.value()["at"] == 1
    pieces.press("End")
    assert shown.value()["at"] == len(shown.value()["german"]) - 1
    shown.root.get_by_role("slider", name="Units").press("ArrowDown")
    assert shown.value()["number"] == 2_862
    assert shown.value()["german"] == [*numbers.german(2_862), GERMAN[0]]


def test_the_mouse_drags_a_digit_and_points_at_a_piece(mount):
    shown = mount(figure(RECIPE.load()))
    digit = shown.root.get_by_role("slider", name="Tens", exact=True).bounding_box()
    x, y = digit["x"] + digit["width"] / 2, digit["y"] + digit["height"] / 2
    shown.page.mouse.move(x, y)
    shown.page.mouse.down()
    shown.page.mouse.move(x + 12, y)
    shown.page.mouse.up()
    assert shown.value()["number"] == 2_883
    shown.root.get_by_role("option").nth(3).hover()
    assert shown.value()["at"] == 3


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_finger_on_a_phone(mount, theme):
    shown = mount(figure(RECIPE.load()), width=360, theme=theme, has_touch=True, reduced_motion="reduce")
    shown.root.get_by_role("option").nth(1).tap()
    assert shown.value()["at"] == 1
    assert shown.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_bad_input_is_refused_by_name():
    state = dict(small().state_dict())
    with pytest.raises(ValueError, match=r"english: got .*embed_source.weight"):
        EmbeddingPlanes(state, ["one"], GERMAN)
    with pytest.raises(ValueError, match=r"german: got .*embed_target.weight"):
        EmbeddingPlanes(state, ENGLISH, ["eins"])
    with pytest.raises(ValueError, match=r"tensors: got .*, expected words in a plane, embed_source.weight"):
        EmbeddingPlanes(state | {"embed_source.weight": torch.ones(len(ENGLISH), 3)}, ENGLISH, GERMAN)
    with pytest.raises(ValueError, match="number: got"):
        figure(small(), number=1_000_000)
    with pytest.raises(ValueError, match="end: got"):
        figure(small(), end=99)


def calls():
    MODEL = NearestSeq2Seq(5, 4, 2, 3)
    return {
        EmbeddingPlanes: {
            "tensors": dict(MODEL.state_dict()),
            "english": list("abcde"),
            "german": list("wxyz"),
            "number": 7,
            "end": 1,
        },
    }


def good():
    return {
        EmbeddingPlanes: {"number": {"zero"}, "end": {"zero"}},
    }
