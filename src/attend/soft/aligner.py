"""An aligner: attention that learns where to look next, while a table of words says what is found there.

Source   Brown et al. 1993, section 4 (a word comes from one place); Bahdanau et al. 2014, arXiv:1409.0473 (a summary of
         the words so far asks); Deng et al. 2018, arXiv:1807.03756 (attention before and after the word).
Departs  the table of words is that of IBM Model 1, and is not trained any further.
Agrees   the weights of attend.soft.read.ReadingSeq2Seq, in values and gradients, and Bayes' rule place by place
         (tests/soft/test_aligner.py).
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from attend.core.expect import checked, expect
from attend.core.init import embedding_
from attend.core.types import Positive, Tokens
from attend.gating.gru import GRU
from attend.memory.supervision import shift_right, two_vocabularies
from attend.soft.lexicon import look
from attend.soft.read import weigh
from attend.soft.scores import Score

_LEAST = 1e-9


class Aligner(nn.Module):
    """One unit reads the source, a second one the target up to the last word; its summary asks where the next one is.

    `source_V` and `target_V` are the sizes of the two vocabularies, D the width of a word's vector, H that of a
    summary. Raises ValueError for sizes that are not positive and an `end` that is no token.
    """

    @checked
    def __init__(
        self,
        source_V: int,
        target_V: int,
        D: Positive,
        H: Positive,
        end: int = 0,
        generator: torch.Generator | None = None,
    ):
        two_vocabularies(source_V, target_V, end)
        super().__init__()
        self.end = end
        self.embed_source = embedding_(nn.Embedding(source_V, D), 0.3, generator)
        self.embed_target = embedding_(nn.Embedding(target_V, D), 0.3, generator)
        self.reader = GRU(D, H, generator=generator)
        self.writer = GRU(D, H, generator=generator)
        self.score = Score("bilinear", H, H, generator=generator)

    @checked
    def forward(
        self,
        source: Tokens["B S", "self.embed_source.num_embeddings"],
        mask: Bool[Tensor, "B S"],
        target: Tokens["B T", "self.embed_target.num_embeddings"],
        drop: float = 0.0,
        generator: torch.Generator | None = None,
    ) -> Float[Tensor, "B T S"]:
        """Where to look for each word of `target`, before it is seen.

        A share `drop` of the numbers in the words' vectors is left out, drawn by `generator`. Raises ValueError for a
        share outside 0 to 1.
        """
        expect(0 <= drop < 1, "drop", drop, "a share from 0 to below 1")

        def thinned(x: Tensor) -> Tensor:
            kept = torch.rand(x.shape, generator=generator) >= drop if drop else 1.0
            return x * kept / (1 - drop)

        keys, last = self.reader(thinned(self.embed_source(source)), mask=mask)
        queries, _ = self.writer(thinned(self.embed_target(shift_right(target, self.end))), last)
        return weigh(self.score(queries, keys), mask)


@checked
def after(
    weights: Float[Tensor, "B T S"],
    table: Float[Tensor, "V U"],
    source: Int[Tensor, "B S"],
    target: Int[Tensor, "B T"],
    mask: Bool[Tensor, "B S"],
) -> Float[Tensor, "B T S"]:
    """The weights once each word was seen, by Bayes' rule: `weights` before it, times what `table` says of the word."""
    fits = bool((weights >= 0).all())
    expect(fits, "weights", weights, "shares, none of them negative")
    prior = weights.clamp(min=_LEAST).log()
    return look(table, source, target, mask, prior)
