"""A metro told as a list of rides, routes through it, shortest paths; routes as lists of turns, to be repeated.

Source   ours, after the traversal, shortest-path and copy tasks of Graves et al. 2016, Nature 538:471-476. The part of
         Berlin's metro is taken from public facts: lines, stations and their order in 2024.
Agrees   walks along the rides that were told, station by station; a breadth-first search (tests/tasks/test_metro.py).
"""

from itertools import pairwise

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.functional import one_hot

from attend.core.expect import checked, expect
from attend.core.types import Positive, Probability

STATIONS, DIRECTIONS = 16, 8
"""Codes for stations, and for what a train is called: a line and its direction."""
WIDTH = STATIONS + DIRECTIONS + STATIONS + 2
"""Of one step: from, direction, to, and two flags: this is a question; it starts a new route."""
FAR = 3
"""The most rides between two stations whose shortest path is asked for."""
LOOKS = 3
"""For how many steps such a question stands before it is to be answered."""
TURNS = 4
"""Moves of a route that is to be repeated: north, east, south, west."""

Ride = tuple[str, str, str]

LINES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "U2": (
        "west",
        "east",
        (
            "Stadtmitte",
            "Hausvogteiplatz",
            "Spittelmarkt",
            "Märkisches Museum",
            "Klosterstraße",
            "Alexanderplatz",
        ),
    ),
    "U5": (
        "west",
        "east",
        (
            "Brandenburger Tor",
            "Unter den Linden",
            "Museumsinsel",
            "Rotes Rathaus",
            "Alexanderplatz",
            "Schillingstraße",
        ),
    ),
    "U6": ("north", "south", ("Friedrichstraße", "Unter den Linden", "Stadtmitte", "Kochstraße")),
    "U8": ("north", "south", ("Weinmeisterstraße", "Alexanderplatz", "Jannowitzbrücke")),
}
"""A part of Berlin's metro: of each line, what its trains are called backwards and forwards, and its stations."""
PLACES: dict[str, tuple[int, int, str]] = {
    "Brandenburger Tor": (11, 40, "below"),
    "Unter den Linden": (25, 40, "above right"),
    "Museumsinsel": (43, 40, "below"),
    "Rotes Rathaus": (59, 40, "above"),
    "Alexanderplatz": (76, 40, "above right"),
    "Schillingstraße": (93, 40, "below"),
    "Friedrichstraße": (25, 14, "right"),
    "Stadtmitte": (25, 74, "left"),
    "Kochstraße": (25, 95, "right"),
    "Hausvogteiplatz": (38, 74, "below"),
    "Spittelmarkt": (50, 74, "above"),
    "Märkisches Museum": (62, 74, "below"),
    "Klosterstraße": (69, 57, "left"),
    "Weinmeisterstraße": (76, 14, "left"),
    "Jannowitzbrücke": (82, 62, "right"),
}
"""Where our drawing puts each station, across and down in hundredths, and on which side its name stands."""


def berlin() -> list[Ride]:
    """Every ride from one station to the next: `("Alexanderplatz", "U5 east", "Schillingstraße")` is one of 30."""
    rides = []
    for line, (back, ahead, stations) in LINES.items():
        for one, two in pairwise(stations):
            rides += [(one, f"{line} {ahead}", two), (two, f"{line} {back}", one)]
    return rides


@checked
def random_metros(
    batch: Positive, stations: Positive, degree: Positive, generator: torch.Generator | None = None
) -> tuple[Int[Tensor, "B N K"], Int[Tensor, "B N K 3"], Int[Tensor, "B E 3"]]:
    """`degree` trains leave from each station: the station where each ends, its ride in codes, all rides in any order.

    Raises ValueError for more stations than codes, and for a degree that is too large.
    """
    expect(1 < stations <= STATIONS, "stations", stations, f"a whole number from 2 to {STATIONS}")
    most = min(stations - 1, DIRECTIONS)
    expect(degree <= most, "degree", degree, f"at most {most} with {stations} stations")

    def draw(*shape):  # random orders
        return torch.rand(batch, *shape, generator=generator).argsort(dim=-1)

    N = stations
    code = draw(STATIONS)[:, :N]  # (B, N)
    train = draw(N, DIRECTIONS)[..., :degree]  # (B, N, degree)
    hop = 1 + draw(N, N - 1)[..., :degree]  # never 0
    to = (torch.arange(N)[:, None] + hop) % N
    order = draw(N * degree)[..., None]
    origin = code[..., None].expand(-1, -1, degree)
    end = code.gather(1, to.flatten(1)).view_as(to)
    rides = torch.stack([origin, train, end], dim=-1)
    told = rides.flatten(1, 2).gather(1, order.expand(-1, -1, 3))
    return to, rides, told


