"""`make seeds` draws other numbers everywhere but in the data, names what fails, and changes no page."""

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
from attend.evidence import claim
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
    """A made-up page under two seeds: the exit status, what was printed, and the report."""
    folder = tmp_path_factory.mktemp("seeds")
    path = folder / "drawn.md"
    path.write_text("\n".join(f"```{{code-cell}}\n{cell}\n```" for cell in (DRAWS, HANGS, GOES_ON, BREAKS, BEHIND)))
    before = path.read_bytes()
    report = folder / "report" / "claims.md"
    command = [sys.executable, "-m", "attend_book", "seeds", path, "--seeds", "0", "1", "--path-output", report]
    env = os.environ | {"PYTHONPATH": "src"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=300, check=False)
    assert path.read_bytes() == before
    assert {file.name for file in folder.iterdir()} == {"drawn.md", "report"}
    return done, report.read_text(encoding="utf-8")


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


@pytest.mark.nightly
@pytest.mark.parametrize("seed", [0, 1])
def test_a_seed_moves_every_draw_and_no_data(seed):
    script = f"""
import torch, numpy, random, attend.evidence
from attend_book.shift import begin
begin({seed * APART}, torch, numpy, random)
{DRAWS.replace("measured=repr(drawn)", "measured=print(name, repr(drawn)) or 'printed'")}
"""
    env = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
    found = dict(line.split(" ", 1) for line in done.stdout.splitlines() if line.split(" ")[0] in expected(0))
    assert found == {name: repr(drawn) for name, drawn in expected(seed * APART).items()}


@pytest.mark.nightly
def test_a_claim_that_hangs_on_a_seed_is_named_and_the_page_goes_on(seeds):
    done, report = seeds
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(r"FAILED\W+drawn\.hangs \(holds\), seed 1: it is 0\.", report)
    assert "drawn.hangs (holds), seed 0" not in report
    assert re.search(r"drawn\.md, seed 0: 12 of 12 claims come out", report)
    assert re.search(r"drawn\.md, seed 1: 10 of 11 claims come out", report)


@pytest.mark.nightly
def test_a_broken_page_is_named_with_its_cell(seeds):
    _, report = seeds
    assert re.search(r"BROKEN\W+\S*drawn\.md, cell 4: AssertionError: another number \(seed 1\)", report)


STRANGE = re.compile(
    r"\b(random_state|RandomState|SeedSequence|PCG64|MT19937|default_generator|SystemRandom|urandom)\b"
)


@pytest.mark.nightly
def test_nothing_draws_past_the_seeds_that_are_shifted():
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in sources()}
    for path in PAGES:
        texts[page_name(path)] = "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "code")
    nothing(
        f"{name}: {found[0]} (attend_book.shift does not know it)"
        for name, text in texts.items()
        for found in STRANGE.finditer(text)
    )
