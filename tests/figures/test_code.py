"""The package's own source on a page."""

import pytest

from attend.figures import code
from attend.figures.code import show_source
from attend.memory.coin import LearnedSummary, predict


@pytest.fixture
def shown(displayed):
    return displayed(code)


def test_source_is_shown_as_it_runs_without_docstrings(shown):
    show_source(predict)
    assert shown[0].startswith("```python\n@checked\ndef predict(")
    assert "return (heads + 1) / (flips + 2)" in shown[0]
    assert '"""' not in shown[0]


def test_a_class_loses_the_docstrings_of_its_methods_too(shown):
    show_source(LearnedSummary)
    assert "def sequence" in shown[0]
    assert '"""' not in shown[0]


def test_docstrings_on_demand_and_several_objects(shown):
    show_source(predict, LearnedSummary, docstring=True)
    assert "Laplace's rule" in shown[0]
    assert shown[0].count("```python") == 2


def test_what_has_no_source_is_refused():
    with pytest.raises(ValueError, match="objects: got <built-in function len>"):
        show_source(len)
