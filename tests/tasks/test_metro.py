"""Routes go along the rides that were told; Berlin is as its lines say; what is repeated is what was told."""

import pytest
import torch

from attend.tasks.metro import (
    DIRECTIONS,
    FAR,
    LINES,
    LOOKS,
    PLACES,
    STATIONS,
    TURNS,
    WIDTH,
    ask,
    berlin,
    berlins,
    city,
    distances,
    encode,
    journeys,
    linked,
    onward,
    random_metros,
    repeat,
    shortest,
    traversal,
)


def walked(x, target):
    """Follow the questions along the rides of one metro; the stations must be the target."""
    S, D = STATIONS, DIRECTIONS
    asked = x[:, -2] == 1
    leads = {}
    for step in x[~asked]:
        origin, train, to = (part.argmax().item() for part in step[:-2].split([S, D, S]))
        assert (origin, train) not in leads
        leads[origin, train] = to
    here = None
    for step, wanted in zip(x[asked], target.tolist(), strict=True):
        origin, train, to = step[:-2].split([S, D, S])
        assert to.sum() == 0
        assert origin.sum() == step[-1]
        if step[-1]:
            here = origin.argmax().item()
        here = leads[here, train.argmax().item()]
        assert here == wanted
    return leads


@pytest.mark.parametrize(("stations", "degree"), [(2, 1), (6, 2), (9, 3)])
def test_routes_go_along_the_rides(stations, degree):
    x, target = traversal(20, stations, degree, 7, generator=torch.Generator().manual_seed(0))
    assert x.shape == (20, stations * degree + 7, WIDTH)
    for row, wanted in zip(x, target, strict=True):
        leads = walked(row, wanted)
        assert len(leads) == stations * degree
        assert all(here != to for (here, _), to in leads.items())
        assert len({here for here, _ in leads}) == stations


def test_a_route_begins_as_often_as_it_is_asked_to():
    for restart in (0.0, 1.0):
        x, _ = traversal(10, 4, 2, 5, restart)
        assert x[:, :, -1].sum() == 10 * (5 if restart else 1)


def test_berlin_is_told_both_ways_and_its_routes_go_along_it():
    rides = berlin()
    assert len(rides) == len(set(rides)) == 30
    assert len({ride[:2] for ride in rides}) == 30
    names = {name for _, _, stations in LINES.values() for name in stations}
    assert names == set(PLACES)
    assert len(names) <= STATIONS
    assert {(two, one) for one, _, two in rides} == {(one, two) for one, _, two in rides}
    x, target = city(5, 6, torch.Generator().manual_seed(1))
    assert x.shape == (5, 36, WIDTH)
    codes = [walked(row, wanted) for row, wanted in zip(x, target, strict=True)]
    assert all(len(leads) == 30 for leads in codes)
    assert codes[0] != codes[1]


def searched(rides, goal):
    """How far each station is from `goal`, by a breadth-first search backwards."""
    far, edge = {goal: 0}, [goal]
    while edge:
        edge = sorted({a for a, _, b in rides.tolist() if b in edge} - far.keys())
        far |= dict.fromkeys(edge, max(far.values()) + 1)
    return far


def test_distances_are_those_of_a_search():
    for rides in [*random_metros(20, 6, 2, torch.Generator().manual_seed(0))[2], berlins(1)[0]]:
        apart = distances(rides[None])[0]
        for goal in range(STATIONS):
            far = searched(rides, goal)
            assert apart[:, goal].tolist() == [min(far.get(start, 99), FAR + 1) for start in range(STATIONS)]


@pytest.mark.parametrize("least", [1, 2])
def test_a_way_on_is_one_ride_that_leads_nearer(least):
    generator = torch.Generator().manual_seed(1)
    rides = random_metros(300, 6, 2, generator)[2]
    here, goal = journeys(rides, 2, least, generator)
    ways, counts = onward(rides, here, goal), dict.fromkeys(range(least, FAR + 1), 0)
    for told, starts, goals, found in zip(rides, here.tolist(), goal.tolist(), ways, strict=True):
        for start, end, good in zip(starts, goals, found, strict=True):
            far = searched(told, end)
            counts[far[start]] += 1
            nearer = {b for a, _, b in told.tolist() if a == start and far.get(b) == far[start] - 1}
            assert nearer == set(good.nonzero()[:, 0].tolist())
    assert min(counts.values()) > 0.6 * 600 / len(counts)


