import pytest
import torch

from attend.figures import moments

PLACES = torch.tensor([[0.0, 0.0], [1.0, 2.0], [3.0, 1.0]])
WEIGHTS = torch.tensor([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])


def test_each_moment_has_its_discs_and_its_point(drawn):
    moments.moments(PLACES, ["a", "b", "c"], WEIGHTS, ["x", "y"])
    (figure,) = drawn
    first, second = figure.axes
    discs, point = first.collections
    assert torch.allclose(torch.tensor(discs.get_sizes()), 12 + 420 * WEIGHTS[0].double())
    assert point.get_offsets().tolist() == [[0.5, 1.0]]
    assert second.collections[1].get_offsets().tolist() == [[3.0, 1.0]]
    assert [text.get_text() for text in first.texts] == ["a", "b", "c"]
    assert second.get_title(loc="left") == "y"


def test_the_plane_keeps_means_and_most_of_the_spread():
    states = torch.randn(6, 5, generator=torch.Generator().manual_seed(0)) * torch.tensor([9.0, 5.0, 0.1, 0.1, 0.1])
    found = moments.plane(states)
    assert torch.allclose(torch.cdist(found, found), torch.cdist(states, states), atol=0.6)
    weights = torch.rand(6, generator=torch.Generator().manual_seed(1)).softmax(0)
    both = torch.cat([states, (weights @ states)[None]])
    middle = states.mean(0)
    basis = torch.linalg.svd(states - middle, full_matrices=False).Vh[:2]
    assert torch.allclose((both[6] - middle) @ basis.T, weights @ found, atol=1e-5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"words": ["a"]}, "words: got"),
        ({"tokens": ["x"]}, "tokens: got"),
        ({"weights": WEIGHTS * 2}, "weights: got"),
        ({"columns": 3}, "columns: got 3"),
    ],
)
def test_what_does_not_fit_is_refused(change, message):
    given = {"places": PLACES, "words": ["a", "b", "c"], "weights": WEIGHTS, "tokens": ["x", "y"]} | change
    with pytest.raises(ValueError, match=message):
        moments.moments(**given)


def calls():
    return {
        moments.plane: {"states": torch.tensor([[0.0, 1.0, 2.0], [1.0, 1.0, 0.0], [2.0, 0.0, 1.0]])},
        moments.moments: {
            "places": PLACES,
            "words": ["a", "b", "c"],
            "weights": WEIGHTS,
            "tokens": ["x", "y"],
            "columns": 2,
        },
    }
