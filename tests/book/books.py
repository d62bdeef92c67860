"""A small book of a front page, one notebook and a ledger, written and built as the real one is."""

import os
import shutil
import subprocess
import sys

import yaml
from tests.book.texts import page

from attend_book import ROOT

TEXT = """# A page

Euler: $e^{i\\pi} = -1$, and

$$
a = b
$$ (eq:ab)

:::{margin} Aside
A note.
:::

```{exercise-start} Add
:label: page-add
```

Add.

```{exercise-end}
```

```{solution-start} page-add
:label: page-add-solution
:class: dropdown
```

Done.

```{solution-end}
```
"""


def small(folder, text=TEXT, outputs=(), models=None, front="# Front\n\nWelcome.", after="The end."):
    """Write a book of that notebook and that front page into a folder."""
    for name in ("book", "chapters"):
        (folder / name).mkdir(exist_ok=True)
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    config["sphinx"]["local_extensions"] = {"attend_book.site": str(ROOT / "src")}
    config["bibtex_bibfiles"] = ["book/references.bib"]
    (folder / "_config.yml").write_text(yaml.safe_dump(config))
    chapters = [{"file": "chapters/page"}, {"file": "book/ledger"}]
    toc = {"format": "jb-book", "root": "book/intro", "parts": [{"caption": "Part", "chapters": chapters}]}
    (folder / "_toc.yml").write_text(yaml.safe_dump(toc))
    (folder / "book" / "references.bib").write_text("")
    shutil.copytree(ROOT / "book" / "_assets", folder / "book" / "_assets", dirs_exist_ok=True)
    (folder / "book" / "intro.md").write_text(front)
    ledger = [f"```{{ledger}} {part}\n```\n" for part in ("summary", "choice", "others", "holds")]
    (folder / "book" / "ledger.md").write_text("\n".join(["# Ledger\n", *ledger]))
    about = {"question": "What?", "description": "All."}
    page(folder / "chapters" / "page.md", [text, ("1 + 1",), after], outputs, models, attend=about)


def built(folder):
    """Build the book of a folder; gives (exit status, all that was said)."""
    command = [sys.executable, "-m", "attend_book", "site", "--source", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=180, check=False)
    return done.returncode, done.stdout + done.stderr
