"""Numbers read out digit by digit, "three three seven", in many voices: which digits were said?

A recording is a row of frames, one every 20 ms: how loud each of 16 bands of frequency is (a log-mel spectrogram).
Voices of one part are not heard in the others.

Source   ours; espeak-ng speaks (attend/tasks/data/DATA.md).
Agrees   the counts and parts of DATA.md; edit distances by hand (tests/tasks/test_speech.py).
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Annotated, Literal, NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from attend.core.expect import checked, expect
from attend.core.types import MayBeEmpty, Positive
from attend.tasks import data
from attend.tasks.pairs import padded

DATA = ("tasks/data/speech.npz",)
BANDS, FRAME, RATE = 16, 0.02, 11_025
"""Bands of a frame; seconds from one frame to the next; samples a second of `sound`."""
BLANK = END = 0
"""The token that is no digit: a blank in CTC, the end of the answer for a decoder. Digit d is token d + 1."""
TOKENS = 11
SHOWN = 2
"""The test recording that the pages show, "three three seven"; `sound` is the same to hear."""
Part = Literal["train", "validation", "test"]


class Spoken(NamedTuple):
    """B recordings `x` (B, T, 16) with their `mask` (B, T), and what was said: `target` and `asked` (B, L).

    Everything is padded on the right, with 0.
    """

    x: Float[Tensor, "B T 16"]
    mask: Bool[Tensor, "B T"]
    target: Int[Tensor, "B L"]
    asked: Bool[Tensor, "B L"]


@checked
@cache
def load(part: Part, most: Positive | None = None) -> Spoken:
    """The recordings of one part, all or the first `most`. Lengths 1 to 5 come in turn.

    Raises attend.tasks.data.DamagedData when the file was changed.
    """
    return gather(_recordings(part)[:most])


@checked
def voices(part: Part) -> tuple[str, ...]:
    """The voice of each recording of a part: an accent and a speaker, as in "en-gb+linda"."""
    arrays = _arrays()
    return tuple(arrays["voices"][arrays["parts"] == part].tolist())


def sound() -> Float[Tensor, " N"]:
    """The recording SHOWN as samples between -1 and 1, RATE of them a second."""
    curved = torch.from_numpy(_arrays()["sound"].astype(np.float32)) / 127.5 - 1
    return curved.sign() * (256 ** curved.abs() - 1) / 255


@checked
def batches(spoken: Spoken, B: Positive, generator: torch.Generator) -> Iterator[Spoken]:
    """Endless batches of B of these recordings: all once in random order, then all in another."""
    expect(len(spoken.x) >= B, "B", B, f"at most {len(spoken.x)}, as many as there are recordings")
    return _drawn(spoken, B, generator)


def _drawn(spoken: Spoken, B: int, generator: torch.Generator) -> Iterator[Spoken]:
    while True:
        order = torch.randperm(len(spoken.x), generator=generator)
        for rows in order.split(B):
            if len(rows) == B:
                yield _rows(spoken, rows)


@checked
def joined(part: Part, digits: Positive, count: Positive, generator: torch.Generator) -> Spoken:
    """`count` long recordings of `digits` digits each: recordings of one speaker, joined, drawn at random."""
    expect(part != "train", "part", part, "validation or test, whose voices no training hears")
    of_speaker: dict[str, list[tuple[Tensor, str]]] = {}
    for voice, recording in zip(voices(part), _recordings(part), strict=True):
        of_speaker.setdefault(voice.partition("+")[2], []).append(recording)
    speakers = sorted(of_speaker)
    made = []
    for _ in range(count):
        known = of_speaker[speakers[torch.randint(len(speakers), (), generator=generator)]]
        x, said = [], ""
        while len(said) < digits:
            fitting = [one for one in known if len(one[1]) <= digits - len(said)]
            one = fitting[torch.randint(len(fitting), (), generator=generator)]
            x, said = [*x, one[0]], said + one[1]
        made.append((torch.cat(x), said))
    return gather(made)


@checked
def gather(recordings: Sequence[tuple[Float[Tensor, "_ 16"], str]]) -> Spoken:
    """Recordings, each with the digits that it says, in one batch."""
    expect(len(recordings) > 0, "recordings", recordings, "at least one")
    x = pad_sequence([frames for frames, _ in recordings], batch_first=True)
    lengths = torch.tensor([[len(frames)] for frames, _ in recordings])
    target, asked = padded([[int(digit) + 1 for digit in said] for _, said in recordings], BLANK)
    return Spoken(x, torch.arange(x.shape[1]) < lengths, target, asked)


@checked
def spell(tokens: Annotated[Int[Tensor, " L"], MayBeEmpty]) -> str:
    """The digits that these tokens say; 0, which is none, is left out. No tokens at all say ""."""
    return "".join(str(token - 1) for token in tokens.tolist() if token)


@checked
def errors(written: str, said: str) -> int:
    """The edit distance: how many digits have to be put in, taken out or changed to make one of the other."""
    row = list(range(len(said) + 1))
    for i, digit in enumerate(written, 1):
        before, row = row, [i]
        for j, other in enumerate(said, 1):
            row.append(min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (digit != other)))
    return row[-1]


@checked
def label_error(written: Sequence[str], said: Sequence[str]) -> float:
    """All errors, divided by the number of digits said (Graves et al. 2006)."""
    expect(sum(map(len, said)) > 0, "said", said, "at least one digit")
    return sum(errors(one, other) for one, other in zip(written, said, strict=True)) / sum(map(len, said))


@checked
def said(spoken: Spoken) -> list[str]:
    """The digits of each recording as text."""
    return [spell(row) for row in spoken.target]


def example() -> str:
    """The recording SHOWN as text: time from left to right, high bands above, a darker letter where it is louder."""
    x, _ = _recordings("test")[SHOWN]
    louder = ((x + 1) / 2 * 4.99).clamp(min=0).long().T.flip(0)  # bands from high to low
    rows = ("".join(" .:*#"[level] for level in row).rstrip() for row in louder[::2].tolist())
    return f"{_recordings('test')[SHOWN][1]}\n" + "\n".join(rows)


def _rows(spoken: Spoken, rows: Tensor) -> Spoken:
    x, mask, target, asked = (column[rows] for column in spoken)
    T, L = int(mask.sum(1).max()), int(asked.sum(1).max())
    return Spoken(x[:, :T], mask[:, :T], target[:, :L], asked[:, :L])


@cache
def _arrays() -> dict[str, np.ndarray]:
    with np.load(data.path("speech.npz")) as arrays:
        return dict(arrays)


@cache
def _recordings(part: str) -> tuple[tuple[Tensor, str], ...]:
    """The frames of each recording, about -1 (silent) to 1 (loud), and its digits."""
    arrays = _arrays()
    frames = (torch.from_numpy(arrays["levels"]).float() / 9 - 1).split(arrays["frames"].tolist())
    whose = zip(frames, arrays["digits"].tolist(), arrays["parts"].tolist(), strict=True)
    return tuple((x, digits) for x, digits, of in whose if of == part)


@checked
def strings(part: Part, B: Positive, generator: torch.Generator, longest: Positive = 5) -> Iterator[Spoken]:
    """Endless batches of B recordings of 1 to `longest` digits, each joined from recordings of one speaker."""
    return _strings(part, B, generator, longest)


def _strings(part: str, B: int, generator: torch.Generator, longest: int) -> Iterator[Spoken]:
    of_speaker: dict[str, list[tuple[Tensor, str]]] = {}
    for voice, recording in zip(voices(part), _recordings(part), strict=True):
        of_speaker.setdefault(voice.partition("+")[2], []).append(recording)
    speakers = sorted(of_speaker)

    def draw(count: int) -> int:
        return int(torch.randint(count, (), generator=generator))

    while True:
        made = []
        for _ in range(B):
            known, digits = of_speaker[speakers[draw(len(speakers))]], 1 + draw(longest)
            x, said = [], ""
            while fitting := [one for one in known if len(one[1]) <= digits - len(said)]:
                frames, spoken = fitting[draw(len(fitting))]
                x, said = [*x, frames], said + spoken
            if not said:  # nobody of this speaker's recordings is so short: the shortest of them
                frames, said = min(known, key=lambda one: len(one[1]))
                x = [frames]
            made.append((torch.cat(x), said))
        yield gather(made)
