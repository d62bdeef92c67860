"""Checkpoints: weights in one file, written whole or not at all, read back only where they fit."""

import os
import tempfile
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import nn

from attend.core.expect import checked


class DamagedCheckpoint(ValueError):
    """A checkpoint cannot be read, or does not fit the model."""


@checked
def save(path: str | os.PathLike, model: nn.Module, *, dtype: torch.dtype | None = None) -> None:
    """Write the weights of `model` to `path` as safetensors.

    The file appears under its name only when it is complete. `dtype` converts on the way out (torch.float16 halves
    the file). Raises ValueError for weights that are not finite.
    """
    target = Path(path)
    weights = {name: value.detach().contiguous() for name, value in model.state_dict().items()}
    for name, value in weights.items():
        if value.is_floating_point() and not torch.isfinite(value).all():
            raise ValueError(f"model: got non-finite values in {name}, expected finite weights")
    if dtype is not None:
        weights = {name: value.to(dtype) if value.is_floating_point() else value for name, value in weights.items()}
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=target.name, suffix=".part")
    os.close(handle)
    try:
        save_file(weights, temporary)
        os.chmod(temporary, 0o644)
        os.replace(temporary, target)
    finally:
        Path(temporary).unlink(missing_ok=True)


@checked
def load(path: str | os.PathLike, model: nn.Module) -> nn.Module:
    """Read weights from `path` into `model`, and return it; the model is left as it was when anything does not fit.

    Raises DamagedCheckpoint, with the file's name, for a missing or damaged file and for weights of another name or
    shape.
    """
    file = Path(path)
    if not file.is_file():
        raise DamagedCheckpoint(f"{file.name}: the file is missing")
    try:
        weights = load_file(file)
    except (SafetensorError, OSError, ValueError) as error:
        raise DamagedCheckpoint(f"{file.name}: the file is damaged ({error})") from error
    wanted = model.state_dict()
    if weights.keys() != wanted.keys():
        odd = ", ".join(sorted(weights.keys() ^ wanted.keys()))
        raise DamagedCheckpoint(f"{file.name}: got weights that do not match the model's names ({odd})")
    for name, value in wanted.items():
        if weights[name].shape != value.shape:
            got, expected = tuple(weights[name].shape), tuple(value.shape)
            raise DamagedCheckpoint(f"{file.name}: {name}: got shape {got}, expected {expected}")
        if not torch.isfinite(weights[name]).all():
            raise DamagedCheckpoint(f"{file.name}: {name}: got non-finite values, expected finite weights")
    model.load_state_dict({name: value.to(wanted[name].dtype) for name, value in weights.items()})
    return model
