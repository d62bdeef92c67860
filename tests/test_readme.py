"""The README is true: its example runs, and its path is the course."""

import doctest
import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"


def test_the_example_of_the_readme_runs():
    result = doctest.testfile(str(README), module_relative=False)
    assert result.attempted == 6
    assert result.failed == 0


def test_the_path_names_every_page_with_its_question_in_the_order_of_the_course():
    path = re.findall(r"^\| \[\w+\]\((chapters/\S+\.ipynb)\) \| (.+) \|$", README.read_text(), re.MULTILINE)
    order = re.findall(r"file: (chapters/\S+)", (ROOT / "_toc.yml").read_text())
    assert [page for page, _ in path] == [f"{page}.ipynb" for page in order]
    for page, question in path:
        assert question == json.loads((ROOT / page).read_text())["metadata"]["attend"]["question"]
