"""The base of all live figures: an anywidget that carries data and trained weights to the reader's browser."""

from collections.abc import Mapping
from typing import Any

import anywidget
import numpy as np
import torch
import traitlets

from attend.core.expect import checked
from attend.live import linker

PRECISIONS = ("float32", "float16", "int8")


class LiveFigure(anywidget.AnyWidget):
    """A figure that computes in the browser, on the site without a kernel and in Jupyter as an ipywidget.

    A subclass in `attend/live/<name>/__init__.py` draws with `<name>.js` beside it. `alt` says what the figure
    shows to a reader who cannot see it; `invite` is the one sentence that asks to touch it; `data` is plain JSON;
    `tensors` are arrays or tensors by name. In Jupyter the figure's state comes back as `value`. Raises ValueError
    for an empty text, a tensor that is not finite, or an unknown precision ("float32", "float16", or "int8" with
    one scale a row).
    """

    figure = traitlets.Unicode().tag(sync=True)
    alt = traitlets.Unicode().tag(sync=True)
    invite = traitlets.Unicode().tag(sync=True)
    data = traitlets.Dict().tag(sync=True)
    layout_of_tensors = traitlets.Dict().tag(sync=True)
    buffer = traitlets.Bytes().tag(sync=True)
    value = traitlets.Dict().tag(sync=True)

    def __init_subclass__(cls, **kwargs):
        """Find the subclass's script by the name of its folder."""
        super().__init_subclass__(**kwargs)
        if "_esm" in vars(cls):  # anywidget derives a class of its own for each instance
            return
        cls.figure_name = cls.__module__.rsplit(".", 1)[-1]
        cls._esm = linker.link(cls.figure_name)
        cls._css = linker.style() + linker.own_style(cls.figure_name)

    def __init__(
        self,
        *,
        alt: str,
        invite: str,
        data: Mapping[str, Any] | None = None,
        tensors: Mapping[str, Any] | None = None,
        precision: str = "float32",
    ):
        for name, text in (("alt", alt), ("invite", invite)):
            if not isinstance(text, str) or not text.strip():
                raise ValueError(f"{name}: got {text!r}, expected a text that is not empty")
        layout, buffer = pack(tensors or {}, precision)
        super().__init__(
            figure=self.figure_name,
            alt=alt,
            invite=invite,
            data=dict(data or {}),
            layout_of_tensors=layout,
            buffer=buffer,
        )

    def __repr__(self) -> str:
        return f"Live figure: {self.figure}"

    def seen(self) -> dict[str, torch.Tensor]:
        """The tensors as the browser sees them, after rounding to the precision in which they travel."""
        return unpack(self.layout_of_tensors, self.buffer)


@checked
def pack(tensors: Mapping[str, Any], precision: str = "float32") -> tuple[dict, bytes]:
    """Lay tensors out in one run of bytes; returns (layout, bytes).

    The layout gives, by name, `shape`, `type` and `offset` in bytes, and for int8 the offset `scales` of one
    float32 a row. Tensors of uint8 (pictures) stay as they are.
    """
    if precision not in PRECISIONS:
        raise ValueError(f"precision: got {precision!r}, expected one of {', '.join(PRECISIONS)}")
    layout: dict[str, dict] = {}
    chunks = bytearray()

    def add(array: np.ndarray) -> int:
        chunks.extend(bytes(-len(chunks) % 4))
        start = len(chunks)
        chunks.extend(np.ascontiguousarray(array).tobytes())
        return start

    for name, tensor in tensors.items():
        array = tensor.detach().cpu().numpy() if isinstance(tensor, torch.Tensor) else np.asarray(tensor)
        if array.dtype == np.uint8:
            layout[name] = {"shape": list(array.shape), "type": "uint8", "offset": add(array)}
            continue
        if not np.isfinite(array).all():
            raise ValueError(f"tensors[{name!r}]: got non-finite values, expected finite numbers")
        if (np.abs(array) > np.finfo("float16" if precision == "float16" else "float32").max).any():
            raise ValueError(f"tensors[{name!r}]: got values too large for {precision}, expected what it can hold")
        entry: dict[str, Any] = {"shape": list(array.shape), "type": precision}
        if precision == "int8":
            rows = array.reshape(array.shape[0] if array.ndim > 1 else 1, -1).astype(np.float32)
            scales = np.maximum(np.abs(rows).max(axis=1), 1e-30) / 127
            entry["scales"] = add(scales.astype(np.float32))
            array = np.rint(rows / scales[:, None])
        cast = array.astype(precision)
        if precision != "int8" and array.dtype.kind in "iu" and (cast != array).any():
            raise ValueError(f"tensors[{name!r}]: got whole numbers that {precision} rounds, expected what it can hold")
        entry["offset"] = add(cast)
        layout[name] = entry
    return layout, bytes(chunks)


@checked
def unpack(layout: Mapping[str, Mapping], buffer: bytes) -> dict[str, torch.Tensor]:
    """The inverse of `pack`, as float32 tensors (uint8 stays uint8)."""
    tensors = {}
    for name, entry in layout.items():
        size = int(np.prod(entry["shape"]))
        array = np.frombuffer(buffer, entry["type"], size, entry["offset"]).reshape(entry["shape"])
        if entry["type"] == "int8":
            rows = array.shape[0] if array.ndim > 1 else 1
            scales = np.frombuffer(buffer, np.float32, rows, entry["scales"])
            array = (array.reshape(rows, -1).astype(np.float32) * scales[:, None]).reshape(entry["shape"])
        tensors[name] = torch.from_numpy(array.copy() if entry["type"] == "uint8" else array.astype(np.float32))
    return tensors
