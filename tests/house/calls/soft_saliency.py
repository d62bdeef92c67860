"""Valid calls of attend.soft.saliency, attend.tasks.crowd, attend.figures.saliency and attend.live.saliency."""

import torch

from attend.figures import saliency as pictures
from attend.live.saliency import Saliency
from attend.memory.convnet import ConvNet, Field
from attend.soft import saliency
from attend.tasks import crowd

images = torch.linspace(0, 1, 2 * 16 * 16).view(2, 16, 16).sin().abs()
net = ConvNet((2, 3), image_size=16)
attending = saliency.AttentionNet((2, 3))
maps = torch.linspace(0.1, 1, 50).view(2, 5, 5)
corners = torch.tensor([[0, 1], [2, 0]])


def answers(images):
    return net(images)[0]


names = [f"{kind}_conv{n}_{part}" for kind in ("plain", "reading") for n in (1, 2) for part in ("weight", "bias")]
names += ["plain_conv3_weight", "plain_conv3_bias", "reading_query", "reading_readout_weight", "reading_readout_bias"]

CALLS = {
    saliency.jacobian: {"answers": answers, "images": images},
    saliency.saliency_map: {"answers": answers, "images": images},
    saliency.conv_backward: {"grads": maps[:, None], "kernels": torch.ones(1, 2, 3, 3)},
    saliency.max_pool_backward: {"grads": torch.ones(2, 1, 2, 2), "x": maps[:, None]},
    saliency.backward: {"net": net, "images": images, "wanted": torch.ones(2, 10)},
    saliency.AttentionNet: {"features": (2, 3), "kernel_size": 5, "num_classes": 10, "generator": torch.Generator()},
    attending.forward: {"images": images},
    attending.feature_maps: {"images": images},
    attending.attend: {"maps": torch.ones(2, 3, 4, 4)},
    saliency.to_pixels: {"weights": torch.ones(1, 2, 2), "field": Field(3, 2, 0), "width": 5},
    saliency.share_inside: {"maps": maps, "boxes": torch.ones(2, 5, 5)},
    saliency.correlation: {"one": maps, "other": maps.flip(1)},
    saliency.largest_window: {"maps": maps, "size": 2},
    saliency.control_window: {"images": maps, "corners": corners, "size": 2},
    saliency.occlude: {"images": maps, "corners": corners, "size": 2},
    crowd.canvases: lambda: {
        "split": "test",
        "count": 2,
        "generator": torch.Generator(),
        "pieces": 1,
        "width": 20,
    },
    crowd.cuttings: lambda: {"split": "test", "count": 2, "generator": torch.Generator()},
    crowd.batches: {"size": 32, "generator": torch.Generator()},
    crowd.boxes: {"corners": corners, "width": 20},
    pictures.looked: {
        "rows": {"weights": maps},
        "kinds": {"weights": "attention"},
        "corners": corners,
        "side": 3,
        "width": 9,
        "jump": 2,
    },
    pictures.saturation: {"doubt": torch.full((3,), 0.1), "slopes": {"score": (torch.ones(3), "summary")}},
    Saliency: {
        "digits": torch.ones(2, 14, 14),
        "clutter": torch.ones(2, 6, 6),
        "weights": dict.fromkeys(names, torch.ones(2)),
        "digit": 1,
        "corner": (11, 11),
        "pieces": [(1, 0, 0)],
        "full": 1.0,
    },
}
GOOD = {
    attending.feature_maps: {"images": {"width"}},
    attending.forward: {"images": {"width"}},
    attending.attend: {"maps": {"width"}},  # any number of places  # any image that holds a place's field
    crowd.canvases: {"pieces": {"zero"}},
    Saliency: {"digit": {"zero"}, "pieces": {"empty"}},
}
