"""`make seeds` draws other numbers everywhere but in the data, names what fails, and changes no page."""

import json
import os
import random
import re
import subprocess
import sys

import numpy as np
import pytest
import torch
from tests.house.course import PAGES, nothing, page_name, read, sources

from attend.recipes.coin import CoinRecipe
from attend.tasks import latch
from attend_book import ROOT
from attend_book.seeds import APART

DRAWS = """
import random
import numpy as np
import torch
from attend.claims import claim
from attend.recipes.coin import CoinRecipe
from attend.tasks import latch

def say(name, drawn):
    claim(f"drawn.{name}", "It is drawn.", source="ours", came_out=True, measured=repr(drawn))

torch.manual_seed(3)
say("torch", torch.rand(2).tolist())
generator = torch.Generator().manual_seed(3)
say("generator", torch.rand(2, generator=generator).tolist())
say("numpy", np.random.default_rng(3).random(2).tolist())
np.random.seed(3)
say("old_numpy", np.random.rand(2).tolist())
random.seed(3)
say("random", random.random())
say("another_random", random.Random(3).random())
say("recipe", sum(p.sum().item() for p in CoinRecipe().build().parameters()))
say("data", latch.example(lag=5, seed=3))
"""
HANGS = """
x = torch.rand(1, generator=torch.Generator().manual_seed(0)).item()
claim("drawn.hangs", "A seed decides.", source="ours", came_out=abs(x - 0.496257) < 1e-5, measured=f"it is {x:.3f}")
claim("drawn.same_cell", "The cell goes on.", source="ours", came_out=True, measured="reached")
"""
GOES_ON = 'claim("drawn.goes_on", "So does the page.", source="ours", came_out=True, measured="reached")'
BREAKS = "assert abs(x - 0.496257) < 1e-5, 'another number'"
BEHIND = 'claim("drawn.behind", "This is not.", source="ours", came_out=True, measured="reached")'


@pytest.fixture(scope="module")
def seeds(tmp_path_factory):
    """A made-up page under two seeds: what was printed, the exit status, the table by claim, and as text."""
    folder = tmp_path_factory.mktemp("seeds")
    path = folder / "drawn.md"
    path.write_text("\n".join(f"```{{code-cell}}\n{cell}\n```" for cell in (DRAWS, HANGS, GOES_ON, BREAKS, BEHIND)))
    before = path.read_bytes()
    command = [sys.executable, "-m", "attend_book", "seeds", path, "--seeds", "0", "1", "--path-output", folder]
    env = os.environ | {"PYTHONPATH": "src", "ATTEND_PROGRESS": "0"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=300, check=False)
    assert path.read_bytes() == before
    assert {file.name for file in folder.iterdir()} == {"drawn.md", "claims.json", "claims.md"}
    table = {row["id"]: row for row in json.loads((folder / "claims.json").read_text(encoding="utf-8"))}
    return done, table, (folder / "claims.md").read_text(encoding="utf-8")


def expected(by):
    """What the first cell of the page draws when `by` is added to its seeds, from the libraries as they are."""
    torch.manual_seed(3 + by)
    np.random.seed(3 + by)
    random.seed(3 + by)
    return {
        "torch": torch.rand(2).tolist(),
        "generator": torch.rand(2, generator=torch.Generator().manual_seed(3 + by)).tolist(),
        "numpy": np.random.default_rng(3 + by).random(2).tolist(),
        "old_numpy": np.random.rand(2).tolist(),
        "random": random.random(),
        "another_random": random.Random(3 + by).random(),
        "recipe": sum(p.sum().item() for p in CoinRecipe(seed=by).build().parameters()),
        "data": latch.example(lag=5, seed=3),
    }


@pytest.mark.parametrize("seed", [0, 1])
def test_a_seed_moves_every_draw_and_no_data(seeds, seed):
    _, table, _ = seeds
    measured = {name: table[f"drawn.{name}"]["seeds"][str(seed)]["measured"] for name in expected(0)}
    assert measured == {name: repr(drawn) for name, drawn in expected(seed * APART).items()}


def test_a_claim_that_hangs_on_a_seed_is_named_and_the_page_goes_on(seeds):
    done, table, _ = seeds
    assert done.returncode == 1, done.stdout + done.stderr
    assert [row["came_out"] for row in table["drawn.hangs"]["seeds"].values()] == [True, False]
    assert re.search(r"FAILED  drawn\.hangs .*\n  seed 0: it is 0\.496\n  seed 1: FAILED: it is 0\.", done.stdout)
    assert all(table[f"drawn.{name}"]["came_out"] for name in ("same_cell", "goes_on"))
    assert "10 of 12 claims come out; seeds 0, 1" in done.stdout


def test_a_broken_page_is_named_with_its_cell_and_what_was_not_reached(seeds):
    done, table, _ = seeds
    assert re.search(r"BROKEN  seed 1: \S*drawn\.md, cell 4: AssertionError: another number", done.stdout)
    assert table["drawn.behind"]["seeds"]["1"] == "not reached"
    assert not table["drawn.behind"]["came_out"]


def test_the_run_says_how_far_it_is_and_leaves_a_table(seeds):
    done, _, text = seeds
    assert len(re.findall(r"^ +\d of 2  \S*drawn\.md, seed [01]: .*, \d+ s", done.stdout, re.M)) == 2
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in text.splitlines()]
    assert len(rows) == 14
    assert {len(row) for row in rows} == {5}
    assert any(row[0] == " drawn.hangs " and "**no**" in row[2] for row in rows)


STRANGE = re.compile(
    r"\b(random_state|RandomState|SeedSequence|PCG64|MT19937|default_generator|SystemRandom|urandom)\b"
)


def test_nothing_draws_past_the_seeds_that_are_shifted():
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in sources()}
    for path in PAGES:
        texts[page_name(path)] = "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "code")
    nothing(
        f"{name}: {found[0]} (attend_book.shift does not know it)"
        for name, text in texts.items()
        for found in STRANGE.finditer(text)
    )
