import pytest
import torch
import torch.nn.functional as F

from attend.memory import convnet
from attend.memory.convnet import (
    ConvNet,
    Field,
    Layer,
    LocallyConnected,
    convolve,
    exciting,
    layers_of,
    measured_field,
    output_size,
    receptive_field,
    smallest,
    spans,
    windows,
)


def drawn(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).requires_grad_()


def values_and_gradients(function, *inputs):
    y = function(*inputs)
    weights = torch.arange(y.numel(), dtype=y.dtype).view_as(y).sin()
    return y, *torch.autograd.grad((y * weights).sum(), inputs)


@pytest.mark.parametrize(("stride", "padding"), [(1, 0), (1, 1), (2, 0), (3, 3)])
@pytest.mark.parametrize("size", [(3, 3), (2, 2), (4, 3), (1, 5)])
def test_convolution_is_that_of_torch_in_values_and_gradients(size, stride, padding):
    x, kernels, bias = drawn(2, 3, 9, 8), drawn(4, 3, *size, seed=1), drawn(4, seed=2)
    ours = values_and_gradients(lambda *a: convolve(*a, stride=stride, padding=padding), x, kernels, bias)
    torchs = values_and_gradients(lambda *a: F.conv2d(*a, stride=stride, padding=padding), x, kernels, bias)
    for mine, other in zip(ours, torchs, strict=True):
        torch.testing.assert_close(mine, other, rtol=1e-10, atol=1e-10)


def test_convolution_by_hand():
    x = torch.tensor([[[[1.0, 2, 0], [0, 1, 3], [4, 0, 1]]]])
    edge = torch.tensor([[[[1.0, -1.0]]]])
    assert convolve(x, edge)[0, 0].tolist() == [[-1, 2], [-1, -2], [4, -1]]
    assert convolve(x, torch.ones(1, 1, 2, 2), torch.tensor([10.0]))[0, 0].tolist() == [[14, 16], [15, 15]]


def test_gradcheck():
    assert torch.autograd.gradcheck(
        lambda *a: convolve(*a, stride=2, padding=1), (drawn(1, 2, 5, 5), drawn(2, 2, 2, 3))
    )


def test_windows_share_the_memory_of_the_image():
    x = torch.arange(12.0).view(1, 1, 3, 4)
    seen = windows(x, (2, 3))
    assert seen.shape == (1, 1, 2, 2, 2, 3)
    assert seen[0, 0, 1, 1].tolist() == [[5, 6, 7], [9, 10, 11]]
    assert seen.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()


def test_a_moved_image_gives_moved_maps():
    x, kernels = drawn(1, 1, 16, 16), drawn(3, 1, 4, 4, seed=1)
    framed = F.pad(x, (6, 6, 6, 6))
    moved = framed.roll((2, -3), dims=(2, 3))
    torch.testing.assert_close(convolve(moved, kernels), convolve(framed, kernels).roll((2, -3), dims=(2, 3)))


@pytest.mark.parametrize("padding", [0, 2])
@pytest.mark.parametrize("stride", [1, 2, 5])
@pytest.mark.parametrize("size", [1, 2, 5])
def test_output_size_is_what_convolution_gives(size, stride, padding):
    for pixels in range(5, 14):
        y = convolve(torch.zeros(1, 1, pixels, pixels), torch.ones(1, 1, size, size), stride=stride, padding=padding)
        assert y.shape[2:] == (output_size(pixels, size, stride, padding),) * 2


STACKS = {
    "one kernel": [Layer(5)],
    "even kernels": [Layer(2), Layer(4), Layer(2)],
    "even kernels and strides": [Layer(4, 2), Layer(2, 2), Layer(3)],
    "padding": [Layer(3, 1, 1), Layer(4, 2, 1), Layer(3, 1, 1)],
    "a stride longer than the kernel": [Layer(3), Layer(1, 2), Layer(3)],
}


@pytest.mark.parametrize("layers", STACKS.values(), ids=STACKS)
@pytest.mark.parametrize("unit", [(2, 3), (1, 1)])
def test_the_measured_field_is_the_one_of_the_formula(layers, unit):
    def maps(x):
        for layer in layers:
            x = convolve(x, torch.ones(1, 1, layer.size, layer.size), stride=layer.stride, padding=layer.padding)
        return x

    strength = measured_field(maps, torch.randn(1, 1, 40, 40), unit)
    field = receptive_field(layers)
    for seen, i in zip(spans(strength), unit, strict=True):
        inside = [pixel for pixel in field.pixels(i) if 0 <= pixel < 40]
        assert seen == range(inside[0], inside[-1] + 1)


