"""Valid calls of attend.hard.reinforce."""

import torch

from attend.hard import reinforce

MEAN, SAMPLES = torch.zeros(2, 3), torch.ones(5, 2, 3)
SCORES, F = torch.ones(5, 3), torch.arange(5.0)
PROBS = torch.tensor([[[0.5, 0.25, 0.25]], [[1.0, 0.0, 0.0]]])

CALLS = {
    reinforce.sample_gaussian: {"mean": MEAN, "sigma": 0.5, "count": 4, "generator": torch.Generator()},
    reinforce.gaussian_log_prob: {"sample": SAMPLES, "mean": MEAN, "sigma": 0.5},
    reinforce.score: {"sample": SAMPLES, "mean": MEAN, "sigma": 0.5},
    reinforce.policy_gradient: {"scores": SCORES, "f": F, "baseline": 0.5},
    reinforce.leave_one_out: {"f": F},
    reinforce.optimal_baseline: {"scores": SCORES, "f": F},
    reinforce.reinforce_loss: {"log_probs": F, "rewards": F, "baseline": 0.5},
    reinforce.normalised: {"advantage": F},
    reinforce.sample_categorical: {"probs": PROBS, "generator": torch.Generator()},
    reinforce.exact_gradient: {"probs": PROBS, "f": torch.ones(2, 1, 3)},
    reinforce.entropy: {"probs": PROBS},
}
# A function that takes any number of axes takes one more.
GOOD = {
    reinforce.sample_gaussian: {"mean": {"rank"}},
    reinforce.gaussian_log_prob: {"sample": {"rank"}, "mean": {"rank"}},
    reinforce.score: {"sample": {"rank"}, "mean": {"rank"}},
    reinforce.leave_one_out: {"f": {"rank"}},
    reinforce.normalised: {"advantage": {"rank"}},
    reinforce.exact_gradient: {"probs": {"rank"}, "f": {"rank"}},
    reinforce.entropy: {"probs": {"rank"}},
}