def test_a_question_stands_until_it_is_answered():
    x, target = shortest(50, 5, 2, 3, torch.Generator().manual_seed(2))
    assert x.shape == (50, 10 + 3 * LOOKS, WIDTH)
    told, asked = x[:, :10], x[:, 10:].unflatten(1, (3, LOOKS))
    S, D = STATIONS, DIRECTIONS
    rides = torch.stack([part.argmax(2) for part in told[..., :-2].split([S, D, S], dim=2)], dim=2)
    assert (told[..., -2:] == 0).all()
    assert (asked[..., :-1] == asked[:, :, :1, :-1]).all()
    assert torch.equal(asked[0, 0, :, -1], torch.tensor([1.0] + [0.0] * (LOOKS - 1)))
    here, goal = asked[:, :, 0, :S].argmax(2), asked[:, :, 0, S + D : -2].argmax(2)
    assert torch.equal(x, ask(rides, here, goal))
    target = target.unflatten(1, (3, LOOKS))
    assert (target[..., :-1] == -100).all()
    assert onward(rides, here, goal).gather(2, target[..., -1:]).all()


def test_berlin_is_drawn_whole():
    told = berlins(3, torch.Generator().manual_seed(0))
    assert told.shape == (3, 30, 3)
    assert (linked(told).sum((1, 2)) == 30).all()
    assert torch.equal(linked(told), linked(told).mT)
    assert linked(told).sum(2).sort(dim=1).values[:, -1].tolist() == [5] * 3


def test_what_is_asked_is_what_was_told():
    x, target = repeat(3, 4, 2, torch.Generator().manual_seed(0))
    assert x.shape == (3, 16, TURNS + 2)
    assert target.shape == (3, 16)
    turns = x[:, :, :TURNS].argmax(dim=2)
    for begin in (0, 8):
        assert torch.equal(target[:, begin + 4 : begin + 8], turns[:, begin : begin + 4])
        assert (target[:, begin : begin + 4] == -100).all()
        assert x[:, begin + 4 : begin + 8, :TURNS].sum() == 0
        assert torch.equal(x[0, begin : begin + 8, TURNS], torch.tensor([0.0] * 4 + [1.0] * 4))
        assert torch.equal(x[0, begin : begin + 8, TURNS + 1], torch.tensor([1.0, 0, 0, 0] * 2))


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ValueError, match="stations: got 17"):
        traversal(2, 17)
    with pytest.raises(ValueError, match="degree: got 3"):
        traversal(2, 3, 3)
    with pytest.raises(ValueError, match="rides: got"):
        journeys(torch.tensor([[[0, 0, 1], [1, 0, 0]]]), least=2)


def calls():
    whole = torch.zeros(2, 3, dtype=torch.long)
    rides = torch.tensor([[[0, 0, 1], [1, 0, 0]]] * 2)
    return {
        random_metros: {"batch": 2, "stations": 4, "degree": 2, "generator": torch.Generator()},
        berlins: {"batch": 2, "generator": torch.Generator()},
        distances: {"rides": rides},
        linked: {"rides": rides},
        journeys: {"rides": rides, "number": 2, "least": 1, "generator": torch.Generator()},
        onward: {"rides": rides, "here": whole, "goal": whole + 1},
        ask: {"rides": rides, "here": whole, "goal": whole + 1},
        shortest: {"batch": 2, "stations": 4, "degree": 2, "questions": 3, "generator": torch.Generator()},
        traversal: {
            "batch": 2,
            "stations": 4,
            "degree": 2,
            "steps": 3,
            "restart": 0.5,
            "generator": torch.Generator(),
        },
        encode: {
            "rides": torch.zeros(2, 4, 3, dtype=torch.long),
            "start": whole,
            "trains": whole,
            "new": torch.ones(2, 3, dtype=torch.bool),
        },
        city: {"batch": 2, "steps": 3, "generator": torch.Generator()},
        repeat: {"batch": 2, "length": 3, "routes": 2, "generator": torch.Generator()},
    }
