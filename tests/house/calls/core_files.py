"""Valid calls of attend.core.files."""

import tempfile
from pathlib import Path

from attend.core import files


def folder():
    place = Path(tempfile.mkdtemp())
    files.write(place / "a.json", b"{}")
    return place


CALLS = {
    files.read: lambda: {"path": folder() / "a.json"},
    files.write: lambda: {"path": folder() / "b.json", "content": b"{}"},
    files.checksums: lambda: {"folder": folder()},
    files.write_checksums: lambda: {"folder": folder()},
    files.digest: lambda: {"content": b"{}"},
}
