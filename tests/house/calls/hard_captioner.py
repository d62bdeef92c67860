"""Valid calls of attend.hard.captioner and attend.hard.nwgm."""

import torch

from attend.hard import captioner, nwgm

IMAGES, CAPTIONS = torch.rand(2, 16, 16, generator=torch.Generator().manual_seed(0)), torch.tensor([[1, 0], [2, 3]])
MODEL = captioner.Captioner(4, 3, 4, 5, features=(2, 3), side=2, cell=8, generator=torch.Generator().manual_seed(0))
REGIONS = MODEL.regions(IMAGES).detach().contiguous()
STATE, TOKEN = MODEL.start(2), torch.tensor([1, 2])
TOLD = MODEL(REGIONS, CAPTIONS)
BASELINE, PAID = torch.tensor([-2.0, -1.0]), torch.tensor([[-3.0, -1.0], [-2.0, -2.0]])
EVERY = nwgm.every(MODEL, TOKEN, STATE, REGIONS)
P, Q = nwgm.nwgm(EVERY), nwgm.expected(EVERY)

CALLS = {
    captioner.Captioner: {
        "V": 4, "D": 3, "H": 4, "K": 5, "look": "hard", "features": (2, 3), "side": 2, "cell": 8, "score": "bilinear",
        "gated": True, "end": 1, "generator": torch.Generator(),
    },
    MODEL.regions: {"images": IMAGES},
    MODEL.maps: {"images": IMAGES},
    MODEL.annotate: {"maps": MODEL.maps(IMAGES).detach().contiguous()},
    MODEL.start: {"batch": 2},
    MODEL.weigh: {"state": STATE, "regions": REGIONS},
    MODEL.attend: {"state": STATE, "regions": REGIONS, "generator": torch.Generator()},
    MODEL.step: {"token": TOKEN, "state": STATE, "regions": REGIONS, "generator": torch.Generator()},
    MODEL.deep_output: {"word": torch.ones(2, 3), "h": torch.ones(2, 4), "context": torch.ones(2, 5)},
    MODEL.forward: {"regions": REGIONS, "captions": CAPTIONS, "generator": torch.Generator()},
    MODEL.write: {"regions": REGIONS, "steps": 2, "generator": torch.Generator()},
    captioner.doubly_stochastic: {"weights": TOLD.weights},
    captioner.surprise: {"logits": TOLD.logits, "captions": CAPTIONS},
    captioner.rewards: {"surprises": -PAID},
    captioner.moved: {"baseline": BASELINE, "paid": PAID, "keep": 0.5},
    captioner.hard_loss: {"told": TOLD, "captions": CAPTIONS, "baseline": BASELINE, "trust": 0.5, "bonus": 0.1},
    nwgm.every: {"model": MODEL, "token": TOKEN, "state": STATE, "regions": REGIONS},
    nwgm.expected: {"of": EVERY},
    nwgm.nwgm: {"of": EVERY},
    nwgm.monte_carlo: {"of": EVERY, "count": 2, "generator": torch.Generator()},
    nwgm.apart: {"p": P, "q": Q},
}  # fmt: skip
GOOD = {captioner.Captioner: {"end": {"zero"}}}
