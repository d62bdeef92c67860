"""Exercises of the page on translation."""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from attend.checks.answers import number, recognise, tensor
from attend.checks.exercise import Wrong, exercise

STATE = torch.tensor([0.5, -1.0])
KEYS = torch.tensor([[0.2, 0.9, -0.4], [-0.7, 0.1, 1.2], [1.5, -0.3, 0.6], [0.4, 0.8, -1.1]])
SUMMARIES = torch.tensor([[1.0, 0.0], [0.0, 2.0], [-1.0, 1.0], [3.0, -2.0]])
W = torch.tensor([[1.0, 0.5], [-0.8, 0.3], [0.2, 1.4]])
V = torch.tensor([1.2, -0.7, 0.9])

WEIGHTS = torch.tensor(
    [[0.1, 0.8, 0.1], [0.2, 0.3, 0.5], [0.7, 0.2, 0.1], [0.3, 0.3, 0.4], [0.6, 0.3, 0.1], [0.1, 0.2, 0.7]]
)
ORIGIN = torch.tensor([1, -1, 0, 0, 2, -1])

FIRST = {"a": 0.6, "b": 0.4}
THEN = {"a": {"x": 0.55, "y": 0.45}, "b": {"x": 0.05, "y": 0.95}}
DEEP_FIRST = {"a": 0.5, "b": 0.3, "c": 0.2}
DEEP_THEN = {"a": {"x": 0.4, "y": 0.6}, "b": {"x": 0.7, "y": 0.3}, "c": {"x": 0.0, "y": 1.0}}
LAST_FIRST = {"a": 0.4, "b": 0.35, "c": 0.25}
LAST_THEN = {"a": {"x": 0.5, "y": 0.5}, "b": {"x": 0.4, "y": 0.6}, "c": {"x": 0.0, "y": 1.0}}


@exercise
def look(looked: Callable) -> str:
    """looked(h, keys, summaries, W, v) -> the context; keys (S, A) are U h_s, summaries (S, K), h (H,)."""
    got = tensor(looked(STATE, KEYS, SUMMARIES, W, V), 2, what="the context")
    scores = torch.tanh(W @ STATE + KEYS) @ V
    right = scores.softmax(0) @ SUMMARIES
    if torch.allclose(got, right, atol=1e-5):
        return "One asker, four words: a product, a tanh, a product, a softmax, a mean. That is all a look costs."
    recognise(
        got,
        {
            "the scores are used as they are: a softmax must turn them into shares that add up to 1": scores
            @ SUMMARIES,
            "tanh is missing: without it the asker changes all scores alike, and no weight": (
                (W @ STATE + KEYS) @ V
            ).softmax(0)
            @ SUMMARIES,
            "this is the summary with the largest weight; a soft look is the mean of all": SUMMARIES[scores.argmax()],
            "this is the plain mean: every word has the same weight": SUMMARIES.mean(0),
            "the asker is missing: W h belongs inside the tanh": (torch.tanh(KEYS) @ V).softmax(0) @ SUMMARIES,
            "exp without the division: the weights must add up to 1": scores.exp() @ SUMMARIES,
        },
    )
    raise Wrong(f"got {_spell(got)}, expected {_spell(right)}")


@exercise
def share(right_words: Callable) -> str:
    """right_words(weights, origin) -> the share of pieces with an origin whose largest weight stands on it."""
    got = number(right_words(WEIGHTS, ORIGIN), "the share")
    said, best = ORIGIN >= 0, WEIGHTS.argmax(1)
    hits = best == ORIGIN
    right = hits[said].double().mean().item()
    if abs(got - right) < 1e-6:
        return "Two of four pieces that say a word: pieces without an origin have no right word to look at."
    mistakes = {
        "pieces without an origin (-1) must be left out of the count, not counted as misses": hits.double().mean(),
        "this is how many; the share is asked for": hits[said].sum().double(),
        "this is the weight on the right word; counted is whether it is the largest": WEIGHTS[
            said, ORIGIN[said]
        ].mean(),
        "-1 is no place: indexed with it, a tensor gives its last word": WEIGHTS.gather(1, ORIGIN[:, None] % 3)
        .eq(WEIGHTS.amax(1, keepdim=True))
        .double()
        .mean(),
    }
    for says, mistaken in mistakes.items():
        if abs(got - mistaken.item()) < 1e-6:
            raise Wrong(says)
    raise Wrong(f"got {got:.3f}, expected {right:.3f}: 2 of the 4 pieces that have an origin")


@exercise
def two_words(best: Callable) -> str:
    """best(first, then, width) -> the answer (two words) that a beam of this width finds."""
    for first, then in ((FIRST, THEN), (DEEP_FIRST, DEEP_THEN), (LAST_FIRST, LAST_THEN)):
        for width in (1, 2, 3):
            got, right = best(first, then, width), _beam(first, then, width)
            if not isinstance(got, tuple | list | str) or len(got) != 2:
                raise Wrong(f"an answer is two words, such as ('a', 'x'); got {got!r}")
            if tuple(got) == right:
                continue
            if width == 1 and tuple(got) == _beam(first, then, 3):
                raise Wrong("width 1 is greedy: only the likeliest first word goes on, whatever would have followed")
            if tuple(got) == _beam(first, then, 1):
                raise Wrong(
                    f"width {width} must carry {width} beginnings to the second step; this is the greedy answer"
                )
            if tuple(got) == _beam(first, then, 3):
                raise Wrong(
                    f"only the {width} likeliest beginnings go on; this answer begins with one that was dropped"
                )
            if tuple(got) == _beam(first, then, width, joint=lambda p, q: p + q):
                raise Wrong("the probability of an answer is the product of its steps, not their sum")
            if tuple(got) == _beam(first, then, width, joint=lambda p, q: q):
                raise Wrong("the first step counts too: compare the product of both probabilities")
            raise Wrong(f"width {width}, first {first}: got {tuple(got)}, expected {right}")
    return "Greedy takes a, and is sure of less in the end; a beam of two lets b show what follows it."


def _beam(first: Mapping, then: Mapping, width: int, joint: Callable = lambda p, q: p * q) -> tuple[str, str]:
    kept = sorted(first, key=first.get, reverse=True)[:width]
    return max(((a, b) for a in kept for b in then[a]), key=lambda pair: joint(first[pair[0]], then[pair[0]][pair[1]]))


def _spell(values: Tensor) -> str:
    return "(" + ", ".join(f"{value:.3f}" for value in values.tolist()) + ")"
