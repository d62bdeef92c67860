"""A page's prose in two forms: MyST, which authors write and the site reads, and plain Markdown, which is committed.

JupyterLab, Colab and GitHub know nothing of MyST: they would show roles as they are typed, drop the titles of exercises
and open every solution. So what is committed says the same in Markdown and a little HTML that all of them draw, and
`to_myst(to_plain(text)) == text`. What stands between the two, by line:

    {cite:t}`elman1990finding`          [Elman (1990)](address "elman1990finding")
    {cite:p}`elman1990finding`          ([Elman, 1990](address "elman1990finding"))
    :::{margin} … :::                   > **Aside.** …
    ```{exercise-start} Title           ### Exercise: Title, and its label in a comment
    ```{exercise-end}                   a comment
    ```{solution-start} label … end     <details>, folded
    [gates](../gating/gru)              [gates](../gating/gru.ipynb), which Jupyter opens
"""

import re
from functools import cache
from urllib.parse import quote

from pybtex.database import parse_file
from pybtex.richtext import Text

from attend_book import ROOT, Refused

BIBLIOGRAPHY = ROOT / "book" / "references.bib"
LINK = r'\[[^\]\n]+\]\(\S+ "([\w-]+)"\)'
ENDS = "<!-- the exercise ends -->"

ROLE = re.compile(r"\{cite:(?P<kind>[pt])\}`(?P<keys>[\w-]+(?:,[\w-]+)*)`")
IN_PASSING = re.compile(rf"\((?=\[[^\]()\n]+\]){LINK}(?:; {LINK})*\)")
BY_NAME = re.compile(rf"(?=\[[^\]\n]+ \([^\])\n]*\)\]){LINK}")
MARGIN = re.compile(r"^:::\{margin\}\n(.*?)\n:::$", re.M | re.S)
ASIDE = re.compile(r"^> \*\*Aside\.\*\* .*(?:\n>.*)*", re.M)

PAGE = re.compile(r"(?<=\]\()(?P<page>(?:\.\./)*[\w/]+)(?P<suffix>\.ipynb|\.md)?(?=(?:#[\w-]+)?\))")

BLOCKS = (
    (
        re.compile(r"^```\{exercise-start\} ([^\n]+)\n:label: ([\w-]+)\n```$", re.M),
        r"### Exercise: \1\n<!-- \2 -->",
        re.compile(r"^### Exercise: ([^\n]+)\n<!-- ([\w-]+) -->$", re.M),
        r"```{exercise-start} \1\n:label: \2\n```",
    ),
    (
        re.compile(r"^```\{exercise-end\}\n```$", re.M),
        ENDS,
        re.compile(rf"^{ENDS}$", re.M),
        r"```{exercise-end}\n```",
    ),
    (
        re.compile(r"^```\{solution-start\} ([\w-]+)\n:class: dropdown\n```$", re.M),
        r"<details>\n<summary>Solution</summary>\n<!-- \1 -->",
        re.compile(r"^<details>\n<summary>Solution</summary>\n<!-- ([\w-]+) -->$", re.M),
        r"```{solution-start} \1\n:class: dropdown\n```",
    ),
    (
        re.compile(r"^```\{solution-end\}\n```$", re.M),
        "</details>",
        re.compile(r"^</details>$", re.M),
        r"```{solution-end}\n```",
    ),
)


def committed(nb):
    """The notebook with its prose as it is committed (in place)."""
    return _prose(nb, to_plain)


def written(nb):
    """The notebook with its prose as its author writes it (in place)."""
    return _prose(nb, to_myst)


def _prose(nb, change):
    for cell in nb.cells:
        if cell.cell_type == "markdown":
            cell.source = change(cell.source)
    return nb


def to_plain(text):
    """MyST as Markdown that Jupyter, Colab and GitHub draw; what has no such form stays as it is."""
    for myst, plain, _, _ in BLOCKS:
        text = myst.sub(plain, text)
    text = MARGIN.sub(lambda found: "> **Aside.** " + found[1].replace("\n", "\n> "), text)
    return PAGE.sub(lambda found: found["page"] + (found["suffix"] or _suffix(found["page"])), ROLE.sub(_cited, text))


def to_myst(text):
    """The inverse of `to_plain`; MyST itself stays as it is."""
    text = IN_PASSING.sub(lambda found: _role("p", found), text)
    text = BY_NAME.sub(lambda found: _role("t", found), text)
    text = ASIDE.sub(lambda found: ":::{margin}\n" + found[0][13:].replace("\n> ", "\n") + "\n:::", text)
    for _, _, plain, myst in BLOCKS:
        text = plain.sub(myst, text)
    return PAGE.sub(lambda found: found["page"] if _suffix(found["page"]) else found[0], text)


@cache
def _pages():
    """The file of every page of the book, without its ending, and its ending."""
    return {
        path.relative_to(ROOT).with_suffix("").as_posix(): path.suffix for path in ROOT.glob("chapters/*/*.ipynb")
    } | {path.relative_to(ROOT).with_suffix("").as_posix(): path.suffix for path in ROOT.glob("book/*.md")}


def _suffix(link):
    """The ending of the page of the book to which a chapter's link leads; "" for a link to something else."""
    way = link.replace("../", "")
    if link.startswith("../../"):
        return _pages().get(way, "")
    if link.startswith("../"):
        return _pages().get(f"chapters/{way}", "")
    return next(
        (suffix for page, suffix in _pages().items() if page.startswith("chapters/") and page.endswith(f"/{way}")), ""
    )


def _role(kind, found):
    keys = re.findall(LINK, found[0])
    return f"{{cite:{kind}}}`{','.join(keys)}`" if set(keys) <= set(works()) else found[0]


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
