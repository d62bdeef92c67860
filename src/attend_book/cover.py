"""README's living picture: ten coins in one order after another, each order's walk, and the one memory of them all.

The flips are those of the live figure that stands on the front page, as its executed page saved them. The picture is an
SVG that moves by its own style sheet, twice round, and then rests. A second one, which does not move, is for readers
who want no motion.
"""

import random
from itertools import accumulate

from attend_book.site import source

NAMES = ("quiet", "line", "input", "summary", "on")
COLOURS = {
    "light": dict(zip(NAMES, ("#5c5c58", "#c9c9c4", "#c4541a", "#1f6fb2", "#fff"), strict=True)),
    "dark": dict(zip(NAMES, ("#a9a7a1", "#5a5a57", "#f0915c", "#6db5f0", "#181817"), strict=True)),
}
SHUFFLES, SECONDS, ROUNDS = 4, 3, 2
WIDTH, HEIGHT, GAP = 608, 372, 44
LEFT, TOP, SIDE, HIGH = 52, 74, 440, 244
ASSETS, PAGE = "book/_assets", "chapters/memory/coin"
STYLE = """
text {{ fill: {quiet}; font: 15px "Source Serif 4", Georgia, "Noto Serif", "Times New Roman", serif }}
.coin circle {{ fill: none; stroke: {input}; stroke-width: 2 }}
.coin text {{ fill: {input}; font-weight: 600; text-anchor: middle }}
.heads circle {{ fill: {input} }}
.heads text {{ fill: {on} }}
.axis, .trail {{ fill: none; stroke: {line} }}
.trail {{ stroke-width: 1.5 }}
.walk {{ fill: none; opacity: 0; stroke: {input}; stroke-width: 3; stroke-dasharray: 1; stroke-linejoin: round }}
#w0 {{ opacity: 1 }}
.memory {{ fill: {summary} }}
.end {{ text-anchor: end }}
.middle {{ text-anchor: middle }}
"""


def flips(view):
    """The coins of the live figure as its page saved them: 1 for heads, 0 for tails."""
    return list(view.state["data"]["flips"])


def orders(count):
    """The places of the coins, an order for each scene: as they fell, shuffled several times, as they fell."""
    draw, fallen = random.Random(count), list(range(count))
    return [fallen, *(draw.sample(fallen, count) for _ in range(SHUFFLES)), fallen]


def walk(series):
    """(flips seen, heads seen) from the start to the end."""
    return list(enumerate(accumulate(series, initial=0)))


def svg(series, mode, moves=True):
    """The picture as text, for light or dark pages, moving or at rest."""
    heads, count, scenes = sum(series), len(series), orders(len(series))
    walks = [_points(walk([series[coin] for coin in order]), count) for order in scenes[:-1]]
    chance = f"{(heads + 1) / (count + 2):.3f}"
    same = f"Whatever the order, the next flip is heads with probability {chance}."
    says = f"Ten coins change places. Each order takes another path to the same memory: {heads} of {count} heads."
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
        f"<title>{says}</title>",
        "<style>",
        STYLE.format(**COLOURS[mode]).strip(),
        *(_motion(scenes) if moves else ()),
        "</style>",
        *(_coin(coin, flip) for coin, flip in enumerate(series)),
        *_axes(count),
        *(f'<polyline class="trail" id="t{number}" points="{points}"/>' for number, points in enumerate(walks)),
        *(f'<polyline class="walk" id="w{n}" pathLength="1" points="{points}"/>' for n, points in enumerate(walks)),
        *_memory(heads, count),
        f'<text x="{LEFT}" y="{HEIGHT - 8}">{same}</text>',
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def pictures(root):
    """What each picture's file should hold, by path."""
    view = source.views(source.read(root / f"{PAGE}.ipynb"), PAGE)[0]
    kinds = {f"{mode}{'' if moves else '-still'}": (mode, moves) for mode in COLOURS for moves in (True, False)}
    return {root / ASSETS / f"readme-{name}.svg": svg(flips(view), *kind) for name, kind in kinds.items()}


