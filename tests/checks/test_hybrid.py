"""Each checker knows the solution, the typical wrong answers, and the stub."""

import pytest
import torch
from tests.checks.verdicts import accepts, refuses
from torch import nn

from attend.checks import hybrid
from attend.soft.hybrid import HybridAttention


def test_convolve():
    accepts(hybrid.convolve, [-0.5, -0.5, 1, 1, 0, 0])
    accepts(hybrid.convolve, torch.tensor([-0.5, -0.5, 1, 1, 0, 0]).numpy())
    refuses(hybrid.convolve, [1, 1, -0.5, -0.5, 0, 0], says="turned the filter round")
    refuses(hybrid.convolve, [-0.5, 0.5, 1, 0, 0, 0], says="middle number")
    refuses(hybrid.convolve, [0.0] * 6, says="place before it")
    refuses(hybrid.convolve, [0.0] * 5, says="shape")


def near(last, mask, back, ahead):
    median = (last.cumsum(1) < 0.5).sum(1, keepdim=True)
    place = torch.arange(last.shape[1])
    return mask & (place >= median - back) & (place <= median + ahead)


def test_window():
    accepts(hybrid.window, near)
    accepts(hybrid.window, lambda *given: near(*given).numpy())
    refuses(hybrid.window, lambda last, mask, back, ahead: near(last, mask, ahead, back), says="exchanged")
    refuses(hybrid.window, lambda last, mask, back, ahead: near(last, mask | True, back, ahead), says="padding")
    accepts(hybrid.window, lambda *given: near(*given).float())
    refuses(hybrid.window, lambda *given: 2.0 * near(*given), says="True and False")
    refuses(hybrid.window, lambda last, mask, back, ahead: mask, says="median")

    def by_peak(last, mask, back, ahead):
        place = torch.arange(last.shape[1])
        peak = last.argmax(1, keepdim=True)
        return mask & (place >= peak - back) & (place <= peak + ahead)

    def by_mean(last, mask, back, ahead):
        place = torch.arange(last.shape[1])
        mean = (last * place).sum(1, keepdim=True).round()
        return mask & (place >= mean - back) & (place <= mean + ahead)

    refuses(hybrid.window, by_peak, says="heaviest")
    refuses(hybrid.window, by_mean, says="mean")


class Mine(nn.Module):
    def __init__(self, state_size, key_size, left_out=""):
        super().__init__()
        self.left_out = left_out
        self.W, self.V = nn.Linear(state_size, 48), nn.Linear(key_size, 48, bias=False)
        self.F = nn.Conv1d(1, 8, 31, padding=15, bias=False)
        self.U, self.w = nn.Linear(8, 48, bias=False), nn.Linear(48, 1, bias=False)

    def forward(self, state, h, mask, last):
        parts = {
            "query": self.W(state)[:, None],
            "content": self.V(h),
            "location": self.U(self.F(last[:, None]).mT),
        }
        scores = self.w(torch.tanh(sum(part for name, part in parts.items() if name != self.left_out)))[..., 0]
        if self.left_out != "mask":
            scores = scores.masked_fill(~mask, -torch.inf)
        return scores if self.left_out == "softmax" else scores.softmax(1)


@pytest.mark.parametrize(
    ("left_out", "says"),
    [("query", "query"), ("content", "content"), ("location", "convolution"), ("mask", "padding")],
)
def test_build_names_the_part_that_is_left_out(left_out, says):
    refuses(hybrid.build, lambda *sizes: Mine(*sizes, left_out), says=says)


@pytest.mark.nightly  # it trains for half a minute
def test_build_accepts_the_solution():
    accepts(hybrid.build, Mine)


@pytest.mark.nightly
def test_build_asks_for_what_a_few_steps_do_not_reach(monkeypatch):
    monkeypatch.setattr(hybrid, "STEPS", 4)
    refuses(hybrid.build, Mine, says="30% are allowed")
    monkeypatch.setattr(hybrid, "ENOUGH", 9.0)
    accepts(hybrid.build, Mine)


def test_build_names_an_attention_that_cannot_be_called():
    refuses(hybrid.build, lambda *sizes: 3, says="your attention")
    refuses(hybrid.build, lambda *sizes: Mine(*sizes, "softmax"), says="")
    assert HybridAttention(4, 6)(
        torch.zeros(1, 4), torch.zeros(1, 3, 6), torch.ones(1, 3) > 0, torch.ones(1, 3) / 3
    ).shape == (1, 3)
