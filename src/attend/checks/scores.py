"""Exercises of the page on scores."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from attend.checks.answers import number, parts, recognise, tensor
from attend.checks.exercise import Wrong, blame, exercise, written_class

HIDDEN = 32
"""Hidden units of each layer of the network in the last exercise."""


@exercise
def disagree(query: object, one: object, other: object) -> str:
    """Three vectors of two numbers: the dot product prefers `one` of the keys, the cosine the `other`."""
    q, *keys = (
        torch.tensor([number(value, name) for value in parts(answer, 2, name)], dtype=torch.float64)
        for answer, name in ((query, "query"), (one, "one"), (other, "other"))
    )
    for name, vector in (("query", q), ("one", keys[0]), ("other", keys[1])):
        if not vector.any():
            raise Wrong(f"{name} has no length, and so no angle with anything")
    by_dot = [float(q @ k) for k in keys]
    by_angle = [by_dot[i] / float(q.norm() * keys[i].norm()) for i in range(2)]
    told = f"dot products {by_dot[0]:.2f} and {by_dot[1]:.2f}, cosines {by_angle[0]:.2f} and {by_angle[1]:.2f}"
    if by_dot[0] < by_dot[1] and by_angle[0] > by_angle[1]:
        raise Wrong(f"they disagree, the other way round: the dot product must prefer `one`; {told}")
    if not by_dot[0] > by_dot[1] + 1e-9:
        raise Wrong(f"the dot product must prefer `one`: make it longer; {told}")
    if not by_angle[1] > by_angle[0] + 1e-9:
        raise Wrong(f"the cosine must prefer `other`: turn it nearer to the query's direction; {told}")
    return f"The long key wins by its length, the other by its direction: {told}."


@exercise
def nearest(features: Callable, features_of_keys: Callable) -> str:
    """features(query) -> (F,) and features_of_keys(keys) -> (S, F): their dot product is largest at the nearest key."""
    generator = torch.Generator().manual_seed(3)
    winners: list[int] = []
    mistakes: dict[str, list[int]] = {}
    right = []
    for S in (5, 7):
        for _ in range(40):
            query, keys = torch.randn(2, generator=generator), 1.5 * torch.randn(S, 2, generator=generator)
            distances = (keys - query).norm(dim=1)
            first, second = distances.sort().values[:2].tolist()
            if second - first < 0.02:
                continue  # too close to call
            mapped = tensor(
                features_of_keys(keys), S, *_width(features_of_keys(keys), 2), what="the features of the keys"
            )
            asked = tensor(features(query), mapped.shape[1], what="the features of the query")
            winners.append(int((mapped @ asked).argmax()))
            right.append(int(distances.argmin()))
            product, square = keys @ query, keys.square().sum(dim=1)
            for says, scores in {
                "this is still the plain dot product, which a long key wins": product,
                "the squared length of the key must be taken away, not added": product + square / 2,
                "the squared length counts half: multiply |q - k|² out once more": product - square,
                "it takes the length of the key squared": product - square.sqrt() / 2,
                "the lengths alone decide here, and not the query": -square,
                "this prefers the key that is furthest away": distances,
                "a cosine cannot tell apart two keys in one direction": product / square.sqrt(),
            }.items():
                mistakes.setdefault(says, []).append(int(scores.argmax()))
    if winners == right:
        return "One number more on each side, and the dot product knows distances."
    for says, mistaken in mistakes.items():
        if winners == mistaken:
            raise Wrong(says)
    wrong = sum(a != b for a, b in zip(winners, right, strict=True))
    raise Wrong(f"in {wrong} of {len(right)} tables another key than the nearest has the largest dot product")


def _width(answer: object, axes: int) -> tuple[int, ...]:
    """The size of the last axis, where the answer has so many axes; otherwise none, so that `tensor` refuses it."""
    shape = tuple(getattr(answer, "shape", ()))
    if not shape and isinstance(answer, list | tuple) and answer and isinstance(answer[0], list | tuple):
        shape = (len(answer), len(answer[0]))
    return shape[-1:] if len(shape) == axes else (1,)


@exercise
def own(made: type) -> str:
    """A module class made by (query_size, key_size): queries (B, T, Q) and keys (B, S, K) -> scores (B, T, S)."""
    written_class(made, "forward")
    for seed, (B, T, S, Q, K) in enumerate(((3, 4, 5, 2, 7), (2, 5, 3, 6, 1))):
        generator = torch.Generator().manual_seed(seed)
        with blame("your class"):
            score = made(Q, K).float()
        weights = list(score.parameters())
        if not weights:
            raise Wrong("the module has no weights that training could set: keep nn.Linear layers on self")
        if not any(weight.shape == (HIDDEN, HIDDEN) for weight in weights):
            raise Wrong(
                f"there is no layer from {HIDDEN} hidden units to {HIDDEN} more: it should have two hidden layers"
            )
        with torch.no_grad():
            for weight in weights:
                weight.copy_(0.3 * torch.randn(weight.shape, generator=generator))
        queries, keys = torch.randn(B, T, Q, generator=generator), torch.randn(B, S, K, generator=generator)
        found = tensor(_scores(score, queries, keys), B, T, S, what="the scores")
        alone = torch.stack(
            [
                tensor(_scores(score, queries[:, t, None], keys[:, s, None]), B, 1, 1, what="the scores")[:, 0, 0]
                for t in range(T)
                for s in range(S)
            ],
            dim=1,
        ).view(B, T, S)
        if not torch.allclose(found, alone, rtol=1e-3, atol=1e-4):
            recognise(
                found.sum(dim=2),
                {"these are weights; scores come before the softmax": torch.ones(B, T)},
            )
            raise Wrong("a score must depend on its own query and key alone; other keys or queries change yours")
        if torch.allclose(found, found[:, :1].expand_as(found), atol=1e-4):
            raise Wrong("the query does not count: all queries get the same scores")
        if torch.allclose(found, found[:, :, :1].expand_as(found), atol=1e-4):
            raise Wrong("the keys do not count: every key of a query gets the same score")
        apart = found - found[:, :, :1]
        if torch.allclose(apart, apart[:, :1].expand_as(apart), atol=1e-4):
            raise Wrong(
                "the query adds the same to every score, and a softmax does not see that: "
                "an activation function must come after the sum"
            )
        mirrored = tensor(_scores(score, -queries, -keys), B, T, S, what="the scores")
        if torch.allclose(mirrored, -found, rtol=1e-3, atol=1e-4):
            raise Wrong("without biases the score is odd: turn query and key round, and a good match becomes a bad one")
    return "Now let it look for the nearest key."


def _scores(score: nn.Module, queries: Tensor, keys: Tensor) -> object:
    with blame("your module"):
        found = score(queries.clone(), keys.clone())
    if found is None or found is ...:
        raise Wrong("`forward` gives nothing back: it needs a `return`")
    return found.detach() if isinstance(found, Tensor) else found
