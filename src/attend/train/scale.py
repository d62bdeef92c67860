"""`fit` on many devices and machines: Accelerate shares a step out, and the loop is the one of attend.train.fit.

What many processes change comes in through fit's own arguments, and nothing is asked of who trains on one. The model is
Accelerate's, so that gradients are averaged; the loss computes the first parts of a large batch itself and leaves the
last one to fit; a callback keeps the state. A batch is that of the whole step, however many processes and parts share
it: the same training anywhere, to rounding.

    accelerate launch --num_processes 8 --mixed_precision bf16 -m attend.recipes modern --size small

Source   Accelerate's documentation: prepare, no_sync, save_state, skip_first_batches.
Agrees   attend.train.fit: with one process to the last bit, with two to rounding (tests/train/test_scale.py).
"""

import contextlib
import io
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset, IterableDataset, SequentialSampler

from attend.core import files
from attend.core.expect import checked, expect
from attend.core.types import Positive, PositiveFloat, Seed
from attend.train.fit import Callback, History, TrainStep, _refuse_bad_loss, fit

PRECISIONS = ("no", "bf16")
"""float16 is not among them: it needs a scale of the loss that fit knows nothing of. bfloat16 reaches as far as
float32."""


class Windows(Dataset):
    """`length` windows of T + 1 `tokens`; where window i begins is drawn with the seed and i alone.

    So the position in the data is a number, and whoever goes on from it needs to read nothing before it. The tokens
    may lie in a file (`numpy.load(path, mmap_mode="r")`).
    """

    @checked
    def __init__(self, tokens: Tensor | np.ndarray, T: Positive, length: Positive, seed: Seed = 0):
        whole = tokens.dtype.kind in "iu" if isinstance(tokens, np.ndarray) else not tokens.is_floating_point()
        expect(whole and tokens.ndim == 1, "tokens", tokens, "a row of whole numbers")
        expect(len(tokens) > T, "T", T, f"a whole number from 1 to {len(tokens) - 1}")
        self.tokens, self.T, self.length, self.seed = tokens, T, length, seed

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, i: int) -> Tensor:
        start = np.random.default_rng((self.seed, i)).integers(len(self.tokens) - self.T)
        return torch.as_tensor(np.asarray(self.tokens[start : start + self.T + 1], dtype=np.int64))


@checked
def in_order(examples: Dataset, batch: Positive) -> DataLoader:
    """Whole batches of `examples` as they come: a loader that `fit` and `fit_at_scale` read alike."""
    expect(len(examples) >= batch, "batch", batch, f"at most as many examples as there are, {len(examples)}")
    return DataLoader(examples, batch_size=batch, drop_last=True, generator=torch.Generator())


@checked
def fit_at_scale(
    model: nn.Module,
    loss: Callable[[nn.Module, Any], Tensor],
    batches: DataLoader,
    *,
    steps: Positive,
    optimiser: torch.optim.Optimizer,
    schedule: torch.optim.lr_scheduler.LRScheduler | None = None,
    clip: PositiveFloat | None = None,
    callbacks: Iterable[Callback] = (),
    label: str = "training",
    accumulate: Positive | None = None,
    precision: Literal["no", "bf16"] | None = None,
    folder: str | os.PathLike | None = None,
    every: Positive = 1_000,
) -> History:
    """`fit`, in each of the processes that `accelerate launch` started (or alone), on a share of every batch.

    `loss` must be a mean over the examples of a batch, and must call `model` itself. `batches` gives the batches of
    whole steps in a fixed order, as `in_order` does. `accumulate` computes each process's share in so many parts, one
    after the other; it and `precision` are what `accelerate launch` says where they are None. With a `folder`, which
    all machines share, the state is written there after `every` so many steps and after the last one, whole or not at
    all; a run that finds one there goes on from it, to the weights that it would have had without a break. Raises
    ValueError for bad arguments and for a folder with the state of a run of another `label`; else as `fit`.
    """
    accelerator = _accelerator(precision, accumulate)
    accumulate = accelerator.gradient_accumulation_steps
    _refuse_loose_batches(batches, accelerator.num_processes, accumulate)
    expect(schedule is None or schedule.optimizer is optimiser, "schedule", schedule, "a schedule of `optimiser`")
    if accelerator.process_index:  # else all would drop out the same units; the first draws as fit would alone
        torch.manual_seed(torch.initial_seed() + accelerator.process_index)
    shared, loader = accelerator.prepare(model, batches)
    accelerator.prepare(*[one for one in (optimiser, schedule) if one is not None])  # fit steps them; these are saved
    loader.generator = torch.Generator()  # a loader without one takes a number from all other random ones
    kept = _Kept(accelerator, None if folder is None else Path(folder), label, every, steps)

    def in_parts(model: nn.Module, batch: Any) -> Tensor:
        """The last part's loss, to be followed back by fit; as a number it is the mean of all parts everywhere."""
        *first, last = _parts(batch, accumulate)
        before = 0.0
        for part in first:
            with accelerator.no_sync(model):
                value = loss(model, part)
                _refuse_bad_loss(value)
                (value / accumulate).backward()
            before = before + value.detach() / accumulate
        value = loss(model, last)
        _refuse_bad_loss(value)
        value = value / accumulate
        return value + (accelerator.reduce(before + value.detach(), "mean") - value.detach())

    def bare(callback: Callback) -> Callback:
        return lambda now: callback(replace(now, step=kept.done + now.step, model=model))

    others = contextlib.nullcontext() if accelerator.is_main_process else contextlib.redirect_stdout(io.StringIO())
    try:
        kept.find()
        with others:  # the first process speaks for all
            if kept.done < steps:
                fit(
                    shared,
                    in_parts,
                    _from(loader, kept.done),
                    steps=steps - kept.done,
                    optimiser=optimiser,
                    schedule=schedule,
                    clip=clip,
                    callbacks=[*map(bare, (*callbacks, kept))],
                    label=label,
                )
    finally:
        accelerator.unwrap_model(shared, keep_fp32_wrapper=False).eval()
        for left in ("forward", "_is_accelerate_prepared"):
            vars(model).pop(left, None)  # the class has it
        accelerator.free_memory()
    return kept.history


