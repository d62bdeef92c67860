import pytest
import torch

from attend.tasks import wave


def test_the_recording_is_the_one_that_data_md_names():
    samples = wave.recording()
    assert samples.shape == (320,)
    assert samples.dtype == torch.float32
    assert samples.max() == 1
    assert samples.abs().max() == 1
    assert samples.argmax() == 226
    assert (samples[:4] * 22153).round().tolist() == [-471, -296, -370, -379]


def test_the_cost_by_hand():
    wanted = torch.tensor([1.0, -1.0, 1.0, -1.0])
    assert wave.cost(wanted, wanted) == 0
    assert wave.cost(torch.zeros(4), wanted) == 1
    assert wave.cost(torch.tensor([1.0, -1.0, 1.0, 0.0]), wanted) == 0.25
    assert wave.cost(torch.zeros(2, 3, 4), wanted).shape == (2, 3)
    assert wave.cost(3 + 2 * torch.zeros(4), 3 + 2 * wanted) == 1


def test_the_start_signal_is_one_one():
    x = wave.start_signal(5, at=2)
    assert x.shape == (1, 5, 1)
    assert x[0, :, 0].tolist() == [0, 0, 1, 0, 0]
    assert wave.start_signal(5)[0, 0, 0] == 1


def test_bad_input_is_refused_by_name():
    with pytest.raises(ValueError, match="steps: got 0"):
        wave.start_signal(0)
    with pytest.raises(ValueError, match="at: got 5"):
        wave.start_signal(5, at=5)
    with pytest.raises(ValueError, match=r"wanted: got .* expected a wave that moves"):
        wave.cost(torch.zeros(3), torch.ones(3))
    with pytest.raises(ValueError, match=r"wanted: got|made: got"):
        wave.cost(torch.zeros(0), torch.ones(0))
    with pytest.raises(ValueError, match="wanted: got 1 non-finite"):
        wave.cost(torch.zeros(3), torch.tensor([0, 1, torch.nan]))


def test_the_example_names_its_length():
    assert wave.example().startswith("320 samples at 8000 Hz, 40 ms")


def calls():
    return {
        wave.start_signal: {"steps": 5, "at": 2},
        wave.cost: {"made": torch.zeros(2, 4), "wanted": torch.tensor([0.0, 1.0, 0.0, 1.0])},
    }


def good():
    return {
        wave.start_signal: {"at": {"zero"}},
        wave.cost: {"made": {"nonfinite", "rank"}},
    }
