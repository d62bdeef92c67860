"""Lists in lists: values by hand, and the same expression as a tree and as a line."""

import pytest
import torch

from attend.tasks import listops
from attend.tasks.split import part_of

NESTED = ("MAX", (2, ("MED", (4, 7, 1, 9)), ("MIN", (8, 6))))


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def test_values_by_hand():
    assert listops.spell(NESTED) == "[MAX 2 [MED 4 7 1 9] [MIN 8 6]]"
    assert listops.evaluate(NESTED) == 6
    assert listops.evaluate(("MED", (4, 7, 1, 9))) == 4
    assert listops.evaluate(("MED", (3, 9, 0))) == 3
    assert listops.evaluate(5) == 5
    assert listops.depth(NESTED) == 2
    assert listops.depth(5) == 0


def test_a_forest_holds_every_part_with_its_value():
    trees = listops.forest([NESTED, 7])
    assert trees.tokens.tolist() == [10, 2, 12, 4, 7, 1, 9, 11, 8, 6, 7]
    assert trees.parent.tolist() == [-1, 0, 0, 2, 2, 2, 2, 0, 7, 7, -1]
    assert trees.value.tolist() == [6, 2, 4, 4, 7, 1, 9, 6, 8, 6, 7]


def test_lines_ask_at_closing_brackets():
    lines = listops.lines([NESTED, ("MIN", (3, 4))])
    close = listops.CLOSE
    assert lines.tokens[0].tolist() == [10, 2, 12, 4, 7, 1, 9, close, 11, 8, 6, close, close]
    assert lines.value[0][lines.asked[0]].tolist() == [4, 6, 6]
    assert lines.mask.sum(1).tolist() == [13, 4]
    assert lines.value[1][lines.asked[1]].tolist() == [3]
    assert not (lines.asked & ~lines.mask).any()


def test_drawn_lists_belong_to_their_part_and_keep_the_limits():
    for part in ("train", "validation", "test"):
        drawn = listops.draw(15, part, seeded())
        assert {part_of(listops.spell(e)) for e in drawn} == {part}
        assert all(2 <= listops.depth(e) <= listops.DEEPEST for e in drawn)
        assert all(len(listops.forest([e]).tokens) <= listops.MOST_NODES for e in drawn)
    assert listops.draw(5, "train", seeded()) == listops.draw(5, "train", seeded())
    assert listops.draw(5, "train", seeded()) != listops.draw(5, "train", seeded(1))
    assert max(listops.depth(e) for e in listops.draw(30, "train", seeded(), deepest=3)) == 3
    few = listops.draw(30, "train", seeded(), deepest=2, shallowest=1, operations=("MAX",), most_parts=2)
    assert {listops.depth(e) for e in few} == {1, 2}
    assert {(operation, len(parts)) for operation, parts in few} == {("MAX", 2)}


def test_cost_is_the_surprise_at_the_value():
    torch.testing.assert_close(listops.cost(torch.zeros(3, 10), torch.tensor([0, 5, 9])), torch.tensor(10.0).log())


@pytest.mark.parametrize(
    "bad", [10, -1, ("SUM", (1, 2)), ("MAX", ()), ("MAX", [1]), ("MAX", (1, (2, 3))), (), ("MAX",)]
)
def test_what_is_no_expression_is_refused(bad):
    for use in (listops.evaluate, listops.spell, listops.depth):
        with pytest.raises(ValueError, match="expression: got"):
            use(bad)
    for use in (listops.forest, listops.lines):
        with pytest.raises(ValueError, match="expression: got"):
            use([bad])


def calls():
    LIST = ("MAX", (2, ("MIN", (4, 7))))
    return {
        listops.spell: {"expression": LIST},
        listops.depth: {"expression": LIST},
        listops.evaluate: {"expression": LIST},
        listops.draw: {"count": 2, "part": "test", "generator": torch.Generator(), "deepest": 3, "shallowest": 2},
        listops.forest: {"expressions": [LIST, 3]},
        listops.lines: {"expressions": [LIST, 3]},
        listops.cost: {"logits": torch.ones(2, 10), "value": torch.tensor([3, 1])},
    }


def good():
    return {
        listops.spell: {"expression": {"type"}},
        listops.depth: {"expression": {"type"}},
        listops.evaluate: {"expression": {"type"}},
    }
