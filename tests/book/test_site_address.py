"""The repository's address is written everywhere by one command."""

import re

import pytest

from attend_book import ROOT
from attend_book.site import address

OLD = "old-owner/course"
OWN = re.compile(rf"(?:git\+|git clone |repository-code: \"?)https://github\.com/({address.SLUG})")


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "_config.yml").write_text(
        f"repository:\n  url: https://github.com/{OLD}\nhtml:\n  baseurl: https://old-owner.github.io/course/\n"
    )
    (tmp_path / "chapters" / "memory").mkdir(parents=True)
    (tmp_path / "README.md").write_text(
        f"[Binder](https://mybinder.org/v2/gh/{OLD}/main) [{OLD}-more](https://github.com/{OLD}-more) "
        "[site](https://old-owner.github.io/course/) [torch](https://github.com/pytorch/pytorch)\n"
    )
    page = f'"    %pip install -q \\"git+https://github.com/{OLD}@main\\""'
    (tmp_path / "chapters" / "memory" / "coin.ipynb").write_text(page)
    return tmp_path


def test_one_run_writes_it_everywhere_and_a_second_changes_nothing(tree, capsys):
    address.main(["new/place-2", "--root", str(tree)])
    assert address.configured(tree) == "new/place-2"
    assert "https://new.github.io/place-2/" in (tree / "_config.yml").read_text()
    assert "git+https://github.com/new/place-2@main" in (tree / "chapters/memory/coin.ipynb").read_text()
    readme = (tree / "README.md").read_text()
    assert "https://mybinder.org/v2/gh/new/place-2/main" in readme
    assert "https://new.github.io/place-2/" in readme
    assert f"https://github.com/{OLD}-more" in readme
    assert "pytorch/pytorch" in readme
    capsys.readouterr()
    address.main(["new/place-2", "--root", str(tree)])
    assert capsys.readouterr().out == ""


def test_an_address_that_is_none_is_refused(tree, capsys):
    with pytest.raises(SystemExit):
        address.main(["only-an-owner", "--root", str(tree)])
    assert "expected OWNER/REPO" in capsys.readouterr().err


def test_this_course_names_one_address():
    texts = (
        path.read_text(encoding="utf-8") for place in address.PLACES for path in ROOT.glob(place) if path.is_file()
    )
    assert {slug for text in texts for slug in OWN.findall(text)} == {address.configured(ROOT)}
