"""Valid calls of attend.hard.captioner and attend.hard.nwgm."""

import torch
from torch import nn

from attend.hard import captioner, nwgm

IMAGES, CAPTIONS = torch.rand(2, 16, 16, generator=torch.Generator().manual_seed(0)), torch.tensor([[1, 0], [2, 3]])
MODEL = captioner.Captioner(4, 3, 4, 5, features=(2, 3), side=2, cell=8, generator=torch.Generator().manual_seed(0))
REGIONS = MODEL.encode(IMAGES).detach().contiguous()
STATE, TOKEN = MODEL.start(2), torch.tensor([1, 2])
OUTPUTS = MODEL(REGIONS, CAPTIONS)
BASELINE, NLL = torch.tensor([-2.0, -1.0]), torch.tensor([[3.0, 1.0], [2.0, 2.0]])
EACH = nwgm.attend_to_each(MODEL, TOKEN, STATE, REGIONS)
P, Q = nwgm.nwgm(EACH), nwgm.expected_probs(EACH)

CALLS = {
    captioner.Captioner: {
        "vocab_size": 4, "embedding_size": 3, "hidden_size": 4, "feature_size": 5, "attention": "hard",
        "features": (2, 3), "side": 2, "cell": 8, "score": "bilinear", "gated": True, "end": 1,
        "generator": torch.Generator(),
    },
    MODEL.encode: {"images": IMAGES},
    MODEL.forward: {"regions": REGIONS, "captions": CAPTIONS, "generator": torch.Generator()},
    MODEL.generate: {"regions": REGIONS, "steps": 2, "generator": torch.Generator()},
    captioner.kaiming_: {"conv": nn.Conv2d(2, 3, 3), "generator": torch.Generator()},
    captioner.doubly_stochastic: {"weights": OUTPUTS.weights},
    captioner.negative_log_likelihood: {"logits": OUTPUTS.logits, "captions": CAPTIONS},
    captioner.rewards_to_go: {"nll": NLL},
    captioner.moving_baseline: {"baseline": BASELINE, "rewards": -NLL, "decay": 0.5},
    captioner.hard_loss: {
        "outputs": OUTPUTS, "captions": CAPTIONS, "baseline": BASELINE, "reinforce_weight": 0.5, "entropy_weight": 0.1,
    },
    nwgm.attend_to_each: {"model": MODEL, "token": TOKEN, "state": STATE, "regions": REGIONS},
    nwgm.expected_probs: {"each": EACH},
    nwgm.nwgm: {"each": EACH},
    nwgm.monte_carlo: {"each": EACH, "samples": 2, "generator": torch.Generator()},
    nwgm.total_variation: {"p": P, "q": Q},
}  # fmt: skip
GOOD = {captioner.Captioner: {"end": {"zero"}}}
