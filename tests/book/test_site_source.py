"""Notebooks as the site reads them: views and claims become directives, foreign widgets are refused by name."""

import base64
import json

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from attend_book import Refused, widgets
from attend_book.site import source

RECORD = {
    "id": "coin.order",
    "says": "$h$ stays",
    "source": "ours",
    "verdict": "holds",
    "heading": "holds",
    "measured": "0",
}
MODEL = {
    "model_name": "AnyModel",
    "model_module": "anywidget",
    "state": {"_anywidget_id": "attend.live.coin.Coin", "alt": "coins", "data": {"flips": [1, 0]}},
    "buffers": [{"path": ["buffer"], "encoding": "base64", "data": base64.b64encode(b"\x00\x01").decode() + "\n"}],
}


def page(*models, tags=()):
    """A notebook with one code cell: a printed line, a claim, a picture, and a view of each model."""
    claim = new_output("display_data", {"text/plain": "coin.order: holds"}, metadata={"attend": {"claim": RECORD}})
    picture = new_output("display_data", {"image/png": ""}, metadata={"image/png": {"width": 320, "height": 200}})
    views = [new_output("display_data", {widgets.VIEW: {"model_id": f"m{i}"}}) for i in range(len(models))]
    cell = new_code_cell("x", outputs=[new_output("stream", text="line\n"), claim, picture, *views])
    cell.metadata["tags"] = list(tags)
    nb = new_notebook(cells=[new_markdown_cell("# Coin"), cell], metadata={"source_map": [5, 9]})
    state = {f"m{i}": model for i, model in enumerate(models)}
    nb.metadata["widgets"] = nbformat.from_dict({widgets.STATE: {"state": state}})
    return nb


def test_a_view_is_named_by_page_place_and_figure():
    first, second = source.views(page(MODEL, MODEL), "chapters/memory/coin")
    assert (first.key, second.key) == ("memory-coin-1-coin", "memory-coin-2-coin")
    assert (first.name, first.alt) == ("coin", "coins")


def test_the_saved_state_keeps_data_and_bytes_and_leaves_out_what_jupyter_needs():
    saved = json.loads(source.views(page(MODEL), "coin")[0].saved())
    assert saved["state"] == {"alt": "coins", "data": {"flips": [1, 0]}}
    assert base64.b64decode(saved["buffers"]["buffer"]) == b"\x00\x01"


def test_prepare_puts_directives_in_the_place_of_views_and_claims():
    nb = source.prepare(page(MODEL), "chapters/memory/coin")
    kinds = [cell.source.split("\n")[0].strip("`") for cell in nb.cells[2:]]
    assert kinds == ["{attend-claim}", "{attend-live}"]
    assert json.loads(nb.cells[2].source.split("\n")[1]) == RECORD
    assert json.loads(nb.cells[3].source.split("\n")[1]) == {"key": "memory-coin-1-coin"}
    assert [output.output_type for output in nb.cells[1].outputs] == ["stream", "display_data"]
    assert "widgets" not in nb.metadata
    assert nb.metadata["source_map"] == [5, 9, 9, 9]


def test_a_claim_whose_output_is_hidden_is_an_aside():
    told = source.prepare(page(tags=["hide-output"]), "coin").cells[2].source.split("\n")[1]
    assert json.loads(told) == RECORD | {"aside": True}


def test_a_picture_brings_its_own_size():
    cell = source.prepare(page(), "coin").cells[1]
    assert cell.metadata["mystnb"]["image"] == {"width": "320px", "height": "200px"}


@pytest.mark.parametrize("tag", ["remove-cell", "remove-output"])
def test_what_the_page_hides_is_not_shown_either(tag):
    nb = page(MODEL, tags=[tag])
    assert not source.views(nb, "coin")
    assert not list(source.claims(nb))
    assert len(source.prepare(nb, "coin").cells) == 2


def test_claims_come_in_page_order_as_plain_records():
    assert list(source.claims(page())) == [RECORD]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"model_module": "@jupyter-widgets/controls", "model_name": "FloatSliderModel"}, "FloatSliderModel"),
        ({"state": {"_anywidget_id": "other.package.Figure"}}, "other.package.Figure"),
        ({"state": {}}, "no live figure"),
    ],
)
def test_a_widget_that_the_site_cannot_mount_is_refused_by_page_and_model(change, named):
    with pytest.raises(Refused, match=r"chapters/memory/elman: widget m0 .*") as refused:
        source.prepare(page(MODEL | change), "chapters/memory/elman")
    assert named in str(refused.value)


def test_a_view_without_saved_state_is_refused():
    nb = page(MODEL)
    nb.metadata["widgets"][widgets.STATE]["state"] = {}
    with pytest.raises(Refused, match="no saved state"):
        source.views(nb, "coin")


@pytest.mark.parametrize("kind", ["text/html", "image/svg+xml"])
def test_an_output_that_brings_in_a_script_is_refused_by_page_and_line(kind):
    nb = page()
    nb.cells[1].outputs.append(new_output("display_data", {kind: "<svg/onload=go()>"}))
    with pytest.raises(Refused, match="coin, line 10: an output may not hold <svg onload>"):
        source.prepare(nb, "coin")
