"""The model of the figure has learned something of the plays."""

from attend.recipes.modern import nats
from attend.recipes.modern_figure import trained


def test_the_model_of_the_figure_knows_the_plays():
    assert nats(trained(), "test", 100) < 1.95
