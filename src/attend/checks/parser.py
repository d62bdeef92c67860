"""Exercises of the page on parsing."""

from collections import Counter
from collections.abc import Callable
from functools import cache

import numpy as np
import torch
from torch import Tensor, nn

from attend.checks.answers import number, parts
from attend.checks.exercise import Wrong, exercise
from attend.tasks import grammar
from attend.tasks.pairs import Pairs, batches, cost, padded
from attend.train.fit import fit
from attend.train.schedule import one_cycle
from attend.transformers.parser import CLOSE, END, WORD, brackets, f1, legal, linearise, parse
from attend.transformers.tiny_translator import TinyTranslator

RIGHT = (5 / 6, 5 / 7, 10 / 13)


@exercise
def score(answer: tuple) -> str:
    """Precision, recall and F1 of the answer (S (NP • •) (VP (VP • (NP • •)) (PP • • •)))."""
    got = tuple(number(part, "each of the three") for part in parts(answer, 3, "the answer"))
    if all(abs(one - two) < 0.006 for one, two in zip(got, RIGHT, strict=True)):
        return "A wrong attachment costs one bracket, and a forgotten one costs recall alone."
    if all(abs(one - two) < 0.006 for one, two in zip(got, (RIGHT[1], RIGHT[0], RIGHT[2]), strict=True)):
        raise Wrong("precision asks what part of the *written* brackets is right, recall what part of the *true* ones")
    if abs(got[0] - RIGHT[0]) < 0.006 and abs(got[1] - RIGHT[1]) < 0.006:
        raise Wrong("precision and recall are right; F1 is twice what is right, by written plus true brackets")
    if abs(got[0] - 1) < 0.006:
        raise Wrong("the bracket (VP 2 5) is not among the true ones: a label alone is no match, the words count, too")
    raise Wrong(
        "write down label, first word and end of all brackets of both trees, 7 and 6, and count what they share"
    )


SENTENCES = ("the dog sleeps", "the king helps the girls who wait with every hat", "a boy and two cats sing")


@exercise
def read(tree: Callable) -> str:
    """tree(symbols, words) -> the tree as nested tuples, or False for what is no tree over these words."""
    for line in SENTENCES:
        words = line.split()
        true = grammar.parse(words).tree
        symbols = linearise(true)
        got = _nested(tree(list(symbols), list(words)))
        if got != true:
            shown = " ".join(symbols)
            if got is False:
                raise Wrong(f"{shown} is a tree over {line!r}, and your function says it is none")
            if got == _without_words(true):
                raise Wrong("put the words in: each • is the next word of the sentence")
            raise Wrong(f"{shown} over {line!r} gives {true!r}, got {got!r}")
        for wrong, why in _broken(symbols, words):
            if tree(list(wrong), list(words)) is not False:
                raise Wrong(f"{' '.join(wrong) or '(nothing)'} is no tree over {line!r}: {why}; give False")
    return "What was written as a line is a tree again, or it is refused."


def _nested(got: object) -> object:
    """Lists for tuples, as deep as they go."""
    return tuple(map(_nested, got)) if isinstance(got, tuple | list) else got


def _without_words(tree: object) -> object:
    return "•" if isinstance(tree, str) else (tree[0], *map(_without_words, tree[1:]))


def _broken(symbols: list[str], words: list[str]) -> list[tuple[list[str], str]]:
    last = len(symbols) - 1 - symbols[::-1].index("•")
    return [
        (symbols[:-1], "a bracket is never closed"),
        ([*symbols, ")"], "a bracket is closed that was never opened"),
        ([*symbols[: last + 1], "•", *symbols[last + 1 :]], "there is a word too many"),
        ([*symbols[:last], *symbols[last + 1 :]], "a word is missing"),
        ([*symbols[:1], "(NP", ")", *symbols[1:]], "a bracket is empty"),
        ([*symbols, *symbols], "something stands behind the whole tree"),
        ([*symbols, "(NP", ")"], "something stands behind the whole tree"),
        (["•"] * len(words), "no bracket stands around the words"),
        ([], "there is nothing"),
    ]


SYMBOLS = ("end", "•", ")", *(f"({label}" for label in grammar.LABELS))
STEPS, COUNT, MOST = 120, 60, 40
"""Steps of training, sentences that are tried, and symbols that may be written."""
ENOUGH = 0.02
"""The F1 that may be lost beside the page's own decoder."""


