"""The two other ways to read a sequence, which must give what reading it whole gives."""

import torch


def in_two_parts(model, x, length):
    """(outputs, last state) of a sequence whose first `length` steps are read, and then the rest."""
    first, between = model.sequence(x[:, :length])
    rest, last = model.sequence(x[:, length:], between)
    return torch.cat([first, rest], dim=1), last


def step_by_step(model, x):
    """(outputs, last state) of a sequence read one step at a time."""
    state, outputs = model.start(len(x)), []
    for t in range(x.shape[1]):
        y, state = model(x[:, t], state)
        outputs.append(y)
    return torch.stack(outputs, dim=1), state
