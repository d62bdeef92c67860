"""Each checker knows the solution, the typical wrong answers, and the stub."""

import pytest
import torch
from tests.checks.verdicts import accepts, refuses
from torch import nn

from attend.checks import priors


def test_distances():
    accepts(priors.distances, (20, 41, 1))
    refuses(priors.distances, (40, 41, 1), says="three neighbours")
    refuses(priors.distances, (8, 41, 1), says="how far")
    refuses(priors.distances, (20, 40, 1), says="the first of them")
    refuses(priors.distances, (20, 20, 1), says="every step between")
    refuses(priors.distances, (20, 41, 40), says="every other")


def order(f, x):
    turned = torch.randperm(x.shape[1], generator=torch.Generator().manual_seed(0))
    return torch.allclose(f(x)[:, turned], f(x[:, turned]), atol=1e-5)


def test_order():
    accepts(priors.order, order)
    refuses(priors.order, lambda f, x: True, says="attention with positions is not blind")
    refuses(priors.order, lambda f, x: torch.allclose(f(x), f(x.flip(1)), atol=1e-5), says="same order")


def convolution(weight, T, shift=(-1, 0, 1)):
    tables = torch.stack([torch.diag(torch.ones(T - abs(k)), k) for k in shift])
    return tables, weight.permute(2, 0, 1)


def test_convolution():
    accepts(priors.convolution, convolution)
    refuses(priors.convolution, lambda weight, T: convolution(weight, T, (1, 0, -1)), says="exchanged")
    refuses(priors.convolution, lambda weight, T: convolution(weight, T, (0, 1, -1)), says="which neighbour")
    refuses(priors.convolution, lambda weight, T: (torch.zeros(3, T, T), weight.permute(2, 0, 1)), says="a sum of 1")


class Hybrid(nn.Module):
    def __init__(self, C=16, H=32):
        super().__init__()
        self.conv1 = nn.Conv1d(17, C, 3, padding=1)
        self.conv2 = nn.Conv1d(C, C, 3, padding=1)
        self.embed = nn.Linear(17, H)
        self.block = nn.TransformerEncoderLayer(H, 2, H, dropout=0.0, batch_first=True)
        self.output = nn.Linear(C + H, 2)

    def forward(self, x):
        near = self.conv2(self.conv1(x.mT).relu()).relu().amax(2)
        far = self.block(self.embed(x))[:, -1]
        return self.output(torch.cat([near, far], dim=1))


@pytest.mark.nightly
def test_hybrid():
    accepts(priors.hybrid, Hybrid)
    refuses(priors.hybrid, lambda: Hybrid(60, 60), says="weights, and 11,000 are allowed")
    refuses(priors.hybrid, lambda: nn.Sequential(nn.Flatten(), nn.Linear(289, 2)), says="whose assumption")
    refuses(priors.hybrid, lambda: 3, says="nn.Module")
