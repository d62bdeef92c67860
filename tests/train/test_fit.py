"""The training loop knows no model and no task, and stops clearly when the loss is no number."""

import importlib
import math
import sys
from types import SimpleNamespace

import pytest
import torch
from torch import nn

from attend.train.fit import NonFiniteLoss, TrainStep, fit

fitting = importlib.import_module("attend.train.fit")


class Line(nn.Module):
    def __init__(self):
        super().__init__()
        self.slope = nn.Parameter(torch.zeros(()))


def loss(model, batch):
    return (model.slope * batch - 3 * batch).square().mean()


def train(model, batches, rate=0.1, loss=loss, **options):
    return fit(model, loss, batches, optimiser=torch.optim.SGD(model.parameters(), lr=rate), **options)


def test_it_is_gradient_descent():
    model, x = Line(), torch.tensor([1.0, 2.0])
    history = train(model, [x], steps=3)
    slope, losses = 0.0, []
    for _ in range(3):
        losses.append(float(((slope - 3) * x).square().mean()))
        slope -= 0.1 * float((2 * (slope - 3) * x * x).mean())
    assert model.slope.item() == pytest.approx(slope, abs=1e-6)
    assert history.losses == pytest.approx(losses, abs=1e-5)
    assert not model.training


def test_observers_are_told_every_step_in_order():
    seen: list[TrainStep] = []
    model = Line()
    history = train(model, [torch.ones(1)], steps=4, callbacks=[seen.append])
    assert [state.step for state in seen] == [1, 2, 3, 4]
    assert [state.loss for state in seen] == history.losses
    assert [state.gradient_norm for state in seen] == history.gradient_norms
    assert all(state.model is model for state in seen)


def test_clipping_bounds_the_step_and_records_the_norm_before_it():
    model = Line()
    history = train(model, [torch.tensor([10.0])], steps=1, clip=1.0, rate=1.0)
    assert model.slope.item() == pytest.approx(1.0, abs=1e-4)
    assert history.gradient_norms[0] == pytest.approx(600.0)


def test_a_schedule_is_stepped():
    model = Line()
    optimiser = torch.optim.SGD(model.parameters(), lr=1.0)
    schedule = torch.optim.lr_scheduler.StepLR(optimiser, 1, 0.5)
    fit(model, loss, [torch.ones(1)], steps=3, optimiser=optimiser, schedule=schedule)
    assert optimiser.param_groups[0]["lr"] == 0.125


@pytest.mark.parametrize("poison", [math.nan, math.inf])
def test_a_loss_that_is_no_number_stops_and_keeps_the_last_good_weights(poison):
    model, good = Line(), []
    batches = [torch.ones(1), torch.ones(1), torch.tensor([poison])]

    def watch(state):
        good.append(state.model.slope.item())

    with pytest.raises(NonFiniteLoss, match="step 3: loss"):
        train(model, batches, steps=9, callbacks=[watch])
    assert math.isfinite(model.slope.item())
    assert model.slope.item() == good[0]
    assert len(good) == 2


def test_divergence_is_stopped_too():
    model = Line()
    with pytest.raises(NonFiniteLoss, match="step"):
        train(model, [torch.tensor([9.0])], steps=500, rate=1e3)
    assert math.isfinite(loss(model, torch.tensor([9.0])).item())


class Guarded(Line):
    """A line that refuses weights that are not finite, as a checked model does, before any loss is known."""

    def forward(self, x):
        if not math.isfinite(self.slope.item()):
            raise ValueError("slope: got nan, expected finite numbers")
        return self.slope * x


def test_good_weights_come_back_when_the_models_own_check_speaks_first():
    model, good = Guarded(), []
    huge = torch.optim.SGD(model.parameters(), lr=3e38)

    def cost(model, batch):
        good.append(model.slope.item())
        return (model(batch) - 3 * batch).square().mean()

    with pytest.raises(ValueError, match="slope: got nan") as caught:
        fit(model, cost, [torch.ones(1)], steps=5, optimiser=huge)
    assert model.slope.item() == good[0] == 0
    assert "step 2" in " ".join(caught.value.__notes__)
    assert not model.training


def test_a_last_step_that_ruins_the_weights_is_taken_back():
    model = Line()
    with pytest.raises(NonFiniteLoss, match="step 1: "):
        train(model, [torch.ones(1)], steps=1, rate=3e38)
    assert model.slope.item() == 0


