"""A trained DNC on a metro: it is told the rides, and its reads walk a route that the reader chooses."""

from collections.abc import Mapping, Sequence

from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure

NAMES = ("controller", "to_interface", "output")


class MetroFigure(LiveFigure):
    """A map, the slots of a memory, and a route to choose; the DNC answers with a station after each ride.

    `weights` is the state dict of an `attend.soft.dnc.DNC` with one head, trained on `attend.tasks.metro.traversal` for
    codes of `stations` stations and `trains` trains. `rides` are (from, train, to), in the order in which they are
    told; `places` says where each station stands, across and down in hundredths, and where its name. The route
    begins at `start` and takes the trains of `route`. Raises ValueError for weights of another size, a station without
    a place, too many stations or trains, and a route that no ride goes.
    """

    @checked
    def __init__(
        self,
        weights: Mapping[str, Tensor],
        stations: int,
        trains: int,
        rides: Sequence[tuple[str, str, str]],
        places: Mapping[str, tuple[int, int, str]],
        start: str,
        route: Sequence[str],
        slots: int = 32,
    ):
        wanted = {f"{name}.{part}" for name in NAMES for part in ("weight", "bias")}
        expect(set(weights) == wanted, "weights", sorted(weights), f"{', '.join(sorted(wanted))}")
        width = weights["controller.weight"].shape[1] - 2 * stations - trains - 2
        sizes = (width, 1, width, 1, width, width, 1, 1, 1, 3)
        fits = width > 0 and len(weights["to_interface.bias"]) == sum(sizes)
        fits = fits and len(weights["output.bias"]) == stations
        expect(fits, "weights", width, f"those of one head, {stations} stations and {trains} trains")
        expect(len(rides) > 0, "rides", rides, "one ride at least")
        names = sorted({name for ride in rides for name in (ride[0], ride[2])})
        calls = sorted({ride[1] for ride in rides})
        expect(len(names) <= stations, "rides", len(names), f"at most {stations} stations")
        expect(len(calls) <= trains, "rides", len(calls), f"at most {trains} trains")
        expect(set(names) <= set(places), "places", sorted(places), f"one for each of {', '.join(names)}")
        expect(slots > 0, "slots", slots, "a positive whole number")
        expect(start in names, "start", start, f"one of {', '.join(names)}")
        leads, here = {ride[:2]: ride[2] for ride in rides}, start
        for train in route:
            expect((here, train) in leads, "route", train, f"a train from {here}")
            here = leads[here, train]
        super().__init__(
            alt=(
                "A map of a metro in Berlin: four lines, fifteen stations. The rides of a chosen route light up as the "
                "network's read head finds them, and a ring marks the station that it answers. Below the map a bar for "
                "each slot of the memory shows where it reads, or, while rides are told, where it writes."
            ),
            invite="Choose a train, and watch the read head find its way.",
            data={
                "names": names,
                "calls": calls,
                "rides": [[names.index(a), calls.index(train), names.index(b)] for a, train, b in rides],
                "places": [list(places[name]) for name in names],
                "start": names.index(start),
                "route": [calls.index(train) for train in route],
                "slots": slots,
                "stations": stations,
                "trains": trains,
                "sizes": list(sizes),
            },
            tensors=dict(weights),
            precision="float16",
        )
