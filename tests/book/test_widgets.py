"""Saved widgets: what a page shows and nothing else, under names that do not change."""

import copy

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from attend_book import widgets


def saved(ids, unseen="x9"):
    """A notebook with two views of one figure and one of another; `ids` name figure, figure, and their layouts."""
    first, second, layout, other = ids

    def figure(at, where):
        return {
            "model_name": "AnyModel",
            "model_module": "anywidget",
            "state": {"at": at, "layout": f"IPY_MODEL_{where}", "_esm": "script", "_css": "style"},
        }

    def look():
        return {"model_name": "LayoutModel", "state": {"width": None, "height": "3px"}}

    state = {unseen: figure(0, layout), other: look(), second: figure(2, other), layout: look()}
    state |= {first: figure(1, layout)}
    shown = [new_output("display_data", {widgets.VIEW: {"model_id": model}}) for model in (first, second, first)]
    nb = new_notebook(cells=[new_code_cell("show()", outputs=shown)])
    nb.metadata["widgets"] = nbformat.from_dict({widgets.STATE: {"state": state}})
    return nb


@pytest.fixture
def normal():
    nb = saved(("b", "a", "d", "c"))
    widgets.normalise(nb)
    return nb


def test_models_are_named_in_the_order_of_the_page(normal):
    assert [view["model_id"] for view in widgets.views(normal)] == ["widget-01", "widget-02", "widget-01"]
    assert [model["state"].get("at") for model in widgets.models(normal).values()] == [1, 2, None, None]


def test_what_is_not_shown_is_not_saved(normal):
    assert len(widgets.models(normal)) == 4


def test_references_follow_the_new_names(normal):
    models = widgets.models(normal)
    assert models["widget-01"]["state"]["layout"] == "IPY_MODEL_widget-03"
    assert models["widget-02"]["state"]["layout"] == "IPY_MODEL_widget-04"


def test_scripts_and_unset_layout_are_dropped(normal):
    models = widgets.models(normal)
    assert set(models["widget-01"]["state"]) == {"at", "layout"}
    assert models["widget-03"]["state"] == {"height": "3px"}


def test_other_ids_give_the_same_notebook(normal):
    other = saved(("q7", "r8", "a0", "z1"), unseen="b5")
    widgets.normalise(other)
    assert other.cells[0].outputs == normal.cells[0].outputs
    assert other.metadata == normal.metadata


def test_normalising_again_changes_nothing(normal):
    again = copy.deepcopy(normal)
    widgets.normalise(again)
    assert again.metadata == normal.metadata


def test_a_page_without_views_keeps_no_state():
    nb = saved(("b", "a", "d", "c"))
    nb.cells = []
    widgets.normalise(nb)
    assert "widgets" not in nb.metadata
