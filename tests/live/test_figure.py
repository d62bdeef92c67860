"""What a live figure carries to the browser."""

import pytest
import torch

from attend.live import figure
from attend.live.coin import Coin
from attend.live.figure import LiveFigure, pack, unpack

TENSORS = {"W": torch.randn(5, 3, generator=torch.Generator().manual_seed(0)), "b": torch.tensor([0.5, -2.0])}


@pytest.mark.parametrize(("precision", "off"), [("float32", 0.0), ("float16", 2e-3), ("int8", 2e-2)])
def test_tensors_come_back_as_close_as_their_precision(precision, off):
    layout, buffer = pack(TENSORS, precision)
    back = unpack(layout, buffer)
    for name, tensor in TENSORS.items():
        assert (back[name] - tensor).abs().max() <= off * tensor.abs().max()
    assert len(buffer) <= {"float32": 68, "float16": 36, "int8": 48}[precision]


def test_pictures_stay_bytes():
    picture = torch.arange(6, dtype=torch.uint8).reshape(2, 3)
    layout, buffer = pack({"picture": picture, **TENSORS}, "float16")
    assert torch.equal(unpack(layout, buffer)["picture"], picture)


def test_numbers_that_are_none_are_refused():
    with pytest.raises(ValueError, match=r"tensors\['W'\]: got non-finite values"):
        pack({"W": torch.tensor([1.0, float("nan")])})
    with pytest.raises(ValueError, match="precision: got 'float64'"):
        pack({}, "float64")


@pytest.mark.parametrize(("numbers", "precision"), [([1e5], "float16"), ([-1e300], "float32"), ([1e300], "int8")])
def test_what_the_precision_cannot_hold_is_refused(numbers, precision):
    with pytest.raises(ValueError, match=rf"tensors\['W'\]: got values too large for {precision}"):
        pack({"W": torch.tensor(numbers, dtype=torch.float64)}, precision)


def test_whole_numbers_arrive_as_they_are_or_not_at_all():
    layout, buffer = pack({"n": torch.tensor([2_048, -3])}, "float16")
    assert unpack(layout, buffer)["n"].tolist() == [2_048, -3]
    with pytest.raises(ValueError, match=r"tensors\['n'\]: got whole numbers that float16 rounds"):
        pack({"n": torch.tensor([4_097])}, "float16")


def test_the_figure_names_itself_and_carries_no_address():
    figure = Coin([1, 0], {"W": torch.ones(1, 1)})
    assert repr(figure) == "Live figure: coin"
    assert figure.figure == "coin"
    assert figure.seen()["W"].item() == 1


@pytest.mark.parametrize(("alt", "invite", "named"), [(" ", "Drag.", "alt"), ("A row.", "", "invite")])
def test_texts_are_needed(alt, invite, named):
    with pytest.raises(ValueError, match=f"{named}: got '"):
        LiveFigure.__init__(Coin.__new__(Coin), alt=alt, invite=invite)


def calls():
    return {
        figure.pack: {"tensors": {"W": torch.eye(2)}, "precision": "int8"},
        figure.unpack: dict(zip(("layout", "buffer"), figure.pack({"W": torch.eye(2)}), strict=True)),
    }
