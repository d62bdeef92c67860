"""What every figure of a translator carries: two vocabularies, the number that it starts with, the last token."""

from collections.abc import Mapping, Sequence

from torch import Tensor

from attend.core.expect import checked, expect


@checked
def vocabularies(
    tensors: Mapping[str, Tensor],
    english: Sequence[str],
    german: Sequence[str],
    embeddings: tuple[str, str] = ("embed_source.weight", "embed_target.weight"),
) -> None:
    """Refuse words that are not one for each row of the model's embeddings, by raising ValueError."""
    for name, words, rows in zip(("english", "german"), (english, german), embeddings, strict=True):
        V = len(tensors.get(rows, ()))
        expect(len(words) == V, name, f"{len(words)} words", f"{V} words, one for each row of {rows}")


@checked
def bilingual(
    english: Sequence[str], german: Sequence[str], number: int, end: int, most: int = 10**15 - 1
) -> dict[str, list[str] | int]:
    """The data of such a figure. Raises ValueError for a number above `most` and for an `end` that is no token."""
    expect(0 <= number <= most, "number", number, f"a whole number from 0 to {most:,}")
    expect(0 <= end < len(german), "end", end, "a token of `german`")
    return {"english": list(english), "german": list(german), "number": number, "end": end}
