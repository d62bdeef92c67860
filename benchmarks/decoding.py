"""Writing word by word with what was computed before, beside computing all of it again for every word."""

from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor

from attend.transformers.translator import Transformer
from benchmarks.case import Case

UNITS = ("greedy",)
BASE = {"B": 16, "T": 32, "H": 64}
"""16 answers of T words to sources as long, by the Transformer of the book: 64 wide, two blocks each side."""
LENGTHS = (8, 16, 32, 64, 128)
VOCABULARY = 40
RATIO = "kept / anew"


class Decoding(Case):
    """One comparison: B answers of T words, by a Transformer of width H."""

    def runs(self) -> tuple[Callable, Callable]:
        """The two functions to be timed: both write the words that the model itself chooses, T of them (B, T)."""
        generator = torch.Generator().manual_seed(0)
        model = Transformer(VOCABULARY, VOCABULARY, self.H, d_ff=4 * self.H, generator=generator).eval()
        source = torch.randint(0, VOCABULARY, (self.B, self.T), generator=generator)
        given = model, source, torch.ones_like(source, dtype=torch.bool)
        return partial(with_cache, *given), partial(without, *given)


@torch.no_grad()
def with_cache(model: Transformer, source: Tensor, mask: Tensor) -> Tensor:
    """Only the new step is computed; keys and values of those before it are remembered."""
    memory = model.read(source, mask)
    state, token, words = model.start(memory), source.new_full(source.shape[:1], model.end), []
    for _ in range(source.shape[1]):
        logits, state, _ = model.step(token, state, memory)
        token = logits.argmax(dim=1)
        words.append(token)
    return torch.stack(words, dim=1)


@torch.no_grad()
def without(model: Transformer, source: Tensor, mask: Tensor) -> Tensor:
    """For every word the whole model runs, over the source and all words so far."""
    words = source.new_full((len(source), 1), model.end)
    for t in range(source.shape[1]):
        words[:, t] = model(source, mask, words)[:, t].argmax(dim=1)
        words = torch.cat([words, words[:, :1]], dim=1)
    return words[:, :-1]


def cases() -> Iterator[Decoding]:
    """As the answers grow."""
    for T in LENGTHS:
        yield Decoding("greedy", "forward", **{**BASE, "T": T})
