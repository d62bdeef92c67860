"""Find the sign and read it: hard attention over windows, taught by REINFORCE, or by the gradient it estimates."""

from collections.abc import Iterator
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attend.core.expect import recipe
from attend.core.types import Finite, NonNegative, NonNegativeFloat, Plural, Positive, PositiveFloat
from attend.hard.reinforce import HardAttention, leave_one_out, reinforce_loss, rewards_to_go
from attend.tasks import street
from attend.tasks.street import Street
from attend.train.fit import fit

Gradient = Literal["one look", "every window"]
GRID = (3e-3, 1e-2, 3e-2)
"""The learning rates that are tried."""
TUNED_ON = (100, 101)
BATCH = 128
OFFSETS = (-4, 0, 4)
"""The rewards of wrong answers where there is no baseline; right answers get 1 more."""
WEIGHTS = (0.0, 0.01, 0.1)
"""Of the entropy term."""
WINDOWS = (4, 16, 64)


class Reached(Exception):
    """Training may end: it came to what was asked for, after this many steps."""


@recipe
class StreetRecipe:
    """One model on photos of so many windows.

    A right answer after a look is rewarded by `offset` + 1, a wrong one by `offset`. `to_go` credits a look with the
    rewards after it, else with all. "every window" takes the exact gradients that one look estimates: it reads all
    windows, each weighted by its probability (for a single look only).
    """

    gradient: Gradient = "one look"
    windows: Plural = 16
    looks: Positive = 1
    baseline: bool = True
    offset: Finite = 0.0
    to_go: bool = True
    entropy: NonNegativeFloat = 0.0
    rate: PositiveFloat = 1e-2
    steps: Positive = 150
    seed: NonNegative = 0

    def build(self) -> HardAttention:
        """The model at initialisation."""
        torch.manual_seed(self.seed)
        return HardAttention(16, 256, street.CLASSES)

    def batches(self) -> Iterator[Street]:
        """Endless photos, BATCH at a time."""
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        while True:
            yield street.sample(BATCH, self.windows, "train", generator)

    def loss(self, model: HardAttention, photo: Street) -> Tensor:
        """What is read is taught by cross-entropy, where to look by the policy gradient."""
        if self.gradient == "every window":
            return self._exact(model, photo)
        look = model(photo.thumbnails, photo.windows, self.looks)
        reward = right(look.logits, photo.label) + self.offset
        credit = rewards_to_go(reward) if self.to_go else reward.sum(1, keepdim=True).expand_as(reward)
        where = reinforce_loss(look.log_probs, credit, leave_one_out(credit) if self.baseline else 0.0)
        what = F.cross_entropy(look.logits.flatten(0, 1), photo.label.repeat_interleave(self.looks))
        return what + where - self.entropy * look.entropies.mean()

    def _exact(self, model: HardAttention, photo: Street) -> Tensor:
        probs, logits = everywhere(model, photo)
        reward = right(logits, photo.label) + self.offset
        each = F.cross_entropy(logits.flatten(0, 1), photo.label.repeat_interleave(self.windows), reduction="none")
        what = (probs.detach() * each.view_as(probs)).sum(dim=1).mean()
        return what - (probs * reward).sum(dim=1).mean()

    def train(self, callbacks=()) -> HardAttention:
        """Train from the start."""
        model = self.build()
        fit(
            model,
            self.loss,
            self.batches(),
            steps=self.steps,
            optimiser=torch.optim.Adam(model.parameters(), lr=self.rate),
            callbacks=callbacks,
            label=f"street, {self.gradient}, {self.windows} windows, seed {self.seed}",
        )
        return model

    def steps_to_half(self, split: street.Split = "test") -> int:
        """The steps after which half of the answers are right on new photos, to within 10; else all `steps`."""

        def watch(step):
            if step.step % 10 == 0 and self.accuracy(step.model, split) >= 0.5:
                raise Reached(step.step)

        try:
            self.train([watch])
        except Reached as reached:
            return reached.args[0]
        return self.steps

    def judging(self, split: street.Split = "test") -> Street:
        """1,000 new photos, their numbers written by hands that no training has seen."""
        return street.sample(1_000, self.windows, split, torch.Generator().manual_seed(2_000 + self.seed))

    @torch.no_grad()
    def accuracy(self, model: HardAttention, split: street.Split = "test") -> float:
        """The share of right answers to expect on new photos: over all windows, each as likely as it is drawn."""
        photo = self.judging(split)
        if self.looks == 1:
            probs, logits = everywhere(model, photo)
            return (probs * right(logits, photo.label)).sum(dim=1).mean().item()
        torch.manual_seed(3_000 + self.seed)
        return right(model(photo.thumbnails, photo.windows, self.looks).logits, photo.label).mean().item()


def everywhere(model: nn.Module, photo: Street) -> tuple[Tensor, Tensor]:
    """The probability of each window at the first look, (B, S), and the answer that it would give, (B, S, C)."""
    return model.score(photo.thumbnails)[..., 0].softmax(dim=1), model.reader(photo.windows)


def right(logits: Tensor, label: Tensor) -> Tensor:
    """1 where the answer (B, T, C) is the label (B), else 0: (B, T)."""
    return (logits.argmax(dim=2) == label[:, None]).float()


OFFSET = {"baseline": {}} | {
    f"no baseline, rewards from {low}": {"baseline": False, "offset": float(low)} for low in OFFSETS
}
SIDES: dict[str, dict] = (
    {name: fields | {"steps": 600} for name, fields in OFFSET.items()}
    | {f"entropy {weight}": {"steps": 160, "entropy": weight} for weight in WEIGHTS}
    | {"later rewards": {"steps": 160, "looks": 4}, "all rewards": {"steps": 160, "looks": 4, "to_go": False}}
    | {f"one look, {S} windows": {"steps": 240, "windows": S} for S in WINDOWS}
    | {f"every window, {S} windows": {"steps": 240, "windows": S, "gradient": "every window"} for S in WINDOWS}
)
"""All sides of the trials, without their learning rates."""
SLOW = ("later rewards", "all rewards", "one look, 64 windows")
RATE: dict[str, float] = {name: 3e-3 if name in SLOW or name.startswith("every window") else 1e-2 for name in SIDES}
"""Adam's rate for each side: the best of GRID on the seeds of TUNED_ON (`tune`)."""


def side(name: str, seed: int, rate: float | None = None) -> StreetRecipe:
    """The recipe of one side."""
    return StreetRecipe(rate=rate or RATE[name], seed=seed, **SIDES[name])


def tune(*names: str) -> None:
    """Print what each rate of GRID comes to for each side, on the seeds of TUNED_ON and validation photos.

    For OFFSET the steps until half of the answers are right, and of all others the share that is right at the end.
    """
    for name in names or SIDES:
        found = {}
        for rate in GRID:
            recipes = [side(name, seed, rate) for seed in TUNED_ON]
            if name in OFFSET:
                each = [one.steps_to_half("validation") for one in recipes]
            else:
                each = [one.accuracy(one.train(), "validation") for one in recipes]
            found[rate] = sum(each) / len(each)
        best = (min if name in OFFSET else max)(found, key=found.__getitem__)
        print(f"{name}: {best:g}, of {found}", flush=True)
