"""Two ways to compute the same: held beside each other in values, and in the gradients of what both were made from."""

import torch


def agree(got, wanted, sources, **tolerance):
    """Fail unless both are alike, and what `sources` get back when both are pulled the same way."""
    torch.testing.assert_close(got, wanted, **tolerance)
    pull = torch.randn(got.shape, generator=torch.Generator().manual_seed(9), dtype=got.dtype)
    ours, theirs = (torch.autograd.grad((said * pull).sum(), sources) for said in (got, wanted))
    for mine, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(mine, other, **tolerance)
