"""Pictures of a page are made light once, and look the same."""

import base64
import io

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from PIL import Image

from attend_book.pictures import light

matplotlib.use("Agg")


def drawn():
    figure = Figure(figsize=(5, 2.5), dpi=144, facecolor="none")
    axes = figure.subplots()
    axes.plot(np.sin(np.linspace(0, 9, 300)), color="#1f6fb2")
    axes.scatter(np.arange(200), np.cos(np.arange(200)), c=np.arange(200))
    file = io.BytesIO()
    figure.savefig(file, format="png")
    return base64.b64encode(file.getvalue()).decode()


def opened(png):
    return Image.open(io.BytesIO(base64.b64decode(png)))


def test_a_picture_becomes_light_and_keeps_its_look_and_resolution():
    heavy = drawn()
    small = light(heavy)
    assert len(small) < 0.6 * len(heavy)
    one, two = (np.asarray(opened(png).convert("RGBA"), dtype=float) for png in (heavy, small))
    assert np.abs(one - two).mean() < 3
    assert (two[..., 3] == 0).mean() > 0.3
    assert [round(side) for side in opened(small).info["dpi"]] == [144, 144]


def test_a_second_time_changes_no_byte():
    once = light(drawn())
    assert light(once) == once
    assert light(drawn()) == once
