"""What the figure says an output depends on is what torch's gradients say; mouse, touch, keyboard, and in the dark."""

import pytest
import torch
from torch import nn

from attend.live.priors import KINDS, PriorsFigure

T = 12


class Dense(nn.Module):
    """All positions of all numbers with each other."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(T * 4, T * 4)

    def forward(self, x):
        return self.linear(x.flatten(1)).tanh().view_as(x)


class Attention(nn.Module):
    """torch's attention, causal or not."""

    def __init__(self, causal):
        super().__init__()
        self.attention = nn.MultiheadAttention(4, 1, batch_first=True)
        self.mask = torch.ones(T, T, dtype=torch.bool).triu(1) if causal else None

    def forward(self, x):
        return self.attention(x, x, x, attn_mask=self.mask)[0]


class Convolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(4, 4, 3, padding=1)

    def forward(self, x):
        return self.conv(x.mT).mT.tanh()


class Recurrence(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(4, 4, batch_first=True)

    def forward(self, x):
        return self.gru(x)[0]


MAKE = {
    "dense": Dense,
    "convolution": Convolution,
    "recurrence": Recurrence,
    "attention": lambda: Attention(False),
    "causal": lambda: Attention(True),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("layers", [1, 2, 3])
def test_the_inputs_reached_are_those_with_a_gradient(compute, kind, layers):
    forward = compute(PriorsFigure())
    torch.manual_seed(0)
    model = nn.Sequential(*(MAKE[kind]() for _ in range(layers))).double()
    for position in (0, 5, 11):
        x = torch.randn(1, T, 4, dtype=torch.float64, requires_grad=True)
        (gradient,) = torch.autograd.grad(model(x)[0, position].sum(), x)
        steps = forward({"kind": kind, "layers": layers, "position": position})["steps"]
        assert [step > 0 for step in steps] == (gradient[0].abs().sum(1) > 0).tolist()
        if kind == "recurrence":
            assert steps[: position + 1] == [position - s + layers for s in range(position + 1)]
        else:
            assert {step for step in steps if step} == {layers}


def test_keys_and_the_mouse_choose_kind_layers_and_output(mount):
    shown = mount(PriorsFigure())
    assert sum(step > 0 for step in shown.value()["steps"]) == 5
    shown.root.get_by_role("slider", name="Output").press("ArrowRight")
    assert shown.value()["position"] == 9
    shown.root.get_by_role("radio", name="3", exact=True).press("Space")
    assert shown.value()["layers"] == 3
    shown.root.get_by_role("radio", name="causal attention").press("Space")
    assert sum(step > 0 for step in shown.value()["steps"]) == 10
    box = shown.root.locator("svg").bounding_box()
    shown.page.mouse.click(box["x"] + box["width"] - 8, box["y"] + 20)
    assert shown.value()["position"] == 11


def test_a_phone_in_the_dark(mount):
    shown = mount(PriorsFigure(), width=360, theme="dark", has_touch=True)
    shown.root.locator("label", has_text="recurrence").first.tap()
    assert shown.value()["kind"] == "recurrence"
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize(
    ("changed", "says"),
    [({"kind": "loop"}, "kind: got"), ({"layers": 4}, "layers: got 4"), ({"position": 12}, "position: got 12"),
     ({"T": 3}, "T: got 3")],
)  # fmt: skip
def test_what_cannot_be_shown_is_refused_by_name(changed, says):
    with pytest.raises(ValueError, match=says):
        PriorsFigure(**changed)


def calls():
    return {PriorsFigure: {"kind": "attention", "layers": 2, "position": 3, "T": 12}}


def good():
    return {PriorsFigure: {"kind": set(KINDS), "layers": {1, 3}, "position": {"zero"}}}
