"""A handful of sentence pairs, and rounds of EM to try: whose word is whose, with nothing but counting."""

from collections.abc import Sequence

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure

SMOOTHING = 1e-3
"""What is added to each count, as in attend.soft.lexicon.m_step."""


class ExpectationMaximisation(LiveFigure):
    """IBM Model 1 on `pairs` of sentences, (source, target), words parted by spaces; EM goes on in the browser.

    Raises ValueError without a pair, and for a sentence without a word.
    """

    @checked
    def __init__(self, pairs: Sequence[tuple[str, str]]):
        rows = [{"source": source.split(), "target": target.split()} for source, target in pairs]
        whole = all(row["source"] and row["target"] for row in rows)
        expect(bool(rows) and whole, "pairs", list(pairs), "at least one pair of sentences, each with a word")
        super().__init__(
            alt=(
                "A table of weights for each pair of short sentences, target words as rows and source words as "
                "columns, and a slider for the rounds of EM. Before the first round all weights of a row are alike; "
                "after a few rounds each row has nearly all its weight on one word."
            ),
            invite="Let it count, round by round. Which word finds its partner first, and why?",
            data={"pairs": rows, "smoothing": SMOOTHING},
        )
