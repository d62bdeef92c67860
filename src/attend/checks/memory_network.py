"""Exercises of the page on memory networks."""

import math
from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attend.checks.answers import floats, number, recognise, tensor
from attend.checks.exercise import Wrong, blame, exercise
from attend.tasks import world
from attend.tasks.world import Batch
from attend.train.fit import fit
from attend.train.schedule import one_cycle


@exercise
def newest(answer: float) -> str:
    """By how much the newer of two equal scores must be raised, so that it has 95 % of the weight of both."""
    got, right = number(answer, "the answer"), math.log(19)
    if abs(got - right) <= 0.01:
        return "e to the power of it is 19: the newer one has 19 of 20 parts."
    typical = {
        19.0: "that is the ratio of the weights; the softmax takes the exponential of the scores, so take a logarithm",
        math.log(20): "the other keeps 5 %, so the ratio of the weights is 95 to 5",
        math.log(0.95): "e to this power is 0.95, but weights are shares: divide by the sum of both",
        math.log10(19): "the softmax has powers of e, not of 10",
        math.log2(19): "the softmax has powers of e, not of 2",
    }
    for wrong, why in typical.items():
        if abs(got - wrong) <= 0.01:
            raise Wrong(why)
    raise Wrong("the newer one's share is eᵈ / (eᵈ + 1), if it is raised by d; set this to 0.95")


@exercise
def hop(read: Callable) -> str:
    """read(u, keys, values, mask) -> the next query (B, D) and the weights (B, N); False in `mask` is an empty slot."""
    for seed, (B, N, D) in enumerate(((3, 5, 4), (2, 7, 3))):
        generator = torch.Generator().manual_seed(seed)
        u, keys, values = (torch.randn(*shape, generator=generator) for shape in ((B, D), (B, N, D), (B, N, D)))
        mask = torch.arange(N) >= torch.arange(B)[:, None] % 2 * 2
        answer = read(u, keys, values, mask)
        if not isinstance(answer, (tuple, list)) or len(answer) != 2:
            raise Wrong("return two things: the next query, and the weights")
        got, weights = tensor(answer[0], B, D, what="the next query"), tensor(answer[1], B, N, what="the weights")
        scores = (keys @ u[..., None])[..., 0]
        right = scores.masked_fill(~mask, -torch.inf).softmax(1)
        if not torch.allclose(weights, right, rtol=1e-3, atol=1e-5):
            zeroed = scores * mask
            recognise(
                weights,
                {
                    "empty slots have weight: fill their scores with −∞": scores.softmax(1),
                    "a score of 0 is a score like any other: fill with −∞, before the softmax": zeroed.softmax(1),
                    "you masked after the softmax, so the weights no longer add up to 1": scores.softmax(1) * mask,
                    "the softmax goes over slots, dimension 1, and not over the stories": scores.masked_fill(
                        ~mask, -torch.inf
                    ).softmax(0),
                    "scores are dot products with the keys, and not with the values": (values @ u[..., None])[..., 0]
                    .masked_fill(~mask, -torch.inf)
                    .softmax(1),
                },
            )
            raise Wrong("the weights are the softmax, over the slots that are there, of the dot products u · key")
        output = (right[:, None] @ values)[:, 0]
        if not torch.allclose(got, u + output, rtol=1e-3, atol=1e-5):
            recognise(
                got,
                {
                    "that is the output o alone: the next query is u + o": output,
                    "keys are for finding; what is handed over are the values": u + (right[:, None] @ keys)[:, 0],
                },
            )
            raise Wrong("the next query is u plus the values, each times its weight")
    return "Call it three times, and you have the network of this page."


