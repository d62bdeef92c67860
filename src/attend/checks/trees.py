"""Exercises of the page on trees and graphs: rounds, weights along edges, an N-ary node, the loudest neighbour."""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn

from attend.checks.answers import recognise, tensor, whole
from attend.checks.exercise import Wrong, blame, exercise, written_class


@exercise
def rounds(from_4_to_0: object, from_3_to_5: object) -> str:
    """After how many rounds patch 0 has heard from patch 4, and patch 5 from patch 3."""
    one, two = whole(from_4_to_0, "the first answer"), whole(from_3_to_5, "the second answer")
    if (one, two) == (2, 1):
        raise Wrong("you counted the patches in between; a message takes a round for every edge")
    if (one, two) == (4, 3):
        raise Wrong("you counted the patches on the way; a message takes a round for every edge between them")
    if one == 4:
        raise Wrong("there is a shorter way from 4 to 0: it need not go over 3 and 2")
    if one != 3:
        raise Wrong(f"from 4 to 0 it does not take {one}: find the shortest way, and count its edges")
    if two != 2:
        raise Wrong(f"from 3 to 5 it does not take {two}: find the shortest way, and count its edges")
    return "One edge a round, along the shortest way: with two rounds, patch 0 would know nothing of patch 4."


@exercise
def weights(weights: Callable) -> str:
    """weights(scores (N, N), edges (N, N) bool) -> (N, N): a softmax along each row's edges, 0 elsewhere."""
    for seed, N in ((0, 5), (1, 7)):
        draw = torch.Generator().manual_seed(seed)
        scores = 2 * torch.randn(N, N, generator=draw)
        edges = torch.rand(N, N, generator=draw) < 0.5
        edges[0], edges[1], edges[N - 1, :2] = False, True, True
        _same_weights(weights, scores, edges)
    _same_weights(weights, torch.tensor([[1000.0, 999.0, -1000.0]] * 3), torch.tensor([[True, True, False]] * 3))
    return "Nobody without an edge is read, and whoever is alone reads nothing."


def _same_weights(weights: Callable, scores: Tensor, edges: Tensor) -> None:
    N, minus = len(scores), -torch.inf
    answer = weights(scores.clone(), edges.clone())
    nan = torch.isnan(torch.as_tensor(answer)) if isinstance(answer, Tensor | np.ndarray) else torch.zeros(1)
    if nan.any():
        lonely = nan.any(dim=-1)
        if lonely.shape == (N,) and bool((lonely == ~edges.any(dim=1)).all()):
            raise Wrong("the row of a node without neighbours is nan; it should be zeros")
        raise Wrong("there is nan among the weights: e to the power of a large score is infinite; use a softmax")
    got = tensor(answer, N, N, what="the weights")
    right = torch.nan_to_num(scores.masked_fill(~edges, minus).softmax(dim=1))
    if torch.allclose(got, right, rtol=1e-3, atol=1e-5):
        return
    everyone = scores.softmax(dim=1)
    mistakes = {
        "everyone is read, edges or not: mask the scores before the softmax": everyone,
        "the rows no longer add up to 1: mask the scores before the softmax, not the weights after it": everyone
        * edges,
        "a score of 0 still gets a share: without an edge the score must be minus infinity": (scores * edges).softmax(
            1
        ),
        "the softmax runs down the columns; each row must add up to 1": torch.nan_to_num(
            scores.masked_fill(~edges, minus).softmax(dim=0)
        ),
        "the mask is the wrong way round: True is where v may read u": torch.nan_to_num(
            scores.masked_fill(edges, minus).softmax(dim=1)
        ),
        "every neighbour gets the same: the scores are not used": edges / edges.sum(1, keepdim=True).clamp(min=1),
        "the row of a node without neighbours must be zeros: a large negative number in the place of minus infinity "
        "shares the weight out evenly there": scores.masked_fill(~edges, -1e9).softmax(dim=1),
        "a node without neighbours reads nobody: its row must be zeros": torch.where(
            edges.any(dim=1, keepdim=True), right, everyone
        ),
    }
    recognise(got, mistakes)
    raise Wrong("along the edges of a row: e^score, divided by their sum over that row's edges; 0 everywhere else")


