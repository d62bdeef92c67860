"""Units of torch that hold the weights of ours, to be compared in values and gradients."""

import torch
from torch import Tensor, nn


def torch_rnn(W: Tensor, U: Tensor, b: Tensor) -> nn.RNN:
    """torch.nn.RNN with copies of these weights, in their precision; its second bias is zero."""
    rnn = nn.RNN(W.shape[1], W.shape[0], batch_first=True, dtype=W.dtype)
    with torch.no_grad():
        rnn.weight_ih_l0.copy_(W)
        rnn.weight_hh_l0.copy_(U)
        rnn.bias_ih_l0.copy_(b)
        rnn.bias_hh_l0.zero_()
    return rnn
