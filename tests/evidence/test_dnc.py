"""What the page measures is what its sentences are about."""

import pytest
import torch
from torch import nn

from attend.evidence import dnc
from attend.recipes.dnc import build
from attend.tasks import journeys, metro


class Echo(nn.Module):
    """Repeats the route of `length` turns that it was told last, exactly."""

    def __init__(self, length):
        super().__init__()
        self.length = length

    def forward(self, x, slots=None):
        assert slots == self.length
        told = x[..., : metro.TURNS]
        return told.roll(self.length, dims=1), []


@pytest.fixture
def models(monkeypatch):
    asked = []

    def make(task, kind, seed):
        asked.append((task, kind, seed))
        return build(task, kind, seed)

    for measure in (dnc.network, dnc.routes, dnc.second):
        measure.cache_clear()
    monkeypatch.setattr(dnc, "model", make)
    yield asked
    for measure in (dnc.network, dnc.routes, dnc.second):
        measure.cache_clear()


def test_one_who_repeats_is_always_right(monkeypatch, models):
    monkeypatch.setattr(dnc, "model", lambda task, kind, seed: Echo(8))
    assert dnc.second("whole", 3) == 1


def test_untrained_networks_guess(models):
    assert dnc.routes("whole", 1) < 0.2
    assert abs(dnc.second("never links", 1) - 0.25) < 0.1
    assert models == [("traversal", "whole", 1), ("repeat", "links", 1)]


def test_a_mechanism_is_cut_from_the_very_network_that_was_trained(models):
    found = dnc.spared(2)
    assert set(found) == {"whole", "links cut", "free gates cut", "allocation cut"}
    assert set(models) == {("traversal", "whole", 2)}


@pytest.mark.nightly
def test_the_city_is_told_whole(models):
    found = dnc.city(1)
    assert set(found) == {"Berlin, 32 slots", "Berlin, 16 slots"}
    assert all(0 <= value < 0.3 for value in found.values())


@pytest.mark.parametrize("place", ["anywhere", "Berlin"])
def test_one_who_looks_a_ride_ahead_arrives_as_often_as_is_said(place):
    rides, here, goal = dnc.trips(place, 1)
    leads, generator, arrived = journeys.linked(rides), torch.Generator().manual_seed(0), 0
    for metro_leads, apart, start, end in zip(leads, journeys.distances(rides), here[:, 0], goal[:, 0], strict=True):
        for _ in range(4):
            at, left = start, apart[start, end]
            while left and apart[at, end] == left:
                trains = metro_leads[at].nonzero()[:, 0]
                some = trains[torch.randint(len(trains), (), generator=generator)]
                at, left = end if metro_leads[at, end] else some, left - 1
            arrived += int(at == end)
    assert dnc.looks_ahead(place, 1) == pytest.approx(arrived / 2_000, abs=0.04)


def test_who_knows_all_ways_always_arrives(monkeypatch):
    class Knows(nn.Module):
        def forward(self, x, slots=None):
            told = [part.argmax(2) for part in x[:, : -journeys.LOOKS, :40].split([16, 8, 16], dim=2)]
            here, goal = x[:, -1:, :16].argmax(2), x[:, -1:, 24:40].argmax(2)
            return journeys.onward(torch.stack(told, dim=2), here, goal).float(), []

    monkeypatch.setattr(dnc, "finder", lambda kind, seed: Knows() if kind == "whole" else build("traversal", kind, 0))
    for found in (dnc.shortest(1), dnc.across(1)):
        assert found["DNC"] == 1
        assert found["LSTM"] < 0.1
        assert 0.3 < found["one ride ahead"] < 0.6


def test_test_data_are_new_for_each_seed():
    one, two = (metro.repeat(2, 8, 1, torch.Generator().manual_seed(90_000 + seed))[0] for seed in (20, 21))
    assert not torch.equal(one, two)
