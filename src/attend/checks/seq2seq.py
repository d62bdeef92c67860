"""Exercises of the page on a sequence for a sequence."""

from collections.abc import Callable

import torch

from attend.checks.answers import recognise, tensor
from attend.checks.exercise import Wrong, exercise


@exercise
def told(read: Callable) -> str:
    """read(target, end) -> tokens: what the writer reads while it is taught, `end` first; both (B, T)."""
    target = torch.tensor([[3, 1, 4, 2, 6], [5, 2, 6, 3, 1]])
    for end in (0, 7):
        start = torch.full((2, 1), end)
        wanted = torch.cat([start, target[:, :-1]], dim=1).float()
        got = tensor(read(target.clone(), end), *wanted.shape, what="what is read")
        mistakes = {
            "before each step the writer reads the piece that comes before: here it reads the answer": target,
            "the pieces must move to the right: here each step reads what comes after it": torch.cat(
                [target[:, 1:], start], dim=1
            ),
            "before the first piece stands `end`, not the last piece of the row": target.roll(1, dims=1),
            "before the first piece stands `end`: here the first piece is read twice": torch.cat(
                [target[:, :1], target[:, :-1]], dim=1
            ),
            "only the first step reads `end`: after it come the true pieces": start.expand_as(target),
            "the token that starts is `end`, whatever its number: here it is 0": torch.cat(
                [torch.zeros_like(start), target[:, :-1]], dim=1
            ),
        }
        recognise(got, {says: m.float() for says, m in mistakes.items() if not torch.equal(m.float(), wanted)})
        if not torch.equal(got, wanted):
            raise Wrong(f"for the target {target[0].tolist()} and end {end} expected {wanted[0].int().tolist()}")
    return "One place to the right: that is the whole difference between answering and copying the answer."


@exercise
def whole(surprise: Callable) -> str:
    """surprise(logits, target, end) -> (B): minus the log of each answer's probability, its first `end` included."""
    for end, seed in ((0, 1), (4, 2)):
        logits = 2 * torch.randn(4, 6, 5, generator=torch.Generator().manual_seed(seed))
        others = [token for token in range(5) if token != end]
        target = torch.tensor([[others[(3 * row + t) % 4] for t in range(6)] for row in range(4)])
        for row, stop in enumerate((0, 2, 5)):
            target[row, stop:] = end
        said = (target == end).cumsum(1) < 2
        each = -logits.log_softmax(-1).gather(-1, target[..., None])[..., 0]
        wanted = (each * said).sum(1)
        got = tensor(surprise(logits.clone(), target.clone(), end), 4, what="the surprises")
        mistakes = {
            "what stands after the first `end` is no part of the answer: here it is counted": each.sum(1),
            "the first `end` is a piece of the answer: here it is not counted": (each * (target != end)).sum(1),
            "the probabilities of the pieces are multiplied, so their surprises are added: here is their mean": wanted
            / said.sum(1),
            "a surprise is minus the logarithm: here the sign is turned": -wanted,
            "this is the probability of the answer; its surprise is minus the logarithm of that": (-wanted).exp(),
            "scores are no logarithms of probabilities yet: they lack the softmax": -(
                logits.gather(-1, target[..., None])[..., 0] * said
            ).sum(1),
        }
        recognise(got, mistakes)
        if not torch.allclose(got, wanted, atol=1e-4):
            row = int((got - wanted).abs().argmax())
            raise Wrong(f"for the answer {target[row].tolist()} expected {wanted[row]:.3f} nats, got {got[row]:.3f}")
    return "A sum of surprises stays a handy number, where the product of many probabilities would come out as 0."


@exercise
def mixed(mix: Callable) -> str:
    """mix(true, own, share, generator) -> tokens (B, T): each place true with chance `share`, else its own."""
    true, own = torch.arange(40_000).view(200, 200), -1 - torch.arange(40_000).view(200, 200)
    for share in (0.0, 0.25, 0.8, 1.0):
        got = tensor(mix(true, own, share, torch.Generator().manual_seed(0)), 200, 200, what="the mixture").long()
        is_true = got == true
        if not bool((is_true | (got == own)).all()):
            raise Wrong("every token must be the true one or its own, at the same place: choose, do not average")
        found, rows, columns = is_true.double().mean(), is_true.double().mean(1), is_true.double().mean(0)
        if 0 < share < 1:
            if bool(((rows == 0) | (rows == 1)).all()):
                raise Wrong("each token needs a coin of its own: here whole rows are true or not")
            if bool(((columns == 0) | (columns == 1)).all()):
                raise Wrong("each token needs a coin of its own: here all rows share their coins")
        if abs(found - share) > 0.02:
            turned = ": it is turned round" if abs(1 - found - share) < 0.02 else ""
            raise Wrong(f"with share {share:g} the true token must come in {share:.0%}, got {found:.0%}{turned}")
    one, other = (
        tensor(mix(true, own, 0.5, torch.Generator().manual_seed(seed)), 200, 200, what="the mixture")
        for seed in (1, 2)
    )
    if torch.equal(one, other):
        raise Wrong("the coins must come from the generator: two generators gave the same ones")
    return "With share 1 it is teacher forcing, with share 0 it is running free, and all between is one number away."