@checked
def traversal(
    batch: Positive,
    stations: Positive = 6,
    degree: Positive = 2,
    steps: Positive = 8,
    restart: Probability = 0.5,
    generator: torch.Generator | None = None,
) -> tuple[Float[Tensor, "B T 42"], Int[Tensor, "B Q"]]:
    """Random metros: `stations * degree` rides in any order, then `steps` moves; and the station after each move.

    From each station leave `degree` trains, to different stations. Codes are drawn anew for each metro. A move begins
    a new route with probability `restart`, and then names its station; else it says a train alone.
    """
    N, b = stations, torch.arange(batch)
    to, rides, told = random_metros(batch, N, degree, generator)
    moves, target = [], []
    here = torch.zeros(batch, dtype=torch.long)
    for step in range(steps):
        new = torch.rand(batch, generator=generator) < restart
        new |= torch.tensor(step == 0)
        some = torch.randint(N, (batch,), generator=generator)
        here = torch.where(new, some, here)
        which = torch.randint(degree, (batch,), generator=generator)
        start, train, end = rides[b, here, which].unbind(dim=1)
        moves.append((start, train, new))
        here = to[b, here, which]
        target.append(end)
    asked = [torch.stack(column, dim=1) for column in zip(*moves, strict=True)]
    return encode(told, *asked), torch.stack(target, dim=1)


@checked
def encode(
    rides: Int[Tensor, "B E 3"], start: Int[Tensor, "B Q"], trains: Int[Tensor, "B Q"], new: Bool[Tensor, "B Q"]
) -> Float[Tensor, "B T 42"]:
    """Rides (from, train, to), then moves by `trains`; where `new` is true a move begins at the station `start`."""
    S, D = STATIONS, DIRECTIONS
    origin, train, to = rides.unbind(dim=2)
    told = [one_hot(origin, S), one_hot(train, D), one_hot(to, S), torch.zeros(*origin.shape, 2, dtype=torch.long)]
    new = new.long()[..., None]
    nothing = torch.zeros(*start.shape, S, dtype=torch.long)
    asked = [one_hot(start, S) * new, one_hot(trains, D), nothing, torch.ones_like(new), new]
    return torch.cat([torch.cat(told, dim=2), torch.cat(asked, dim=2)], dim=1).float()


@checked
def city(
    batch: Positive, steps: Positive = 8, generator: torch.Generator | None = None
) -> tuple[Float[Tensor, "B T 42"], Int[Tensor, "B Q"]]:
    """Berlin, told in any order with codes drawn anew, and one route of `steps` rides; the station after each."""
    rides = berlin()
    names = sorted({ride[0] for ride in rides})
    trains = sorted({ride[1] for ride in rides})
    leaving = {name: [ride for ride in rides if ride[0] == name] for name in names}
    told, moves = [], []
    for _ in range(batch):
        code = dict(zip(names, torch.randperm(STATIONS, generator=generator).tolist(), strict=False))
        call = dict(zip(trains, torch.randperm(DIRECTIONS, generator=generator).tolist(), strict=True))
        order = torch.randperm(len(rides), generator=generator).tolist()
        told.append([(code[rides[n][0]], call[rides[n][1]], code[rides[n][2]]) for n in order])
        here = names[int(torch.randint(len(names), (), generator=generator))]
        walk = []
        for _ in range(steps):
            choice = int(torch.randint(len(leaving[here]), (), generator=generator))
            start, train, here = leaving[here][choice]
            walk.append((code[start], call[train], code[here]))
        moves.append(walk)
    start, train, to = torch.tensor(moves).unbind(dim=2)
    new = torch.zeros_like(start, dtype=torch.bool)
    new[:, 0] = True
    return encode(torch.tensor(told), start, train, new), to