@exercise
def build(write: Callable) -> str:
    """write(model, source, mask, most) -> tokens (B, most) that are a tree in every row, END behind it."""
    torch.manual_seed(0)
    model = TinyTranslator(len(grammar.vocabulary()), len(SYMBOLS), 32, 4, 64, 2).eval()
    some = _pairs("validation", 7)
    _refuse(_tried(write, model, some), some.mask, "an untrained model")
    tight = int(some.mask.sum(1).max()) + 3  # the longest sentence in one pair of brackets, and the end
    said = f"an untrained model and most = {tight}, which is just enough for one pair of brackets"
    _refuse(_tried(write, model, some, tight), some.mask, said, tight)
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3, betas=(0.9, 0.98))
    fit(
        model,
        lambda model, batch: cost(model(batch.source, batch.mask, batch.target), batch.target, batch.asked),
        batches(_pairs("train", 4_000), 48, torch.Generator().manual_seed(0)),
        steps=STEPS,
        optimiser=optimiser,
        schedule=one_cycle(optimiser, STEPS),
        clip=1.0,
    )
    some = _pairs("validation", COUNT)
    tokens, num_words = _tried(write, model, some), some.mask.sum(1).tolist()
    _refuse(tokens, some.mask, "a trained model")
    gold = [_brackets(row, length) for row, length in zip(some.target, num_words, strict=True)]
    mine, ours = (
        f1([(true, _brackets(row, length)) for true, row, length in zip(gold, written, num_words, strict=True)])
        for written in (tokens, parse(model, some.source, some.mask, MOST))
    )
    if mine < ours - ENOUGH:
        raise Wrong(
            f"all your answers are trees, and their F1 is {mine:.3f}, where {ours:.3f} can be had: take the "
            "*likeliest* of the legal symbols, by the logits at the last position"
        )
    return f"All {COUNT} answers are trees, F1 {mine:.3f}: a decoder that cannot write a false bracket."


@cache
def _pairs(part: str, count: int) -> Pairs:
    words, trees = grammar.vocabulary(), grammar.sentences(part, count)
    source = padded([[words.index(word) for word in grammar.words(tree)] for tree in trees])
    target = padded([[SYMBOLS.index(symbol) for symbol in linearise(tree)] + [END] for tree in trees])
    return Pairs(*source, *target)


def _tried(write: Callable, model: nn.Module, some: Pairs, most: int = MOST) -> object:
    """What the reader's function writes; an array as a tensor."""
    with torch.no_grad():
        tokens = write(model, some.source, some.mask, most)
    return torch.from_numpy(tokens) if isinstance(tokens, np.ndarray) else tokens


def _refuse(tokens: object, mask: Tensor, who: str, most: int = MOST) -> None:
    """Raise Wrong at the first symbol that is not legal."""
    B = len(mask)
    if not isinstance(tokens, Tensor) or tokens.dtype.is_floating_point or tokens.shape != (B, most):
        got = tuple(tokens.shape) if isinstance(tokens, Tensor) else type(tokens).__name__
        raise Wrong(f"give whole numbers of shape (B, most) = {(B, most)}, the start symbol not among them; got {got}")
    symbols, so_far = len(SYMBOLS), torch.full((B, 1), END)
    if bool((tokens < 0).any() or (tokens >= symbols).any()):
        raise Wrong(f"there are {symbols} symbols, 0 to {symbols - 1}")
    reasons = {
        END: "ended with open brackets",
        WORD: "wrote a word where none is left, or none may stand",
        CLOSE: "closed an empty bracket, or the last one with words left",
    }
    for t in range(most):
        may = legal(so_far, mask.sum(1), symbols, most)
        bad = ~may.gather(1, tokens[:, t : t + 1].long())[:, 0]
        if bool(bad.any()):
            row = int(bad.nonzero()[0])
            kind = reasons.get(int(tokens[row, t]), "opened a bracket that no word is left for, or no room")
            raise Wrong(f"with {who}, row {row} {kind}, at symbol {t} of {most}")
        so_far = torch.cat([so_far, tokens[:, t : t + 1].long()], dim=1)
    if bool((tokens[:, -1] != END).any()):
        raise Wrong(f"with {who}, some answers do not end within {most} symbols: an open bracket needs room to close")


def _brackets(row: Tensor, length: int) -> Counter | None:
    symbols = [SYMBOLS[n] for n in row.tolist()]
    return brackets(symbols[: symbols.index("end")], length)
