"""Typical wrong answers to an exercise, made from its solution: one slip each, and a name that does not exist."""

import ast
import copy
from collections.abc import Iterator

SWAPS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.MatMult: ast.Mult}
TURNS = {ast.Gt: ast.Lt, ast.Lt: ast.Gt, ast.GtE: ast.Lt, ast.LtE: ast.Gt, ast.Eq: ast.NotEq}
MISTYPED = "the_name_that_i_mistyped"


def slips(solution: str) -> Iterator[str]:
    """The solution with one slip: a sign, a comparison, a number off by one, two parts exchanged; last ones first."""
    tree = ast.parse(solution)
    loops = {part for node in ast.walk(tree) if isinstance(node, ast.While) for part in ast.walk(node)}  # may never end
    places = [number for number, node in enumerate(ast.walk(tree)) if node not in loops and _slip(copy.deepcopy(node))]
    for number in reversed(places):
        changed = copy.deepcopy(tree)
        _slip(list(ast.walk(changed))[number])
        yield ast.unparse(changed)


def _slip(node: ast.AST) -> bool:
    """Make the slip that this place allows (in place); False where it allows none."""
    if isinstance(node, ast.BinOp) and type(node.op) in SWAPS:
        node.op = SWAPS[type(node.op)]()
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in TURNS:
        node.ops[0] = TURNS[type(node.ops[0])]()
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        node.value += 1
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        node.value = not node.value
    elif isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Load) and len(node.elts) > 1:
        node.elts.reverse()
    elif isinstance(node, ast.Return) and isinstance(node.value, ast.Name | ast.Call):
        node.value = ast.Constant(0)
    elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant | ast.Name | ast.Tuple | ast.List):
        node.value = ast.Constant("a guess")
    else:
        return False
    return True


def mistyped(solution: str) -> str | None:
    """The solution whose function stops over a name that does not exist; None where the answer is no function."""
    tree = ast.parse(solution)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    if not functions:
        return None
    functions[-1].body = [ast.parse(f"return {MISTYPED}").body[0]]
    return ast.unparse(tree)
