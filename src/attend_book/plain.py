"""A page's prose as plain Markdown, as it is committed: MyST is what authors write and what the site reads.

JupyterLab, Colab and GitHub know nothing of MyST: they would show roles as they are typed, drop the titles of exercises
and open every solution. So the notebook says the same in Markdown and a little HTML that all of them draw, by line:

    {cite:t}`elman1990finding`          [Elman (1990)](address "elman1990finding")
    {cite:p}`elman1990finding`          ([Elman, 1990](address "elman1990finding"))
    :::{margin} … :::                   > **Aside.** …
    ```{exercise-start} Title           ### Exercise: Title, and its label in a comment
    ```{exercise-end}                   a comment
    ```{solution-start} label … end     <details>, folded
    [gates](../gating/gru)              [gates](../gating/gru.ipynb), which Jupyter opens
"""

import os
import re
from functools import cache
from urllib.parse import quote

from pybtex.database import parse_file
from pybtex.richtext import Text

from attend_book import ROOT, Refused

BIBLIOGRAPHY = ROOT / "book" / "references.bib"
ROLE = re.compile(r"\{cite:(?P<kind>[pt])\}`(?P<keys>[\w-]+(?:,[\w-]+)*)`")
MARGIN = re.compile(r"^:::\{margin\}\n(.*?)\n:::$", re.M | re.S)
PAGE = re.compile(r"(?<=\]\()(?P<page>(?:\.\./)*[\w/]+)(?P<suffix>\.ipynb|\.md)?(?=(?:#[\w-]+)?\))")
BLOCKS = {
    r"^```\{exercise-start\} ([^\n]+)\n:label: ([\w-]+)\n```$": r"### Exercise: \1\n<!-- \2 -->",
    r"^```\{exercise-end\}\n```$": "<!-- the exercise ends -->",
    r"^```\{solution-start\} ([\w-]+)\n:class: dropdown\n```$": (
        r"<details>\n<summary>Solution</summary>\n<!-- \1 -->"
    ),
    r"^```\{solution-end\}\n```$": "</details>",
}


def committed(nb):
    """The notebook with its prose as it is committed (in place)."""
    for cell in nb.cells:
        if cell.cell_type == "markdown":
            cell.source = to_plain(cell.source)
    return nb


def to_plain(text):
    """MyST as Markdown that Jupyter, Colab and GitHub draw; what has no such form stays as it is."""
    for myst, drawn in BLOCKS.items():
        text = re.sub(myst, drawn, text, flags=re.M)
    text = MARGIN.sub(lambda found: "> **Aside.** " + found[1].replace("\n", "\n> "), text)
    return PAGE.sub(lambda found: found["page"] + (found["suffix"] or _suffix(found["page"])), ROLE.sub(_cited, text))


@cache
def _suffix(link):
    """The ending of the file of the book to which a chapter's link leads; "" for a link to something else."""
    path = os.path.normpath(f"chapters/*/{link}")
    return "" if not any(ROOT.glob(f"{path}.md")) else ".ipynb" if path.startswith("chapters/") else ".md"


def _cited(found):
    keys, listed = found["keys"].split(","), works()
    if lost := [key for key in keys if key not in listed]:
        raise Refused(f"{found[0]}: references.bib has no work {', '.join(lost)}")
    if found["kind"] == "t" and len(keys) > 1:
        return found[0]
    if found["kind"] == "t":
        name, year, address = listed[keys[0]]
        return f'[{name} ({year})]({address} "{keys[0]}")'
    links = (f'[{listed[key][0]}, {listed[key][1]}]({listed[key][2]} "{key}")' for key in keys)
    return f"({'; '.join(links)})"


@cache
def works():
    """(names, year, address) of every work in the bibliography, by key."""
    entries = parse_file(BIBLIOGRAPHY, bib_format="bibtex").entries
    return {key: (_names(entry), entry.fields.get("year", "n.d."), _address(entry)) for key, entry in entries.items()}


def _names(entry):
    people = entry.persons.get("author") or entry.persons.get("editor") or []
    names = [str(Text.from_latex(" ".join([*one.prelast_names, *one.last_names]))) for one in people]
    if len(names) > 2:
        return f"{names[0]} et al."
    return " and ".join(names) or str(Text.from_latex(entry.fields["title"]))


def _address(entry):
    """Where the work is to be had: its DOI, or else its address."""
    doi, url = entry.fields.get("doi"), entry.fields.get("url")
    if not doi and not url:
        raise Refused(f"references.bib: {entry.key} must have a doi or a url, got {', '.join(entry.fields)}")
    return quote(f"https://doi.org/{doi}" if doi else url, safe=":/?=&#%.,;_-")
