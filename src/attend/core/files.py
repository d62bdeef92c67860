"""Files that come with the package: written whole or not at all, and read only as they were written.

A folder with a file CHECKSUMS (the lines of `sha256sum`) is under guard: `read` refuses what it does not list and what
has changed, `write` keeps its line up to date.
"""

import contextlib
import hashlib
import os
import stat
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from attend.core.expect import checked

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

CHECKSUMS = "CHECKSUMS"
_AN_HOUR = 3_600
_ONE_THREAD = threading.RLock()
_HELD: set[str] = set()


class DamagedFile(ValueError):
    """A file is missing, or is not the one whose checksum is known."""


@checked
def read(path: str | os.PathLike) -> bytes:
    """What stands in a file. Raises DamagedFile, with the file's name, unless it is as its folder's CHECKSUMS say."""
    file = Path(path)
    if not file.is_file():
        raise DamagedFile(f"{file.name}: the file is missing")
    content, known = file.read_bytes(), checksums(file.parent)
    if known is not None and file.name not in known:
        raise DamagedFile(f"{file.name}: the file is not listed in {CHECKSUMS}")
    if known is not None and digest(content) != known[file.name]:
        got, expected = digest(content)[:12], known[file.name][:12]
        raise DamagedFile(f"{file.name}: got SHA-256 {got}…, expected {expected}…; install attend-course again")
    return content


@checked
def write(path: str | os.PathLike, content: bytes) -> None:
    """Write a file, whole or not at all; a link stays a link, a file keeps its mode.

    What a writer that was killed left beside it more than an hour ago is removed.
    """
    target = Path(os.path.realpath(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    for left in target.parent.glob(f".{target.name}.*.part"):
        with contextlib.suppress(OSError):  # another writer may be quicker
            if time.time() - left.stat().st_mtime > _AN_HOUR:
                left.unlink()
    handle, part = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(part, stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask())
        os.replace(part, target)
    finally:
        Path(part).unlink(missing_ok=True)
    folder, name = Path(path).parent, Path(path).name
    if name != CHECKSUMS and (folder / CHECKSUMS).is_file():
        with alone(folder):
            _list(folder, checksums(folder) | {name: digest(content)})


@checked
@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """No other process that asks for this folder goes on meanwhile; who has it may ask again.

    The lock ends with its process. Where the system has none (Windows) there is none.
    """
    place = os.path.realpath(folder)
    with _ONE_THREAD:
        if fcntl is None or place in _HELD:
            yield
            return
        handle = os.open(place, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            _HELD.add(place)
            yield
        finally:
            _HELD.discard(place)
            os.close(handle)


@checked
def checksums(folder: Path) -> dict[str, str] | None:
    """The SHA-256 of each file, by name, that the folder's CHECKSUMS tell; None without one."""
    file = folder / CHECKSUMS
    if not file.is_file():
        return None
    return {name: known for known, name in (line.split() for line in file.read_text().splitlines() if line.strip())}


@checked
def write_checksums(folder: Path, *endings: str) -> list[str]:
    """Make CHECKSUMS anew for the files with these endings; the names whose lines changed, came or went."""
    files = sorted(path for path in folder.iterdir() if path.suffix in endings)
    before, now = checksums(folder) or {}, {path.name: digest(path.read_bytes()) for path in files}
    _list(folder, now)
    return sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))


@checked
def digest(content: bytes) -> str:
    """SHA-256 in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def _list(folder: Path, known: dict[str, str]) -> None:
    lines = (f"{known[name]}  {name}\n" for name in sorted(known))
    write(folder / CHECKSUMS, "".join(lines).encode())


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
