"""The audit: real clients asked of a database of our own, which knows a flaw, knows none, or is not there."""

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

import pytest

from attend_book import audit
from attend_book.serve import listening

FLAW = {
    "id": "OSV-TEST-1",
    "summary": "A flaw made for this test",
    "details": "none",
    "affected": [
        {
            "package": {"name": "wheel", "ecosystem": "PyPI"},
            "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "9.9.9"}]}],
        }
    ],
    "modified": "2026-01-01T00:00:00Z",
    "published": "2026-01-01T00:00:00Z",
}
ADVICE = {
    "id": 1,
    "title": "A flaw made for this test",
    "severity": "high",
    "vulnerable_versions": "<9.9.9",
    "url": "none",
}
LOCK = {
    "name": "x",
    "lockfileVersion": 3,
    "requires": True,
    "packages": {"": {"name": "x", "dependencies": {"left": "1.0.0"}}, "node_modules/left": {"version": "1.0.0"}},
}
NOWHERE = "http://127.0.0.1:9"


@contextmanager
def database(flaws):
    """A server that answers as OSV and as npm's registry do, with a flaw for the packages named."""

    class Answers(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            if "security/advisories" in self.path:
                answer = {"left": [ADVICE]} if "left" in flaws else {}
            else:
                answer = {"vulns": [FLAW]} if json.loads(body)["package"]["name"] in flaws else {}
            self._say(200, answer)

        def do_GET(self):
            self._say(404, {})

        def _say(self, status, answer):
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        def log_message(self, *_):
            """Say nothing of each request."""

    with listening(Answers) as address:
        yield address


@pytest.fixture
def pins(tmp_path):
    """Two exact versions, as requirements.txt has them."""
    (tmp_path / "pins.txt").write_text("# pins\nwheel==0.48.0\nsix==1.17.0\n\n-e .\n")
    return tmp_path / "pins.txt"


@pytest.fixture
def lock(tmp_path, monkeypatch):
    """A folder with a lock of npm that holds one package; npm's cache is its own."""
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "npm"))
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    (tmp_path / "package.json").write_text(json.dumps(LOCK["packages"][""]))
    (tmp_path / "package-lock.json").write_text(json.dumps(LOCK))
    return tmp_path


def test_a_flaw_of_a_python_package_is_named_and_the_other_is_clean(pins):
    with database({"wheel"}) as address:
        assert audit.python(pins, f"{address}/v1/query") == (2, ["wheel 0.48.0: OSV-TEST-1, mended in 9.9.9"])


def test_a_flaw_of_an_npm_package_is_named(lock):
    with database({"left"}) as address:
        assert audit.npm(lock, address) == (1, ["left: high"])


def test_a_database_that_is_not_there_is_no_clean_bill(pins, lock):
    with pytest.raises(audit.Unreachable, match=r"\S"):
        audit.python(pins, f"{NOWHERE}/v1/query")
    with pytest.raises(audit.Unreachable, match=r"\S"):
        audit.npm(lock, NOWHERE)


def unreached(*_):
    """A database that does not answer."""
    raise audit.Unreachable("no route")


CLEAN, FLAWED = (lambda *_: (9, [])), (lambda *_: (9, ["left: high"]))
CASES = [
    (CLEAN, CLEAN, audit.CLEAN),
    (CLEAN, FLAWED, audit.FOUND),
    (FLAWED, unreached, audit.FOUND),
    (unreached, FLAWED, audit.FOUND),
    (CLEAN, unreached, audit.NOT_AUDITED),
    (unreached, CLEAN, audit.NOT_AUDITED),
]


@pytest.mark.parametrize(("python", "npm", "status"), CASES)
def test_the_exit_status_and_what_is_said(monkeypatch, capsys, python, npm, status):
    monkeypatch.setattr(audit, "python", python)
    monkeypatch.setattr(audit, "npm", npm)
    assert audit.main([]) == status
    said = capsys.readouterr().out
    assert said.count("NOT AUDITED, no database could be reached (no route)") == (python, npm).count(unreached)
    assert said.count("\n  left: high") == (python, npm).count(FLAWED)
