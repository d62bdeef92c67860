"""Find the sign and read it, trained in seven ways between soft and hard, and judged by a look at one window."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal, get_args

import torch
from torch import Tensor
from torch.nn import functional as F

from attend.core.expect import recipe
from attend.core.types import NonNegative, Plural, Positive, PositiveFloat
from attend.hard.look import AttentionClassifier, Weigh, gumbel_softmax, sparsemax, straight_through
from attend.hard.reinforce import leave_one_out, reinforce_loss
from attend.tasks import street
from attend.tasks.street import Street
from attend.train.fit import fit

Way = Literal[
    "soft",
    "sparsemax",
    "Gumbel-softmax",
    "straight-through",
    "straight-through Gumbel",
    "one look",
    "every window",
]
WAYS: tuple[str, ...] = get_args(Way)
"""The last two climb the mean log-probability over single windows: estimated from one look, and exactly."""
GUMBEL = ("Gumbel-softmax", "straight-through Gumbel")
RATES = (2.5e-3, 5e-3, 1e-2, 2e-2)
GUMBEL_RATES = (5e-3, 1e-2)
"""Adam's rates that are tried; with Gumbel noise only two, each at both temperatures."""
TEMPERATURES = (0.5, 1.0)
TUNED_ON = (100, 101)
BATCH, EVERY = 128, 20


@dataclass(frozen=True)
class Right:
    """After so many steps, the shares of right answers on new photos.

    `largest`: one window is read, that with the largest score. `drawn`: one is drawn, and this is the expected share.
    `own`: read as in training (for ways that draw, `drawn`). `windows`: how many weights are above 0, on average.
    """

    step: int
    largest: float
    drawn: float
    own: float
    windows: float


@recipe
class LookRecipe:
    """One model, trained in one of WAYS."""

    way: Way = "soft"
    seed: NonNegative = 0
    windows: Plural = 32
    steps: Positive = 200
    rate: PositiveFloat = 1e-2
    temperature: PositiveFloat = 1.0

    def build(self) -> AttentionClassifier:
        """The model at initialisation: the same for all ways of a seed."""
        torch.manual_seed(self.seed)
        return AttentionClassifier(16, 256, street.CLASSES)

    def batches(self) -> Iterator[Street]:
        """Endless photos, the same for all ways of a seed."""
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        while True:
            yield street.sample(BATCH, self.windows, "train", generator)

    def weigh(self) -> Weigh:
        """What makes weights of scores, for the ways that read all windows."""
        return {
            "soft": softmax,
            "sparsemax": sparsemax,
            "Gumbel-softmax": partial(gumbel_softmax, temperature=self.temperature),
            "straight-through": straight_through_draw,
            "straight-through Gumbel": partial(straight_through_gumbel, temperature=self.temperature),
        }[self.way]

    def loss(self, model: AttentionClassifier, photo: Street) -> Tensor:
        """Cross-entropy, and for one look the policy gradient beside it; the reward is the log-probability."""
        if self.way == "one look":
            look = model.look(photo.thumbnails, photo.windows)
            what = F.cross_entropy(look.logits, photo.label, reduction="none")
            reward = -what.detach()
            return what.mean() + reinforce_loss(look.log_prob, reward, leave_one_out(reward))
        if self.way == "every window":
            probs, log_probs = everywhere(model, photo)
            at = photo.label[:, None, None].expand(-1, self.windows, 1)
            return -(probs * log_probs.gather(2, at)[..., 0]).sum(dim=1).mean()
        return F.cross_entropy(model(photo.thumbnails, photo.windows, self.weigh())[0], photo.label)

    def train(self, callbacks=()) -> AttentionClassifier:
        """Train from the start."""
        model = self.build()
        fit(
            model,
            self.loss,
            self.batches(),
            steps=self.steps,
            optimiser=torch.optim.Adam(model.parameters(), lr=self.rate),
            callbacks=callbacks,
            label=f"street, {self.way}, {self.windows} windows, seed {self.seed}",
        )
        return model

    def curve(self, split: street.Split = "test") -> list[Right]:
        """How many answers are right after every 20 steps of training, on 500 new photos."""
        found = []
        photo = street.sample(500, self.windows, split, torch.Generator().manual_seed(2_000 + self.seed))

        def watch(step):
            if step.step % EVERY == 0:
                found.append(self.judge(step.model, photo, step.step))

        self.train([watch])
        return found

    @torch.no_grad()
    def judge(self, model: AttentionClassifier, photo: Street, step: int = 0) -> Right:
        """The shares of right answers on these photos."""
        probs, log_probs = everywhere(model, photo)
        right = (log_probs.argmax(dim=2) == photo.label[:, None]).float()  # (B, S)
        largest = right.gather(1, probs.argmax(dim=1, keepdim=True)).mean().item()
        drawn, own, count = (probs * right).sum(dim=1).mean().item(), None, float(self.windows)
        if self.way in ("soft", "sparsemax"):
            logits, weights = model(photo.thumbnails, photo.windows, self.weigh())
            own = (logits.argmax(dim=1) == photo.label).float().mean().item()
            count = (weights > 0).float().sum(dim=1).mean().item()
        return Right(step, largest, drawn, drawn if own is None else own, count)


