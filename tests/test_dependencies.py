"""What a page or a claim needs is read from the sources; here it is run, and all that it calls must be among that."""

import json
import subprocess
import sys

import pytest
from tests.house.course import PAGES, nothing, page_name

from attend.dependencies import FAST, HERE, Sources, first
from attend.evidence.kit import claims
from attend.evidence.kit.made_by import REFUSE, needed
from attend.evidence.kit.records import RECORDS
from attend_book import digest, execute, notebook

WATCH = '''
import json, sys, threading
from IPython.core.interactiveshell import InteractiveShell

home, called = sys.argv[1], set()

def watch(frame, event, argument):
    code = frame.f_code
    if event == "call" and code.co_filename.startswith(home):
        one = (code.co_filename, code.co_firstlineno, code.co_name)
        if one not in called and not imports(frame):
            called.add(one)

def imports(frame):
    """Is it called while a module of the package is imported?"""
    while frame := frame.f_back:
        if frame.f_code.co_name == "<module>" and frame.f_code.co_filename.startswith(home):
            return True
    return False

shell = InteractiveShell.instance()
for cell in json.load(sys.stdin):
    threading.settrace(watch)
    sys.settrace(watch)
    done = shell.run_cell(cell)
    sys.settrace(None)
    done.raise_error()
print("CALLED", json.dumps(sorted(called)))
'''


HASTE = """
import signal
from attend.train import fit as training

def hurried(*given, steps, fit=training.fit, **named):
    return fit(*given, steps=min(steps, 2), **named)

def enough(signum, frame):
    raise TimeoutError

training.fit = hurried
signal.signal(signal.SIGALRM, enough)
signal.alarm(60)
"""
"""Two steps of training call what all of them call; so does a minute of what trains in a loop of its own."""
SEED = """
import importlib, signal
try:
    getattr(importlib.import_module({module!r}), {name!r})({seed})
except (Exception, TimeoutError) as error:
    print("ended early:", repr(error))
finally:
    signal.alarm(0)
"""
"""A model that has hardly been trained may be of no use to what comes after it."""


def called(cells, folder=HERE):
    """The functions of the package that these cells call: file, line and name."""
    asked = [sys.executable, "-c", WATCH, str(HERE)]
    done = subprocess.run(
        asked, input=json.dumps(cells), cwd=folder, env=execute.environment() | {"MPLBACKEND": "agg"},
        capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return json.loads(done.stdout.rpartition("CALLED ")[2])


def unknown(found, reached, sources, apart):
    """Called functions that are not among the statements that were read."""
    spans = {
        str(sources.paths[module]): [range(first(node), node.end_lineno + 1) for node in nodes]
        for module, nodes in reached.items()
    }
    for file, line, name in found:
        if name != "<module>" and file not in apart and not any(line in span for span in spans.get(file, ())):
            yield f"{file}:{line} {name}"


@pytest.mark.nightly
@pytest.mark.parametrize("path", PAGES, ids=page_name)
def test_every_function_that_a_page_calls_is_among_what_it_needs(path):
    sources = Sources()
    code = "\n".join(cell.source for cell in notebook.code(notebook.read(path)))
    reached = sources.reached(digest.parts(code, sources))
    apart = {str(sources.paths[module]) for module in (FAST, "attend.checks")}  # they find others by name
    found = called([cell.source for cell in notebook.code(notebook.read(path))], path.parent)
    assert found
    nothing(unknown(found, reached, sources, apart))


RECORDED = sorted(name for file in RECORDS.glob("*.json") for name in json.loads(file.read_text(encoding="utf-8")))


@pytest.mark.nightly
@pytest.mark.parametrize("recorded", RECORDED)
def test_every_function_that_a_claim_calls_is_among_what_made_it(recorded):
    claim, name = claims.find(recorded), recorded.partition(".")[2]
    sources, reached = needed(claim.module, name)
    found = called([HASTE, SEED.format(module=claim.module, name=name, seed=claim.seeds[0])])
    apart = {
        str(path) for module, path in sources.paths.items()
        if module in (FAST, "attend.dependencies", "attend.evidence", *REFUSE)
        or module.startswith("attend.evidence.kit")
    }  # fmt: skip
    assert any(file == str(sources.paths[claim.module]) for file, *_ in found), "the claim was not measured"
    nothing(unknown(found, reached, sources, apart))


def test_a_function_that_was_not_read_is_named():
    sources, reached = needed("attend.evidence.heads", "two")
    (file,) = (str(path) for module, path in sources.paths.items() if module == "attend.train.fit")
    nothing(unknown([(file, reached["attend.train.fit"][-1].lineno, "fit")], reached, sources, ()))
    reached.pop("attend.train.fit")
    with pytest.raises(pytest.fail.Exception, match="fit"):
        nothing(unknown([(file, 1, "fit")], reached, sources, ()))


def test_what_speeds_up_a_part_of_a_model_counts_with_the_model():
    _, reached = needed("attend.evidence.gradients", "text")  # its Transformer is made of CausalSelfAttention
    assert "FastCausalSelfAttention" in {getattr(node, "name", "") for node in reached["attend.fast.attention"]}
