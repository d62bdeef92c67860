import pytest
import torch

from attend.tasks import forecast, temperature


def test_what_is_asked_lies_twelve_hours_after_what_is_heard():
    for x, wanted in (forecast.sample(50, torch.Generator().manual_seed(0)), forecast.autumn()):
        assert x.shape[1:] == (72, 1)
        assert wanted.shape == x.shape[:2]
        assert torch.equal(x[:, 12:, 0], wanted[:, :-12])


def test_the_autumn_is_in_no_window_of_the_training():
    celsius = temperature.average_year().celsius.float()
    first = 273 * 24
    spring, autumn = celsius[:first], celsius[first:]
    assert pytest.approx(spring.std().item()) == forecast.DEGREES
    x, wanted = forecast.autumn()
    assert len(x) == 30
    back = torch.cat([x[:, :, 0], wanted[:, -12:]], dim=1) * forecast.DEGREES + spring.mean()
    assert torch.allclose(back[0], autumn[:84], atol=1e-4)
    assert torch.allclose(back[-1], autumn[29 * 72 : 29 * 72 + 84], atol=1e-4)
    windows = spring.unfold(0, 84, 1)
    seen, _ = forecast.sample(40, torch.Generator().manual_seed(1))
    for row in seen[:, :, 0] * forecast.DEGREES + spring.mean():
        assert (windows[:, :72] - row).abs().amax(dim=1).min() < 1e-4


def test_the_cost_by_hand():
    wanted = torch.zeros(1, 28)
    wanted[0, 24:] = torch.tensor([1.0, -1.0, 1.0, -1.0])
    wanted[0, :24] = 9
    said = torch.zeros(1, 28)
    assert forecast.cost(wanted, wanted) == 0
    assert forecast.cost(said, wanted) == 1
    said[0, 24] = 1
    assert forecast.cost(said, wanted) == 0.75


def test_yesterday_is_the_value_a_day_before_the_hour_asked_for():
    x, wanted = forecast.autumn()
    rule = forecast.yesterday(x)
    assert torch.equal(rule[:, 24:], wanted[:, :-24])
    assert forecast.cost(rule, wanted) < 0.005
    assert forecast.cost(x[:, :, 0], wanted) > 0.5
    assert forecast.yesterday(x[:, :3]).shape == (30, 3)


def test_bad_input_is_refused_by_name():
    with pytest.raises(ValueError, match="batch: got 0"):
        forecast.sample(0, torch.Generator())
    with pytest.raises(ValueError, match=r"wanted: got .* warm-up"):
        forecast.cost(torch.zeros(1, 24), torch.zeros(1, 24))
    with pytest.raises(ValueError, match="temperatures that move"):
        forecast.cost(torch.zeros(1, 30), torch.ones(1, 30))
    with pytest.raises(ValueError, match="x: got"):
        forecast.yesterday(torch.zeros(2, 0, 1))


def test_the_example_names_both_rows():
    assert forecast.example().startswith("heard: ")
    assert "\nasked: " in forecast.example()


def calls():
    X = torch.linspace(-1, 1, 60).view(2, 30, 1)
    return {
        forecast.sample: {"batch": 2, "generator": torch.Generator()},
        forecast.cost: {"said": X[..., 0], "wanted": X[..., 0] ** 2},
        forecast.yesterday: {"x": X},
    }


def good():
    return {
        forecast.cost: {"said": {"nonfinite"}},
    }
