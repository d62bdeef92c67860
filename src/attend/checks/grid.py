"""The exercise on planes, for the page on directions."""

from collections.abc import Callable

from attend.checks.answers import parts
from attend.checks.exercise import Wrong, exercise


@exercise
def steps(diagonals: Callable) -> str:
    """diagonals(rows, columns): the pixels (row, column) of each step, so that those above and left come before."""
    for rows, columns in [(2, 2), (3, 5), (6, 2), (1, 4)]:
        asked = f"{rows} rows and {columns} columns"
        try:
            made = [[tuple(parts(pixel, 2, "a pixel")) for pixel in step] for step in diagonals(rows, columns)]
        except TypeError:
            raise Wrong(f"{asked}: expected a list of steps, each a list of pixels (row, column)") from None
        _every_pixel_once(made, rows, columns, asked)
        turn = {pixel: n for n, step in enumerate(made, start=1) for pixel in step}
        for (row, column), n in sorted(turn.items()):
            for name, before in (("above", (row - 1, column)), ("to the left", (row, column - 1))):
                if turn.get(before, 0) == n:
                    raise Wrong(f"{asked}: pixel {(row, column)} shares step {n} with the pixel {name}, which it asks")
                if turn.get(before, 0) > n:
                    raise Wrong(f"{asked}: pixel {(row, column)} has its turn before the pixel {name}, which it asks")
        if len(made) > rows + columns - 1:
            least = rows + columns - 1
            raise Wrong(f"{asked}: that takes {len(made)} steps, and {least} are enough: which pixels can share one?")
    return "An image of 1,000 x 1,000 pixels takes 1,999 steps instead of a million."


def _every_pixel_once(made: list, rows: int, columns: int, asked: str) -> None:
    flat = [pixel for step in made for pixel in step]
    wanted = {(row, column) for row in range(rows) for column in range(columns)}
    if strange := sorted(set(flat) - wanted, key=str):
        raise Wrong(f"{asked}: {strange[0]} lies outside of the image")
    if missing := sorted(wanted - set(flat)):
        raise Wrong(f"{asked}: pixel {missing[0]} never has its turn")
    if len(flat) > len(wanted):
        raise Wrong(f"{asked}: a pixel has its turn twice")
    if any(not step for step in made):
        raise Wrong(f"{asked}: a step without a pixel does nothing")
