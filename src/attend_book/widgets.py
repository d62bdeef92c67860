"""Live figures in a saved notebook: only what is shown, under fixed ids, without a copy of the scripts."""

from itertools import count

VIEW = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"
REFERENCE = "IPY_MODEL_"
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
    saved, names, number = models(nb), {}, count(1)
    shown = list(views(nb))
    waiting = [view["model_id"] for view in shown]
    while waiting:
        model_id = waiting.pop(0)
        if model_id not in names and model_id in saved:
            names[model_id] = f"widget-{next(number):02d}"
            waiting += references(saved[model_id].get("state", {}))
    for view in shown:
        view["model_id"] = names.get(view["model_id"], view["model_id"])
    if not names:
        nb.metadata.pop("widgets", None)
        return
    nb.metadata["widgets"] = {
        STATE: {
            "state": {new: renamed(slim(saved[old]), names) for old, new in names.items()},
            "version_major": 2,
            "version_minor": 0,
        }
    }


def references(value):
    """The ids of the models to which a state points, in a fixed order."""
    if isinstance(value, str):
        return [value.removeprefix(REFERENCE)] if value.startswith(REFERENCE) else []
    if isinstance(value, dict):
        return [found for key in sorted(value) for found in references(value[key])]
    return [found for item in value for found in references(item)] if isinstance(value, list) else []


def renamed(value, names):
    """The same state with every reference under its new name."""
    if isinstance(value, str) and value.startswith(REFERENCE):
        old = value.removeprefix(REFERENCE)
        return REFERENCE + names.get(old, old)
    if isinstance(value, dict):
        return {key: renamed(item, names) for key, item in value.items()}
    return [renamed(item, names) for item in value] if isinstance(value, list) else value


def slim(model):
    """A model without its scripts, and a layout without the properties that nobody set."""
    state = {key: value for key, value in model.get("state", {}).items() if key not in SCRIPTS}
    if model.get("model_name") == "LayoutModel":
        state = {key: value for key, value in state.items() if value is not None}
    slimmed = {**model, "state": state}
    if model.get("buffers"):
        slimmed["buffers"] = sorted(model["buffers"], key=lambda buffer: [str(step) for step in buffer["path"]])
    return slimmed
