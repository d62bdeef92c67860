"""No committed file names a place that only one machine or one registry has."""

import re
import subprocess

import pytest
from tests.house.course import nothing

from attend_book import ROOT

# Deployment may name where GitHub's and Binder's machines install from.
DEPLOYMENT = (".github/", ".binder/")
REGISTRIES = re.compile(
    r"\b(?:pypi[.]org|files[.]pythonhosted[.]org|registry[.]npmjs[.]org|registry[.]yarnpkg[.]com|deb[.]debian[.]org"
    r"|conda[.]anaconda[.]org)\b"
)
PLACES = re.compile(r"(?<![\w.~$:/{}*)-])/(?:work|home|root|Users|mnt|srv)/[\w.-]+")
UNFINISHED = re.compile(r"\b(?:TO[D]O|FIX[M]E|X[X]X)\b")
BINARY = (".npz", ".safetensors", ".gz", ".woff2", ".png", ".jpg", ".ico")
PATTERNS = {"names a registry": REGISTRIES, "names a path of one machine": PLACES, "is unfinished": UNFINISHED}


def committed(root=ROOT):
    """The paths that a clone of the repository has."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("this is no git checkout: what would be committed is not known")
    return [name for name in listed.stdout.split("\0") if name and (root / name).is_file()]


def told(name, content):
    """What the content of one file gives away; binary files are read as far as they are text."""
    text = content.decode("utf-8", errors="ignore")
    if name.endswith(".ipynb"):
        text = re.sub(r'"(?:image/png|data)": "[^"]*"', "", text)
    for what, pattern in PATTERNS.items():
        if match := pattern.search(text) if not name.startswith(DEPLOYMENT) else None:
            line = text.count("\n", 0, match.start()) + 1
            yield f"{name}:{line} {what}: {match[0]}"


def test_committed_files():
    names = [name for name in committed() if not name.endswith(BINARY)]
    nothing(said for name in names for said in told(name, (ROOT / name).read_bytes()))


@pytest.mark.parametrize(
    ("name", "text", "named"),
    [
        ("x.lock", "https://files.python" + "hosted.org/a.whl", "x.lock:1 names a registry"),
        ("x.py", "\nopen('/ho" + "me/ada/x')", "x.py:2 names a path of one machine"),
        ("x.md", "TO" + "DO: say why", "x.md:1 is unfinished"),
    ],
)
def test_what_gives_a_machine_away_is_named(name, text, named):
    (said,) = told(name, text.encode())
    assert said.startswith(named)


def test_deployment_may_name_registries_and_places_of_the_web_are_none():
    assert not list(told(".github/workflows/x.yml", ("https://py" + "pi.org").encode()))
    assert not list(told("x.md", b"https://example.org/home/ada"))
