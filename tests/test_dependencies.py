"""What a page needs is read from the sources; here it is run, and every function that it calls must be among that."""

import json
import subprocess
import sys

import pytest
from tests.house.course import PAGES, nothing, page_name

from attend.dependencies import FAST, HERE, Sources, first
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


def called(path):
    """The functions of the package that a page calls: file, line and name."""
    cells = json.dumps([cell.source for cell in notebook.code(notebook.read(path))])
    asked = [sys.executable, "-c", WATCH, str(HERE)]
    done = subprocess.run(
        asked, input=cells, cwd=path.parent, env=execute.environment() | {"MPLBACKEND": "agg"},
        capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return json.loads(done.stdout.rpartition("CALLED ")[2])


@pytest.mark.nightly
@pytest.mark.parametrize("path", PAGES, ids=page_name)
def test_every_function_that_a_page_calls_is_among_what_it_needs(path):
    sources = Sources()
    code = "\n".join(cell.source for cell in notebook.code(notebook.read(path)))
    reached = sources.reached(digest.parts(code, sources))
    spans = {
        str(sources.paths[module]): [range(first(node), node.end_lineno + 1) for node in nodes]
        for module, nodes in reached.items()
    }
    apart = {str(sources.paths[module]) for module in (FAST, "attend.checks")}  # they find others by name
    found = [one for one in called(path) if one[2] != "<module>" and one[0] not in apart]
    assert found
    nothing(
        f"{file}:{line} {name}" for file, line, name in found if not any(line in span for span in spans.get(file, ()))
    )
