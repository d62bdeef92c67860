"""The repository's address stands in one place and is written everywhere else by one command."""

import pytest

from attend_book.site import address

CONFIG = "repository:\n  url: https://github.com/{}\nhtml:\n  baseurl: https://old-owner.github.io/course/\n"
OLD = "old-owner/course"


@pytest.fixture
def tree(tmp_path):
    """A checkout whose configuration already names the new address."""
    (tmp_path / "_config.yml").write_text(CONFIG.format("new/place-2"))
    (tmp_path / "book").mkdir()
    (tmp_path / "chapters" / "memory").mkdir(parents=True)
    (tmp_path / "book" / "intro.md").write_text(f"git clone https://github.com/{OLD}\ncd course\n")
    (tmp_path / "README.md").write_text(
        f"[Binder](https://mybinder.org/v2/gh/{OLD}/main) [{OLD}-more](https://github.com/{OLD}-more) "
        "[site](https://old-owner.github.io/course/) [torch](https://github.com/pytorch/pytorch)\n"
    )
    page = f'"    %pip install -q \\"git+https://github.com/{OLD}@main\\""'
    (tmp_path / "chapters" / "memory" / "coin.ipynb").write_text(page)
    return tmp_path


def test_check_names_every_file_and_changes_none(tree, capsys):
    before = {path: path.read_text() for path in address.files(tree)}
    assert address.main(["--check", "--root", str(tree)]) == 1
    said = capsys.readouterr().out
    for name in ("_config.yml", "README.md", "book/intro.md", "chapters/memory/coin.ipynb"):
        assert f"{name}: another address" in said
    assert before == {path: path.read_text() for path in address.files(tree)}


def test_one_run_writes_it_everywhere_and_a_second_changes_nothing(tree, capsys):
    assert address.main(["--root", str(tree)]) == 0
    assert "git clone https://github.com/new/place-2\n" in (tree / "book" / "intro.md").read_text()
    assert "git+https://github.com/new/place-2@main" in (tree / "chapters/memory/coin.ipynb").read_text()
    assert "https://new.github.io/place-2/" in (tree / "_config.yml").read_text()
    readme = (tree / "README.md").read_text()
    assert "https://mybinder.org/v2/gh/new/place-2/main" in readme
    assert "https://new.github.io/place-2/" in readme
    assert f"https://github.com/{OLD}-more" in readme
    assert "pytorch/pytorch" in readme
    capsys.readouterr()
    assert address.main(["--check", "--root", str(tree)]) == 0
    assert capsys.readouterr().out == ""


def test_an_address_that_is_none_is_refused(tree):
    (tree / "_config.yml").write_text(CONFIG.format("only-an-owner"))
    with pytest.raises(ValueError, match=r"repository\.url: got"):
        address.main(["--root", str(tree)])


def test_this_course_names_one_address():
    assert address.foreign(address.ROOT) == set()