def test_fields_by_hand():
    assert receptive_field([]) == Field(1, 1, 0)
    assert receptive_field([Layer(3, 1, 1)]) == Field(3, 1, -1)
    assert receptive_field([Layer(5), Layer(2, 2), Layer(5), Layer(2, 2)]) == Field(16, 4, 0)
    assert Field(3, 2, -1).pixels(4) == range(7, 10)


def test_every_map_of_the_net_sees_what_the_formula_says():
    torch.manual_seed(0)
    net, images = ConvNet(), torch.rand(64, 1, 28, 28)
    for depth, name in enumerate(layers_of(net), start=1):
        strength = measured_field(lambda x, name=name: net.maps(x[:, 0])[name], images, (0, 0))
        pixels = receptive_field(list(layers_of(net).values())[:depth]).pixels(0)
        assert spans(strength) == (pixels, pixels)


def test_exciting_patches_are_those_that_give_the_largest_values():
    torch.manual_seed(3)
    net, images = ConvNet((2, 3)), torch.rand(20, 28, 28)
    values = net.maps(images)["conv2"]
    patches, chosen = exciting(values, images, receptive_field(list(layers_of(net).values())[:3]), 4)
    assert patches.shape == (3, 4, 14, 14)
    for f in range(3):
        best = values[:, f].amax(dim=(1, 2)).topk(4)
        assert torch.equal(chosen[f], best.indices)
        framed = F.pad(patches[f], (0, 14, 0, 14))
        torch.testing.assert_close(net.maps(framed)["conv2"][:, f, 0, 0], best.values)


@pytest.mark.parametrize("pool", ["max", "average", "stride"])
def test_the_net_is_the_same_stack_in_torch(pool):
    torch.manual_seed(1)
    net, images = ConvNet((3, 5), pool=pool), torch.rand(4, 28, 28)
    theirs = {"max": F.max_pool2d, "average": F.avg_pool2d, "stride": lambda x, size: x[:, :, ::size, ::size]}[pool]
    x = theirs(F.conv2d(images[:, None], net.conv1.weight, net.conv1.bias).relu(), 2)
    x = theirs(F.conv2d(x, net.conv2.weight, net.conv2.bias).relu(), 2)
    torch.testing.assert_close(net(images), F.conv2d(x, net.conv3.weight, net.conv3.bias).flatten(1))
    torch.testing.assert_close(net.maps(images)["pool2"], x)


@pytest.mark.parametrize("pool", ["max", "average", "stride"])
@pytest.mark.parametrize("size", [16, 21, 40])
def test_the_last_layer_covers_the_last_map_whatever_the_image(pool, size):
    net = ConvNet((2, 3), pool=pool, image_size=size)
    assert net.maps(torch.rand(1, size, size))["logits"].shape == (1, 10, 1, 1)
    assert smallest(net) <= size


def test_locally_connected_with_the_same_weights_everywhere_is_a_convolution():
    conv, x = torch.nn.Conv2d(3, 4, 3), drawn(2, 3, 8, 8).float()
    local = LocallyConnected(3, 4, 3, 8)
    with torch.no_grad():
        local.weight.copy_(conv.weight.flatten(1).T.expand(36, -1, -1))
        local.bias.copy_(conv.bias[:, None, None].expand(-1, 6, 6))
    torch.testing.assert_close(local(x), conv(x))
    with torch.no_grad():
        local.weight[7] += 1  # position (1, 1) alone
    moved = (local(x) - conv(x)).abs().amax(dim=(0, 1))
    assert (moved > 1e-3).nonzero().tolist() == [[1, 1]]


