"""Exercises of the page on what matters in a Transformer."""

import math
from collections.abc import Callable, Sequence

from attend.checks.answers import number
from attend.checks.exercise import Wrong, exercise
from attend.tasks import translation


def weights(N: int, F: float, D: int = 64) -> float:
    """How many weights the blocks of a Transformer have, without biases and norms: K heads of width D / K."""
    attention, think = 4 * D * D, 2 * D * F
    return N * (attention + think) + N * (2 * attention + think)


def verdict(values: Sequence[float], base: Sequence[float]) -> str:
    """The rule of the page: less is better, and the base's own seeds say what a difference is worth."""
    by = sum(values) / len(values) - sum(base) / len(base)
    if abs(by) <= max(base) - min(base):
        return "as the base"
    return "worse" if by > 0 else "better"


@exercise
def width(F: Callable) -> str:
    """F(N) -> the width F at which N blocks on each side have the weights of the base: N = 2, F = 256, D = 64."""
    right = {1: 704.0, 2: 256.0, 4: 32.0}
    for N, wanted in right.items():
        got = number(F(N), "a width")
        if math.isclose(got, wanted, rel_tol=1e-6):
            continue
        each = weights(2, 256) / N
        mistakes = {
            "the attention's share grows with N as well: take it off before you divide": 512 / N,
            "a block of the decoder looks twice, around and across: there are 3 N attentions, not 2 N": (
                each - 2 * 4 * 64 * 64
            )
            / (2 * 2 * 64),
            "an attention has four matrices: queries, keys, values, and what joins the heads": (each - 3 * 3 * 64 * 64)
            / (2 * 2 * 64),
            "thinking has two matrices, one that widens and one that narrows": (each - 3 * 4 * 64 * 64) / (2 * 64),
        }
        for says, mistaken in mistakes.items():
            if math.isclose(got, mistaken, rel_tol=1e-6):
                raise Wrong(says)
        raise Wrong(f"with N = {N} and F = {got:g} the blocks have {weights(N, got):,.0f} weights, not 229,376")
    return "One block with F = 704 has the weights of two with 256. At N = 5 nothing would be left to think with."


@exercise
def judge(says: Callable) -> str:
    """says(values, base) -> "worse", "better" or "as the base", when less is better."""
    cases = (
        ([4.0, 4.2, 4.4], [3.0, 4.0, 3.5, 3.2, 3.8]),
        ([4.6, 4.7, 4.8], [3.0, 4.0, 3.5, 3.2, 3.8]),
        ([2.2, 2.4, 2.3], [3.0, 4.0, 3.5, 3.2, 3.8]),
        ([3.6, 3.4, 9.9], [3.0, 4.0, 3.5, 3.2, 3.8]),
        ([4.1, 4.3, 4.2], [3.0, 4.0, 3.5, 3.2, 3.8]),
    )
    words = ("worse", "better", "as the base")
    for values, base in cases:
        got, right = says(list(values), list(base)), verdict(values, base)
        if got not in words:
            raise Wrong(f"a verdict is one of {', '.join(words)}, got {got!r}")
        if got == right:
            continue
        shown = f"seeds {values}, base {base}"
        if {got, right} == {"worse", "better"}:
            raise Wrong(f"less is better here: {shown}")
        if right == "as the base":
            raise Wrong(f"the means differ by less than the base's own seeds do, 1.0: {shown}")
        raise Wrong(f"the means differ by more than the base's own seeds do, 1.0: {shown}")
    return "One wild seed can carry a mean: look at the dots as well, and train more seeds where they lie apart."


@exercise
def floor(least: Callable) -> str:
    """least(epsilon, V) -> the perplexity of a model that says just what smoothing asks for, over V pieces."""
    V = len(translation.GERMAN)
    for epsilon, pieces in ((0.1, V), (0.2, V), (0.0, V), (0.1, 2)):
        got, right = number(least(epsilon, pieces), "a perplexity"), 1 / (1 - epsilon + epsilon / pieces)
        if math.isclose(got, right, rel_tol=1e-6):
            continue
        mistakes = {
            "the right piece gets its share of the ε, too: ε / V more": 1 / (1 - epsilon) if epsilon else math.inf,
            "this is the chance of the right piece; the perplexity is one over it": 1 / right,
            "this is the surprise, in nats; the perplexity is its exponential": math.log(right),
            "the ε is spread over all V pieces, the right one among them: ε / V each": (
                1 / (1 - epsilon + epsilon / max(pieces - 1, 1))
            ),
        }
        for says, mistaken in mistakes.items():
            if math.isclose(got, mistaken, rel_tol=1e-6):
                raise Wrong(says)
        raise Wrong(f"for ε = {epsilon:g} and {pieces} pieces it is {right:.4f}, got {got:.4f}")
    return f"At ε = 0.1 and {V} pieces it is {1 / (0.9 + 0.1 / V):.3f}: no model that does as it is told gets below."
