"""A metro told as a list of rides, and routes through it; routes as lists of turns, to be repeated.

Source   ours, after the traversal and copy tasks of Graves et al. 2016, Nature 538:471-476. The part of Berlin's metro
         is taken from public facts: lines, stations and their order in 2024.
Agrees   walks along the rides that were told, station by station (tests/tasks/test_metro.py).
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
    a new route with probability `restart`, and then names its station; else it says a train alone. Raises ValueError
    for more stations than codes, and for a degree that is too large.
    """
    expect(1 < stations <= STATIONS, "stations", stations, f"a whole number from 2 to {STATIONS}")
    expect(degree < stations, "degree", degree, f"at most {stations - 1} with {stations} stations")
    expect(degree <= DIRECTIONS, "degree", degree, f"at most {DIRECTIONS}, one for each code of a train")

    def draw(*shape):  # random orders
        return torch.rand(batch, *shape, generator=generator).argsort(dim=-1)

    N, b = stations, torch.arange(batch)
    code = draw(STATIONS)[:, :N]  # (B, N)
    train = draw(N, DIRECTIONS)[..., :degree]  # (B, N, degree)
    hop = 1 + draw(N, N - 1)[..., :degree]  # never 0
    to = (torch.arange(N)[:, None] + hop) % N
    order = draw(N * degree)[..., None]
    origin = code[..., None].expand(-1, -1, degree)
    rides = [origin, train, code.gather(1, to.flatten(1)).view_as(to)]
    told = torch.stack(rides, dim=-1).flatten(1, 2)  # (B, N degree, 3)
    told = told.gather(1, order.expand(-1, -1, 3))

    moves, target = [], []
    here = torch.zeros(batch, dtype=torch.long)
    for step in range(steps):
        new = torch.rand(batch, generator=generator) < restart
        new |= torch.tensor(step == 0)
        some = torch.randint(N, (batch,), generator=generator)
        here = torch.where(new, some, here)
        which = torch.randint(degree, (batch,), generator=generator)
        moves.append((code[b, here], train[b, here, which], new))
        here = to[b, here, which]
        target.append(code[b, here])
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
