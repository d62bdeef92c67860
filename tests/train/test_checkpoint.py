"""Checkpoints are whole, fit the model, and are refused by name otherwise."""

import hashlib
import os
import stat
import tempfile
import time
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import nn

from attend.train import checkpoint
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

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
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


@pytest.mark.parametrize(("value", "dtype"), [(1e6, torch.float16), (1e300, torch.float32), (1e5, torch.float8_e4m3fn)])
def test_weights_too_large_for_the_type_are_not_written(tmp_path, value, dtype):
    large = model().double()
    large.bias.data[1] = value
    with pytest.raises(ValueError, match="model: got 1 values in bias"):
        save(tmp_path / "w.safetensors", large, dtype=dtype)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("dtype", [torch.int8, torch.bool, torch.complex64, "float16"])
def test_weights_are_written_in_floating_types_only(tmp_path, dtype):
    with pytest.raises(ValueError, match="dtype: got"):
        save(tmp_path / "w.safetensors", model(), dtype=dtype)
    assert not list(tmp_path.iterdir())


def test_weights_too_large_for_the_model_are_not_read(tmp_path):
    path, target = tmp_path / "w.safetensors", model()
    before = target.weight.clone()
    save_file({"weight": torch.full((3, 2), 1e300, dtype=torch.float64), "bias": torch.zeros(3)}, path)
    with pytest.raises(DamagedCheckpoint, match=r"^w\.safetensors: weight: got 6 values too large for float32"):
        load(path, target)
    assert torch.equal(target.weight, before)


def test_whole_numbers_do_not_become_weights(tmp_path):
    path = tmp_path / "w.safetensors"
    save_file({"weight": torch.ones(3, 2, dtype=torch.int8), "bias": torch.zeros(3)}, path)
    with pytest.raises(DamagedCheckpoint, match=r"weight: got int8, expected a floating type"):
        load(path, model())


def test_buffers_of_whole_numbers_keep_their_type(tmp_path):
    norm = nn.BatchNorm1d(2)
    norm.num_batches_tracked += 7
    save(tmp_path / "w.safetensors", norm, dtype=torch.float16)
    assert load(tmp_path / "w.safetensors", nn.BatchNorm1d(2)).num_batches_tracked == 7
    assert load_file(tmp_path / "w.safetensors")["num_batches_tracked"].dtype == torch.int64


def test_a_link_stays_a_link_and_a_mode_stays(tmp_path):
    place, link = tmp_path / "there" / "w.safetensors", tmp_path / "w.safetensors"
    save(place, model(1))
    place.chmod(0o640)
    link.symlink_to(place)
    save(link, model(2))
    assert link.is_symlink()
    assert stat.S_IMODE(place.stat().st_mode) == 0o640
    assert torch.equal(load(place, model(3)).weight, model(2).weight)


def test_a_new_file_may_be_read_by_those_whom_the_umask_lets(tmp_path):
    old = os.umask(0o027)
    try:
        save(tmp_path / "w.safetensors", model())
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "w.safetensors").stat().st_mode) == 0o640


def test_what_a_killed_writer_left_goes_with_the_next_write(tmp_path):
    left, other = tmp_path / ".w.safetensors.abc.part", tmp_path / ".other.safetensors.abc.part"
    now = tmp_path / ".w.safetensors.def.part"
    for path in (left, other, now):
        path.touch()
    yesterday = time.time() - 86_400
    os.utime(left, (yesterday, yesterday))
    os.utime(other, (yesterday, yesterday))
    save(tmp_path / "w.safetensors", model())
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([now.name, other.name, "w.safetensors"])


def test_a_turned_sign_is_refused_where_checksums_lie(tmp_path):
    path = tmp_path / "w.safetensors"
    (tmp_path / "CHECKSUMS").touch()
    save(path, model(1))
    assert (tmp_path / "CHECKSUMS").read_text() == f"{hashlib.sha256(path.read_bytes()).hexdigest()}  w.safetensors\n"
    content = bytearray(path.read_bytes())
    content[-1] ^= 0x80
    path.write_bytes(content)
    with pytest.raises(DamagedCheckpoint, match=r"^w\.safetensors: got SHA-256"):
        load(path, model(2))
    save(path, model(1))
    assert torch.equal(load(path, model(2)).weight, model(1).weight)
    (tmp_path / "other.safetensors").write_bytes(path.read_bytes())
    with pytest.raises(DamagedCheckpoint, match=r"other\.safetensors: .*CHECKSUMS"):
        load(tmp_path / "other.safetensors", model(2))


def calls():
    def written():
        path = Path(tempfile.mkdtemp()) / "weights.safetensors"
        checkpoint.save(path, nn.Linear(1, 1))
        return {"path": path, "model": nn.Linear(1, 1)}

    return {
        checkpoint.save: written,
        checkpoint.load: written,
    }
