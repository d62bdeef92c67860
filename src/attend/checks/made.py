"""A module that a learner made, tried in the place of one of the course's: what is wrong with it is said by name."""

import torch
from torch import Tensor, nn

from attend.checks.exercise import Wrong, blame


def trainable(made: object, call: str = "make(d_model, num_heads)") -> nn.Module:
    """What `call` returned, where it is a module with weights to train."""
    if not isinstance(made, nn.Module) or not any(p.requires_grad for p in made.parameters()):
        raise Wrong(f"{call} must return an nn.Module with weights to train")
    return made


class Layer(nn.Module):
    """A learner's layer from (B, T, D) to the same shape, in the place of one of ours; other arguments are ours."""

    def __init__(self, made: object, called: str = "your layer"):
        super().__init__()
        self.made, self.called = trainable(made), called

    def forward(self, x: Tensor, *_: object) -> Tensor:
        """What the learner's layer returns, where it has the shape of x and is finite."""
        with blame(self.called, f"at x of shape {tuple(x.shape)}"):
            output = self.made(x)
        if not isinstance(output, Tensor) or output.shape != x.shape or not bool(torch.isfinite(output).all()):
            raise Wrong(f"{self.called} must return finite numbers of x's shape, {tuple(x.shape)}")
        return output

    @torch.no_grad()
    def refuse_looking_ahead(self, d_model: int, *sizes: tuple[int, int]) -> None:
        """Raise Wrong where, for one of `sizes` (B, T), an output depends on a later token, or not on its own."""
        for B, T in sizes:
            x, half = torch.randn(B, T, d_model), T // 2
            changed = x.clone()
            changed[:, half:] += torch.randn(B, T - half, d_model)
            before, after = self(x), self(changed)
            if not torch.allclose(before[:, :half], after[:, :half], atol=1e-5):
                raise Wrong(f"with T = {T}, an output changes when a later token does: where is the causal mask?")
            if torch.allclose(before[:, half:], after[:, half:]):
                raise Wrong(f"an output does not change when its own token does: does {self.called} read x?")
