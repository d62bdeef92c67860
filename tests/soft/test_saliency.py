import pytest
import torch
import torch.nn.functional as F

from attend.memory.convnet import ConvNet, Field, measured_field
from attend.soft import saliency
from attend.soft.saliency import (
    AttentionNet,
    backward,
    control_window,
    conv_backward,
    correlation,
    jacobian,
    largest_window,
    max_pool_backward,
    occlude,
    saliency_map,
    share_inside,
    to_pixels,
)


@pytest.fixture(scope="module")
def images():
    """Strokes on blank paper, so that many units are equally large, and one image of noise."""
    images = torch.zeros(3, 20, 20)
    images[0, 4:12, 6] = images[1, 9, 3:17] = 0.9
    images[2] = torch.rand(20, 20, generator=torch.Generator().manual_seed(0))
    return images


@pytest.fixture(scope="module")
def net():
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return ConvNet((3, 4), image_size=20).requires_grad_(False)


def drawn(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def test_the_jacobian_of_a_linear_map_is_its_matrix():
    W = drawn(4, 6)
    found = jacobian(lambda x: x.flatten(1) @ W.T, drawn(2, 2, 3, seed=1))
    assert torch.equal(found, W.view(1, 4, 2, 3).expand(2, -1, -1, -1))


def test_the_jacobian_says_how_far_an_answer_moves(net, images):
    rows = jacobian(net, images[2:])[0].double()
    step = 1e-6 * drawn(20, 20, seed=2).double()
    double = ConvNet((3, 4), image_size=20).double()
    double.load_state_dict(net.state_dict())
    moved = (double((images[2] + step)[None]) - double((images[2] - step)[None].double()))[0] / 2
    torch.testing.assert_close((rows * step).sum((1, 2)), moved, rtol=1e-3, atol=1e-10)


def test_the_rows_of_probabilities_add_up_to_nothing(net, images):
    rows = jacobian(lambda x: net(x).softmax(dim=1), images)
    assert rows.sum(dim=1).abs().max() < 1e-6 * rows.abs().max() * 10


def test_the_saliency_map_is_the_row_of_the_largest_answer(net, images):
    answers = net(images)
    rows = jacobian(net, images)
    wanted = rows[torch.arange(3), answers.argmax(1)].abs()
    torch.testing.assert_close(saliency_map(net, images), wanted)


@pytest.mark.parametrize("image", [20, 21, 22])
def test_the_way_back_by_hand_is_that_of_autograd(image):
    torch.manual_seed(image)
    net = ConvNet((3, 4), image_size=image).double()
    images = torch.rand(3, image, image).double()
    images[1:] *= images[1:] > 0.8
    pixels = images.clone().requires_grad_()
    wanted = drawn(3, 10, seed=4).double()
    (gradient,) = torch.autograd.grad((net(pixels) * wanted).sum(), pixels)
    torch.testing.assert_close(backward(net, images, wanted), gradient, rtol=1e-10, atol=1e-12)


def test_back_through_a_convolution_is_torchs_transposed_one():
    slopes, kernels = drawn(2, 3, 4, 5), drawn(3, 2, 3, 3, seed=1)
    torch.testing.assert_close(
        conv_backward(slopes, kernels), F.conv_transpose2d(slopes, kernels), rtol=1e-5, atol=1e-5
    )


def test_back_through_pooling_goes_to_the_largest_and_to_the_first_of_equals():
    x = torch.tensor([[[[1.0, 3, 5], [2, 0, 5], [5, 5, 5]]]])
    assert max_pool_backward(torch.tensor([[[[6.0]]]]), x)[0, 0].tolist() == [[0, 6, 0], [0, 0, 0], [0, 0, 0]]
    same = torch.ones(1, 1, 2, 2)
    assert torch.equal(max_pool_backward(torch.tensor([[[[6.0]]]]), same), torch.tensor([[[[6.0, 0], [0, 0]]]]))
    seen = drawn(2, 3, 6, 8).requires_grad_()
    slopes = drawn(2, 3, 3, 4, seed=1)
    (gradient,) = torch.autograd.grad((F.max_pool2d(seen, 2) * slopes).sum(), seen)
    assert torch.equal(max_pool_backward(slopes, seen.detach()), gradient)


@pytest.fixture(scope="module")
def attending():
    return AttentionNet((3, 5), generator=torch.Generator().manual_seed(1))


def test_weights_of_places_add_up_to_one_and_read_the_maps(attending, images):
    scores, weights = attending(images)
    assert scores.shape == (3, 10)
    assert weights.shape == (3, 4, 4)
    torch.testing.assert_close(weights.sum((1, 2)), torch.ones(3))
    maps = F.max_pool2d(F.relu(F.conv2d(images[:, None], attending.conv1.weight, attending.conv1.bias)), 2)
    maps = F.relu(F.conv2d(maps, attending.conv2.weight, attending.conv2.bias))
    by_hand = torch.einsum("k,bkrc->brc", attending.query, maps).flatten(1).softmax(1).view(3, 4, 4)
    torch.testing.assert_close(weights, by_hand)
    context = torch.einsum("brc,bkrc->bk", by_hand, maps)
    torch.testing.assert_close(scores, context @ attending.readout.weight.T + attending.readout.bias)


def test_values_and_gradients_are_those_of_torchs_attention(attending, images):
    maps = drawn(2, 5, 3, 3).requires_grad_()
    scores, _ = attending.attend(maps)
    places, query = maps.flatten(2).mT, attending.query.expand(2, 1, 5)
    context = F.scaled_dot_product_attention(query, places, places, scale=1.0)
    torchs = F.linear(context[:, 0], attending.readout.weight, attending.readout.bias)
    torch.testing.assert_close(scores, torchs)
    parameters = [maps, attending.query]
    for ours, theirs in zip(
        *(torch.autograd.grad(y.square().sum(), parameters) for y in (scores, torchs)), strict=True
    ):
        torch.testing.assert_close(ours, theirs)


def test_a_query_of_zeros_reads_the_plain_mean(images):
    model = AttentionNet((3, 5))
    torch.nn.init.zeros_(model.query)
    assert torch.allclose(model(images)[1], torch.full((3, 4, 4), 1 / 16))


def test_a_place_sees_the_pixels_of_its_field(attending):
    def maps(x):
        first = F.max_pool2d(F.relu(F.conv2d(x, attending.conv1.weight, attending.conv1.bias)), 2)
        return F.conv2d(first, attending.conv2.weight)

    seen = measured_field(maps, torch.rand(50, 1, 20, 20, generator=torch.Generator().manual_seed(0)), (1, 2)) > 0
    spot = torch.zeros(1, 4, 4)
    spot[0, 1, 2] = 1
    assert torch.equal(to_pixels(spot, attending.field, 20)[0] > 0, seen)


def test_weights_keep_their_sum_on_pixels(attending, images):
    _, weights = attending(images)
    pixels = to_pixels(weights, attending.field, 20)
    torch.testing.assert_close(pixels.sum((1, 2)), torch.ones(3))
    one = to_pixels(torch.ones(1, 1, 1), Field(3, 2, 0), 4)[0]
    assert one.tolist() == [[pytest.approx(1 / 9)] * 3 + [0]] * 3 + [[0] * 4]


def test_the_share_inside_a_box():
    maps = torch.tensor([[[1.0, -3.0], [0, 4]], [[0, 0], [0, 0]]])
    box = torch.tensor([[[1.0, 1.0], [0, 0]]]).expand(2, -1, -1)
    assert share_inside(maps, box).tolist() == [0.5, 0]


def test_agreement_is_the_correlation():
    one, other = drawn(3, 5, 5), drawn(3, 5, 5, seed=1)
    wanted = [torch.corrcoef(torch.stack([a.flatten(), b.flatten()]))[0, 1] for a, b in zip(one, other, strict=True)]
    torch.testing.assert_close(correlation(one, other), torch.stack(wanted))
    assert torch.allclose(correlation(one, 3 * one + 1), torch.ones(3))
    assert correlation(one, torch.ones_like(one)).tolist() == [0, 0, 0]


def test_the_heaviest_window_and_its_control():
    image = torch.zeros(1, 9, 9)
    image[0, 1:3, 5:7] = 1
    image[0, 6:8, 0:2] = 0.9
    image[0, 6:9, 4:9] = 0.1
    corners = largest_window(image, 2)
    assert corners.tolist() == [[1, 5]]
    assert control_window(image, corners, 2).tolist() == [[6, 0]]
    assert occlude(image, corners, 2).sum() == pytest.approx(image.sum().item() - 4)
    assert occlude(image, corners, 2)[0, 1:3, 5:7].sum() == 0


def test_the_control_never_overlaps():
    images = torch.rand(20, 12, 12, generator=torch.Generator().manual_seed(0))
    corners = largest_window(images, 4)
    apart = (control_window(images, corners, 4) - corners).abs().amax(dim=1)
    assert (apart >= 4).all()


def test_a_control_needs_room():
    with pytest.raises(ValueError, match="size: got"):
        control_window(torch.rand(1, 9, 9), torch.tensor([[2, 2]]), 5)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda net: backward(ConvNet(pool="average"), torch.rand(1, 28, 28), torch.ones(1, 10)), "net: got AvgPool2d"),
        (lambda net: backward(net, torch.rand(1, 24, 24), torch.ones(1, 10)), "images: got"),
        (lambda net: max_pool_backward(torch.ones(1, 1, 2, 2), torch.ones(1, 1, 6, 6)), "grads: got"),
        (lambda net: to_pixels(torch.ones(1, 3, 3), Field(3, 2, 0), 6), "weights: got"),
        (lambda net: AttentionNet((0, 1)), "features: got"),
        (lambda net: AttentionNet()(torch.rand(1, 13, 13)), "images: got"),
        (lambda net: largest_window(torch.rand(1, 3, 3), 4), "x: got"),
        (lambda net: occlude(torch.rand(1, 5, 5), torch.tensor([[4, 0]]), 2), "corners: got"),
    ],
)
def test_bad_input_is_refused(net, wrong, says):
    with pytest.raises(ValueError, match=says):
        wrong(net)


