"""Routes go along the rides that were told; Berlin is as its lines say; what is repeated is what was told."""

import pytest
import torch

from attend.tasks.metro import (
    DIRECTIONS,
    LINES,
    PLACES,
    STATIONS,
    TURNS,
    WIDTH,
    berlin,
    city,
    encode,
    repeat,
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


def calls():
    whole = torch.zeros(2, 3, dtype=torch.long)
    return {
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
