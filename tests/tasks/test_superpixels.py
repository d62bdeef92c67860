import pytest
import torch

from attend.tasks import clutter, superpixels
from attend.tasks import superpixels as sp


@pytest.fixture(scope="module")
def canvases():
    return clutter.canvases("validation", 12, torch.Generator().manual_seed(0), pieces=3)


@pytest.fixture(scope="module")
def graphs(canvases):
    return sp.graphs(canvases)


def test_all_ink_is_cut_into_patches_without_gaps_in_their_numbers(canvases):
    for image in canvases.images:
        patch = sp.segment(image)
        assert torch.equal(patch >= 0, image >= clutter.INK)
        assert patch[patch >= 0].unique().tolist() == list(range(int(patch.max()) + 1))
        assert torch.equal(patch, sp.segment(image))


def test_patches_have_about_the_size_that_was_asked_for(graphs):
    sizes = torch.cat([patch[patch >= 0].bincount() for patch in graphs.patch]).double()
    assert sizes.mean().item() == pytest.approx(sp.PATCH, rel=0.1)
    assert sizes.max() <= 3 * sp.PATCH


def test_who_touches_whom_by_a_search_of_all_pixels(graphs):
    for patch, neighbours in zip(graphs.patch[:3], graphs.neighbours, strict=False):
        touch = set()
        for row in range(30):
            for column in range(30):
                here, near = patch[row, column], patch[max(0, row - 1) : row + 2, max(0, column - 1) : column + 2]
                touch |= {(int(here), int(other)) for other in near.flatten() if here >= 0 <= other != here}
        listed = {(n, int(m)) for n, row in enumerate(neighbours) for m in row if m >= 0}
        assert listed == touch


def test_features_are_what_their_names_say(canvases, graphs):
    image, patch, features = canvases.images[0], graphs.patch[0], graphs.features[0].double()
    for number in (0, 5):
        inside = patch == number
        places = inside.nonzero().double()
        off = places - places.mean(0)
        wanted = [
            int(inside.sum()) / 10, image[inside].mean(), *off.square().mean(0).sqrt(), off.prod(1).mean(),
            *(places.mean(0) / 14.5 - 1),
        ]  # fmt: skip
        torch.testing.assert_close(features[number], torch.tensor(wanted).double(), atol=1e-5, rtol=0)


def test_a_patch_has_the_name_of_most_of_its_pixels(canvases, graphs):
    for labels, patch, names in zip(canvases.labels, graphs.patch, graphs.labels, strict=True):
        for number in range(int(patch.max()) + 1):
            votes = labels[patch == number].bincount(minlength=2)
            assert votes[names[number]] == votes.max()


def test_places_without_a_patch_are_empty_and_not_asked(graphs):
    assert graphs.mask.sum(1).tolist() == [int(patch.max()) + 1 for patch in graphs.patch]
    assert not graphs.features[~graphs.mask].any()
    assert (graphs.neighbours[~graphs.mask] == -1).all()
    assert not graphs.labels[~graphs.mask].any()


def test_solid_ink_is_cut_too_and_blank_paper_is_refused():
    assert int(sp.segment(torch.ones(6, 8)).max()) + 1 == 48 / sp.PATCH
    alone = sp.graphs(clutter.Canvases(torch.eye(1, 9).view(1, 3, 3), torch.zeros(1, 3, 3, dtype=torch.long)))
    assert alone.neighbours.tolist() == [[[-1]]]
    with pytest.raises(ValueError, match=r"image: got .*ink"):
        sp.segment(torch.zeros(6, 8))


def test_only_patches_are_counted_not_empty_places(graphs):
    scores = torch.nn.functional.one_hot(graphs.labels, 2).float()
    assert sp.accuracy(scores, graphs) == 1
    scores[~graphs.mask] = torch.tensor([0.0, 9.0])
    assert sp.accuracy(scores, graphs) == 1
    assert sp.accuracy(-scores, graphs) == 0
    assert sp.cost(torch.zeros_like(scores), graphs).item() == pytest.approx(torch.tensor(2.0).log().item())


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda g: sp.segment(torch.ones(2, 2, 2)), "image: got"),
        (lambda g: sp.graphs(3), "of: got"),
        (lambda g: sp.accuracy(torch.zeros(1, 2, 2), g), "scores: got"),
        (lambda g: sp.cost(torch.zeros(1, 2, 2), g), "scores: got"),
    ],
)
def test_bad_input_is_refused(graphs, wrong, says):
    with pytest.raises(ValueError, match=says):
        wrong(graphs)


def calls():
    draw = torch.Generator().manual_seed(0)
    some = clutter.canvases("test", 2, draw, pieces=1)
    graphs = superpixels.graphs(some)
    return {
        superpixels.segment: {"image": some.images[0]},
        superpixels.graphs: {"of": some},
        superpixels.cost: {"scores": torch.ones(*graphs.labels.shape, 2), "of": graphs},
        superpixels.accuracy: {"scores": torch.ones(*graphs.labels.shape, 2), "of": graphs},
    }
