import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from attend.tasks import data

FOLDER = Path(data.__file__).parent
FILES = sorted(file.name for file in FOLDER.iterdir() if file.suffix in (".npz", ".gz", ".bz2"))
LOADERS = """
import sys
from pathlib import Path
from attend.tasks import clothes, data, digits, expressions, geyser, plays, reviews, senses, snippets, speech
from attend.tasks import temperature, verses, wave
data._FOLDER = Path(sys.argv[1])
loaders = [clothes.clothes, digits.digits, lambda: expressions.load("train"), geyser.eruptions,
           lambda: plays.scenes("train"), lambda: reviews.load("train"),
           lambda: snippets.path("snippets.txt.bz2"), lambda: senses.load("train"), speech.sound,
           lambda: verses.load("train"), temperature.average_year, temperature.daily, wave.recording]
for load in loaders:
    try:
        load()
    except data.DamagedData as error:
        print(error)
"""


def notes() -> dict[str, str]:
    """The sections of DATA.md by file."""
    sections = re.split(r"^## ", (FOLDER / "DATA.md").read_text(), flags=re.MULTILINE)[1:]
    return dict(section.split("\n", 1) for section in sections)


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """A copy of the folder, from which files are read while the test runs."""
    here = tmp_path / "data"
    shutil.copytree(FOLDER, here)
    monkeypatch.setattr(data, "_FOLDER", here)
    forget = data.path.__wrapped__
    while not hasattr(forget, "cache_clear"):
        forget = forget.__wrapped__
    forget.cache_clear()
    yield here
    forget.cache_clear()


def test_every_file_is_listed_and_no_other():
    assert FILES
    assert sorted(data._checksums()) == FILES == sorted(notes())
    others = {file.name for file in FOLDER.iterdir() if not file.name.startswith("__")} - set(FILES)
    assert others == {"CHECKSUMS", "DATA.md"}


@pytest.mark.parametrize("name", FILES)
def test_the_file_is_the_one_that_its_checksum_names(name):
    assert data.path(name) == FOLDER / name


@pytest.mark.parametrize("name", FILES)
def test_the_notes_say_what_where_from_under_which_licence_and_how(name):
    heads = re.findall(r"^- \*\*(\w+)\*\*", notes()[name], flags=re.MULTILINE)
    assert [head for head in heads if head != "Mind"] == ["What", "Origin", "Licence", "Read", "Extracted"]
    licence = re.search(r"\*\*Licence\*\*:(.+?)^- ", notes()[name], flags=re.MULTILINE | re.DOTALL)[1]
    assert re.search(
        r"MIT licence, copyright \d{4}|public domain|Creative Commons [\w-]+ \d\.\d|Python Software Foundation License"
        r"|WordNet \d\.\d licence, copyright \d{4}",
        " ".join(licence.split()),
    )
    assert re.search(r"`attend\.tasks\.\w+`", notes()[name])
    assert f"src/attend/tasks/data/{name}" in notes()[name]


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_refused_by_name(copied, name):
    (copied / name).unlink()
    with pytest.raises(data.DamagedData, match=f"{name}: the file is missing"):
        data.path(name)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("damage", ["one bit", "cut short", "empty"])
def test_a_damaged_file_is_refused_by_name(copied, name, damage):
    content = bytearray((copied / name).read_bytes())
    content[len(content) // 2] ^= damage == "one bit"
    (copied / name).write_bytes({"one bit": content, "cut short": content[:-1], "empty": b""}[damage])
    with pytest.raises(data.DamagedData, match=f"{name}: got SHA-256 .+, expected {data._checksums()[name][:12]}"):
        data.path(name)


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"name: got 'weather\.npz', expected one of .*seattle\.npz"):
        data.path("weather.npz")


@pytest.mark.nightly
def test_every_loader_says_which_file_is_damaged(copied):
    for name in FILES:
        (copied / name).write_bytes(b"not what it was")
    found = subprocess.run([sys.executable, "-c", LOADERS, copied], capture_output=True, text=True, check=True)
    named = [line.split(":")[0] for line in found.stdout.splitlines()]
    assert sorted(set(named)) == FILES
    assert len(named) == len(FILES) + 1


def test_the_files_are_a_few_megabytes_in_all():
    assert sum((FOLDER / name).stat().st_size for name in FILES) < 5_000_000


def test_images_are_bright_from_0_to_1_and_have_a_label_each():
    images, labels = data.images("digits.npz", (2, 5))
    assert (images.shape, labels.shape) == ((3, 28, 28), (3,))
    assert (images.min().item(), images.max().item()) == (0, 1)
    assert labels.dtype == torch.long
    everything = data.images("digits.npz", (0, 10_000))
    assert torch.equal(everything[0][2:5], images)
    assert torch.equal(everything[1][2:5], labels)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: data.images("seattle.npz", (0, 1)), "name: got 'seattle.npz' .* a file of images"),
        (lambda: data.images("plays.txt.gz", (0, 1)), "name: got 'plays.txt.gz' .* a file of images"),
        (lambda: data.images("digits.npz", (5, 5)), "rows: got"),
        (lambda: data.images("digits.npz", (0, 10_001)), "rows: got .* up to 10000"),
    ],
)
def test_what_holds_no_such_images_is_refused(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def calls():
    return {
        data.path: {"name": "seattle.npz"},
        data.images: {"name": "digits.npz", "rows": (2, 5)},
    }