def calls():
    images = torch.linspace(0, 1, 2 * 16 * 16).view(2, 16, 16).sin().abs()
    net = ConvNet((2, 3), image_size=16)
    attending = saliency.AttentionNet((2, 3))
    maps = torch.linspace(0.1, 1, 50).view(2, 5, 5)
    corners = torch.tensor([[0, 1], [2, 0]])

    def answers(images):
        return net(images)

    return {
        saliency.jacobian: {"answers": answers, "images": images},
        saliency.saliency_map: {"answers": answers, "images": images},
        saliency.conv_backward: {"grads": maps[:, None], "kernels": torch.ones(1, 2, 3, 3)},
        saliency.max_pool_backward: {"grads": torch.ones(2, 1, 2, 2), "x": maps[:, None]},
        saliency.backward: {"net": net, "images": images, "wanted": torch.ones(2, 10)},
        saliency.AttentionNet: {
            "features": (2, 3),
            "kernel_size": 5,
            "num_classes": 10,
            "generator": torch.Generator(),
        },
        attending.forward: {"images": images},
        attending.feature_maps: {"images": images},
        attending.attend: {"maps": torch.ones(2, 3, 4, 4)},
        saliency.to_pixels: {"weights": torch.ones(1, 2, 2), "field": Field(3, 2, 0), "width": 5},
        saliency.share_inside: {"maps": maps, "boxes": torch.ones(2, 5, 5)},
        saliency.correlation: {"one": maps, "other": maps.flip(1)},
        saliency.largest_window: {"maps": maps, "size": 2},
        saliency.control_window: {"images": maps, "corners": corners, "size": 2},
        saliency.occlude: {"images": maps, "corners": corners, "size": 2},
    }


def good():
    attending = saliency.AttentionNet((2, 3))
    return {
        attending.feature_maps: {"images": {"width"}},
        attending.forward: {"images": {"width"}},
        attending.attend: {"maps": {"width"}},
    }
