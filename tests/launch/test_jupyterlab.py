"""A reader opens each page in JupyterLab, runs all of it, uses its figures and does its exercises.

One JupyterLab a worker, one page after the other, in `make test-all`.
Memory is counted as Binder counts it, for all that runs in its container: the most that the server has held, and the
most that the kernel has held.
"""

import itertools
import shutil
import time

import pytest
from tests.house.course import PAGES, code, page_name, read, syntax
from tests.house.test_exercises import exercises
from tests.launch import lab as jupyter
from tests.launch.conftest import ROOT, as_a_stranger
from tests.launch.slips import mistyped, slips
from tests.site import driver

pytestmark = pytest.mark.site

BINDER_GIVES = 2000  # MB
TRIES = 6
SLOW = "[anywidget] Failed to initialize model."  # what anywidget says after two seconds of a busy machine
WIDGET = "application/vnd.jupyter.widget-view+json"


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """A JupyterLab with the pages in its folder."""
    where = tmp_path_factory.mktemp("lab")
    shutil.copytree(ROOT / "chapters", where / "desk" / "chapters", ignore=shutil.ignore_patterns("*.md", ".*"))
    environment = {**as_a_stranger(where / "home"), "PYTHONPATH": str(ROOT / "src")}
    with jupyter.running(where / "home", where / "desk", environment) as running:
        yield running


@pytest.fixture(scope="session")
def window(chromium):
    """The browser's window for all pages, so that JupyterLab itself travels once."""
    with chromium.new_context(viewport={"width": 1280, "height": 1000}, reduced_motion="reduce") as context:
        yield context


@pytest.fixture
def desk(window, lab, request):
    """Opens a page; at the end its kernel is stopped, and what the browser complained of fails the test."""
    trouble, page = [], window.new_page()
    page.on("request", lambda asked: None if lab.ours(asked.url) else trouble.append(f"abroad: {asked.url}"))
    page.on("console", lambda said: trouble.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: trouble.append(f"uncaught: {error}"))
    opened = jupyter.Desk(page, lab, request.param)
    yield opened
    opened.shut()
    page.close()
    assert not [line for line in trouble if SLOW not in line], "\n".join(trouble[:5])


ALL = [page_name(path.with_suffix(".ipynb")) for path in PAGES]


@pytest.mark.nightly
@pytest.mark.parametrize("desk", ALL, indirect=True)
def test_run_all(desk, lab, record_property, request):
    name = request.node.callspec.params["desk"]
    began = time.monotonic()
    desk.run_all()
    wall = time.monotonic() - began
    cells = desk.cells()
    nb = read(ROOT / name)
    nb.cells.insert(0, code("the set-up cell"))
    ran_without_a_word_of_trouble(cells, nb)
    wrong = figures(desk, cells) + [
        line for label, _, *answers in exercises(nb) for line in exercise(desk, nb, label, *answers)
    ]
    times, server, kernel = lab.kernel().cpu_times(), jupyter.peak(lab.server), jupyter.peak(lab.kernel())
    record_property(
        "measured",
        f"{name} in JupyterLab: Run All {wall:.0f} s, with exercises {times.user + times.system:.0f} s of the "
        f"processor; at most {kernel:.0f} MB in the kernel, {server:.0f} MB in the server",
    )
    assert not wrong, "\n".join(wrong)
    assert server + kernel < BINDER_GIVES


def ran_without_a_word_of_trouble(cells: list[dict], nb) -> None:
    """Every code cell ran, in order, and none shows an error or writes to stderr."""
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert not [output["evalue"] for output in outputs if output["output_type"] == "error"]
    assert not [output["text"] for output in outputs if output.get("name") == "stderr"]
    counts = [cell["count"] for cell in cells if cell["code"]]
    assert counts == list(range(1, len(counts) + 1)), counts
    assert len(counts) == sum(cell.cell_type == "code" for cell in nb.cells)


def figures(desk: jupyter.Desk, cells: list[dict]) -> list[str]:
    """What is wrong with the live figures: one that is not drawn, controls of the first that no key moves."""
    live = [number for number, cell in enumerate(cells) if any(map(is_live, cell["outputs"]))]
    if not live:
        return ["no live figure"]
    for number in reversed(live):
        figure = desk.cell(number).locator("[data-figure][data-ready=true]")
        figure.first.wait_for(state="visible", timeout=jupyter.MINUTE)
    count = len(desk.cells())
    inert, seen, used = driver.by_keyboard(figure.first)
    found = [f"JupyterLab takes the keys of {control}" for control in inert]
    found += [] if used and seen[1] else ["no key changes the picture of the first figure"]
    return found + ([] if len(desk.cells()) == count else ["its keys made or removed cells"])


def is_live(output: dict) -> bool:
    """Whether an output is a figure of ours, and not a progress bar."""
    data = output.get("data", {})
    return WIDGET in data and "Live figure" in data.get("text/plain", "")


def exercise(desk: jupyter.Desk, nb, label: str, stub, solution: str, _earlier) -> list[str]:
    """What is wrong with what a reader sees who leaves an exercise, mistypes, slips, and gets it right."""
    number = next(number for number, cell in enumerate(nb.cells) if cell is stub)
    ask = stub.source.splitlines()[syntax(stub).body[-1].lineno - 1 :]

    def shown(answer: str) -> str:
        return one_line(desk.answer(number, "\n".join([answer, "", *ask])))

    found = [] if one_line(desk.cells()[number]["outputs"]).startswith("Not yet: ") else ["the stub is not 'Not yet'"]
    if (broken := mistyped(solution)) and "NameError" not in (said := shown(broken)):
        found.append(f"a mistyped name gives {said!r}")
    found += slipped(shown, solution)
    if not (said := shown(solution)).startswith("Right. "):
        found.append(f"the solution gives {said!r}")
    return [f"{label}: {line}" for line in found]


def slipped(shown, solution: str) -> list[str]:
    """Slips are tried until one is refused; some change nothing that can be seen, and are right."""
    tries = []
    for wrong in itertools.islice(slips(solution), TRIES):
        tries.append(shown(wrong))
        if not tries[-1].startswith("Right. "):
            break
    return [] if tries and tries[-1].startswith("Not right: ") else [f"slips give {tries}"]


def one_line(outputs: list[dict]) -> str:
    """The one line that a cell shows; whatever else it shows is named."""
    if len(outputs) != 1 or outputs[0]["output_type"] != "execute_result":
        return f"{[(output['output_type'], output.get('evalue', '')) for output in outputs]}"
    said = outputs[0]["data"]["text/plain"]
    return f"{len(said.splitlines())} lines: {said}" if "\n" in said else said
