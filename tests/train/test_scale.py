"""fit with Accelerate: alone the same to the last bit, in parts and processes to rounding, after a kill again."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
import torch
from accelerate import DistributedType
from accelerate.state import AcceleratorState
from torch import nn
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, TensorDataset

from attend.train import scale
from attend.train.checkpoint import load
from attend.train.fit import NonFiniteLoss, fit
from attend.train.scale import Windows, fit_at_scale, in_order

V, T, B = 11, 6, 8
TOKENS = torch.randint(V, (300,), generator=torch.Generator().manual_seed(1))


@pytest.fixture(autouse=True)
def fresh():
    """Accelerate keeps its settings for the whole process."""
    AcceleratorState._reset_state(True)
    yield
    AcceleratorState._reset_state(True)


class Tiny(nn.Module):
    """Logits of the next token from this one, with dropout, which draws at every step."""

    def __init__(self, dropout=0.2):
        super().__init__()
        self.layers = nn.Sequential(nn.Embedding(V, 8), nn.Dropout(dropout), nn.Linear(8, V))

    def forward(self, tokens):
        return self.layers(tokens)


def loss(model, window):
    return cross_entropy(model(window[:, :-1]).flatten(0, 1), window[:, 1:].flatten())


def trained(by, steps=12, passes=5, double=False, batch=B, **options):
    """A model and its history after `steps` steps over `passes` batches, again and again."""
    torch.manual_seed(0)
    model = Tiny(0.0).double() if double else Tiny()
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 1e-2, total_steps=20)
    batches = in_order(Windows(TOKENS, T, passes * batch), batch)
    options = {"clip": 1.0, **options}
    history = by(model, loss, batches, steps=steps, optimiser=optimiser, schedule=schedule, **options)
    return model, history


def same(one, other):
    return all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))


@pytest.mark.nightly
def test_alone_it_is_fit_to_the_last_bit_and_leaves_the_model_as_fit_does():
    (plain, alone), (ours, history) = trained(fit), trained(fit_at_scale)
    assert history == alone
    assert same(plain, ours)
    assert not ours.training
    assert vars(ours).keys() == vars(plain).keys()


def test_in_parts_it_is_the_whole_batch_to_rounding():
    (whole, alone), (parts, history) = trained(fit, double=True), trained(fit_at_scale, double=True, accumulate=4)
    assert history.losses == pytest.approx(alone.losses, rel=1e-12)
    assert history.gradient_norms == pytest.approx(alone.gradient_norms, rel=1e-10)
    for a, b in zip(whole.parameters(), parts.parameters(), strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-10)


@pytest.mark.nightly
def test_bfloat16_computes_otherwise_and_keeps_float32():
    (plain, alone), (ours, history) = trained(fit), trained(fit_at_scale, precision="bf16")
    assert history.losses != alone.losses
    assert history.losses == pytest.approx(alone.losses, abs=0.05)
    assert {weight.dtype for weight in ours.parameters()} == {torch.float32}
    assert vars(ours).keys() == vars(plain).keys()
    assert ours(TOKENS[None]).dtype == torch.float32


@pytest.mark.nightly
def test_callbacks_are_told_the_step_of_the_whole_run_and_the_model_itself(tmp_path):
    told = []
    trained(fit_at_scale, steps=4, folder=tmp_path, every=4)
    model, _ = trained(fit_at_scale, steps=6, folder=tmp_path, every=4, callbacks=[told.append])
    assert [state.step for state in told] == [5, 6]
    assert all(state.model is model for state in told)


@pytest.mark.parametrize("stop", [5, *(pytest.param(stop, marks=pytest.mark.nightly) for stop in (3, 7))])
def test_a_run_that_was_broken_off_goes_on_to_the_same_weights(tmp_path, stop):
    """Five batches are a pass over the data: a state is left within one, and where one ends."""

    def breaks(state):
        if state.step == stop:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trained(fit_at_scale, folder=tmp_path, every=5, callbacks=[breaks])
    (broken, history), (whole, alone) = trained(fit_at_scale, folder=tmp_path, every=5), trained(fit)
    assert history == alone
    assert same(broken, whole)
    assert [path.name for path in tmp_path.iterdir()] == ["step-000000012"]
    (again, history) = trained(fit_at_scale, folder=tmp_path, every=5)
    assert history == alone
    assert same(again, whole)


@pytest.mark.nightly
def test_a_state_that_was_being_written_is_no_state(tmp_path, monkeypatch):
    trained(fit_at_scale, steps=5, folder=tmp_path, every=5)

    def killed(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", killed)
    with pytest.raises(OSError, match="disk full"):
        trained(fit_at_scale, steps=12, folder=tmp_path, every=5)
    monkeypatch.undo()
    assert sorted(path.name for path in tmp_path.iterdir()) == [".part", "step-000000005"]
    broken, _ = trained(fit_at_scale, folder=tmp_path, every=5)
    assert same(broken, trained(fit)[0])


def test_a_loss_that_is_no_number_stops_it_and_is_not_kept(tmp_path):
    def ruin(state):
        if state.step == 7:
            state.model.layers[2].bias.data[0] = torch.inf

    with pytest.raises(NonFiniteLoss, match="step 8"):
        trained(fit_at_scale, folder=tmp_path, every=5, callbacks=[ruin])
    assert [path.name for path in tmp_path.iterdir()] == ["step-000000005"]


SCRIPT = """
import os, signal, sys
from tests.train.test_scale import *
folder, kill = Path(sys.argv[1]), int(sys.argv[2])

def die(state):
    if state.step == kill and os.environ.get("RANK", "0") == str(int(os.environ.get("WORLD_SIZE", "1")) - 1):
        os.kill(os.getpid(), signal.SIGKILL)