@pytest.mark.parametrize("where", ["loss", "step", "callback"])
def test_an_interrupted_training_leaves_weights_of_a_finite_loss(where):
    model, known = nn.Linear(2, 2), []
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    calls = iter(range(100))

    def stop(at):
        if where == at and next(calls) == 2:
            with torch.no_grad():
                model.weight.fill_(math.nan)  # half a step
            raise KeyboardInterrupt

    def cost(model, batch):
        known.append({name: value.clone() for name, value in model.state_dict().items()})
        stop("loss")
        return model(batch).square().mean()

    optimiser.register_step_post_hook(lambda *_: stop("step"))
    with pytest.raises(KeyboardInterrupt):
        fit(
            model,
            cost,
            [torch.ones(1, 2)],
            steps=9,
            optimiser=optimiser,
            callbacks=[lambda state: stop("callback")],
        )
    last = known[-2] if where == "loss" else known[-1]
    assert all(torch.equal(value, last[name]) for name, value in model.state_dict().items())
    assert not model.training


def test_an_optimiser_of_another_model_is_refused():
    mine, other = Line(), Line()
    for parameters in ([other.slope], [mine.slope, other.slope]):
        optimiser = torch.optim.SGD(parameters, lr=0.1)
        with pytest.raises(ValueError, match="optimiser: got 1 tensor"):
            fit(mine, loss, [torch.ones(1)], steps=1, optimiser=optimiser)
    assert mine.slope.item() == other.slope.item() == 0


def test_a_schedule_of_another_optimiser_is_refused():
    model = Line()
    schedule = torch.optim.lr_scheduler.StepLR(torch.optim.SGD(model.parameters(), lr=1.0), 1, 0.5)
    with pytest.raises(ValueError, match="schedule: got"):
        train(model, [torch.ones(1)], steps=1, schedule=schedule)


def test_callbacks_may_be_an_iterator():
    seen = []
    train(Line(), [torch.ones(1)], steps=3, callbacks=iter([lambda state: seen.append(state.step)]))
    assert seen == [1, 2, 3]


class Kernel:
    """A notebook's shell whose front end can, or cannot, be asked."""

    def __init__(self, answers):
        self.kernel = SimpleNamespace(_allow_stdin=answers)


@pytest.mark.parametrize(
    ("shell", "terminal", "seen"),
    [(None, True, True), (None, False, False), (Kernel(True), False, True), (Kernel(False), False, False)],
)
def test_a_person_sees_the_bar_and_a_file_does_not(monkeypatch, capsys, shell, terminal, seen):
    monkeypatch.setattr(fitting, "get_ipython", lambda: shell)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    train(Line(), [torch.ones(1)], steps=2, label="a line")
    found = capsys.readouterr()
    assert ("a line" in found.out) == seen
    assert found.err == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"steps": 0}, "steps: got 0 .int., expected a positive"),
        ({"steps": 2.5}, "steps: got 2.5"),
        ({"steps": True}, "steps: got True"),
        ({"steps": 1, "clip": 0}, "clip: got 0"),
        ({"steps": 1, "clip": math.nan}, "clip: got nan"),
        ({"steps": 1, "loss": lambda model, batch: model.slope * batch}, r"loss: got \(2,\)"),
        ({"steps": 1, "loss": lambda model, batch: 3.0}, "loss: got float"),
    ],
)
def test_bad_arguments_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        train(Line(), [torch.ones(2)], **options)


def test_no_batch_and_no_optimiser_are_refused():
    with pytest.raises(ValueError, match="batches: got no batch"):
        train(Line(), [], steps=1)
    with pytest.raises(ValueError, match="batches: got no batch"):
        train(Line(), iter([torch.ones(1)]), steps=2)
    with pytest.raises(ValueError, match="optimiser: got 'adam'"):
        fit(Line(), loss, [torch.ones(1)], steps=1, optimiser="adam")


def calls():
    from attend.train import fit

    def fitting():
        model = nn.Linear(1, 1)
        return {
            "model": model,
            "loss": lambda model, batch: model(batch).square().mean(),
            "batches": [torch.ones(1, 1)],
            "steps": 1,
            "optimiser": torch.optim.SGD(model.parameters(), lr=0.1),
            "clip": 1.0,
            "label": "training",
        }

    return {
        fit.fit: fitting,
    }


def good():
    from attend.train import fit

    return {
        fit.fit: {"label": {"word"}},
    }