class _Kept:
    """The state of a run in a folder: found there at the start, and as a callback written there."""

    def __init__(self, accelerator: Any, folder: Path | None, label: str, every: int, steps: int):
        self.accelerator, self.folder, self.label, self.every, self.steps = accelerator, folder, label, every, steps
        self.history, self.done = History(), 0

    def find(self) -> None:
        """Take up the state that there is. Raises ValueError for one of another run, or beyond the last step."""
        if found := sorted(self.folder.glob("step-*")) if self.folder else []:
            told = json.loads(files.read(found[-1] / "progress.json"))
            if told["label"] != self.label:
                raise ValueError(f"folder: got the state of {told['label']!r}, expected one of {self.label!r}")
            self.done = len(told["losses"])
            expect(self.done <= self.steps, "steps", self.steps, f"at least the {self.done} that were taken already")
            self.accelerator.load_state(str(found[-1]))
            self.history = History(told["losses"], told["gradient_norms"])

    def __call__(self, now: TrainStep) -> None:
        self.history.losses.append(now.loss)
        self.history.gradient_norms.append(now.gradient_norm)
        if self.folder and (now.step % self.every == 0 or now.step == self.steps):
            self._write(now.step)

    def _write(self, step: int) -> None:
        """Into a folder that no reader looks at; it gets its name when all is in it, and then the older one goes."""
        part, main = self.folder / ".part", self.accelerator.is_main_process
        if main:
            shutil.rmtree(part, ignore_errors=True)
        self.accelerator.wait_for_everyone()
        self.accelerator.save_state(str(part))
        self.accelerator.wait_for_everyone()
        if main:
            files.write(part / "progress.json", json.dumps({"label": self.label, **asdict(self.history)}).encode())
            for file in part.iterdir():
                _to_disk(file)
            os.replace(part, self.folder / f"step-{step:09}")
            _to_disk(self.folder)
            for old in sorted(self.folder.glob("step-*"))[:-1]:
                shutil.rmtree(old)
        self.accelerator.wait_for_everyone()


def _accelerator(precision: str | None, accumulate: int | None) -> Any:
    """Accelerate's view of this process. Raises ValueError without Accelerate, or for a precision that is not ours."""
    try:
        from accelerate import Accelerator, DataLoaderConfiguration
    except ImportError as missing:
        raise ValueError("accelerate: got no such package, expected `pip install 'attend-course[scale]'`") from missing
    accelerator = Accelerator(
        mixed_precision=precision,
        gradient_accumulation_steps=accumulate or int(os.environ.get("ACCELERATE_GRADIENT_ACCUMULATION_STEPS", 1)),
        dataloader_config=DataLoaderConfiguration(split_batches=True),
    )
    said = accelerator.mixed_precision
    expect(said in PRECISIONS, "precision", said, f"one of {', '.join(PRECISIONS)}")
    _refuse_pieces(accelerator.distributed_type.value)
    return accelerator


def _refuse_pieces(kind: str) -> None:
    """Refuse FSDP, DeepSpeed and the like, where a process holds a piece of the model: fit reads whole weights."""
    whole = kind == "NO" or kind.startswith("MULTI_")
    expect(whole, "accelerate", kind, "processes that each hold the whole model, one or several")


def _refuse_loose_batches(batches: DataLoader, processes: int, accumulate: int) -> None:
    """A run can only go on where it stopped, and be shared out, if the batches are whole and come in a fixed order."""
    kind, order = type(batches.dataset).__name__, type(batches.sampler).__name__
    expect(not isinstance(batches.dataset, IterableDataset), "batches", kind, "examples by number, as Windows has")
    expect(isinstance(batches.sampler, SequentialSampler), "batches", order, "a fixed order, as `in_order` has")
    size = batches.batch_size
    expect(size is not None and len(batches) > 0, "batches", size, "a loader that makes batches")
    expect(
        batches.drop_last or len(batches.dataset) % size == 0, "batches", len(batches.dataset), "whole batches alone"
    )
    shares = f"a size that {processes} processes share in {accumulate} parts each"
    expect(size % (processes * accumulate) == 0, "batches", size, shares)


def _from(loader: DataLoader, done: int) -> Iterator[Any]:
    """The batches after the first `done`, and all of them again when they end."""
    from accelerate import skip_first_batches

    yield from skip_first_batches(loader, done % len(loader))
    while True:
        yield from loader


def _parts(batch: Any, count: int) -> list[Any]:
    """A batch, or what is built of tensors that have its examples in their rows, in equal parts."""
    from accelerate.utils import find_batch_size, slice_tensors

    size = find_batch_size(batch) // count
    return [slice_tensors(batch, slice(i * size, (i + 1) * size)) for i in range(count)]


def _to_disk(path: Path) -> None:
    """What was written is on the disk before its name says so."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
