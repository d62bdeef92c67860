import math

import pytest
import torch
from scipy.stats import multivariate_normal, norm

from attend.tasks import crossings


def by_hand(series, low=0.0, high=1.0):
    """The counts by a loop over plain numbers: (entrances, crossings) after every step."""
    was, entered, crossed, found = False, 0, 0, []
    for value in series:
        now = low <= value <= high
        entered += now and not was
        crossed += now != was
        was = now
        found.append((entered, crossed))
    return found


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("kind", ["smooth", "jagged", "on the ends"])
def test_counts_agree_with_a_loop(seed, kind):
    generator = torch.Generator().manual_seed(seed)
    x = crossings.paths(100, generator=generator)
    if kind == "jagged":
        x = torch.randn(100, 60, generator=generator)
    if kind == "on the ends":
        x = torch.randint(-1, 3, (100, 60), generator=generator).float()
    counts = torch.stack([crossings.entrances(x), crossings.crossings(x)], dim=2)
    assert counts.tolist() == [[list(pair) for pair in by_hand(series)] for series in x.tolist()]


def test_both_ends_belong_to_the_interval():
    x = torch.tensor([[0.0, 1.0, math.nextafter(1.0, 2.0), -1e-7]], dtype=torch.float64)
    assert crossings.inside(x).tolist() == [[True, True, False, False]]


def test_a_jump_over_the_interval_is_no_entrance():
    assert crossings.entrances(torch.tensor([[-1.0, 2.0, -1.0]])).tolist() == [[0, 0, 0]]


def test_a_series_that_starts_inside_has_entered():
    assert crossings.entrances(torch.tensor([[0.5, 0.6]])).tolist() == [[1, 1]]


def test_paths_have_the_covariance_that_they_claim():
    x = crossings.paths(40_000, 20, 4.0, torch.Generator().manual_seed(0)).double()
    t = torch.arange(20, dtype=torch.float64)
    expected = torch.exp(-0.5 * ((t[:, None] - t) / 4) ** 2)
    assert (x.T @ x / len(x) - expected).abs().max() < 0.03


def test_the_mean_count_is_the_one_that_the_process_has():
    """P(outside, then inside) for two neighbours is a bivariate normal probability; entrances add up along time."""
    start = norm.cdf(1) - norm.cdf(0)
    rho = math.exp(-0.5 / 16)
    pair = multivariate_normal(cov=[[1, rho], [rho, 1]])
    both = pair.cdf([1, 1]) - pair.cdf([0, 1]) - pair.cdf([1, 0]) + pair.cdf([0, 0])
    expected = start + 59 * (start - both)
    counts = crossings.entrances(crossings.paths(20_000, generator=torch.Generator().manual_seed(0)))[:, -1].double()
    assert counts.mean().item() == pytest.approx(expected, abs=4 * counts.std().item() / math.sqrt(20_000))


def test_sampling_repeats_with_the_generator():
    again = [crossings.sample(3, 10, 2.0, torch.Generator().manual_seed(7)) for _ in range(2)]
    assert all(torch.equal(a, b) for a, b in zip(*again, strict=True))
    assert again[0][0].shape == (3, 10, 1)


def test_the_cost_is_zero_for_sure_and_right_answers_and_the_log_of_number_for_none():
    _, counts = crossings.sample(4, generator=torch.Generator().manual_seed(0))
    sure = torch.nn.functional.one_hot(counts, 12).float() * 100
    assert crossings.cost(sure, counts) < 1e-6
    assert crossings.cost(torch.zeros(4, 60, 12), counts).item() == pytest.approx(math.log(12))


def test_counts_that_no_score_stands_for_are_refused():
    with pytest.raises(ValueError, match="counts: got"):
        crossings.cost(torch.zeros(1, 2, 3), torch.tensor([[0, 3]]))


def test_exact_is_the_share_of_right_last_counts():
    assert crossings.exact(torch.tensor([[9, 1], [9, 2]]), torch.tensor([[0, 1], [0, 1]])) == 0.5


def test_the_example_shows_marks_that_agree_with_its_values():
    values, marks, counts = (line.split()[1:] for line in crossings.example().splitlines())
    assert [0 <= float(v) <= 1 for v in values] == [m == "in" for m in marks]
    assert counts[-1] == "2"


def calls():
    X = torch.tensor([[0.5, 2.0, 0.25], [0.5, 0.6, -1.0]])
    BAND = {"x": X, "low": 0.0, "high": 1.0}
    SIZES = {"batch": 2, "steps": 3, "length_scale": 4.0, "generator": torch.Generator()}
    COUNTS = torch.tensor([[1, 1, 2], [1, 1, 1]])
    return {
        crossings.paths: SIZES,
        crossings.inside: BAND,
        crossings.entrances: BAND,
        crossings.crossings: BAND,
        crossings.sample: SIZES,
        crossings.cost: {"logits": torch.zeros(2, 3, 4), "counts": COUNTS},
        crossings.exact: {"guesses": COUNTS, "counts": COUNTS},
        crossings.example: {"seed": 0},
    }


def good():
    return {
        crossings.example: {"seed": {"zero"}},
    }
