"""What is trained on page ctc: two models over one encoder, on recordings that are what their names say."""

import pytest
import torch

from attend.recipes import ctc as recipes
from attend.recipes.ctc import CTCRecipe, Listener
from attend.tasks import speech


def test_a_start_is_repeated_by_its_seed():
    for kind in recipes.RATE:
        one, two, other = (CTCRecipe(kind, seed).build().state_dict() for seed in (0, 0, 1))
        assert all(torch.equal(one[name], two[name]) for name in one)
        assert any(not torch.equal(one[name], other[name]) for name in one)


def test_weights_are_as_many_as_the_page_says():
    sizes = {kind: sum(p.numel() for p in CTCRecipe(kind).build().parameters()) for kind in recipes.RATE}
    assert sizes == {"ctc": 24_715, "attention": 65_195}


def test_digits_are_turned_and_padding_stays_behind():
    few = speech.load("test", 5)
    turned = recipes.ordered(few, True)
    assert speech.said(turned) == [said[::-1] for said in speech.said(few)]
    assert ((turned.target > 0) == few.asked).all()
    assert recipes.ordered(few, False) is few


def test_every_target_ends():
    few = speech.load("test", 5)
    target, asked = recipes.with_end(few)
    assert asked.sum(1).tolist() == [1 + len(said) for said in speech.said(few)]
    assert (target[asked].view(-1) == speech.END).sum() == 5


def test_bands_move_together_and_no_further_than_said(monkeypatch):
    monkeypatch.setattr(recipes, "NOISE", 0.0)
    ramp = torch.arange(16.0).expand(40, 3, 16)
    moved = recipes.varied(ramp, torch.Generator().manual_seed(0)) - ramp
    assert moved.abs().max() <= recipes.SHIFT + 1e-5
    assert moved.abs().max() > 1
    torch.testing.assert_close(moved, moved[:, :1].expand(40, 3, 16))


def test_the_decoder_is_not_told_what_comes():
    model, few = CTCRecipe("attention").build(), speech.load("test", 5)
    target, _ = recipes.with_end(few)
    other = target.clone()
    other[:, 2:] = 7
    one, two = (model(few.x, few.mask, tokens) for tokens in (target, other))
    torch.testing.assert_close(one[:, :3], two[:, :3])
    first = model.write(few.x, few.mask, 1)
    assert torch.equal(first[:, 0], one[:, 0].argmax(1))


def test_padding_changes_nothing_of_what_is_written():
    few = speech.load("test", 5)
    alone = speech.load("test", 1)
    for kind in recipes.RATE:
        model = CTCRecipe(kind).build()
        assert recipes.written(model, few)[0].startswith(recipes.written(model, alone)[0])  # it may write longer


def test_who_says_only_blank_has_written_nothing():
    few = speech.load("test", 5)
    for kind in recipes.RATE:
        model = CTCRecipe(kind).build()
        with torch.no_grad():
            model.readout.weight.zero_()
            model.readout.bias.copy_(torch.tensor([9.0] + [0.0] * 10))
        assert recipes.written(model, few) == [""] * 5
        assert recipes.error(model, few) == 1
        if kind == "ctc":
            assert recipes.searched(model, few)[0] == [""] * 5


@pytest.mark.nightly
@pytest.mark.parametrize("kind", recipes.RATE)
def test_a_short_training_lowers_the_loss(kind):
    _, history = CTCRecipe(kind, steps=25).train()
    assert sum(history.losses[-5:]) < sum(history.losses[:5])


def test_the_weights_that_came_with_the_package_read_new_speakers():
    model = CTCRecipe().load()
    assert recipes.error(model, speech.load("test")) < 0.1
    assert recipes.written(model, speech.load("test", 3))[speech.SHOWN] == "337"
    found, said = recipes.searched(model, speech.load("test", 10))
    assert speech.label_error(found, said) < 0.2
    assert isinstance(CTCRecipe("attention").build(), Listener)


@pytest.mark.parametrize(("field", "value"), [("kind", "hmm"), ("steps", 0), ("rate", -1.0), ("most", 0)])
def test_fields_are_refused_by_name(field, value):
    with pytest.raises(ValueError, match=f"{field}: got"):
        CTCRecipe(**{field: value})
