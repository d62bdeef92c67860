"""TODO: with what it agrees, and the property that its page claims."""

import torch
from tests.agreement import agree

from attend.soft.window import Window

B, T, D, H = 2, 3, 4, 5


def model():
    return Window(D, H)


def draw(*shape, dtype=torch.float32):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0), dtype=dtype)


def calls():
    """A valid call of each public function: the house tests break every argument of it."""
    return {Window: {"input_size": D, "hidden_size": H}, model().forward: {"x": draw(B, T, D)}}


def test_same_as_torch_in_values_and_gradients():
    ours, x = model().double(), draw(B, T, D, dtype=torch.float64)
    W, b = ours.from_input.weight, ours.from_input.bias
    agree(ours(x), torch.einsum("btd,hd->bth", x, W) + b, (W, b))
