"""A page's prose in plain Markdown, as Jupyter draws it,."""

import re

import nbformat
import pytest
from tests.house.course import PAGES, page_name

from attend_book import Refused, plain

EXERCISE = "```{exercise-start} Merge two\n:label: coin-merge\n```\n\nWrite $a$."
SOLUTION = """```{exercise-end}
```

```{solution-start} coin-merge
:class: dropdown
```

So.

```{solution-end}
```"""
FOLDED = """<!-- the exercise ends -->

<details>
<summary>Solution</summary>
<!-- coin-merge -->

So.

</details>"""


@pytest.mark.parametrize(
    ("myst", "drawn"),
    [
        (
            "See {cite:t}`elman1990finding`.",
            'See [Elman (1990)](https://doi.org/10.1207/s15516709cog1402_1 "elman1990finding").',
        ),
        (
            "It is so {cite:p}`fisher1922foundations,le2015simple`.",
            'It is so ([Fisher, 1922](https://doi.org/10.1098/rsta.1922.0009 "fisher1922foundations"); '
            '[Le et al., 2015](https://arxiv.org/abs/1504.00941 "le2015simple")).',
        ),
        (
            "After others ({cite:t}`nerode1958linear`) it is so.",
            "After others ([Nerode (1958)](https://doi.org/10.1090/S0002-9939-1958-0135681-9 "
            '"nerode1958linear")) it is so.',
        ),
        ("A.\n\n:::{margin}\nOne\ntwo.\n\nThree.\n:::\n\nB.", "A.\n\n> **Aside.** One\n> two.\n> \n> Three.\n\nB."),
        (
            "[a](gru) [b](../gating/gru) [c](../../book/ledger) [d](../gating/nothing) f[0](x)",
            "[a](gru.ipynb) [b](../gating/gru.ipynb) [c](../../book/ledger.md) [d](../gating/nothing) f[0](x)",
        ),
        (EXERCISE, "### Exercise: Merge two\n<!-- coin-merge -->\n\nWrite $a$."),
        (SOLUTION, FOLDED),
        ('> A quotation, {cite:t}`le2015simple,elman1990finding`, [as is](there "by a title").', None),
    ],
)
def test_prose_is_drawn_by_any_jupyter(myst, drawn):
    assert plain.to_plain(myst) == (drawn or myst)
    assert plain.to_plain(plain.to_plain(myst)) == plain.to_plain(myst)


def test_a_work_that_the_bibliography_lacks_is_refused_by_key():
    with pytest.raises(Refused, match=r"\{cite:p\}`le2015simple,nobody1900`: references.bib has no work nobody1900"):
        plain.to_plain("It is so {cite:p}`le2015simple,nobody1900`.")


@pytest.mark.parametrize("path", PAGES, ids=page_name)
def test_a_committed_page_shows_no_myst(path):
    for cell in nbformat.read(path.with_suffix(".ipynb"), as_version=4).cells:
        if cell.cell_type == "markdown":
            raw = re.findall(r"\{[a-z:-]+\}`[^`]*`|^[`:]{3,}\{.*", cell.source, re.M)
            assert not raw, f"JupyterLab and Colab would show {raw[0]!r}"