@exercise
def kept(kept: Callable) -> str:
    """kept(x (D), h (N, H), c (N, H), W (H, D), U (N, N, H, H), b (H)) -> (H): what an N-ary node keeps."""
    for seed, (D, N, H) in ((0, (2, 3, 4)), (1, (5, 2, 3))):
        draw = torch.Generator().manual_seed(seed)
        shapes = (D,), (N, H), (N, H), (H, D), (N, N, H, H), (H,)
        x, h, c, W, U, b = (torch.randn(shape, generator=draw) for shape in shapes)
        answer = kept(*(part.clone() for part in (x, h, c, W, U, b)))
        got = tensor(answer.detach() if isinstance(answer, Tensor) else answer, H, what="what is kept")

        def gates(pattern: str, U: Tensor = U, h: Tensor = h, own: Tensor | float = W @ x + b) -> Tensor:
            return torch.sigmoid(own + torch.einsum(pattern, U, h))

        right = gates("klij,lj->ki")
        if torch.allclose(got, (right * c).sum(0), rtol=1e-3, atol=1e-5):
            continue
        diagonal = torch.sigmoid(W @ x + b + torch.einsum("kkij,kj->ki", U, h))
        mistakes = {
            "each gate sees its own child only; in the N-ary form it sees all of them, through U[k, l]": diagonal * c,
            "U[k, l] belongs to the gate of child k and the state of child l; you have them exchanged": gates(
                "lkij,lj->ki"
            )
            * c,
            "U[k, l] is turned around: it is U[k, l] times h_l": gates("klji,lj->ki") * c,
            "the gates meet the cells, not the hidden states": right * h,
            "the bias b is missing from the gates": gates("klij,lj->ki", own=W @ x) * c,
            "the node's own input is missing from the gates": gates("klij,lj->ki", own=b) * c,
            "a gate lies between 0 and 1: σ is missing": (W @ x + b + torch.einsum("klij,lj->ki", U, h)) * c,
            "a gate lies between 0 and 1: it is σ, not tanh": torch.tanh(W @ x + b + torch.einsum("klij,lj->ki", U, h))
            * c,
        }
        recognise(got, {says: each.sum(0) for says, each in mistakes.items()})
        recognise(got, {"add up what is kept of the children, do not average": (right * c).mean(0)})
        raise Wrong("it is the sum over k of σ(W x + Σ_l U[k, l] h_l + b) ⊙ c_k")
    return "Now the first child can shut the second one out."


@exercise
def maximum(made: type) -> str:
    """A layer with `own` and `message` whose nodes read the maximum of their neighbours' messages."""
    written_class(made, "forward")
    for seed, (B, N, H) in ((0, (2, 5, 3)), (1, (3, 4, 7))):
        torch.manual_seed(seed)
        layer = _called(lambda H=H: made(H))
        missing = [name for name in ("own", "message") if not isinstance(getattr(layer, name, None), nn.Linear)]
        if missing:
            raise Wrong(f"the layer has no nn.Linear named {missing[0]!r}")
        if layer.message.bias is not None:
            raise Wrong("`message` has a bias; V has none here: nn.Linear(..., bias=False)")
        h, edges = torch.randn(B, N, H), torch.rand(B, N, N) < 0.5
        edges[:, 0], edges[:, 1] = False, True
        answer = _called(lambda layer=layer, h=h, edges=edges: layer(h.clone(), edges.clone()))
        if answer is None or answer is ...:
            raise Wrong("`forward` gives nothing back: it needs a `return`")
        answer = answer.detach() if isinstance(answer, Tensor) else answer
        _same_maximum(answer, layer, h, edges)
    return "Now put it into the loop. Does the loudest neighbour tell as much as a weighted mean?"


@torch.no_grad()
def _same_maximum(answer: object, layer: nn.Module, h: Tensor, edges: Tensor) -> None:
    B, N, H = h.shape
    if isinstance(answer, Tensor) and bool(torch.isnan(answer).any()):
        raise Wrong("there is nan in the new states: mask with minus infinity before the maximum, and do not add to it")
    got = tensor(answer, B, N, H, what="the new states")
    own, said = layer.own(h), layer.message(h)[:, None].expand(B, N, N, H)
    nobody = ~edges.any(dim=2)[..., None]
    loudest = said.masked_fill(~edges[..., None], -torch.inf).amax(dim=2)
    right = torch.tanh(own + loudest.masked_fill(nobody, 0.0))
    if torch.allclose(got, right, rtol=1e-3, atol=1e-5):
        return
    backwards = said.masked_fill(~edges.mT[..., None], -torch.inf).amax(dim=2)
    raw = h[:, None].expand(B, N, N, H).masked_fill(~edges[..., None], -torch.inf).amax(dim=2)
    mean = (said * edges[..., None]).sum(dim=2) / edges.sum(dim=2)[..., None].clamp(min=1)
    mistakes = {
        "a node without neighbours gets a message of zeros, not of minus infinity": torch.tanh(own + loudest),
        "where there is no edge the message must be minus infinity, not 0: a 0 wins over negative messages": torch.tanh(
            own + (said * edges[..., None]).amax(dim=2)
        ),
        "everyone is heard, edges or not": torch.tanh(own + said.amax(dim=2)),
        "edges[b, v, u] says that v reads u; you read it the other way round": torch.tanh(
            own + backwards.masked_fill(~edges.any(dim=1)[..., None], 0.0)
        ),
        "the maximum is over the messages V h_u, not over the states": torch.tanh(own + raw.masked_fill(nobody, 0.0)),
        "this is the mean of the messages": torch.tanh(own + mean),
        "this is the sum of the messages": torch.tanh(own + (said * edges[..., None]).sum(dim=2)),
        "the node's own part is missing": torch.tanh(loudest.masked_fill(nobody, 0.0)),
        "tanh is missing": own + loudest.masked_fill(nobody, 0.0),
    }
    recognise(got, mistakes)
    raise Wrong("the new state is tanh(own(h_v) + the maximum over the neighbours u of message(h_u), number by number)")


def _called(call: Callable) -> object:
    with blame("your class"):
        return call()
