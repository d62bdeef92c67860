"""The data files of the course: small, real, checked before use. Their origins and licences stand in DATA.md."""

from functools import cache
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from attend.core import files
from attend.core.expect import checked, expect

_FOLDER = Path(__file__).parent


class DamagedData(ValueError):
    """A data file is missing, or is not the file that its checksum names."""


@checked
@cache
def path(name: str) -> Path:
    """The path of the data file `name`, once its SHA-256 was compared with CHECKSUMS.

    Raises ValueError for a name that CHECKSUMS does not list, DamagedData for a missing or changed file.
    """
    known = _checksums()
    if name not in known:
        raise ValueError(f"name: got {name!r}, expected one of {', '.join(sorted(known))}")
    try:
        files.read(_FOLDER / name)
    except files.DamagedFile as error:
        raise DamagedData(str(error)) from error
    return _FOLDER / name


@checked
def images(name: str, rows: tuple[int, int]) -> tuple[Float[Tensor, "N Y X"], Int[Tensor, "N"]]:
    """Images, from 0 to 1, and labels of the data file `name`, from the first of `rows` up to the second.

    Raises ValueError for a file that is not known or holds no images, and for rows that it has not.
    """
    pixels, labels = _arrays(name)
    first, end = rows
    expect(0 <= first < end <= len(labels), "rows", rows, f"two whole numbers in rising order, up to {len(labels)}")
    return torch.from_numpy(pixels[first:end]).float() / 255, torch.from_numpy(labels[first:end]).long()


@cache
def _arrays(name: str) -> tuple[np.ndarray, np.ndarray]:
    expect(path(name).suffix == ".npz", "name", name, "a file of images")
    with np.load(path(name)) as arrays:
        expect({"images", "labels"} <= set(arrays), "name", name, "a file of images")
        return arrays["images"], arrays["labels"]


def _checksums() -> dict[str, str]:
    return files.checksums(_FOLDER) or {}
