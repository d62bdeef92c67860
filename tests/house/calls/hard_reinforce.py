"""Valid calls of attend.hard.reinforce."""

import torch

from attend.hard import reinforce

MEAN, SAMPLES = torch.zeros(2, 3), torch.ones(5, 2, 3)
SCORES, F = torch.ones(5, 3), torch.arange(5.0)
WEIGHTS = torch.tensor([[[0.5, 0.25, 0.25]], [[1.0, 0.0, 0.0]]])

CALLS = {
    reinforce.draw: {"mean": MEAN, "sigma": 0.5, "count": 4, "generator": torch.Generator()},
    reinforce.log_density: {"sample": SAMPLES, "mean": MEAN, "sigma": 0.5},
    reinforce.score: {"sample": SAMPLES, "mean": MEAN, "sigma": 0.5},
    reinforce.gradient: {"scores": SCORES, "f": F, "baseline": 0.5},
    reinforce.others: {"f": F},
    reinforce.best_baseline: {"scores": SCORES, "f": F},
    reinforce.surrogate: {"log_chance": F, "reward": F, "baseline": 0.5},
    reinforce.normalised: {"advantage": F},
    reinforce.choose: {"weights": WEIGHTS, "generator": torch.Generator()},
    reinforce.enumerated: {"weights": WEIGHTS, "f": torch.ones(2, 1, 3)},
    reinforce.entropy: {"weights": WEIGHTS},
}
# A function that takes any number of axes takes one more.
GOOD = {
    reinforce.draw: {"mean": {"rank"}},
    reinforce.log_density: {"sample": {"rank"}, "mean": {"rank"}},
    reinforce.score: {"sample": {"rank"}, "mean": {"rank"}},
    reinforce.others: {"f": {"rank"}},
    reinforce.normalised: {"advantage": {"rank"}},
    reinforce.enumerated: {"weights": {"rank"}, "f": {"rank"}},
    reinforce.entropy: {"weights": {"rank"}},
}
