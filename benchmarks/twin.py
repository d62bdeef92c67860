"""torch's units with the weights of ours, to be compared in values, gradients and time."""

import torch
from torch import Tensor, nn


def twin(kind: type[nn.RNNBase], W: Tensor, U: Tensor, b: Tensor) -> nn.RNNBase:
    """A unit of torch (nn.RNN, nn.GRU, nn.LSTM) with copies of W (·, D), U (·, H) and b, in their precision.

    The blocks of W, U and b stand on top of each other in torch's order; torch's second bias is zero.
    """
    unit = kind(W.shape[1], U.shape[1], batch_first=True, dtype=W.dtype)
    with torch.no_grad():
        for name, values in (("weight_ih_l0", W), ("weight_hh_l0", U), ("bias_ih_l0", b)):
            getattr(unit, name).copy_(values)
        unit.bias_hh_l0.zero_()
    return unit
