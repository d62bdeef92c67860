import pytest

from attend.figures.letters import letters


def test_each_character_stands_on_its_own_ground(drawn):
    letters("ab\nc", [0.0, 1.0, 5.0, 2.5])
    axes = drawn[0].axes[0]
    assert [text.get_text() for text in axes.texts] == ["a", "b", "c"]
    assert [patch.get_xy() for patch in axes.patches] == [(0, -0.5), (1, -0.5), (0, 0.5)]
    a, b, c = (patch.get_alpha() for patch in axes.patches)
    assert a == 0
    assert a < b < c


@pytest.mark.parametrize(
    ("text", "values", "name"),
    [("ab", [1.0], "values"), ("", [], "values"), ("a", [float("nan")], "values"), ("a" * 69, [1.0] * 69, "text")],
)
def test_what_does_not_fit_is_refused(text, values, name):
    with pytest.raises(ValueError, match=f"{name}: got"):
        letters(text, values)


def calls():
    return {
        letters: {"text": "ab\nc", "values": [0.0, 1.0, 2.0, 0.5], "kind": "summary"},
    }
