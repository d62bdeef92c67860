"""Weights between soft and hard: the projection onto the simplex, softened draws, and a gradient past the one-hot."""

import pytest
import torch
from torch.nn import functional as F

from attend.hard import look
from attend.hard.look import AttentionClassifier, gumbel_softmax, sparsemax, straight_through


def seeded(seed):
    return torch.Generator().manual_seed(seed)


def test_sparsemax_is_the_nearest_point_of_the_simplex():
    """The conditions of Karush, Kuhn and Tucker: one multiplier for all that is kept, and no less for the rest."""
    scores = 2 * torch.randn(200, 9, generator=seeded(0), dtype=torch.float64)
    weights = sparsemax(scores)
    torch.testing.assert_close(weights.sum(1), torch.ones(200, dtype=torch.float64))
    assert (weights >= 0).all()
    assert 0.2 < (weights == 0).float().mean() < 0.9
    multiplier = scores - weights  # the threshold, where a weight is above 0
    threshold = multiplier.where(weights > 0, -torch.inf).amax(1, keepdim=True)
    torch.testing.assert_close(multiplier.where(weights > 0, threshold), threshold.expand_as(scores))
    assert (scores <= threshold + 1e-12)[weights == 0].all()


def test_sparsemax_is_nearer_than_any_other_point():
    scores = torch.randn(5, generator=seeded(1), dtype=torch.float64)
    others = torch.distributions.Dirichlet(torch.ones(5, dtype=torch.float64)).sample((2_000,))
    assert (scores - sparsemax(scores)).norm() <= (scores - others).norm(dim=1).min()


def test_sparsemax_has_the_derivative_of_its_formula_and_forgets_what_is_added_to_all_scores():
    scores = torch.randn(4, 6, generator=seeded(2), dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(sparsemax, scores)
    torch.testing.assert_close(sparsemax(scores + 3), sparsemax(scores))
    torch.testing.assert_close(sparsemax(torch.tensor([1.2, 0.9, 0.1])), torch.tensor([0.65, 0.35, 0.0]))


def test_gumbel_softmax_is_torchs_for_the_same_noise():
    scores = torch.randn(3, 7, generator=seeded(3))
    torch.manual_seed(4)
    ours = gumbel_softmax(scores, 0.6)
    torch.manual_seed(4)
    torch.testing.assert_close(ours, F.gumbel_softmax(scores, tau=0.6))


def test_the_largest_weight_falls_by_the_softmax_at_every_temperature():
    scores, N = torch.tensor([1.0, 0.0, -0.5, 0.3]), 20_000
    probs = scores.softmax(0)
    for temperature in (0.2, 3.0):
        drawn = gumbel_softmax(scores.expand(N, -1), temperature, seeded(5)).argmax(1)
        error = (probs * (1 - probs) / N).sqrt()
        assert ((drawn.bincount(minlength=4) / N - probs).abs() < 4 * error).all()


def test_straight_through_reads_one_and_learns_as_if_it_had_read_the_weights():
    scores = torch.randn(3, 5, generator=seeded(6), requires_grad=True)
    upstream, index = torch.randn(3, 5, generator=seeded(7)), torch.tensor([4, 0, 2])
    read = straight_through(scores.softmax(1), index)
    torch.testing.assert_close(read, F.one_hot(index, 5).float())
    found = torch.autograd.grad((read * upstream).sum(), scores, retain_graph=True)[0]
    as_if = torch.autograd.grad((scores.softmax(1) * upstream).sum(), scores)[0]
    torch.testing.assert_close(found, as_if)


def test_a_look_reads_what_a_one_hot_weighing_reads():
    torch.manual_seed(0)
    model = AttentionClassifier(6, 10, 4)
    thumbnails, windows = torch.randn(5, 7, 6), torch.randn(5, 7, 10)
    for draw in (True, False):
        one = model.look(thumbnails, windows, draw)
        logits, _ = model(thumbnails, windows, lambda e, at=one.index: F.one_hot(at, 7).float())
        torch.testing.assert_close(one.logits, logits)
        scores = model.score(thumbnails)[..., 0]
        torch.testing.assert_close(one.log_prob, scores.log_softmax(1).gather(1, one.index[:, None])[:, 0])
    assert torch.equal(one.index, scores.argmax(1))
    changed = windows.clone()
    changed[torch.arange(5), (one.index + 1) % 7] += 1  # what is not read does not matter
    torch.testing.assert_close(model.look(thumbnails, changed, draw=False).logits, one.logits)


def test_bad_arguments_are_refused_by_name():
    with pytest.raises(ValueError, match="temperature: got"):
        gumbel_softmax(torch.zeros(2, 3), 0.0)
    with pytest.raises(ValueError, match="index: got"):
        straight_through(torch.ones(2, 3) / 3, torch.zeros(3).long())


def calls():
    model = AttentionClassifier(6, 10, 4)
    shown = {"thumbnails": torch.ones(2, 5, 6), "windows": torch.ones(2, 5, 10)}
    return {
        look.sparsemax: {"scores": torch.zeros(2, 4)},
        look.gumbel_softmax: {"scores": torch.zeros(2, 4), "temperature": 0.5, "generator": torch.Generator()},
        look.straight_through: {"weights": torch.full((2, 4), 0.25), "index": torch.tensor([1, 3])},
        look.AttentionClassifier: {
            "thumbnail_size": 6,
            "window_size": 10,
            "num_classes": 4,
            "hidden_size": 3,
            "value_size": 5,
        },
        model.forward: shown | {"weigh": sparsemax},
        model.look: shown | {"draw": False},
    }


def good():
    return {look.sparsemax: {"scores": {"rank"}}, look.gumbel_softmax: {"scores": {"rank"}}}
