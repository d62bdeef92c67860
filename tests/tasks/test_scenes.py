from itertools import islice

import pytest
import torch

from attend.tasks import scenes
from attend.tasks.clothes import clothes
from attend.tasks.clutter import small
from attend.tasks.digits import digits
from attend.tasks.scenes import CELL, END, NOTHING, NOWHERE, PAIRS, THINGS, WORDS


def drawn(split="validation", count=400, seed=0, **more):
    return scenes.scenes(split, count, torch.Generator().manual_seed(seed), **more)


@pytest.fixture(scope="module")
def some():
    return drawn()


def cut_out(images, cells):
    """The 16 x 16 pixels of one cell of each image."""
    grid = images.view(len(images), 3, CELL, 3, CELL).transpose(2, 3).flatten(1, 2)
    return grid[torch.arange(len(images)), cells]


def test_every_caption_has_the_form_that_the_course_shows(some):
    for caption in some.captions:
        article, first, relation, other, second = scenes.spell(caption).split()
        assert caption[-1] == END
        assert relation in ("above", "beside")
        for word, name in ((article, first), (other, second)):
            assert name in THINGS
            assert word == ("an" if name == "eight" else "a")


def test_the_named_things_stand_in_their_cells(some):
    pool = {"digits": (small("validation"), digits("validation").labels)}
    pool["clothes"] = (clothes("validation").images, clothes("validation").labels + 10)
    for step in (1, 4):
        cells = cut_out(some.images, some.cells[:, step])
        for image, word in zip(cells[:40], some.captions[:40, step], strict=True):
            thing = WORDS[int(word)]
            images, labels = pool["digits" if THINGS.index(thing) < 10 else "clothes"]
            alike = images[labels == THINGS.index(thing)]
            windows = image.unfold(0, 14, 1).unfold(1, 14, 1).reshape(9, 1, 14, 14)
            assert ((windows - alike).abs().flatten(2).sum(2) == 0).any(), thing


def test_the_relation_says_how_the_cells_lie_and_the_upper_or_left_one_comes_first(some):
    assert len(PAIRS) == 18
    for caption, cells in zip(some.captions.tolist(), some.cells.tolist(), strict=True):
        assert [cells[t] for t in (0, 2, 3, 5)] == [NOWHERE] * 4
        first, second = cells[1], cells[4]
        down, across = second // 3 - first // 3, second % 3 - first % 3
        assert WORDS[caption[2]] == ("above" if across == 0 else "beside")
        assert (down > 0, across) == (True, 0) or (down, across > 0) == (0, True)


def test_every_thing_pair_and_relation_turns_up():
    many = drawn("train", 2_000)
    assert {int(word) for word in many.captions.flatten()} == set(range(len(WORDS)))
    assert {(a, b) for a, b in many.cells[:, (1, 4)].tolist()} == set(PAIRS)
    share = (many.captions[:, 1] >= WORDS.index("coat")).double().mean()
    assert abs(share - 0.5) < 0.05


def test_scraps_stand_in_other_cells_and_do_not_touch_the_things(some):
    bare = drawn(scraps=0)
    assert torch.equal(bare.captions, some.captions)
    for step in (1, 4):
        where = some.cells[:, step]
        assert torch.equal(cut_out(some.images, where), cut_out(bare.images, where))
    filled = [sum(cut_out(of.images, torch.full((400,), c)).amax((1, 2)) > 0 for c in range(9)) for of in (bare, some)]
    assert (filled[0] == 2).all()
    assert (filled[1] == 5).all()


def test_sheets_label_every_cell():
    sheets = scenes.sheets("train", 300, torch.Generator().manual_seed(0))
    assert sheets.labels.shape == (300, 9)
    assert set(sheets.labels.flatten().tolist()) == set(range(NOTHING + 1))
    ink = torch.stack([(cut_out(sheets.images, torch.full((300,), c)) > 0).sum((1, 2)) for c in range(9)], dim=1)
    assert (ink[sheets.labels == NOTHING] <= 36).all()
    assert (ink[sheets.labels < NOTHING] > 0).all()
    assert abs((sheets.labels < NOTHING).double().mean() - 2 / 3) < 0.05
    assert abs((ink == 0).double().mean() - 1 / 6) < 0.05


def test_scenes_can_be_had_again_and_batches_are_new():
    assert all(torch.equal(a, b) for a, b in zip(drawn(count=5), drawn(count=5), strict=True))
    first, second = (list(islice(scenes.batches(32, torch.Generator().manual_seed(1)), 3)) for _ in range(2))
    for one, other in zip(first, second, strict=True):
        assert all(torch.equal(a, b) for a, b in zip(one, other, strict=True))
    assert not torch.equal(first[0].images, first[1].images)
    some = list(islice(scenes.sheet_batches(2, torch.Generator().manual_seed(1)), 17))
    assert len({sheet.images.sum().item() for sheet in some}) == 17
    assert torch.equal(some[0].images, scenes.sheets("train", 32, torch.Generator().manual_seed(1)).images[:2])


def test_a_caption_is_right_in_every_word_or_wrong(some):
    written = some.captions[:3].clone()
    written[1, 2] = 3 + 4 - written[1, 2]
    assert scenes.exact(written, some.captions[:3]).tolist() == [True, False, True]


def test_weight_is_counted_on_the_named_cells_only():
    cells = torch.tensor([[NOWHERE, 2, NOWHERE, NOWHERE, 0, NOWHERE]])
    weights = torch.zeros(1, 6, 9)
    weights[0, 1, 2], weights[0, 1, 3], weights[0, 4, 1] = 0.75, 0.25, 1.0
    assert scenes.found(weights, cells).tolist() == [0.75, 0.0]
    for bad in (cells * 0 + 9, cells * 0 + NOWHERE):
        with pytest.raises(ValueError, match="cells: got"):
            scenes.found(weights, bad)


def test_the_cost_is_a_surprise_a_word():
    captions = torch.tensor([[1, 2]])
    even = torch.zeros(1, 2, 4)
    assert scenes.cost(even, captions).item() == pytest.approx(torch.tensor(4.0).log().item())


def test_the_example_reads_like_a_caption():
    first, *rows = scenes.example().split("\n")
    assert len(first.split()) == 5
    assert len(rows) == 48


def calls():
    SOME = scenes.scenes("test", 2, torch.Generator().manual_seed(0))
    return {
        scenes.scenes: lambda: {"split": "test", "count": 2, "generator": torch.Generator(), "scraps": 1},
        scenes.sheets: lambda: {"split": "test", "count": 2, "generator": torch.Generator()},
        scenes.sheet_batches: lambda: {"size": 4, "generator": torch.Generator()},
        scenes.batches: lambda: {"size": 4, "generator": torch.Generator()},
        scenes.cost: {"logits": torch.ones(2, 6, 19), "captions": SOME.captions},
        scenes.exact: {"written": SOME.captions, "captions": SOME.captions},
        scenes.found: {"weights": torch.full((2, 6, 9), 1 / 9), "cells": SOME.cells},
        scenes.spell: {"caption": SOME.captions[0]},
    }


def good():
    return {
        scenes.scenes: {"scraps": {"zero"}},
    }
