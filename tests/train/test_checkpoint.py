"""Checkpoints are whole, fit the model, and are refused by name otherwise."""

import pytest
import torch
from torch import nn

from attend.train.checkpoint import DamagedCheckpoint, load, save


def model(seed=0, width=3):
    torch.manual_seed(seed)
    return nn.Linear(2, width)


def test_round_trip_and_half_precision(tmp_path):
    one = model(1)
    save(tmp_path / "w.safetensors", one)
    assert torch.equal(load(tmp_path / "w.safetensors", model(2)).weight, one.weight)
    save(tmp_path / "half.safetensors", one, dtype=torch.float16)
    again = load(tmp_path / "half.safetensors", model(2))
    assert again.weight.dtype == torch.float32
    assert torch.allclose(again.weight, one.weight, atol=1e-3)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["half.safetensors", "w.safetensors"]


def test_a_failed_write_leaves_the_old_file_and_no_part(tmp_path, monkeypatch):
    path = tmp_path / "w.safetensors"
    save(path, model(1))
    before = path.read_bytes()

    def fail(weights, target):
        with open(target, "wb") as file:
            file.write(b"half")
        raise OSError("disk full")

    monkeypatch.setattr("attend.train.checkpoint.save_file", fail)
    with pytest.raises(OSError, match="disk full"):
        save(path, model(2))
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["w.safetensors"]


@pytest.mark.parametrize("cut", [0, 5, 40, -4])
def test_a_damaged_file_is_refused_by_name_and_the_model_stays(tmp_path, cut):
    path = tmp_path / "w.safetensors"
    save(path, model(1))
    path.write_bytes(path.read_bytes()[:cut])
    target = model(2)
    before = target.weight.clone()
    with pytest.raises(DamagedCheckpoint, match=r"^w\.safetensors: the file is damaged"):
        load(path, target)
    assert torch.equal(target.weight, before)


def test_what_does_not_fit_is_refused(tmp_path):
    path = tmp_path / "w.safetensors"
    with pytest.raises(DamagedCheckpoint, match=r"w\.safetensors: the file is missing"):
        load(path, model())
    save(path, model())
    with pytest.raises(DamagedCheckpoint, match=r"weight: got shape \(3, 2\), expected \(5, 2\)"):
        load(path, model(width=5))
    with pytest.raises(DamagedCheckpoint, match="do not match the model's names"):
        load(path, nn.Sequential(model()))


def test_weights_that_are_no_numbers_are_not_written(tmp_path):
    bad = model()
    bad.weight.data[0, 0] = float("nan")
    with pytest.raises(ValueError, match="model: got non-finite values in weight"):
        save(tmp_path / "w.safetensors", bad)
    assert not list(tmp_path.iterdir())
