"""The metro computes what torch computes, whole and with a mechanism cut; mouse, touch and keyboard choose a route."""

import pytest
import torch

from attend.live.dnc import MetroFigure
from attend.recipes.dnc import Cut, accuracy, build, trained
from attend.tasks import metro
from attend.tasks.metro import DIRECTIONS, PLACES, STATIONS, berlin, encode

START, ROUTE = "Brandenburger Tor", ["U5 east", "U6 south", "U2 east"]


def figure(weights=None, **changed):
    weights = weights or build("traversal", "whole", 3).state_dict()
    given = {"stations": STATIONS, "trains": DIRECTIONS, "rides": berlin(), "places": PLACES, "start": START}
    return MetroFigure(weights, **(given | {"route": ROUTE} | changed))


@pytest.mark.parametrize("cut", ["nothing", "links", "free gates", "allocation"])
def test_same_as_torch_at_every_step(compute, cut):
    made = figure()
    data = made.data
    kind = {"nothing": "whole", "free gates": "freeing"}.get(cut, cut)
    model = build("traversal", kind, 3) if kind != "whole" else build("traversal", "whole", 3)
    assert isinstance(model, Cut) == (cut != "nothing")
    model.load_state_dict(made.seen())
    rides = data["rides"][:20]
    got = compute(made)({"rides": rides, "from": data["start"], "trains": data["route"], "slots": 24, "cut": cut})
    start = torch.full((1, 3), data["start"])
    new = torch.tensor([[True, False, False]])
    x = encode(torch.tensor(rides)[None], start, torch.tensor(data["route"])[None], new)
    with torch.no_grad():
        logits, states = model.double()(x.double(), slots=24)
    close = {"atol": 2e-5, "rtol": 1e-4}
    writes = torch.stack([state.write[0] for state in states[:20]])
    torch.testing.assert_close(torch.tensor(got["writes"]).double(), writes, **close)
    reads = torch.stack([state.read[0, 0] for state in states[20:]])
    torch.testing.assert_close(torch.tensor(got["reads"]).double(), reads, **close)
    torch.testing.assert_close(torch.tensor(got["probs"]).double(), logits[0, 20:].softmax(1), **close)


def test_rounding_to_half_precision_costs_next_to_nothing():
    exact, rounded = trained(), build("traversal", "whole", 0)
    rounded.load_state_dict(figure(exact.state_dict()).seen())
    drawn = metro.city(60, 8, torch.Generator().manual_seed(1))
    assert abs(accuracy(exact, *drawn, slots=32) - accuracy(rounded, *drawn, slots=32)) < 0.005


def test_a_route_is_chosen_ride_by_ride(mount):
    shown = mount(figure(trained().state_dict()))
    first = shown.value()
    assert (first["from"], first["trains"], first["told"]) == (START, ROUTE, 30)
    shown.root.get_by_role("button", name="one ride back").click()
    assert shown.value()["trains"] == ROUTE[:2]
    shown.root.get_by_role("button", name="U2 east").click()
    assert shown.value() == first
    shown.root.get_by_role("slider", name="Rides told").press("Home")
    assert shown.value()["told"] == 0
    assert shown.value()["right"] < 3
    shown.root.get_by_role("button", name="Start again").click()
    assert shown.value() == first
    shown.root.get_by_role("checkbox").check()
    assert shown.value()["told"] == 29
    shown.root.get_by_role("radio", name="allocation").press("Space")
    assert shown.value()["cut"] == "allocation"
    shown.root.get_by_role("slider", name="Start of the route").press("ArrowRight")
    assert shown.value()["trains"] == []
    assert shown.value()["from"] != START
    shown.root.get_by_role("slider", name="Start of the route").press("Home")
    assert shown.value()["from"] == "Alexanderplatz"


def test_a_station_is_a_place_to_begin(mount):
    shown = mount(figure())
    shown.root.locator(".station").nth(3).click(force=True)
    assert shown.value()["from"] == sorted(PLACES)[3]


def test_it_works_by_touch_and_fits_a_phone_in_the_dark(mount):
    shown = mount(figure(), width=360, theme="dark", has_touch=True)
    shown.root.get_by_role("button", name="one ride back").tap()
    assert shown.value()["trains"] == ROUTE[:2]
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"stations": 3}, "weights: got"),
        ({"rides": []}, "rides: got"),
        ({"places": {}}, "places: got"),
        ({"start": "Zoo"}, "start: got"),
        ({"route": ["U8 north"]}, "route: got"),
        ({"slots": 0}, "slots: got 0"),
    ],
)
def test_what_cannot_be_shown_is_refused_by_name(changed, says):
    with pytest.raises(ValueError, match=says):
        figure(**changed)


def calls():
    return {
        MetroFigure: {
            "weights": build("traversal", "whole", 3).state_dict(),
            "stations": STATIONS,
            "trains": DIRECTIONS,
            "rides": berlin(),
            "places": PLACES,
            "start": START,
            "route": ROUTE,
            "slots": 32,
        }
    }
