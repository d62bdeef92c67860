"""Shortest paths through a metro that was told ride by ride, asked from station to station.

Source   ours, after the shortest-path task of Graves et al. 2016, Nature 538:471-476; the metros of attend.tasks.metro.
Agrees   distances are those of a breadth-first search (tests/tasks/test_journeys.py).
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.functional import one_hot

from attend.core.expect import checked, expect
from attend.core.types import Positive
from attend.tasks import metro

FAR = 3
"""The most rides between two stations whose shortest path is asked for."""
LOOKS = 3
"""For how many steps a question stands; it is to be answered at the last."""


@checked
def decode(x: Float[Tensor, "B T 42"], number: Positive) -> Int[Tensor, "B E 3"]:
    """The first `number` steps of an input, as (from, train, to)."""
    codes = x[:, :number, :-2].split((metro.STATIONS, metro.DIRECTIONS, metro.STATIONS), dim=2)
    return torch.stack([code.argmax(dim=2) for code in codes], dim=2)


@checked
def random_metros(
    batch: Positive, stations: Positive = 6, degree: Positive = 2, generator: torch.Generator | None = None
) -> Int[Tensor, "B E 3"]:
    """The rides of random metros, as `traversal` draws them."""
    return decode(metro.traversal(batch, stations, degree, 1, generator=generator)[0], stations * degree)


@checked
def berlins(batch: Positive, generator: torch.Generator | None = None) -> Int[Tensor, "B E 3"]:
    """All 30 rides of Berlin, again and again: in any order, with codes drawn anew."""
    rides = metro.berlin()
    names = sorted({ride[0] for ride in rides})
    trains = sorted({ride[1] for ride in rides})
    numbers = torch.tensor([(names.index(a), trains.index(by), names.index(b)) for a, by, b in rides])
    told = []
    for _ in range(batch):
        code = torch.randperm(metro.STATIONS, generator=generator)
        call = torch.randperm(metro.DIRECTIONS, generator=generator)
        a, by, b = numbers[torch.randperm(len(rides), generator=generator)].unbind(dim=1)
        told.append(torch.stack([code[a], call[by], code[b]], dim=1))
    return torch.stack(told)


@checked
def distances(rides: Int[Tensor, "B E 3"]) -> Int[Tensor, "B 16 16"]:
    """The fewest rides from each station to each; FAR + 1 wherever there are more, or none lead."""
    one = linked(rides).float()
    reached = torch.eye(metro.STATIONS).expand_as(one)
    apart = torch.where(reached > 0, 0, FAR + 1)
    for rides_taken in range(1, FAR + 1):
        reached = (reached @ one).clamp(max=1)
        apart = torch.where((reached > 0) & (apart > rides_taken), rides_taken, apart)
    return apart


@checked
def linked(rides: Int[Tensor, "B E 3"]) -> Bool[Tensor, "B 16 16"]:
    """Whether a ride leads from one station (rows) to another (columns)."""
    found = torch.zeros(len(rides), metro.STATIONS, metro.STATIONS, dtype=torch.bool)
    found[torch.arange(len(rides))[:, None], rides[..., 0], rides[..., 2]] = True
    return found


@checked
def journeys(
    rides: Int[Tensor, "B E 3"], number: Positive = 1, least: Positive = 1, generator: torch.Generator | None = None
) -> tuple[Int[Tensor, "B Q"], Int[Tensor, "B Q"]]:
    """Starts and goals, `least` to FAR rides apart: as often one ride as two or three, in a metro that has all three.

    Raises ValueError for a metro that has none of these.
    """
    apart = distances(rides).flatten(1)
    chance = torch.zeros(apart.shape)
    for far in range(least, FAR + 1):
        some = (apart == far).float()
        chance += some / some.sum(dim=1, keepdim=True).clamp(min=1)
    expect(bool((chance.sum(dim=1) > 0).all()), "rides", rides, f"stations {least} to {FAR} rides apart")
    drawn = torch.multinomial(chance, number, replacement=True, generator=generator)
    return drawn // metro.STATIONS, drawn % metro.STATIONS


@checked
def onward(rides: Int[Tensor, "B E 3"], here: Int[Tensor, "B Q"], goal: Int[Tensor, "B Q"]) -> Bool[Tensor, "B Q 16"]:
    """The stations to which a shortest path may go next, for goals at most FAR rides away."""
    apart, b = distances(rides), torch.arange(len(rides))[:, None]
    nearer = apart.mT[b, goal] == apart[b, here, goal][..., None] - 1
    return linked(rides)[b, here] & nearer


@checked
def ask(rides: Int[Tensor, "B E 3"], here: Int[Tensor, "B Q"], goal: Int[Tensor, "B Q"]) -> Float[Tensor, "B T 42"]:
    """Rides (from, train, to), then questions, from `here` to `goal`: each for LOOKS steps, the first flagged new."""
    S, D = metro.STATIONS, metro.DIRECTIONS
    start, train, to = rides.unbind(dim=2)
    told = [one_hot(start, S), one_hot(train, D), one_hot(to, S), torch.zeros(*start.shape, 2, dtype=torch.long)]
    flags = torch.tensor([[1, 1]] + [[1, 0]] * (LOOKS - 1)).expand(*here.shape, -1, -1)
    asked = torch.cat([one_hot(here, S), torch.zeros(*here.shape, D, dtype=torch.long), one_hot(goal, S)], dim=2)
    asked = torch.cat([asked[:, :, None].expand(-1, -1, LOOKS, -1), flags], dim=3)
    return torch.cat([torch.cat(told, dim=2), asked.flatten(1, 2)], dim=1).float()


@checked
def shortest(
    batch: Positive,
    stations: Positive = 6,
    degree: Positive = 2,
    questions: Positive = 4,
    generator: torch.Generator | None = None,
) -> tuple[Float[Tensor, "B T 42"], Int[Tensor, "B Q"]]:
    """Random metros, told ride by ride, then `questions`: from here to there, which station is next?

    There is at most FAR rides away. Where several shortest paths go on differently, the target is that of one of
    them, drawn at random. It is asked for at the last step of a question; at all others it is -100.
    """
    told = random_metros(batch, stations, degree, generator)
    here, goal = journeys(told, questions, generator=generator)
    ways = onward(told, here, goal).float()
    target = torch.full((batch, questions, LOOKS), -100)
    target[..., -1] = torch.multinomial(ways.flatten(0, 1), 1, generator=generator).view_as(here)
    return ask(told, here, goal), target.flatten(1)
