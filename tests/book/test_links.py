"""The check of outside links, on links of every kind that Sphinx really opened."""

import json
import subprocess
import sys
from http.server import BaseHTTPRequestHandler

import pytest

from attend_book import links
from attend_book.serve import listening

NOWHERE = "https://attend.invalid/page"


class Answers(BaseHTTPRequestHandler):
    """Answers with the number that the path asks for; /moved leads to /200."""

    def do_GET(self):
        moved = self.path == "/moved"
        self.send_response(302 if moved else int(self.path.strip("/")))
        if moved:
            self.send_header("location", "/200")
        self.send_header("content-length", "0")
        self.end_headers()

    do_HEAD = do_GET  # noqa: N815

    def log_message(self, *_):
        """Say nothing of each request."""


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """What Sphinx notes of five links: by their last part."""
    folder = tmp_path_factory.mktemp("links")
    with listening(Answers) as address:
        named = [f"{address}/{what}" for what in ("200", "moved", "404", "403")] + [NOWHERE]
        (folder / "index.rst").write_text("Links\n=====\n\n" + "\n\n".join(f"`{link} <{link}>`__" for link in named))
        (folder / "conf.py").write_text("linkcheck_report_timeouts_as_broken = False\n")
        asked = [sys.executable, "-m", "sphinx", "-b", "linkcheck", "-q", str(folder), str(folder / "out")]
        subprocess.run(asked, capture_output=True, check=False)
    return {entry["uri"].rpartition("/")[2]: entry for entry in links.read(folder / "out" / "output.json")}


def test_every_kind_is_told(opened):
    found = {name: links.kind(entry) for name, entry in opened.items()}
    assert found == {"200": "works", "moved": "works", "404": "broken", "403": "refused", "page": "no network"}


def test_what_is_broken_is_listed_and_what_refused_is_not_counted(opened, capsys):
    assert links.report(list(opened.values())) == links.BROKEN
    said = capsys.readouterr().out
    assert f"BROKEN: index.rst:8: {opened['404']['uri']} (404 Client Error" in said
    assert f"BROKEN: index.rst:12: {NOWHERE}" in said
    assert "look by hand: index.rst:10:" in said
    assert "5 outside links: 2 work, 2 broken, 1 to be looked at by hand" in said


def test_links_that_work_are_sound(opened):
    assert links.report([opened["200"], opened["403"]]) == links.SOUND


def test_no_network_is_said_and_is_no_success(opened, tmp_path, capsys):
    (tmp_path / "output.json").write_text(json.dumps(opened["page"]) + "\n")
    assert links.main(["--output", str(tmp_path / "output.json")]) == links.NOT_CHECKED
    assert capsys.readouterr().out == "NOT CHECKED: no server could be reached, so none of 1 outside links was opened\n"
