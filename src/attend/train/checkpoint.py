"""Checkpoints: weights in one file, written whole or not at all, read back only where they fit."""

import os
from pathlib import Path

import safetensors.torch
import torch
from safetensors import SafetensorError
from torch import Tensor, nn

from attend.core import files
from attend.core.expect import checked, expect


class DamagedCheckpoint(ValueError):
    """A checkpoint cannot be read, or does not fit the model."""


@checked
def save(path: str | os.PathLike, model: nn.Module, *, dtype: torch.dtype | None = None) -> None:
    """Write the weights of `model` to `path` as safetensors; whole numbers among them keep their type.

    The file appears under its name only when it is complete. `dtype`, a floating type, converts on the way out
    (torch.float16 halves the file). Raises ValueError for weights that are not finite or too large for `dtype`.
    """
    expect(dtype is None or dtype.is_floating_point, "dtype", dtype, "a floating type")
    weights = {}
    for name, value in model.state_dict().items():
        if value.is_floating_point():
            wanted = value.dtype if dtype is None else dtype
            if not _finite(value):
                raise ValueError(f"model: got non-finite values in {name}, expected finite weights")
            if large := _too_large(value, wanted):
                raise ValueError(f"model: got {large} values in {name} that {_name(wanted)} cannot hold, expected none")
            value = value.to(wanted)
        weights[name] = value.detach().contiguous()
    files.write(path, safetensors.torch.save(weights))


@checked
def load(path: str | os.PathLike, model: nn.Module) -> nn.Module:
    """Read weights from `path` into `model`, and return it; the model is left as it was when anything does not fit.

    Raises DamagedCheckpoint, with the file's name, for a missing or damaged file, one that differs from its folder's
    CHECKSUMS, and for weights of another name, shape or kind, or too large for the model's type.
    """
    file = Path(path).name
    try:
        weights = safetensors.torch.load(files.read(path))
    except files.DamagedFile as error:
        raise DamagedCheckpoint(str(error)) from error
    except (SafetensorError, OSError, ValueError) as error:
        raise DamagedCheckpoint(f"{file}: the file is damaged ({error})") from error
    wanted = model.state_dict()
    if weights.keys() != wanted.keys():
        odd = ", ".join(sorted(weights.keys() ^ wanted.keys()))
        raise DamagedCheckpoint(f"{file}: got weights that do not match the model's names ({odd})")
    fitting = {name: _fitting(f"{file}: {name}", weights[name], value) for name, value in wanted.items()}
    model.load_state_dict(fitting)
    return model


def _fitting(name: str, value: Tensor, wanted: Tensor) -> Tensor:
    """The value in the type of the model; refused where it does not fit."""
    if value.shape != wanted.shape:
        raise DamagedCheckpoint(f"{name}: got shape {tuple(value.shape)}, expected {tuple(wanted.shape)}")
    if value.is_floating_point() != wanted.is_floating_point():
        kind = "a floating type" if wanted.is_floating_point() else _name(wanted.dtype)
        raise DamagedCheckpoint(f"{name}: got {_name(value.dtype)}, expected {kind}")
    if value.is_floating_point():
        if not _finite(value):
            raise DamagedCheckpoint(f"{name}: got non-finite values, expected finite weights")
        if large := _too_large(value, wanted.dtype):
            raise DamagedCheckpoint(f"{name}: got {large} values too large for {_name(wanted.dtype)}")
    return value.to(wanted.dtype)


def _finite(value: Tensor) -> bool:
    return bool(torch.isfinite(value.double()).all())  # types of eight bits cannot be asked themselves


def _too_large(value: Tensor, dtype: torch.dtype) -> int:
    """How many values the type cannot hold: cast to it they would be infinite, or silently its largest number."""
    return int((value.double().abs() > torch.finfo(dtype).max).sum())


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
