"""How RAM is taught to find a sign: what each side is given, that it learns, and how a model grows."""

import pytest
import torch

from attend.hard.glimpse import glimpse
from attend.recipes import ram
from attend.recipes.ram import RATE, ConvRecipe, SignRecipe, grown, held_out, right, search, thrown
from attend.recipes.ram_shown import trained

QUICK = {"steps": 4, "count": 200}


@pytest.mark.parametrize("side", [side for side in RATE if side != "conv"])
def test_a_short_training_is_repeated_by_its_seed(side):
    one, two = (SignRecipe(side, 3, **QUICK).train() for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True))
    moved = (one.location_head.weight != SignRecipe(side, 3).build().location_head.weight).any()
    assert moved == (side != "random")  # nobody asks it where to look


def test_searches_begin_in_the_middle_and_random_ones_go_anywhere():
    locations = thrown(2_000, 3, 32, torch.Generator().manual_seed(0))
    assert (locations[:, 0] == 0).all()
    assert 0.99 * (1 - 14 / 32) < locations.abs().max() <= 1 - 14 / 32
    of = held_out("validation", 0, count=20)
    model = SignRecipe().build()
    assert (search(model, of).locations[:, 0] == 0).all()
    assert torch.equal(search(model, of, random=True).locations, thrown(20, 3, 32, torch.Generator().manual_seed(5)))


def test_a_convolutional_net_learns_and_reads_wider_canvases():
    of = held_out("validation", 0, width=40, count=5)
    assert ConvRecipe(1, **QUICK).train()(of.images).shape == (5, 3)


def test_a_grown_model_sees_what_the_smaller_one_saw_at_the_same_pixels():
    model = trained()
    wider = grown(model).eval()
    small = held_out("validation", 0, count=6).images
    wide = torch.nn.functional.pad(small, (16, 16, 16, 16))
    near = torch.tensor([[[0.1, -0.2]]]).expand(6, 1, 2)
    torch.testing.assert_close(glimpse(small, near[:, 0], 12, 3), glimpse(wide, near[:, 0] / 2, 12, 4)[:, :3])
    with torch.no_grad():
        wider.what.weight[:, 432:] = 0
        one, two = model(small, 1, given=near), wider(wide, 1, given=near / 2)
    torch.testing.assert_close(one.logits, two.logits)
    wider.train()
    copies = wide.repeat(ram.DRAWS, 1, 1)
    torch.testing.assert_close(wider(copies, 2, 0.0).logits, wider.eval()(copies, 2, 0.0).logits)


def test_shares_of_right_answers():
    logits = torch.tensor([[[2.0, 1.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 1.0]]])
    assert right(logits, torch.tensor([0, 1])).tolist() == [1.0, 0.5]
    assert right(logits[:, 1], torch.tensor([0, 1])).item() == 0.5


def test_an_unknown_side_is_refused():
    with pytest.raises(ValueError, match="side: got 'blind'"):
        SignRecipe("blind")
    with pytest.raises(ValueError, match="count: got 0"):
        thrown(0, 1, 32)


def test_while_it_trains_a_grown_model_wants_copies():
    model, images = grown(trained()), torch.rand(ram.DRAWS * 2, 64, 64)
    model.train()
    with pytest.raises(ValueError, match=rf"images: got .*, expected {ram.DRAWS} copies of a batch"):
        model(images, 1)
    model(images[:2].repeat(ram.DRAWS, 1, 1), 1)
    model.eval()(images, 1)
