"""The clockwork RNN with less in the loop equals the listing in values and gradients, from any time on."""

import copy

import pytest
import torch

from attend.fast import fast
from attend.fast.clockwork import FastClockwork
from attend.memory.clockwork import Clockwork


@pytest.mark.parametrize("periods", [(1, 2, 4, 8), (2, 3, 5), (4,)])
@pytest.mark.parametrize("time", [None, 0, 7])
def test_values_and_gradients_are_those_of_the_listing(periods, time):
    torch.manual_seed(0)
    listing = Clockwork(2, 3, periods).double()
    quick = fast(copy.deepcopy(listing))
    assert type(quick) is FastClockwork
    x = torch.randn(4, 21, 2, dtype=torch.float64)
    state = None if time is None else (torch.randn(4, listing.hidden_size, dtype=torch.float64), time)
    found = []
    for net in (listing, quick):
        outputs, (h, end) = net(x, state)
        assert end == 21 + (time or 0)
        found.append([outputs, h, *torch.autograd.grad(outputs.square().sum(), list(net.parameters()))])
    torch.testing.assert_close(*found)
