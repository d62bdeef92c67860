"""Numbers into German through one summary: taught with true words or with its own, read forwards or backwards."""

import time
from collections.abc import Callable
from typing import Any, Literal

import torch
from torch import Tensor

from attend.core.expect import expect, recipe
from attend.core.types import NonNegativeFloat, Positive, PositiveFloat, Seed
from attend.fast import fast
from attend.recipes import WEIGHTS, read_record, write_record
from attend.recipes.readers import ReaderRecipe, encoded, write
from attend.soft.nearest import NearestSeq2Seq
from attend.soft.seq2seq import Seq2Seq
from attend.tasks import numbers, pairs, translation
from attend.tasks.pairs import Pairs
from attend.train.checkpoint import load, save
from attend.train.fit import History, fit
from attend.train.schedule import one_cycle

DATA = ("recipes/weights/seq2seq*",)
SEEDS = (0, 1, 2)
STEPS = {"forced": 1_000, "reversed": 1_000, "free": 400}
"""Steps of each kind of lessons that take the same processor time, some 20 s: to run free, a model must also write."""
LENGTHS = ((1, 3), (4, 6), (7, 9), (10, 12), (13, 15), (16, 19))
"""Groups of numbers by how many English words they have, first and last."""
AFTER = 8
"""How many pieces after its first mistake a writer is followed."""


@recipe
class LessonsRecipe(ReaderRecipe):
    """A translator without attention: "forced" is given the true words, "free" its own, "reversed" the source turned.

    The free one starts from nothing too; what it wrote is fed back to it, and the true words are still its targets.
    """

    lessons: Literal["forced", "reversed", "free"] = "forced"

    def __post_init__(self):
        expect(self.score is None, "score", self.score, "None: there is no attention here")

    def train(self, callbacks: tuple[Callable, ...] = ()) -> tuple[Seq2Seq, History]:
        """Train from the start."""
        if self.lessons != "free":
            return super().train(callbacks)
        model = self.build()
        optimiser = torch.optim.Adam(model.parameters(), lr=self.learning_rate)
        history = fit(
            model,
            free_cost,
            pairs.batches(encoded(self.of("train")), self.batch, torch.Generator().manual_seed(1_000 + self.seed)),
            steps=self.steps,
            optimiser=optimiser,
            schedule=one_cycle(optimiser, self.steps),
            clip=1.0,
            callbacks=callbacks,
            label="translating numbers, running free",
        )
        return model.requires_grad_(False), history


def lessons(kind: str, seed: int = 0) -> LessonsRecipe:
    """The recipe of one kind of lessons in the contest of equal time."""
    return LessonsRecipe(lessons=kind, seed=seed, steps=STEPS[kind], reverse=kind == "reversed")


def free_cost(model: Seq2Seq, batch: Pairs) -> Tensor:
    """The surprise at each true word, when the model's own word before it was read."""
    own = write(model, batch).tokens
    logits = model(batch.source, batch.mask, own).logits
    return pairs.cost(logits, batch.target, batch.asked)


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
            pairs.batches(encoded(self.of("train")), 64, torch.Generator().manual_seed(1_000 + self.seed)),
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


def judge(model: Seq2Seq, asked: Pairs) -> dict[str, Any]:
    """What a translator does with `asked`: the share that is `exact`, in all and `by_length` (groups of `LENGTHS`).

    For "forced" and "free", whether it reads true words or its own: the mean `surprise` at a true piece, the share of
    pieces that are `right`, and that share `after` the first mistake, 1 to AFTER pieces later.
    """
    own = write(model, asked).tokens
    exact = pairs.exact(own, asked.target, asked.asked).double()
    words = asked.mask.sum(1)
    found: dict[str, Any] = {
        "exact": exact.mean().item(),
        "by_length": [exact[(words >= low) & (words <= high)].mean().item() for low, high in LENGTHS],
    }
    for reads, fed in (("forced", asked.target), ("free", own)):
        logits = model(asked.source, asked.mask, fed).logits
        right = logits.argmax(2) == asked.target
        found[reads] = {
            "surprise": pairs.cost(logits, asked.target, asked.asked).item(),
            "right": right[asked.asked].double().mean().item(),
            "after": after(right, asked.asked),
        }
    return found


def by_digits(recipe: LessonsRecipe, model: Seq2Seq) -> dict[str, float]:
    """The share of test numbers without a mistake, by how many digits they have, where there are 20 or more."""
    tests = recipe.of("test")
    asked = encoded(tests, recipe.reverse)
    right = pairs.exact(write(model, asked).tokens, asked.target, asked.asked).double()
    digits = torch.tensor([len(str(n)) for n in tests])
    kept = [d for d in digits.unique().tolist() if int((digits == d).sum()) >= 20]
    return {str(d): right[digits == d].mean().item() for d in kept}


def after(right: Tensor, asked: Tensor) -> list[float]:
    """The share of pieces that are right, 1 to AFTER places behind the first wrong one of their row; all (B, T)."""
    mistakes = (~right & asked).int()
    since = mistakes.cumsum(1).clamp(max=1).cumsum(1) - 1
    return [right[asked & (since == k)].double().mean().item() for k in range(1, AFTER + 1)]


def measured() -> dict[str, Any]:
    """What `export` measured on the test part.

    By kind of lessons a list with an entry a seed: `seconds` of processor time and what `judge` says; for "forced" also
    the share without a mistake by number of `digits`.
    """
    return read_record(WEIGHTS / "seq2seq.json")


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _rounded(part) for name, part in value.items()}
    return [_rounded(part) for part in value] if isinstance(value, list) else float(f"{value:.4g}")


def export() -> None:
    """Train with every kind of lessons and three seeds, in equal time, and the plane; five minutes on one core."""
    torch.set_num_threads(1)
    place = WEIGHTS / "seq2seq.json"
    found: dict[str, Any] = {"torch": torch.__version__} | {kind: [] for kind in STEPS}
    for seed in SEEDS:
        for kind in STEPS:
            recipe = lessons(kind, seed)
            encoded(recipe.of("train"), recipe.reverse)
            began = time.process_time()
            model, _ = recipe.train()
            run = {"seconds": time.process_time() - began} | judge(model, encoded(recipe.of("test"), recipe.reverse))
            if kind == "forced":
                run["digits"] = by_digits(recipe, model)
            found[kind].append(_rounded(run))
            print(f"{kind}, seed {seed}: {found[kind][-1]}", flush=True)
            write_record(place, found)
    save(WEIGHTS / "seq2seq_plane.safetensors", PlaneRecipe().train()[0], dtype=torch.float16)
