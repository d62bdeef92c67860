"""Numbers into German through one fixed-length context vector: four encoder-decoders, and the plane of the figure."""

from collections.abc import Callable
from typing import Literal, get_args

import torch
from torch import Tensor

from attend.core.expect import checked, recipe
from attend.core.types import NonNegativeFloat, Plural, Positive, PositiveFloat, Seed
from attend.fast import fast
from attend.recipes import WEIGHTS
from attend.soft.decode import greedy
from attend.soft.nearest import NearestSeq2Seq
from attend.soft.seq2seq import BidirectionalSeq2Seq, ContextSeq2Seq, Seq2Seq
from attend.tasks import numbers, pairs, translation
from attend.tasks.pairs import Pairs
from attend.train.checkpoint import load, save
from attend.train.fit import History, TrainStep, fit
from attend.train.schedule import one_cycle

DATA = ("recipes/weights/seq2seq_plane.safetensors",)
DIGITS = 6
"""The longest numbers; they have up to 11 English words."""
Kind = Literal["forward", "reversed", "bidirectional", "context"]
KINDS: tuple[str, ...] = get_args(Kind)
"""An encoder that reads the words as they stand, or from the last to the first; one that reads both ways; and a decoder

that is shown the encoder's final state at every step, not only as its first state."""
WIDTHS = {"forward": 64, "reversed": 64, "bidirectional": 72, "context": 54}
"""Hidden units, so that all kinds have as many weights, to within 2 %."""
RATES = (0.005, 0.01, 0.02, 0.04)
RATE: dict[tuple[str, int], float] = {
    ("forward", 64): 0.01,
    ("forward", 32): 0.01,
    ("reversed", 64): 0.01,
    ("bidirectional", 72): 0.02,
    ("context", 54): 0.02,
}
"""Adam's rate by kind and width: the best of RATES after 400 steps, on the validation part and the seed TUNED_ON."""
TUNED_ON = (100,)


@recipe
class TranslateRecipe:
    """Numbers of up to six digits by one of KINDS with H hidden units.

    Teacher forcing, 64 pairs a step, every length of source equally often. `most` keeps so many training pairs, drawn
    at random; by default all 5,097.
    """

    kind: Kind = "forward"
    H: Plural = 64
    seed: Seed = 0
    steps: Positive = 400
    most: Positive = 5_097
    rate: PositiveFloat | None = None

    def build(self) -> Seq2Seq:
        """The model before it has seen a number."""
        sizes = len(translation.ENGLISH), len(translation.GERMAN), 32, self.H
        model = {"bidirectional": BidirectionalSeq2Seq, "context": ContextSeq2Seq}.get(self.kind, Seq2Seq)
        return fast(model(*sizes, end=translation.END, generator=torch.Generator().manual_seed(self.seed)))

    def pairs(self, part: str) -> Pairs:
        """The numbers of one part, in the order of words that the encoder reads."""
        chosen = numbers.numbers(part, DIGITS, 2_000)
        if part == "train" and self.most < len(chosen):
            order = torch.randperm(len(chosen), generator=torch.Generator().manual_seed(2_000 + self.seed))
            chosen = tuple(chosen[i] for i in order[: self.most].tolist())
        return translation.encode(chosen, self.kind == "reversed")

    def digits(self, part: str) -> Tensor:
        """How many digits each number of one part has, (N)."""
        return torch.tensor([len(str(n)) for n in numbers.numbers(part, DIGITS, 2_000)])

    def train(self, callbacks: tuple[Callable[[TrainStep], None], ...] = ()) -> Seq2Seq:
        """Train from the start."""
        model = self.build()
        batches = pairs.batches(self.pairs("train"), 64, torch.Generator().manual_seed(1_000 + self.seed))
        rate = self.rate or RATE[self.kind, self.H]
        fit(
            model,
            lambda model, batch: pairs.cost(
                model(batch.source, batch.mask, batch.target).logits, batch.target, batch.asked
            ),
            batches,
            steps=self.steps,
            optimiser=torch.optim.Adam(model.parameters(), lr=rate),
            clip=1.0,
            callbacks=callbacks,
            label=f"numbers, {self.kind}, {self.H} units, seed {self.seed}",
        )
        return model


