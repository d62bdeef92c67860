import matplotlib.pyplot as plt
import pytest
import torch

from attend.figures import frames

X = torch.rand(12, 4)
PROBS = torch.rand(6, 3).softmax(dim=1)
NAMES = {0: ("blank", "rival"), 2: ("7", "summary")}


@pytest.fixture
def kept(monkeypatch):
    figures = []
    monkeypatch.setattr(plt, "show", lambda: figures.append(plt.gcf()))
    return figures


def test_a_spectrogram_lasts_as_long_as_its_frames(kept):
    frames.spectrogram(X, 0.02)
    (axes,) = kept[0].axes
    assert axes.images[0].get_extent() == pytest.approx([0, 0.24, 0, 4])


def test_a_line_for_each_token_over_the_same_time(kept):
    frames.posteriors(X, {"before": PROBS, "after": PROBS}, NAMES, 0.02)
    _, *panels = kept[0].axes
    assert len(panels) == 2
    for axes in panels:
        assert len(axes.lines) == 2
        assert axes.lines[1].get_ydata().tolist() == pytest.approx(PROBS[:, 2].tolist())
        assert axes.lines[0].get_xdata()[[0, -1]].tolist() == pytest.approx([0.02, 0.22])


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"panels": {}}, "panels: got"),
        ({"panels": {"one": PROBS + 1}}, r"panels\['one'\]: got"),
        ({"names": {3: ("2", "input")}}, "names: got"),
        ({"seconds": 0.0}, "seconds: got"),
    ],
)
def test_what_cannot_be_drawn_is_refused_by_name(changed, says):
    with pytest.raises(ValueError, match=says):
        frames.posteriors(**({"x": X, "panels": {"one": PROBS}, "names": NAMES, "seconds": 0.02} | changed))


def calls():
    return {
        frames.spectrogram: {"x": X, "seconds": 0.02},
        frames.posteriors: {"x": X, "panels": {"one": PROBS}, "names": NAMES, "seconds": 0.02},
    }
