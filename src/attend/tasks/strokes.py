"""Handwriting as a pen moves: words in single-line hands, stretched, slanted and shaken anew each time.

A word is a row of pen steps. A step is how far the pen has moved since the last one, (dx, dy), x to the right and y up,
and whether the pen is lifted after it (1) or stays on the paper (0). Between lifts all steps are about equally long,
and that length is the unit. After its last letter the pen rests for two steps, lifted. Letters are those of three of
A. V. Hershey's fonts, which were drawn for pen plotters; where a letter ends as the next begins, the pen stays down.
"""

import gzip
import json
import math
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attend.core.expect import checked, expect
from attend.core.types import Positive, Seed
from attend.tasks import words
from attend.tasks.data import path

DATA = ("tasks/data/strokes.json.gz",)
HANDS = ("script", "print", "italic")
"""The hands: joined-up, printed, and an italic whose thick strokes are drawn along both edges."""
ALPHABET = words.ALPHABET
"""The vocabulary of the texts, in the order of their tokens: the end of a word, then the letters from a to z."""
END = words.END
_SIZE = {"script": 1.0, "print": 0.75, "italic": 0.75}
_STEP, _BASE = 3.0, 9.0
_TREMOR = 0.04


class Strokes(NamedTuple):
    """Words as letters and as pen steps: `text` (B, U) ends with END and is padded with it, `pen` is (B, T, 3).

    `letters` (B, U) and `mask` (B, T) are True where there is a letter or END, and a step; `ends` (B, T) is the letter
    that ends with a step, END where none does.
    """

    text: Int[Tensor, "B U"]
    letters: Bool[Tensor, "B U"]
    pen: Float[Tensor, "B T 3"]
    mask: Bool[Tensor, "B T"]
    ends: Int[Tensor, "B T"]


@cache
def _glyphs(hand: str) -> dict[str, tuple[float, list[np.ndarray]]]:
    """For each letter how wide it is, and its polylines, the baseline at y = 0."""
    rows = json.loads(gzip.decompress(path("strokes.json.gz").read_bytes()))[hand]
    size = _SIZE[hand]
    return {
        letter: (size * width, [size * (np.array([[0.0, _BASE]]) + np.array(line) * [1, -1]) for line in lines])
        for letter, (width, lines) in rows.items()
    }


def _laid(word: str, hand: str) -> list[np.ndarray]:
    """The polylines of a word, each point with the number of its letter (x, y, n); those that touch are joined."""
    lines, x = [], 0.0
    for n, letter in enumerate(word):
        width, glyph = _glyphs(hand)[letter]
        for line in glyph:
            moved = np.column_stack([line + np.array([x, 0.0]), np.full(len(line), n)])
            if lines and math.dist(lines[-1][-1, :2], moved[0, :2]) < 1.2:
                lines[-1] = np.concatenate([lines[-1], moved[1:]])
            else:
                lines.append(moved)
        x += width
    return lines


def _even(line: np.ndarray) -> np.ndarray:
    """Points on a polyline at even distances of about _STEP along it, both ends among them."""
    along = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(line[:, :2], axis=0).T))])
    at = np.linspace(0, along[-1], max(1, round(along[-1] / _STEP)) + 1 if len(line) > 1 else 1)
    x, y, n = (np.interp(at, along, column) for column in line.T)
    return np.column_stack([x, y, np.ceil(n - 1e-9)])


def _distorted(lines: list[np.ndarray], random: np.random.Generator) -> list[np.ndarray]:
    """The same word, drawn otherwise: slant, width and height, a line that rises and waves, letters that swell."""
    slant, wide, tall = random.normal(0, 0.12), np.exp(random.normal(0, 0.08)), np.exp(random.normal(0, 0.08))
    rise, swell = random.normal(0, 0.02), random.normal(0, 0.06)
    phases, speeds = random.uniform(0, 2 * np.pi, 3), random.uniform(0.1, 0.25, 3)
    drawn = []
    for line in lines:
        x, y, n = line.T
        shift, size, wave = (np.sin(speed * x + phase) for speed, phase in zip(speeds, phases, strict=True))
        u = wide * (x + 0.5 * shift) + slant * y
        v = tall * y * (1 + swell * size) + rise * x + 0.4 * wave
        drawn.append(np.column_stack([u, v, n]))
    return drawn


def _steps(word: str, hand: str, random: np.random.Generator | None) -> tuple[np.ndarray, np.ndarray]:
    """The pen steps of a word (T, 3), and which letter ends at each, END where none does (T)."""
    lines = [_even(line) for line in _laid(word, hand)]
    if random is not None:
        lines = [_even(line) for line in _distorted(lines, random)]
    points, lift = np.concatenate(lines), np.concatenate([np.arange(len(line)) == len(line) - 1 for line in lines])
    owner, places = points[:, 2].astype(int), points[:, :2] / _STEP
    rest = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]])
    if random is not None:
        places = places + random.normal(0, _TREMOR, places.shape)
        rest[:, :2] += random.normal(0, _TREMOR, (2, 2))
    moves = np.diff(places, axis=0, prepend=np.zeros((1, 2)))
    ends = np.full(len(owner) + len(rest), END)
    last = np.flatnonzero(np.diff(owner, append=len(word)))
    ends[last] = [ALPHABET.index(word[n]) for n in owner[last]]
    return np.concatenate([np.column_stack([moves, lift]), rest]), ends


@checked
def write(word: str, hand: str = "script", seed: Seed | None = None) -> Float[Tensor, "T 3"]:
    """The pen steps of a word; those of the font as they are, or, with a seed, distorted by chance.

    Raises ValueError for anything but small letters, and for an unknown hand.
    """
    expect(len(word) > 0 and set(word) <= set(ALPHABET[1:]), "word", word, "small letters from a to z")
    expect(hand in HANDS, "hand", hand, f"one of {', '.join(HANDS)}")
    random = None if seed is None else np.random.default_rng(seed)
    return torch.from_numpy(_steps(word, hand, random)[0]).float()


@checked
def draw(chosen: Sequence[str], seed: Seed, hand: str = "script") -> Strokes:
    """Words of small letters as one batch, each distorted by chance."""
    expect(len(chosen) > 0, "chosen", chosen, "at least one word")
    expect(hand in HANDS, "hand", hand, f"one of {', '.join(HANDS)}")
    random = np.random.default_rng(seed)
    return _batch([(word, *_steps(word, hand, random)) for word in chosen])


def _batch(rows: list[tuple[str, np.ndarray, np.ndarray]]) -> Strokes:
    B, U, T = len(rows), max(len(word) for word, _, _ in rows) + 1, max(len(steps) for _, steps, _ in rows)
    text, ends, pen = torch.full((B, U), END), torch.full((B, T), END), torch.zeros(B, T, 3)
    letters, mask = torch.zeros(B, U, dtype=torch.bool), torch.zeros(B, T, dtype=torch.bool)
    for b, (word, steps, ending) in enumerate(rows):
        text[b, : len(word)], letters[b, : len(word) + 1] = words.encode(word), True
        pen[b, : len(steps)], mask[b, : len(steps)] = torch.from_numpy(steps).float(), True
        ends[b, : len(steps)] = torch.from_numpy(ending)
    return Strokes(text, letters, pen, mask, ends)


@checked
@cache
def lexicon(part: str, shortest: Positive = 3, longest: Positive = 6) -> tuple[str, ...]:
    """The words of the plays of one part ("train", "validation" or "test") that have so many letters."""
    return tuple(word for word in words.load(part) if shortest <= len(word) <= longest)