def test_a_larger_image_gives_a_map_of_logits_summed_up_over_its_regions():
    torch.manual_seed(2)
    net, image = ConvNet((3, 5)), torch.rand(1, 28, 28)
    canvas = torch.zeros(1, 44, 40)
    canvas[:, 8:36, 4:32] = image
    regions = net.maps(canvas)["logits"]
    assert regions.shape == (1, 10, 5, 4)
    torch.testing.assert_close(regions[:, :, 2, 1], net(image))
    probs = regions.flatten(1).softmax(dim=1).view_as(regions).sum(dim=(2, 3))
    torch.testing.assert_close(net(canvas).softmax(dim=1), probs)


def test_the_net_has_as_many_weights_as_its_kernels():
    net = ConvNet((8, 16))
    assert sum(p.numel() for p in net.parameters()) == (25 + 1) * 8 + (8 * 25 + 1) * 16 + (16 * 16 + 1) * 10


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: convolve(torch.zeros(1, 1, 4, 4), torch.ones(1, 1, 5, 5)), "x: got"),
        (lambda: convolve(torch.zeros(1, 2, 4, 4), torch.ones(1, 1, 2, 2)), "kernels: got .* C = 2"),
        (lambda: convolve(torch.zeros(1, 1, 4, 4), torch.ones(1, 1, 2, 2), padding=-1), "padding: got -1"),
        (lambda: LocallyConnected(1, 2, 5, 4), "kernel_size: got 5"),
        (lambda: LocallyConnected(1, 2, 3, 4)(torch.zeros(1, 1, 5, 4)), "x: got"),
        (lambda: output_size(4, 7, padding=1), "size: got 7"),
        (lambda: receptive_field([Layer(3), Layer(0)]), "layers: got"),
        (lambda: measured_field(lambda x: x, torch.zeros(1, 1, 4, 4), (4, 0)), "unit: got"),
        (lambda: exciting(torch.ones(2, 1, 3, 3), torch.ones(2, 3, 3), Field(), 3), "count: got 3"),
        (lambda: exciting(torch.ones(2, 1, 3, 3), torch.ones(2, 3, 3), Field(3, 1, -1), 1), "field: got"),
        (lambda: spans(torch.zeros(3, 3)), "strength: got"),
        (lambda: ConvNet(pool="sum"), "pool: got 'sum'"),
        (lambda: ConvNet(image_size=15), "image_size: got 15"),
        (lambda: ConvNet()(torch.zeros(1, 27, 28)), "images: got"),
        (lambda: ConvNet()(torch.full((1, 28, 28), float("nan"))), "images: got"),
    ],
)
def test_bad_input_is_refused(wrong, says):
    with pytest.raises(ValueError, match=says):
        wrong()


def calls():
    x = torch.linspace(-1, 1, 72).view(1, 2, 6, 6)
    net, local = ConvNet((2, 3)), LocallyConnected(2, 3, 3, 6)

    def doubled(images):
        return 2 * images

    return {
        convnet.windows: {"x": x, "size": (2, 3), "stride": 2},
        convnet.convolve: {"x": x, "kernels": torch.ones(3, 2, 2, 2), "bias": torch.ones(3), "stride": 1, "padding": 1},
        LocallyConnected: {"in_channels": 2, "out_channels": 3, "kernel_size": 3, "image_size": 6},
        local.forward: {"x": x},
        convnet.output_size: {"pixels": 9, "size": 3, "stride": 2, "padding": 1},
        convnet.receptive_field: {"layers": [Layer(3), Layer(2, 2)]},
        convnet.measured_field: {"maps": doubled, "images": x, "unit": (1, 2)},
        convnet.exciting: {
            "maps": torch.ones(2, 3, 2, 2),
            "images": torch.ones(2, 6, 6),
            "field": Field(4, 2),
            "count": 2,
        },
        convnet.spans: {"strength": torch.eye(3)},
        Field(3, 2, 0).pixels: {"unit": 1},
        ConvNet: {"features": (2, 3), "kernel_size": 5, "pool": "max", "image_size": 28, "num_classes": 10},
        net.forward: {"images": torch.ones(1, 28, 28)},
        convnet.layers_of: {"net": net},
        convnet.smallest: {"net": net},
    }


def good():
    net = ConvNet((2, 3))
    return {
        convnet.convolve: {"padding": {"zero"}, "bias": {"none"}, "x": {"width"}},
        convnet.output_size: {"padding": {"zero"}},
        Field.pixels: {"unit": {"zero"}},
        net.forward: {"images": {"width"}},
    }
