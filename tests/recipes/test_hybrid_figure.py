"""The recognisers of the figure lose next to nothing by rounding, and hear what they should."""

import pytest
import torch

from attend.recipes.hybrid import HIDDEN, build, error, transcribe
from attend.recipes.hybrid_figure import KINDS, WEIGHTS, nats, pack, trained, unpacked
from attend.tasks import speech


def test_bytes_keep_the_weights_to_half_a_step():
    model, other = build("hybrid", 0), build("hybrid", 1)
    packed = pack(model)
    unpacked(packed, other)
    for name, value in model.state_dict().items():
        scale = packed[f"{name}.scale"]
        assert packed[name].dtype == torch.int8
        rows = (other.state_dict()[name] - value).reshape(len(scale), -1)
        assert (rows.abs() <= 0.501 * scale).all()


def test_what_is_rounded_once_is_not_rounded_again():
    packed = pack(trained("hybrid"))
    again = pack(unpacked(packed, build("hybrid", 0)))
    assert all(torch.equal(packed[name], again[name]) for name in packed if not name.endswith(".scale"))


@pytest.mark.parametrize("kind", KINDS)
def test_the_recognisers_of_the_figure_have_learned_and_weigh_little(kind):
    model = trained(kind)
    assert nats(model) < 0.4
    assert error(model, speech.load("validation")) < 0.13
    assert transcribe(model, speech.load("test", speech.SHOWN + 1))[speech.SHOWN] == "337"
    assert sum((WEIGHTS / f"hybrid_{one}.safetensors").stat().st_size for one in KINDS) < 150_000


def test_only_what_is_shipped_is_opened():
    assert set(KINDS) < set(HIDDEN)
