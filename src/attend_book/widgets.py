"""Live figures in a saved notebook: only what is shown, under fixed ids, without a copy of the scripts."""

import json
import re

VIEW = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"
REFERENCE = re.compile(r'"IPY_MODEL_([^"]+)"')
# anywidget saves each figure's whole script here; the site and the package have it already.
SCRIPTS = ("_esm", "_css")


def views(nb):
    """The widget views of a notebook, in the order in which they stand on the page."""
    for cell in nb.cells:
        for output in cell.get("outputs", ()):
            if VIEW in output.get("data", {}):
                yield output.data[VIEW]


def models(nb):
    """The saved models by id."""
    return nb.metadata.get("widgets", {}).get(STATE, {}).get("state", {})


def normalise(nb):
    """Rename models in the order in which the page shows them and drop those that it does not show."""
    saved, shown, names = models(nb), list(views(nb)), {}
    waiting = [view["model_id"] for view in shown]
    while waiting:
        model_id = waiting.pop(0)
        if model_id in saved and model_id not in names:
            names[model_id] = f"widget-{len(names) + 1:02d}"
            waiting += REFERENCE.findall(json.dumps(saved[model_id].get("state", {}), sort_keys=True))
    for view in shown:
        view["model_id"] = names.get(view["model_id"], view["model_id"])
    if not names:
        nb.metadata.pop("widgets", None)
        return
    state = json.dumps({names[old]: slim(saved[old]) for old in names})
    state = REFERENCE.sub(lambda found: f'"IPY_MODEL_{names.get(found[1], found[1])}"', state)
    nb.metadata["widgets"] = {STATE: {"state": json.loads(state), "version_major": 2, "version_minor": 0}}


def slim(model):
    """A model without its scripts, and a layout without the properties that nobody set."""
    state = {key: value for key, value in model.get("state", {}).items() if key not in SCRIPTS}
    if model.get("model_name") == "LayoutModel":
        state = {key: value for key, value in state.items() if value is not None}
    slimmed = {**model, "state": state}
    if model.get("buffers"):
        slimmed["buffers"] = sorted(model["buffers"], key=lambda buffer: [str(step) for step in buffer["path"]])
    return slimmed