@checked
@torch.no_grad()
def exact(model: Seq2Seq, test: Pairs) -> Tensor:
    """Which sources (B) are translated without a mistake, the end included, by greedy decoding."""
    written = greedy(model, test.source, test.mask, test.target.shape[1]).tokens
    return pairs.exact(written, test.target, test.asked)


def tune() -> None:
    """Print the share of validation numbers translated by every kind and width with every rate of RATES."""
    for kind, H in (*WIDTHS.items(), ("forward", 32)):
        for rate in RATES:
            one = TranslateRecipe(kind, H, TUNED_ON[0], rate=rate)
            print(
                f"{kind:14} {H:3} {rate}: {exact(one.train(), one.pairs('validation')).double().mean():.3f}", flush=True
            )


@recipe
class PlaneRecipe:
    """Numbers of up to `digits` digits by a writer that points into a plane of words, to be drawn.

    Words start evenly spread over a disc. To the surprise is added `pull` times the squared distance of each point from
    the true word, or a sure writer would point far beyond it.
    """

    digits: Positive = 6
    H: Positive = 64
    steps: Positive = 1_500
    learning_rate: PositiveFloat = 1e-2
    pull: NonNegativeFloat = 0.1
    seed: Seed = 0
    fast: bool = True

    def build(self) -> NearestSeq2Seq:
        """The model before it has seen a number; its words are those up to "thousand" and "tausend"."""
        sizes = numbers.ENGLISH.index("thousand") + 1, numbers.GERMAN.index("tausend") + 1
        generator = torch.Generator().manual_seed(self.seed)
        model = NearestSeq2Seq(*sizes, embedding_size=2, hidden_size=self.H, end=translation.END, generator=generator)
        model.embed_source.weight.data = _disc(sizes[0], 5.0, generator)
        model.embed_target.weight.data = _disc(sizes[1], 6.0, generator)
        return fast(model) if self.fast else model

    def of(self, part: str) -> tuple[int, ...]:
        """The numbers of one part."""
        return numbers.numbers(part, self.digits, 2_000)

    def cost(self, model: NearestSeq2Seq, batch: Pairs) -> Tensor:
        """Surprise, and some of the squared distance, by teacher forcing."""
        logits = model(batch.source, batch.mask, batch.target).logits
        off = -logits.gather(2, batch.target[..., None])[batch.asked]
        return pairs.cost(logits, batch.target, batch.asked) + self.pull * off.mean()

    def train(self) -> tuple[NearestSeq2Seq, History]:
        """Train from the start, by teacher forcing."""
        model = self.build()
        optimiser = torch.optim.Adam(model.parameters(), lr=self.learning_rate)
        history = fit(
            model,
            self.cost,
            pairs.batches(translation.encode(self.of("train")), 64, torch.Generator().manual_seed(1_000 + self.seed)),
            steps=self.steps,
            optimiser=optimiser,
            schedule=one_cycle(optimiser, self.steps),
            clip=1.0,
            label="pointing at words",
        )
        return model.requires_grad_(False), history

    def load(self) -> NearestSeq2Seq:
        """The trained model, from the weights that came with the package."""
        return load(WEIGHTS / "seq2seq_plane.safetensors", self.build()).requires_grad_(False)


def _disc(V: int, radius: float, generator: torch.Generator) -> Tensor:
    """V places (V, 2) in a disc, about equally far from each other, in random order: the seeds of a sunflower."""
    n = torch.arange(V) + 0.5
    turn = n * torch.pi * (3 - 5**0.5)
    places = radius * (n / V).sqrt()[:, None] * torch.stack([turn.cos(), turn.sin()], dim=1)
    return places[torch.randperm(V, generator=generator)]


def export() -> None:
    """Train the plane, a minute and a half on one core."""
    torch.set_num_threads(1)
    save(WEIGHTS / "seq2seq_plane.safetensors", PlaneRecipe().train()[0], dtype=torch.float16)
