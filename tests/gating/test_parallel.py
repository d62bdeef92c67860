"""Layers without waiting: the same as step by step, in values and gradients."""

import pytest
import torch

from attend.gating.parallel import LinearRecurrence, MinGRU, scan

B, D, H = 3, 2, 5


def by_steps(decay, inputs, h):
    outputs = []
    for a, b in zip(decay.unbind(1), inputs.unbind(1), strict=True):
        h = a * h + b
        outputs.append(h)
    return torch.stack(outputs, dim=1)


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
@pytest.mark.parametrize("T", [2, 7, 8, 9])
def test_the_scan_is_the_recurrence(T, dtype):
    generator = torch.Generator().manual_seed(T)
    decay, inputs, weight = (torch.randn(B, T, H, generator=generator, dtype=dtype) for _ in range(3))
    decay, inputs = decay.requires_grad_(), inputs.requires_grad_()
    found, expected = scan(decay, inputs), by_steps(decay, inputs, 0)
    torch.testing.assert_close(found, expected)
    ours, theirs = (torch.autograd.grad((h * weight).sum().abs(), (decay, inputs)) for h in (found, expected))
    torch.testing.assert_close(ours, theirs)


def test_min_gru_is_a_gru_that_reads_its_input_alone():
    torch.manual_seed(0)
    layer = MinGRU(D, H).double()
    x, start = torch.randn(B, 6, D, dtype=torch.float64), torch.randn(B, H, dtype=torch.float64)
    z, candidate = layer.from_input(x).chunk(2, dim=2)
    z = torch.sigmoid(z)
    outputs, last = layer(x, start)
    torch.testing.assert_close(outputs, by_steps(z, (1 - z) * candidate, start))
    assert torch.equal(last, outputs[:, -1])


@pytest.mark.parametrize("layer", [MinGRU(D, H).double(), LinearRecurrence(D, H).double()])
def test_a_sequence_can_be_read_in_two_parts(layer):
    x = torch.randn(B, 9, D, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    whole, last = layer(x)
    first, state = layer(x[:, :4])
    second, end = layer(x[:, 4:], state)
    torch.testing.assert_close(torch.cat([first, second], dim=1), whole)
    torch.testing.assert_close(end, last)


def test_the_linear_recurrence_starts_with_the_time_scales_and_is_linear_in_what_it_holds():
    layer = LinearRecurrence(D, H, longest=50.0).double()
    sizes = torch.exp(-layer.log_rate.exp())
    assert (1 / (1 - sizes)).tolist() == pytest.approx((2 * 25 ** torch.linspace(0, 1, H)).tolist(), rel=1e-4)
    assert ((layer.angle >= 0) & (layer.angle < torch.pi / 10)).all()
    x, state = torch.randn(B, 7, D, dtype=torch.float64), torch.randn(B, H, dtype=torch.complex128)
    none, one, two = (layer(x, scale * state)[1] for scale in (0, 1, 2))
    torch.testing.assert_close(two - one, one - none)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: MinGRU(0, H), "input_size: got 0"),
        (lambda: LinearRecurrence(D, H, 1.0), "longest: got 1.0"),
        (lambda: MinGRU(D, H)(torch.ones(B, 4, D + 1)), "x: got"),
        (lambda: LinearRecurrence(D, H)(torch.ones(B, D)), "x: got"),
        (lambda: scan(torch.ones(B, 4, H), torch.ones(B, 5, H)), "inputs: got"),
    ],
)
def test_bad_input_is_refused_by_name(call, named):
    with pytest.raises(ValueError, match=named):
        call()


def calls():
    MINIMAL, LINEAR = MinGRU(3, 4), LinearRecurrence(3, 4)
    return {
        scan: {"decay": torch.ones(2, 5, 3), "inputs": torch.ones(2, 5, 3)},
        MinGRU: {"input_size": 3, "hidden_size": 4},
        MINIMAL.forward: {"x": torch.ones(2, 5, 3), "state": torch.zeros(2, 4)},
        LinearRecurrence: {"input_size": 3, "hidden_size": 4, "longest": 50.0},
        LINEAR.forward: {"x": torch.ones(2, 5, 3)},
    }
