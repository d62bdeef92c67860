"""Real expressions: the tree adds nothing to the tokens but brackets, and the kinds are those of Python itself."""

import ast

import pytest
import torch

from attend.tasks import expressions
from attend.tasks.expressions import Expression
from attend.tasks.split import PARTS

ONE = Expression("bool", "⟦⟦len ( name )⟧ > 0⟧")


def test_a_line_and_a_tree_of_the_same_tokens():
    words = expressions.vocabulary()
    trees = expressions.trees([ONE, ONE])
    assert [words[t] for t in trees.tokens[:8]] == ["⟦⟧", "⟦⟧", "len", "(", "name", ")", ">", "0"]
    assert trees.parent.tolist() == [-1, 0, 1, 1, 1, 1, 0, 0, -1, 8, 9, 9, 9, 9, 8, 8]
    assert trees.root.tolist() == [0, 8]
    lines = expressions.lines([ONE, Expression("str", '⟦name + "…"⟧')])
    assert [words[t] for t in lines.tokens[0]] == ["len", "(", "name", ")", ">", "0"]
    assert lines.last.tolist() == [5, 2]
    assert lines.mask.sum(1).tolist() == [6, 3]
    assert [expressions.KINDS[k] for k in lines.kind] == ["bool", "str"]


def test_trees_and_lines_hold_the_same_tokens():
    some = expressions.load("validation")[:50]
    trees, lines = expressions.trees(some), expressions.lines(some)
    leaves = trees.tokens[trees.tokens != 0]
    assert torch.equal(leaves, lines.tokens[lines.mask])
    assert (trees.parent[trees.root] == -1).all()


def test_an_expression_as_nested_tuples():
    assert expressions.tree(ONE.nested) == ("", ("", "len", "(", "name", ")"), ">", "0")
    for wrong in ("", "a", "⟦a", "a⟧", "⟦a⟧ ⟦b⟧", "⟦a⟧ b"):
        with pytest.raises(ValueError, match="nested: got"):
            expressions.tree(wrong)


@pytest.mark.nightly
def test_parts_apart_share_no_skeleton():
    assert expressions.skeleton("⟦⟦len ( x )⟧ in self⟧") == "⟦⟦name ( name )⟧ in name⟧"
    shapes = [{expressions.skeleton(e.nested) for e in expressions.apart(part)} for part in PARTS]
    assert sum(map(len, shapes)) == len(set.union(*shapes))
    assert sum(len(expressions.apart(part)) for part in PARTS) == 12_573


def test_the_parts_share_no_line_of_tokens():
    texts = [{" ".join(expressions.tokens(e.nested)) for e in expressions.load(part)} for part in PARTS]
    assert sum(map(len, texts)) == len(set.union(*texts))
    assert sum(len(expressions.load(part)) for part in PARTS) == 12_573
    assert {e.kind for e in expressions.load("test")} == set(expressions.KINDS)


def test_the_kinds_are_true_where_python_can_evaluate_the_expression():
    names = {"bool": bool, "dict": dict, "list": list, "number": (int, float), "str": str, "tuple": tuple}
    tried = 0
    for e in expressions.load("train"):
        text = " ".join(expressions.tokens(e.nested)).replace('f"…"', '"…"')
        try:
            tree = ast.parse(text, mode="eval")
        except SyntaxError:
            continue
        if e.kind != "other" and not any(isinstance(node, ast.Name | ast.Call) for node in ast.walk(tree)):
            try:
                value = ast.literal_eval(text)
            except ValueError:
                continue
            tried += 1
            assert isinstance(value, names[e.kind]), text
    assert tried > 20


def test_cost_and_example():
    torch.testing.assert_close(expressions.cost(torch.zeros(2, 7), torch.tensor([0, 6])), torch.tensor(7.0).log())
    assert expressions.example().splitlines()[0].split()[0] in expressions.KINDS


def test_unknown_parts_and_empty_lists_are_refused():
    with pytest.raises(ValueError, match="part: got 'all'"):
        expressions.load("all")
    for use in (expressions.trees, expressions.lines):
        with pytest.raises(ValueError, match="expressions: got"):
            use([])


def calls():
    NESTED = expressions.Expression("str", '⟦name + "…"⟧')
    return {
        expressions.load: {"part": "validation"},
        expressions.tokens: {"nested": "⟦a + b⟧"},
        expressions.tree: {"nested": "⟦a + b⟧"},
        expressions.skeleton: {"nested": "⟦a + b⟧"},
        expressions.apart: {"part": "validation"},
        expressions.trees: {"expressions": [NESTED]},
        expressions.lines: {"expressions": [NESTED]},
        expressions.cost: {"logits": torch.ones(2, 7), "kind": torch.tensor([3, 1])},
    }


def good():
    return {
        expressions.tokens: {"nested": {"word"}},
        expressions.skeleton: {"nested": {"word"}},
    }
