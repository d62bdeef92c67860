"""The two other ways to read a sequence, which must give what reading it whole gives."""

import torch


def in_two_parts(model, x, length):
    """(outputs, last state) of a sequence whose first `length` steps are read, and then the rest."""
    first, between = model(x[:, :length])
    rest, last = model(x[:, length:], between)
    return torch.cat([first, rest], dim=1), last


def step_by_step(model, x):
    """(outputs, last state) of a sequence that the model is given one step at a time."""
    state, outputs = None, []
    for t in range(x.shape[1]):
        y, state = model(x[:, t : t + 1], state)
        outputs.append(y)
    return torch.cat(outputs, dim=1), state
