"""Valid calls of attend.hard.look, attend.tasks.marked and attend.live.soft_or_hard."""

import torch

from attend.hard import look
from attend.live.soft_or_hard import SoftOrHard
from attend.tasks import marked

VIEW = look.Attended(torch.full((2, 4), 0.25), torch.ones(2, 4, 3))
RIGHT = torch.tensor([0, 2])
MODEL = look.OneStepAttention(5, 3, d_key=4, d_value=3, generator=torch.Generator())
WEIGHTS, LOG_RIGHT = torch.full((2, 4), 0.25), torch.full((2, 4), -0.5)

CALLS = {
    look.OneStepAttention: {"num_marks": 5, "num_letters": 3, "d_key": 4, "d_value": 3, "generator": torch.Generator()},
    MODEL.forward: {"marks": torch.zeros(2, 4).long(), "letters": torch.ones(2, 4).long(), "asked": RIGHT},
    look.soft_log_prob: {"attended": VIEW, "readout": MODEL.readout, "target": RIGHT},
    look.log_probs_of_each: {"values": VIEW.values, "readout": MODEL.readout, "target": RIGHT},
    look.lower_bound: {"weights": WEIGHTS, "log_probs": LOG_RIGHT},
    look.log_marginal: {"weights": WEIGHTS, "log_probs": LOG_RIGHT},
    look.hard_loss: {
        "attended": VIEW,
        "readout": MODEL.readout,
        "target": RIGHT,
        "samples": 2,
        "baseline": True,
        "generator": torch.Generator(),
    },
    look.predict: {"attended": VIEW, "readout": MODEL.readout, "reading": "mean", "generator": torch.Generator()},
    marked.sample: {"batch": 3, "S": 5, "bearers": 3, "generator": torch.Generator()},
    marked.example: {"S": 5, "bearers": 3, "seed": 0},
    SoftOrHard: {"scores": [0.5, 0.0, 1.0, -1.0, 0.2], "generator": torch.Generator()},
}
GOOD = {
    look.lower_bound: {"weights": {"rank"}, "log_probs": {"rank"}},
    look.log_marginal: {"weights": {"rank"}, "log_probs": {"rank"}},
    marked.example: {"seed": {"zero"}},
}
