"""The nets that the page shows: they name digits, and what the live figure gets of them is the same net."""

import pytest
import torch
import torch.nn.functional as F

from attend.recipes.saliency import CHEAT, accuracy, held_out
from attend.recipes.saliency_figure import SHOWN, tensors, trained
from attend.tasks import crowd


@pytest.mark.nightly
def test_they_name_digits_and_the_cheat_needs_its_mark():
    of = held_out(300)
    shown, _ = crowd.marked(of, of.labels == CHEAT, torch.Generator().manual_seed(0))
    found = {name: (accuracy(trained(name), of), accuracy(trained(name), shown)) for name in SHOWN}
    assert min(found["average"] + found["attention"]) > 0.7
    assert found["marked"][1] > found["marked"][0] + 0.05


@pytest.mark.parametrize("name", SHOWN)
def test_batch_norm_is_folded_into_the_convolutions(name):
    net, images = trained(name), held_out(3).images
    found = {key.removeprefix(f"{name}_"): value for key, value in tensors(**{name: net}).items()}
    x = images[:, None]
    for n in range(1, 5):
        x = F.conv2d(x, found[f"conv{n}_weight"], found[f"conv{n}_bias"], padding=1).relu()
        x = F.max_pool2d(x, 2) if n < 3 else x
    torch.testing.assert_close(x, net.features(images[:, None]), rtol=1e-3, atol=1e-4)
    assert len(found) == 10 + (name == "attention")
