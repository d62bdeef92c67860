"""Guess the next letter: the different words of Shakespeare's plays, letter by letter.

A word is one row of tokens, and END follows its last letter. What a model may look at is the `k` letters before; where
a word has not yet so many, END stands in their place. Each word occurs once, whatever the plays make of it, and is in
one part only.
"""

import re
from collections.abc import Sequence
from functools import cache

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from attend.core.expect import checked, expect
from attend.core.types import Positive
from attend.tasks import plays
from attend.tasks.split import PARTS, known_part, part_of

ALPHABET = ".abcdefghijklmnopqrstuvwxyz"
"""The vocabulary: a character's token is its place here."""
END = 0
"""The token before the first letter of a word, and after its last: the full stop."""
_WORD = re.compile(r"(?<![A-Za-z'-])[a-z]{3,}(?![A-Za-z'-])")


@checked
@cache
def load(part: str) -> tuple[str, ...]:
    """The words of one part ("train", "validation" or "test"), in the order of the alphabet.

    Words of three letters and more that stand in small letters somewhere in the plays: few names are among them.
    """
    wanted = known_part(part)
    return tuple(word for word in _all() if part_of(word) == wanted)


@cache
def _all() -> tuple[str, ...]:
    texts = (scene.text for part in PARTS for scene in plays.scenes(part))
    return tuple(sorted({word for text in texts for word in _WORD.findall(text)}))


@checked
def encode(word: str) -> Int[Tensor, "T"]:
    """The tokens of a word, without END. Raises ValueError for a character that is no small letter."""
    odd = sorted(set(word) - set(ALPHABET[1:]))
    expect(not odd, "word", word, "small letters from a to z")
    return torch.tensor([ALPHABET.index(letter) for letter in word], dtype=torch.int64)


@checked
def spell(tokens: Int[Tensor, "T"]) -> str:
    """The characters of `tokens`; END is a full stop."""
    return "".join(ALPHABET[token] for token in tokens.tolist())


@checked
def rows(words: Sequence[str], k: Positive) -> tuple[Int[Tensor, "B T k"], Int[Tensor, "B T"], Bool[Tensor, "B T"]]:
    """A row for each word: at each step the k tokens before, the token that comes, and whether it is no padding."""
    fits = len(words) > 0 and all(words) and set("".join(words)) <= set(ALPHABET[1:])
    expect(fits, "words", words, "at least one word, none of them empty, of small letters from a to z")
    T = 1 + max(map(len, words))
    characters = bytearray("".join(word.ljust(T, ALPHABET[END]) for word in words).encode())
    comes = (torch.frombuffer(characters, dtype=torch.uint8).view(-1, T).long() - ord("a") + 1).clamp_min(END)
    mask = torch.arange(T) <= torch.tensor([[len(word)] for word in words])
    before = torch.nn.functional.pad(comes, (k, 0), value=END)[:, :-1].unfold(1, k, 1)
    return before, comes, mask


@checked
def examples(words: Sequence[str], k: Positive) -> tuple[Int[Tensor, "N k"], Int[Tensor, "N"]]:
    """All letters of all words, END included, one after the other: the k tokens before, and the token that comes."""
    before, comes, mask = rows(words, k)
    return before[mask], comes[mask]
