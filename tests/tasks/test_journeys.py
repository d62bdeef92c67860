"""A way on leads nearer to the goal, by a search; a question stands until it is answered; Berlin is told whole."""

import pytest
import torch

from attend.tasks.journeys import (
    FAR,
    LOOKS,
    ask,
    berlins,
    decode,
    distances,
    journeys,
    linked,
    onward,
    random_metros,
    shortest,
)
from attend.tasks.metro import DIRECTIONS, STATIONS, WIDTH, traversal


def searched(rides, goal):
    """How far each station is from `goal`, by a breadth-first search backwards."""
    far, edge = {goal: 0}, [goal]
    while edge:
        edge = sorted({a for a, _, b in rides.tolist() if b in edge} - far.keys())
        far |= dict.fromkeys(edge, max(far.values()) + 1)
    return far


def test_distances_are_those_of_a_search():
    for rides in [*random_metros(20, 6, 2, torch.Generator().manual_seed(0)), berlins(1)[0]]:
        apart = distances(rides[None])[0]
        for goal in range(STATIONS):
            far = searched(rides, goal)
            assert apart[:, goal].tolist() == [min(far.get(start, 99), FAR + 1) for start in range(STATIONS)]


@pytest.mark.parametrize("least", [1, 2])
def test_a_way_on_is_one_ride_that_leads_nearer(least):
    generator = torch.Generator().manual_seed(1)
    rides = random_metros(300, 6, 2, generator)
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


def test_rides_are_those_of_a_traversal():
    x, _ = traversal(3, 5, 2, 1, generator=torch.Generator().manual_seed(4))
    rides = random_metros(3, 5, 2, torch.Generator().manual_seed(4))
    assert torch.equal(ask(rides, rides[:, :1, 0], rides[:, :1, 2])[:, :10], x[:, :10])


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ValueError, match="rides: got"):
        journeys(torch.tensor([[[0, 0, 1], [1, 0, 0]]]), least=2)
    with pytest.raises(ValueError, match="stations: got 17"):
        random_metros(2, 17)


def calls():
    rides = torch.tensor([[[0, 0, 1], [1, 0, 0]]] * 2)
    whole = torch.zeros(2, 3, dtype=torch.long)
    return {
        decode: {"x": torch.zeros(2, 3, WIDTH), "number": 2},
        random_metros: {"batch": 2, "stations": 4, "degree": 2, "generator": torch.Generator()},
        berlins: {"batch": 2, "generator": torch.Generator()},
        distances: {"rides": rides},
        linked: {"rides": rides},
        journeys: {"rides": rides, "number": 2, "least": 1, "generator": torch.Generator()},
        onward: {"rides": rides, "here": whole, "goal": whole + 1},
        ask: {"rides": rides, "here": whole, "goal": whole + 1},
        shortest: {"batch": 2, "stations": 4, "degree": 2, "questions": 3, "generator": torch.Generator()},
    }
