import pytest
import torch

from attend.tasks import crossings, temperature


def test_the_average_year_has_the_size_and_range_that_its_notes_state():
    day, celsius = temperature.average_year()
    assert len(day) == len(celsius) == 8759
    assert celsius.min().item() == pytest.approx((37.5 - 32) * 5 / 9)
    assert celsius.max().item() == pytest.approx((75.9 - 32) * 5 / 9)
    assert day[0] == 0
    assert day[-1] == pytest.approx(365 - 1 / 24)


def test_one_hour_is_missing_where_clocks_go_forward():
    hours = (temperature.average_year().day * 24).round()
    gaps = (hours.diff() != 1).nonzero()[:, 0]
    assert gaps.tolist() == [72 * 24 + 2]
    assert hours[gaps + 1].tolist() == [72 * 24 + 4]


def test_it_is_an_average_year_and_not_a_measured_one():
    day, celsius = temperature.average_year()
    afternoons = celsius[(day * 24).round() % 24 == 14]
    assert afternoons.diff().abs().max() * 9 / 5 <= 0.6 + 1e-9
    assert temperature.daily().celsius.diff().abs().max() > 10


def test_four_measured_years_of_highs_and_lows():
    high, low = temperature.daily("high"), temperature.daily("low")
    assert len(high.day) == len(low.day) == 366 + 3 * 365
    assert (low.celsius <= high.celsius).all()
    assert high.celsius[:3].tolist() == [12.8, 10.6, 11.7]  # 1-3 January 2012 in the original file


def test_the_ends_of_the_band_land_on_zero_and_one_exactly():
    celsius = temperature.average_year().celsius
    unit = temperature.to_unit(celsius)
    assert (unit == 0).sum() == (celsius == 10).sum() > 0
    assert (unit == 1).sum() == (celsius == 15).sum() > 0


def test_a_band_upside_down_is_refused():
    with pytest.raises(ValueError, match=r"high: got 10\.0"):
        temperature.to_unit(torch.zeros(3), 15.0, 10.0)


def test_windows_are_highs_over_a_band_that_one_of_them_lies_in():
    tenths = (temperature.daily().celsius * 10).round().long()
    for years, days in (("train", tenths[:1096]), ("test", tenths[1096:])):
        x, counts = temperature.windows(50, 9, years, torch.Generator().manual_seed(1))
        assert x.shape == (50, 9, 1)
        assert torch.equal(counts, crossings.entrances(x[:, :, 0]))
        assert counts[:, -1].min() >= 1
        steps = (x[:, :, 0].double() * 50).round().long().diff()
        assert all(any(torch.equal(row, seen) for seen in days.diff().unfold(0, 8, 1)) for row in steps[:5])


def test_windows_longer_than_the_years_are_refused():
    assert temperature.windows(2, 365, "test")[0].shape == (2, 365, 1)
    with pytest.raises(ValueError, match="steps: got 366"):
        temperature.windows(2, 366, "test")


def test_another_word_than_high_or_low_is_refused():
    with pytest.raises(ValueError, match="which: got 'mean'"):
        temperature.daily("mean")


def test_the_example_reads_well():
    assert "4.1 4.0 3.9" in temperature.example()
    assert "12.8 10.6 11.7" in temperature.example()


def calls():
    return {
        temperature.daily: {"which": "high"},
        temperature.windows: {"batch": 2, "steps": 3, "years": "train", "generator": torch.Generator()},
        temperature.to_unit: {"celsius": torch.tensor([9.0, 12.5]), "low": 10.0, "high": 15.0},
    }
