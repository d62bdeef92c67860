"""Bad input to any public function is refused with the argument's name, what came, and what was expected."""

import os

import hypothesis.strategies as st
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from jaxtyping import Float
from tests.house.corrupt import NAMED, Call, address, breakages, calls_of, places, public
from tests.house.course import nothing
from torch import Tensor

import attend
from attend.core.expect import checked, expect, finite

ROOMS = {"core", "memory", "gating", "soft", "hard", "transformers", "tasks", "train", "figures", "live"}
# What checks arguments is not called with arguments to check; the base of live figures is called by each of them.
EXEMPT = {f"attend.core.expect.{name}" for name in ("checked", "expect", "finite", "recipe")}
EXEMPT |= {"attend.live.figure.LiveFigure"}
PLACES = places()
# An example breaks every argument in every way once; `make test-all` tries more values.
EXAMPLES = int(os.environ.get("ATTEND_EXAMPLES", "1"))


def outcome(call, name, broken):
    """What is wrong with the way in which a call with one broken argument ends, or None."""
    arguments = {**call.fresh(), name: broken}
    try:
        call.function(**arguments)
    except ValueError as error:
        match = NAMED.match(str(error))
        if match and match["argument"] in arguments:
            return None
        return f"says {str(error)[:200]!r}, expected '{name}: got …, expected …'"
    except Exception as error:
        return f"raises {type(error).__name__}: {str(error)[:200]}, expected ValueError"
    return "is accepted"


def shown(value):
    """A broken value in a few words."""
    return f"{value.dtype} of shape {tuple(value.shape)}" if isinstance(value, Tensor) else repr(value)[:60]


def test_every_public_function_has_a_valid_call():
    known = {call.name for place in PLACES for call in calls_of(place)} | EXEMPT
    nothing(
        f"{name} has no valid call in the calls() of its module's test file"
        for name in sorted(public(attend, ROOMS).keys() - known)
    )


@pytest.mark.parametrize("place", PLACES)
def test_every_valid_call_is_valid(place):
    for call in calls_of(place):
        try:
            call.function(**call.fresh())
        except Exception as error:
            error.add_note(f"the valid call of {call.name} in tests/{place}")
            raise


@pytest.mark.parametrize("place", PLACES)
@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_bad_input_is_refused_by_name(place, data):
    complaints = []
    for call in calls_of(place):
        for name, value in call.fresh().items():
            for kind, values in breakages(call, name, value).items():
                broken = data.draw(values, label=f"{call.name}: {name}, {kind}")
                if said := outcome(call, name, broken):
                    unless = f'; good input is said beside the call: good() = {{…: {{"{name}": {{"{kind}"}}}}}}'
                    complaints.append(f"{call.name}({name}={shown(broken)}), {kind}: {said}{unless}")
    nothing(complaints)


@checked
def careful(x: Float[Tensor, "B D"], weights: Float[Tensor, " D"], steps: int) -> Tensor:
    finite("x", x)
    finite("weights", weights)
    expect(x.numel() > 0, "x", x, "at least one value")
    expect(steps > 0, "steps", steps, "a positive whole number")
    return (x @ weights) * steps


def careless(x, weights, steps):
    return (x @ weights) * steps


def ends(function):
    """How every breakage of a call of `function` ends."""
    call = Call(function, lambda: {"x": torch.ones(2, 3), "weights": torch.ones(3), "steps": 2}, {})
    return [
        outcome(call, name, values.example())
        for name, value in call.fresh().items()
        for values in breakages(call, name, value).values()
    ]


@pytest.mark.filterwarnings("ignore::hypothesis.errors.NonInteractiveExampleWarning")
def test_a_careful_function_passes_and_a_careless_one_does_not():
    assert address(careful).endswith("careful")
    assert [said for said in ends(careful) if said] == []
    assert sum(said is not None for said in ends(careless)) > 10