@checked
def berlins(batch: Positive, generator: torch.Generator | None = None) -> Int[Tensor, "B E 3"]:
    """All 30 rides of Berlin, again and again: in any order, with codes drawn anew."""
    rides = berlin()
    names = sorted({ride[0] for ride in rides})
    trains = sorted({ride[1] for ride in rides})
    numbers = torch.tensor([(names.index(a), trains.index(by), names.index(b)) for a, by, b in rides])
    told = []
    for _ in range(batch):
        code = torch.randperm(STATIONS, generator=generator)
        call = torch.randperm(DIRECTIONS, generator=generator)
        a, by, b = numbers[torch.randperm(len(rides), generator=generator)].unbind(dim=1)
        told.append(torch.stack([code[a], call[by], code[b]], dim=1))
    return torch.stack(told)


@checked
def distances(rides: Int[Tensor, "B E 3"]) -> Int[Tensor, "B 16 16"]:
    """The fewest rides from each station to each; FAR + 1 wherever there are more, or none lead."""
    one = linked(rides).float()
    reached = torch.eye(STATIONS).expand_as(one)
    apart = torch.where(reached > 0, 0, FAR + 1)
    for rides_taken in range(1, FAR + 1):
        reached = (reached @ one).clamp(max=1)
        apart = torch.where((reached > 0) & (apart > rides_taken), rides_taken, apart)
    return apart


@checked
def linked(rides: Int[Tensor, "B E 3"]) -> Bool[Tensor, "B 16 16"]:
    """Whether a ride leads from one station (rows) to another (columns)."""
    found = torch.zeros(len(rides), STATIONS, STATIONS, dtype=torch.bool)
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
    return drawn // STATIONS, drawn % STATIONS


@checked
def onward(rides: Int[Tensor, "B E 3"], here: Int[Tensor, "B Q"], goal: Int[Tensor, "B Q"]) -> Bool[Tensor, "B Q 16"]:
    """The stations to which a shortest path may go next, for goals at most FAR rides away."""
    apart, b = distances(rides), torch.arange(len(rides))[:, None]
    nearer = apart.mT[b, goal] == apart[b, here, goal][..., None] - 1
    return linked(rides)[b, here] & nearer


@checked
def ask(rides: Int[Tensor, "B E 3"], here: Int[Tensor, "B Q"], goal: Int[Tensor, "B Q"]) -> Float[Tensor, "B T 42"]:
    """Rides (from, train, to), then questions, from `here` to `goal`: each for LOOKS steps, the first flagged new."""
    S, D = STATIONS, DIRECTIONS
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
    _, _, told = random_metros(batch, stations, degree, generator)
    here, goal = journeys(told, questions, generator=generator)
    ways = onward(told, here, goal).float()
    target = torch.full((batch, questions, LOOKS), -100)
    target[..., -1] = torch.multinomial(ways.flatten(0, 1), 1, generator=generator).view_as(here)
    return ask(told, here, goal), target.flatten(1)


@checked
def repeat(
    batch: Positive, length: Positive = 8, routes: Positive = 2, generator: torch.Generator | None = None
) -> tuple[Float[Tensor, "B T 6"], Int[Tensor, "B T"]]:
    """Routes of `length` turns, each told and then to be repeated, one after the other; the turn asked for, or -100.

    A step is a one-hot turn and two flags: say a turn; this is the first. -100 is what `cross_entropy` leaves out.
    """
    turns = torch.randint(TURNS, (batch, routes, length), generator=generator)
    x = torch.zeros(batch, routes, 2, length, TURNS + 2)
    x[:, :, 0, :, :TURNS] = one_hot(turns, TURNS).float()
    x[:, :, 1, :, TURNS] = 1
    x[:, :, :, 0, TURNS + 1] = 1
    target = torch.full((batch, routes, 2, length), -100)
    target[:, :, 1] = turns
    return x.flatten(1, 3), target.flatten(1)
