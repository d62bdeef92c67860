"""Exercises of the page on the differentiable neural computer."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import normalize

from attend.checks.answers import close, drawn, parts, recognise, tensor
from attend.checks.exercise import Wrong, exercise
from attend.soft.dnc import update_links

USAGE = torch.tensor([0.9, 0.1, 0.5, 1.0])


@exercise
def free_list(answer: tuple) -> str:
    """Four numbers: the allocation weights for a usage of (0.9, 0.1, 0.5, 1)."""
    got = tensor(answer, 4)
    right = torch.tensor([0.005, 0.9, 0.05, 0.0])
    if not torch.allclose(got, right, atol=0.0006):
        recognise(
            (1_000 * got).round(),
            {
                "(1 − u) alone would write to several slots at once: multiply by the usage of all that are freer": (
                    1_000 * (1 - USAGE)
                ).round(),
                "go through the slots from the least used to the most used, not from slot 1 to slot 4": torch.tensor(
                    [100.0, 810.0, 45.0, 0.0]
                ),
                "those are the weights in the order of the list: put each back to its own slot": torch.tensor(
                    [900.0, 50.0, 5.0, 0.0]
                ),
                "each slot takes 1 − u of what the freer ones left; what they leave is the product of their u": (
                    torch.tensor([10.0, 900.0, 50.0, 0.0])
                ),
            },
        )
        raise Wrong(
            "sort the usage; the freest slot gets 1 − u, and each later one 1 − u times all the usages before it"
        )
    return "Slot 2 takes nine tenths. Slot 1 would have to be freed first."


@exercise
def links(update: Callable) -> str:
    """update(L, p, w) -> (L, p): links (B, N, N), precedence (B, N) and the weights of the write (B, N)."""
    for seed, (B, N) in enumerate(((2, 3), (3, 5), (1, 4))):
        w = torch.rand(B, N, generator=torch.Generator().manual_seed(seed)).softmax(1) * 0.9
        L, p = torch.zeros(B, N, N), torch.zeros(B, N)
        for step in range(3):
            new = w.roll(step, 1)
            wanted = update_links(L, p, new)
            got = parts(update(L.clone(), p.clone(), new), 2, "update must return the links and the precedence, which")
            mine = tensor(got[0], B, N, N, what="the links"), tensor(got[1], B, N, what="the precedence")
            if not (close(mine[0], wanted[0]) and close(mine[1], wanted[1])):
                _name(mine, wanted, (L, p, new))
            L, p = wanted
    return "No slot comes after itself, and the last write is the one before this one."


def _name(got: tuple[Tensor, Tensor], wanted: tuple[Tensor, Tensor], given: tuple[Tensor, Tensor, Tensor]) -> None:
    """What is wrong with these links."""
    L, p, w = given
    to, since, off = w[:, :, None], w[:, None, :], 1 - torch.eye(w.shape[1])
    kept = (1 - to - since) * L
    if not close(got[0], wanted[0]):
        recognise(
            got[0],
            {
                "a slot comes after itself: the diagonal must be 0": kept + to * p[:, None],
                "use the precedence from *before* this write: this write is not its own predecessor": (
                    (kept + to * wanted[1][:, None]) * off
                ),
                "two faults are left: the diagonal, and whose precedence is meant": kept + to * wanted[1][:, None],
                "rows are what came after, columns what came before: yours are exchanged": wanted[0].mT,
                "old links of the slots written now must be forgotten, as row and as column": (L + to * p[:, None])
                * off,
            },
        )
        raise Wrong(
            "the shapes are right and the links are not: try two sharp writes, and look at the one link there is"
        )
    raise Wrong("the links are right; the precedence is what is left of the old one, plus this write")


@exercise
def overwrite(write: Callable) -> str:
    """write(S, k, v) -> S: fast weights (B, V, K), a key (B, K) of length 1 and the value (B, V) that it shall find."""
    for seed, (B, K, V) in enumerate(((2, 3, 5), (3, 6, 4), (1, 4, 2))):
        S, k, v = drawn(B, V, K, seed=seed), normalize(drawn(B, K, seed=10 + seed), dim=1), drawn(B, V, seed=20 + seed)
        got = tensor(write(S.clone(), k.clone(), v.clone()), B, V, K)
        old = (S @ k[:, :, None])[..., 0]
        outer = lambda value, key=k: value[:, :, None] * key[:, None]  # noqa: E731
        if close(got, S + outer(v - old)):
            continue
        recognise(
            got,
            {
                "that adds: the key now finds the old value and the new one together": S + outer(v),
                "that takes the old value away, and writes no new one": S - outer(old),
                "that forgets all other keys: change S along this key alone": outer(v),
            },
        )
        if close((got @ k[:, :, None])[..., 0], v):
            raise Wrong("this key finds its value; but keys at right angles to it must find what they found before")
        raise Wrong(
            "read with the key first; then add the outer product of (what it shall find − what it finds) and key"
        )
    return "The delta rule: what the key found is taken back before the new value is written."