@exercise
def episode(passed: Callable) -> str:
    """passed(f, gates, cell) -> (B, D): the state after a gated pass over f (B, N, D); cell(x, h) gives the new h."""
    for seed, (B, N, D) in enumerate(((3, 5, 4), (2, 6, 3))):
        torch.manual_seed(seed)
        cell, f = nn.GRUCell(D, D), torch.randn(B, N, D)
        gates = torch.rand(B, N)
        gates[0] = 0.0
        gates[0, 1] = 1.0
        with torch.no_grad():
            got = tensor(floats(passed(f, gates, cell), f"the state must be a tensor of shape ({B}, {D})"), B, D)
            if torch.allclose(got, _pass(f, gates, cell), rtol=1e-3, atol=1e-5):
                continue
            recognise(
                got,
                {
                    "the gate is the wrong way round: where it is 0 the state stays": _pass(f, 1 - gates, cell),
                    "the pass goes from the first sentence to the last": _pass(f.flip(1), gates.flip(1), cell),
                    "a gate does not shrink what the cell hears, it says how much of the new state is taken": _pass(
                        f * gates[..., None], torch.ones_like(gates), cell
                    ),
                    "without (1 − g) h the state is not kept where the gate is shut": _pass(f, gates, cell, keep=False),
                },
            )
        raise Wrong("at each sentence h becomes g · cell(f, h) + (1 − g) · h, from h = 0")
    return "Where every gate but one is shut, the pass is a single step of the cell."


def _pass(f: Tensor, gates: Tensor, cell: nn.Module, keep: bool = True) -> Tensor:
    h = torch.zeros_like(f[:, 0])
    for n in range(f.shape[1]):
        g = gates[:, n, None]
        h = g * cell(f[:, n], h) + keep * (1 - g) * h
    return h


ALMOST, SEEDS = 0.75, (5, 6)
"""A right network may stay at two hops, above ALMOST, by bad luck: then it is tried from the second seed."""
STEPS, LINEAR, ENOUGH = 1_200, 300, 0.9
"""Training steps, those without a softmax, and the share of right answers that a learner's network must reach."""


@exercise
def build(make: Callable) -> str:
    """make(vocabulary, slots) -> a module: (story, question, linear) to logits (B, V), or to these and weights."""
    V, N = len(world.VOCABULARY), 10
    torch.manual_seed(5)
    with blame("your network", "at its first call"):
        small = make(V, N)
        batch = world.encode(world.stories("where", 8, 5), N)
        first = _logits(small(batch.story, batch.question, False))
    tensor(floats(first, f"the logits must be a tensor of shape (8, {V})"), 8, V)
    with torch.no_grad():
        turned = _logits(small(batch.story.flip(1), batch.question, False))
        if torch.allclose(turned, first, atol=1e-7):
            raise Wrong("turn the order of the sentences round, and nothing changes: where is the temporal encoding?")
        other = _logits(small(batch.story, batch.question.roll(1, 0), False))
        if torch.allclose(other, first, atol=1e-7):
            raise Wrong("ask another question, and nothing changes: the first query is the question's vector")
        if torch.allclose(_logits(small(batch.story, batch.question, True)), first, atol=1e-7):
            raise Wrong("with linear=True nothing changes: then the weights are the scores, without a softmax")
    right = 0.0
    for seed in SEEDS:
        right = max(right, _right(make, V, N, seed))
        if right >= ENOUGH:
            return f"{right:.0%} of new questions answered, and nobody told it which sentences matter."
        if right < ALMOST:
            break
    raise Wrong(
        f"it trains, and answers {right:.0%} of new questions; {ENOUGH:.0%} are asked for. Does the next query add "
        "what was found to what was asked, are there three hops, and do the word vectors start small (about 0.1)?"
    )


def _right(make: Callable, V: int, N: int, seed: int) -> float:
    """The share of new questions that a network answers after its training from this seed."""
    torch.manual_seed(seed)
    with blame("your network", "in training"):
        small = make(V, N)
        optimiser = torch.optim.Adam(small.parameters(), lr=1e-2)
        fit(
            small,
            lambda model, given: cross_entropy(
                _logits(model(given[0].story, given[0].question, given[1])), given[0].answer
            ),
            _batches(N),
            steps=STEPS,
            optimiser=optimiser,
            schedule=one_cycle(optimiser, STEPS),
            clip=1.0,
        )
        seen = world.encode(world.stories("where", 1_000, split="validation"), N)
        with torch.no_grad():
            return (_logits(small(seen.story, seen.question, False)).argmax(1) == seen.answer).double().mean().item()


def _logits(answer: object) -> Tensor:
    return answer[0] if isinstance(answer, tuple) else answer


def _batches(slots: int) -> Iterator[tuple[Batch, bool]]:
    data = world.encode(world.stories("where", 6_000, 5), slots)
    generator, step = torch.Generator().manual_seed(5), 0
    while True:
        rows = torch.randint(len(data.answer), (64,), generator=generator)
        yield Batch(*(column[rows] for column in data)), step < LINEAR
        step += 1
