"""A model works where its weights are: what it makes on the way stands beside what it was given.

Every call is made with another device as the default. What names no device of its own then lands there, where it
has no values and does not mix with the rest; no such device has to exist.
"""

import pytest
import torch
from tests.house.corrupt import calls_of, places
from torch import nn

ROOMS = ("memory", "gating", "soft", "hard", "transformers", "fast")


def methods(place):
    """Valid calls of the methods of modules that a test file knows."""
    for call in calls_of(place):
        owner = getattr(call.function, "__self__", None)
        if isinstance(owner, nn.Module) and type(owner).__module__.split(".")[1] in ROOMS:
            yield call


@pytest.mark.parametrize("place", [place for place in places() if place.split("/")[0] in ROOMS])
def test_a_model_works_where_its_weights_are(place):
    for call in methods(place):
        with torch.device("meta"):
            found = call.function(**call.fresh())
        parts = found if isinstance(found, tuple) else (found,)
        assert not [part for part in parts if isinstance(part, torch.Tensor) and part.is_meta], call.name
