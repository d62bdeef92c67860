"""Parsing as translation: a tree as a line of symbols, bracket F1, and a decoder that writes legal brackets alone.

Source   Vinyals et al. 2015, arXiv:1412.7449 (a tree as a foreign language); Vaswani et al. 2017, arXiv:1706.03762,
         section 6.3; Black et al. 1991 (precision and recall of brackets).
Departs  closing brackets carry no label; every word of the sentence is written as one and the same symbol; an answer
         that is no tree has no brackets at all.
Agrees   all legal lines of a small length, counted one by one; the translator's own decoding, where nothing is masked
         (tests/transformers/test_parser.py).
"""

from collections import Counter
from collections.abc import Iterable, Sequence

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from attend.core.expect import checked
from attend.core.types import Mask, Plural, Positive
from attend.transformers.tiny_translator import TinyTranslator

END, WORD, CLOSE, OPEN = 0, 1, 2, 3  # symbols from OPEN on open a bracket


# Listings have at most 76 columns once annotations are gone.
# fmt: off
@checked
def linearise(tree: tuple | str) -> list[str]:
    """A tree, (label, child, …), as a line of symbols; a word becomes the symbol •."""
    if isinstance(tree, str):
        return ["•"]
    label, *children = tree
    inside = [symbol for child in children for symbol in linearise(child)]
    return ["(" + label, *inside, ")"]


@checked
def brackets(symbols: Sequence[str], num_words: Positive) -> Counter | None:
    """Label, first and last word (exclusive) of every bracket; None for what is no tree over so many words."""
    waiting, found, word = [], Counter(), 0
    for n, symbol in enumerate(symbols):
        if not waiting and (n > 0 or symbol[0] != "("):
            return None                     # outside the root
        if symbol == "•":
            word += 1
        elif symbol == ")":
            label, start = waiting.pop()
            if start == word:
                return None                 # a bracket without a word
            found[label, start, word] += 1
        else:
            waiting.append((symbol[1:], word))
    return found if found and not waiting and word == num_words else None


@checked
def f1(pairs: Iterable[tuple[Counter, Counter | None]]) -> float:
    """Bracket F1 of many (true, written) brackets at once: the harmonic mean of precision and recall."""
    right = true = written = 0
    for gold, guess in pairs:
        guess = guess or Counter()      # what is no tree has no brackets
        right += (gold & guess).total()
        true, written = true + gold.total(), written + guess.total()
    return 2 * right / (true + written)


@checked
def legal(
    tokens: Int[Tensor, "B T"], num_words: Int[Tensor, "B"], num_symbols: Plural, most: Positive
) -> Bool[Tensor, "B {num_symbols}"]:
    """Which symbols may follow `tokens` (the start symbol among them), if at most `most` are to be written."""
    opened, closed = (tokens >= OPEN).sum(1), (tokens == CLOSE).sum(1)
    depth = opened - closed                         # brackets still open
    left = num_words - (tokens == WORD).sum(1)      # words to come
    room = most - (tokens.shape[1] - 1) - (left + depth + 1)
    begun, fresh = opened > 0, tokens[:, -1] >= OPEN
    may = torch.zeros(len(tokens), num_symbols, dtype=torch.bool,
                      device=tokens.device)
    may[:, END] = begun & (depth == 0)
    may[:, WORD] = (depth > 0) & (left > 0)
    may[:, CLOSE] = ((depth > 1) | (depth == 1) & (left == 0)) & ~fresh
    may[:, OPEN:] = (((depth > 0) | ~begun) & (left > 0)
                     & (room >= 2))[:, None]
    return may


@checked
@torch.no_grad()
def parse(
    model: TinyTranslator,
    source: Int[Tensor, "B S"],
    mask: Mask["B S"],
    most: Positive,
    constrained: bool = True,
) -> Int[Tensor, "B {most}"]:
    """The likeliest symbol, again and again; of the legal ones if `constrained`."""
    memory, num_words = model.encode(source, mask), mask.sum(1)
    tokens = torch.full_like(source[:, :1], END)        # the start symbol
    for _ in range(most):
        logits = model.decode(tokens, memory, mask)[:, -1]          # (B, V)
        if constrained:
            may = legal(tokens, num_words, logits.shape[1], most)
            logits = logits.masked_fill(~may, -torch.inf)
        best = logits.argmax(dim=1, keepdim=True)
        tokens = torch.cat([tokens, best], dim=1)
    return tokens[:, 1:]
