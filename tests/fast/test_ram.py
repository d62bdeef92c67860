"""The fast RAM beside the one of the page: values, gradients and second derivatives, and which way it takes."""

import pytest
import torch
from torch.func import functional_call

from attend.fast import fast
from attend.fast.ram import FastRAM, block_means, crop_and_pool, pick
from attend.hard.glimpse import glimpse
from attend.hard.ram import RAM, ram_loss

B, LABELS = 6, torch.tensor([0, 2, 1, 1, 0, 2])


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def both(dtype, crop_size=4, num_scales=3):
    """The same weights twice."""
    torch.manual_seed(1)
    slow, quick = (RAM(7, 5, crop_size, num_scales, num_classes=3).to(dtype) for _ in range(2))
    torch.nn.init.uniform_(slow.location_head.weight, -0.5, 0.5)
    quick.load_state_dict(slow.state_dict())
    return slow, fast(quick)


def images(height, width, dtype=torch.float64):
    return torch.rand(B, height, width, generator=seeded(), dtype=torch.float64).to(dtype)


@pytest.mark.parametrize(("height", "width"), [(20, 20), (24, 10), (60, 60)])
@pytest.mark.parametrize("scales", [1, 3])
def test_both_sensors_see_what_a_glimpse_sees_even_off_the_image(height, width, scales):
    canvases = images(height, width).repeat(8, 1, 1)
    locations = 6 * torch.rand(len(canvases), 2, generator=seeded(1), dtype=torch.float64) - 3
    locations[:4] = torch.tensor([[-1.0, -1.0], [1.0, 1.0], [0.0, 0.0], [1 / 60, -1 / 60]])
    expected = glimpse(canvases, locations, 4, scales).flatten(1)
    assert expected.abs().sum() > 0
    torch.testing.assert_close(pick(block_means(canvases, scales), locations, (height, width), 4), expected)
    torch.testing.assert_close(crop_and_pool(canvases, locations, scales, 4), expected)


@pytest.mark.parametrize("width", [20, 60], ids=["precomputed means", "crops"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("extra", [{}, {"sigma": 0.2}, {"given": torch.tensor([[[0.3, -0.9]]])}])
def test_values_and_gradients_are_those_of_the_listing(width, dtype, extra):
    given = {"given": extra["given"].expand(B, 1, 2).to(dtype)} if "given" in extra else {}
    of = images(width, width, dtype).requires_grad_()
    results = []
    for model in both(dtype):
        torch.manual_seed(2)
        episode = model(of, 4, **{**extra, **given})
        parameters = [of, *model.parameters()]
        cost = ram_loss(episode, LABELS, 2)
        slopes = torch.autograd.grad(cost, parameters, materialize_grads=True, allow_unused=True)
        results.append((*episode, *slopes))
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("width", [20, 60], ids=["precomputed means", "crops"])
def test_second_derivatives_are_those_of_the_listing(width):
    hessians = []
    for model in both(torch.float64):
        weights = {name: value.detach() for name, value in model.named_parameters()}

        def cost(weight, model=model, weights=weights):
            parts = {**weights, "location_head.weight": weight}
            torch.manual_seed(2)
            episode = functional_call(model, parts, (images(width, width),), {"steps": 3, "sigma": 0.2})
            return episode.log_probs.square().mean() + episode.logits.square().mean()

        hessians.append(torch.autograd.functional.hessian(cost, weights["location_head.weight"]))
    assert hessians[0].abs().max() > 0
    torch.testing.assert_close(*hessians)


def test_under_autocast_both_stay_together():
    slow, quick = both(torch.float32)
    with torch.autocast("cpu", torch.bfloat16):
        given = torch.zeros(B, 2, 2)
        one, other = (model(images(20, 20, torch.float32), 2, given=given).logits for model in (slow, quick))
    torch.testing.assert_close(one, other, rtol=2e-2, atol=2e-2)


def test_it_is_the_same_model_with_the_same_names():
    slow, quick = both(torch.float32)
    assert type(quick) is FastRAM
    assert isinstance(quick, RAM)
    assert quick.state_dict().keys() == slow.state_dict().keys()
    slow.load_state_dict(quick.state_dict())
    assert type(fast(torch.nn.Sequential(slow))[0]) is FastRAM


def test_bad_input_is_refused_as_by_the_listing():
    quick = both(torch.float32)[1]
    for arguments, name in (({"steps": 0}, "steps"), ({"steps": 1, "given": torch.zeros(B, 2, 2)}, "given")):
        with pytest.raises(ValueError, match=f"^{name}: got"):
            quick(images(20, 20, torch.float32), **arguments)