def _at(x, y, count):
    return LEFT + SIDE * x / count, TOP + HIGH * (1 - y / count)


def _points(steps, count):
    return " ".join("{:g},{:g}".format(*_at(x, y, count)) for x, y in steps)


def _coin(coin, flip):
    kind, letter = ("heads", "H") if flip else ("tails", "T")
    x = LEFT + GAP * (coin + 0.5)
    drawn = f'<circle cx="{x:g}" cy="26" r="17"/><text x="{x:g}" y="31">{letter}</text>'
    return f'<g class="coin {kind}" id="c{coin}">{drawn}</g>'


def _axes(count):
    bottom, middle = TOP + HIGH, LEFT + SIDE / 2
    ticks = [
        f'<text class="end" x="{LEFT - 8}" y="{TOP + HIGH * (1 - n / count) + 5:g}">{n}</text>' for n in (0, count)
    ]
    ticks += [f'<text class="middle" x="{LEFT + SIDE * n / count:g}" y="{bottom + 20}">{n}</text>' for n in (0, count)]
    return [
        f'<path class="axis" d="M{LEFT},{TOP}V{bottom}H{LEFT + SIDE}"/>',
        *ticks,
        f'<text class="middle" x="{middle:g}" y="{bottom + 20}">flips seen</text>',
        f'<text class="middle" transform="translate({LEFT - 14} {TOP + HIGH / 2:g}) rotate(-90)">heads seen</text>',
    ]


def _memory(heads, count):
    x, y = _at(count, heads, count)
    return [
        f'<circle class="memory" cx="{x:g}" cy="{y:g}" r="7"/>',
        f'<text class="memory" x="{x + 14:g}" y="{y - 4:g}">the memory:</text>',
        f'<text class="memory" x="{x + 14:g}" y="{y + 15:g}">{heads} of {count} heads</text>',
    ]


def _motion(scenes):
    """Keyframes: where each coin lies in each scene, when each walk is drawn, and from when on its trail is left."""
    share, last = 100 / len(scenes), len(scenes) - 1
    frames = {f"c{coin}": _slides(coin, scenes, share) for coin in range(len(scenes[0]))}
    for number in range(last):
        shown = [number, last] if number == 0 else [number]
        frames[f"w{number}"] = [step for scene in shown for step in _draws(scene, share, scene == last)]
        frames[f"t{number}"] = [
            (0, "opacity: 0"),
            (share * (number + 0.9), "opacity: 0"),
            (share * (number + 1), "opacity: 1"),
        ]
    rules = [f"#{name} {{ animation: {name} {SECONDS * len(scenes)}s ease-in-out {ROUNDS} }}" for name in frames]
    steps = {name: " ".join(f"{at:.4g}% {{ {how} }}" for at, how in found) for name, found in frames.items()}
    return [*rules, *(f"@keyframes {name} {{ {found} }}" for name, found in steps.items())]


def _slides(coin, scenes, share):
    for scene, order in enumerate(scenes):
        shift = f"transform: translateX({GAP * (order.index(coin) - coin)}px)"
        yield from ((share * (scene + 0.25 * (scene > 0)), shift), (share * (scene + 1), shift))


def _draws(scene, share, stays):
    """One walk in one scene: hidden, drawn from its start to its end, hidden again unless it stays."""
    hidden, start, whole = (
        "opacity: 0; stroke-dashoffset: 1",
        "opacity: 1; stroke-dashoffset: 1",
        "opacity: 1; stroke-dashoffset: 0",
    )
    at = [share * (scene + part) for part in (0.24, 0.25, 0.8, 0.99, 1)]
    steps = [(0, hidden)] if scene == 0 else []
    steps += [(at[0], hidden), (at[1], start), (at[2], whole), (at[3], whole)]
    return [*steps, (at[4], whole if stays else hidden)]
