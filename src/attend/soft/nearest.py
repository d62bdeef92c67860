"""Sentences as curves: the writer points at a place in the space of its words, and the nearest word is said.

Source   lectures sankaran2019part5 and sankaran2019part4 (two sentences are two curves; error as distance).
Departs  a word's probability falls with the square of its distance, so that pointing can be trained like any readout.
Agrees   a softmax over torch.cdist, in values and gradients (tests/soft/test_nearest.py).
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attend.core.expect import checked
from attend.core.init import linear_
from attend.core.types import Positive
from attend.soft.seq2seq import Answers, Memory, Seq2Seq


class NearestSeq2Seq(Seq2Seq):
    """A `Seq2Seq` whose readout is a point of the target's word space, width D; the nearer a word, the likelier it is.

    The words of the target are the same points, read or said. With D = 2 both languages are planes, and reading and
    writing can be drawn as they are. Raises ValueError as Seq2Seq does.
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
        super().__init__(source_V, target_V, D, H, end, generator)
        self.readout = linear_(nn.Linear(H, D), generator)
        with torch.no_grad():
            self.readout.weight *= 3  # at the start points lie about as far out as words do

    @checked
    def point(self, summaries: Float[Tensor, "B T H"]) -> Float[Tensor, "B T D"]:
        """Where the writer points after each step."""
        self._fits(summaries)
        return self.readout(summaries)

    @checked
    def answer(
        self,
        summaries: Float[Tensor, "B T H"],
        memory: Memory,
    ) -> Answers:
        """The log-probability of each word, up to a constant: minus the square of its distance from the point."""
        off = self.point(summaries)[:, :, None] - self.embed_target.weight
        return Answers(-off.square().sum(3), None)