model, history = trained(fit_at_scale, folder=folder, every=5, callbacks=[die])
if os.environ.get("RANK", "0") == "0":
    from attend.train.checkpoint import save
    save(folder / "w.safetensors", model)
    (folder / "losses.json").write_text(json.dumps(history.losses))
"""
"""Train; the last process kills itself after step `kill`, as `kill -9` does."""


def launched(folder, kill=0, processes=1):
    """SCRIPT in so many processes."""
    script = Path(tempfile.mkdtemp()) / "run.py"
    script.write_text(SCRIPT)
    alone = [sys.executable, str(script)]
    several = [sys.executable, "-m", "accelerate.commands.launch", "--cpu", "--num_processes", str(processes)]
    command = alone if processes == 1 else [*several, "--main_process_port", "0", str(script)]
    root = Path(__file__).parents[2]
    about = os.environ | {"PYTHONPATH": f"{root / 'src'}:{root}", "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        [*command, str(folder), str(kill)], env=about, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.mark.nightly
@pytest.mark.parametrize("processes", [1, 2])
def test_after_kill_9_it_goes_on_to_the_same_weights(tmp_path, processes):
    killed = launched(tmp_path / "killed", kill=8, processes=processes)
    assert killed.returncode != 0
    assert [path.name for path in (tmp_path / "killed").glob("step-*")] == ["step-000000005"]
    done = launched(tmp_path / "killed", processes=processes)
    assert done.returncode == 0, done.stderr[-2000:]
    found = load(tmp_path / "killed" / "w.safetensors", Tiny())
    losses = json.loads((tmp_path / "killed" / "losses.json").read_text())
    if processes == 1:
        whole, history = trained(fit)
        assert losses == history.losses
    else:
        assert launched(tmp_path / "whole", processes=processes).returncode == 0
        whole = load(tmp_path / "whole" / "w.safetensors", Tiny())
        assert losses == json.loads((tmp_path / "whole" / "losses.json").read_text())
    assert same(found, whole)


def test_a_window_hangs_on_the_seed_and_its_number_alone():
    windows, array = Windows(TOKENS, T, 50, seed=3), Windows(TOKENS.numpy().astype(np.uint16), T, 50, seed=3)
    assert len(windows) == 50
    assert torch.equal(windows[7], windows[7])
    assert torch.equal(windows[7], array[7])
    assert array[7].dtype == torch.long
    rows = TOKENS.unfold(0, T + 1, 1)
    assert all((rows == windows[i]).all(dim=1).any() for i in range(50))
    starts = {int((rows == windows[i]).all(dim=1).nonzero()[0]) for i in range(50)}
    assert len(starts) > 30
    assert not torch.equal(windows[7], Windows(TOKENS, T, 50, seed=4)[7])


@pytest.mark.parametrize(
    ("batches", "expected"),
    [
        (DataLoader(TensorDataset(TOKENS), batch_size=4, shuffle=True), "a fixed order"),
        (DataLoader(TensorDataset(TOKENS), batch_size=7), "whole batches"),
        (DataLoader(TensorDataset(TOKENS), batch_size=None), "a loader that makes batches"),
        (in_order(Windows(TOKENS, T, 6), 6), "a size that 1 processes share in 4 parts each"),
    ],
)
def test_batches_that_cannot_be_shared_or_gone_on_with_are_refused(batches, expected):
    model = Tiny()
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    with pytest.raises(ValueError, match=f"batches: got .*{expected}"):
        fit_at_scale(model, loss, batches, steps=1, optimiser=optimiser, accumulate=4)


@pytest.mark.nightly
def test_a_folder_of_another_run_a_run_that_is_over_and_float16_are_refused(tmp_path, monkeypatch):
    trained(fit_at_scale, steps=4, folder=tmp_path, label="this")
    with pytest.raises(ValueError, match="folder: got the state of 'this', expected one of 'that'"):
        trained(fit_at_scale, steps=4, folder=tmp_path, label="that")
    with pytest.raises(ValueError, match=r"steps: got 3 .*at least the 4 "):
        trained(fit_at_scale, steps=3, folder=tmp_path, label="this")
    AcceleratorState._reset_state(True)
    monkeypatch.setenv("ACCELERATE_MIXED_PRECISION", "fp16")
    with pytest.raises(ValueError, match="precision: got 'fp16'"):
        trained(fit_at_scale, steps=1)


def test_a_model_in_pieces_is_refused():
    for kind in ("NO", "MULTI_GPU", "MULTI_CPU"):
        scale._refuse_pieces(DistributedType(kind).value)
    for kind in ("FSDP", "DEEPSPEED"):
        with pytest.raises(ValueError, match=f"accelerate: got '{kind}'"):
            scale._refuse_pieces(DistributedType(kind).value)


def test_without_accelerate_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "accelerate", None)
    with pytest.raises(ValueError, match=r"accelerate: got no such package, expected .*attend-course\[scale\]"):
        trained(fit_at_scale, steps=1)


def calls():
    def training():
        model = Tiny()
        optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
        batches = in_order(Windows(TOKENS, T, B), B)
        given = {"model": model, "loss": loss, "batches": batches, "optimiser": optimiser, "steps": 1}
        return given | {"clip": 1.0, "accumulate": 2, "label": "training", "every": 1}

    return {
        scale.fit_at_scale: training,
        scale.in_order: lambda: {"examples": Windows(TOKENS, T, B), "batch": B},
        scale.Windows: lambda: {"tokens": TOKENS, "T": T, "length": 3, "seed": 0},
    }


def good():
    return {
        scale.fit_at_scale: {"label": {"word"}},
        scale.Windows: {"seed": {"zero"}, "tokens": {"nonfinite"}},
    }