def softmax(scores: Tensor) -> Tensor:
    """Soft attention's weights."""
    return scores.softmax(dim=-1)


def straight_through_draw(scores: Tensor) -> Tensor:
    """A window drawn by the softmax; backward as if the softmax had been read."""
    weights = scores.softmax(dim=-1)
    return straight_through(weights, weights.detach().multinomial(1)[..., 0])


def straight_through_gumbel(scores: Tensor, temperature: float = 1.0) -> Tensor:
    """A window drawn with Gumbel noise; backward as if the softened draw had been read."""
    weights = gumbel_softmax(scores, temperature)
    return straight_through(weights, weights.argmax(dim=-1))


def everywhere(model: AttentionClassifier, photo: Street) -> tuple[Tensor, Tensor]:
    """The probability of each window, (B, S), and the log-probabilities of the answers after it alone, (B, S, C)."""
    probs = model.score(photo.thumbnails)[..., 0].softmax(dim=1)
    return probs, model.head(model.value(photo.windows)).log_softmax(dim=2)


CHOSEN: dict[str, tuple[float, float]] = dict.fromkeys(WAYS, (1e-2, 1.0)) | dict.fromkeys(
    ("soft", "straight-through Gumbel", "one look", "every window"), (5e-3, 1.0)
)
"""Rate and temperature of each way: the best of four on the seeds of TUNED_ON (`tune`)."""


def chosen(way: str, seed: int) -> LookRecipe:
    """The recipe of one way."""
    rate, temperature = CHOSEN[way]
    return LookRecipe(way, seed, rate=rate, temperature=temperature)


def tune(*ways: str) -> None:
    """Print for each way the share of right answers by the largest score, at each setting and after every 20 steps.

    On the seeds of TUNED_ON and validation photos; the best has the highest mean over all these steps.
    """
    for way in ways or WAYS:
        found = {}
        for rate, temperature in settings(way):
            curves = [
                LookRecipe(way, seed, rate=rate, temperature=temperature).curve("validation") for seed in TUNED_ON
            ]
            means = [sum(at.largest for at in column) / len(column) for column in zip(*curves, strict=True)]
            found[rate, temperature] = sum(means) / len(means)
            print(way, rate, temperature, [round(value, 3) for value in means], flush=True)
        best = max(found, key=found.__getitem__)
        print(f"{way}: {best}, {found[best]:.3f}", flush=True)


def settings(way: str) -> list[tuple[float, float]]:
    """Four pairs of a rate and a temperature."""
    if way in GUMBEL:
        return [(rate, temperature) for rate in GUMBEL_RATES for temperature in TEMPERATURES]
    return [(rate, 1.0) for rate in RATES]
