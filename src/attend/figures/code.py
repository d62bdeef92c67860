"""The package's own source on a page: shown, never retyped."""

import inspect
import textwrap

from IPython.display import Markdown, display

from attend.core.expect import checked


@checked
def show_source(*objects: object, docstring: bool = False) -> None:
    """Show the source of functions or classes of the package, as it runs; without docstrings unless asked for.

    Raises ValueError for an object that has no Python source.
    """
    display(Markdown("\n\n".join(f"```python\n{_source(thing, docstring)}\n```" for thing in objects)))


def _source(thing: object, docstring: bool) -> str:
    try:
        source = textwrap.dedent(inspect.getsource(inspect.unwrap(thing) if callable(thing) else thing)).rstrip()
    except (TypeError, OSError) as error:
        raise ValueError(f"objects: got {thing!r}, expected a function or class with Python source") from error
    if not docstring:
        for inner in [thing, *(vars(thing).values() if inspect.isclass(thing) else ())]:
            if getattr(inner, "__doc__", None) and (callable(inner) or inner is thing):
                source = _without(source, inner.__doc__)
    return source


def _without(source: str, text: str) -> str:
    """The source without the lines of one docstring."""
    lines, first = source.split("\n"), text.strip().split("\n")[0].strip()
    for start, line in enumerate(lines):
        if line.strip().startswith('"""' + first[:40]):
            end = start
            while not (lines[end].rstrip().endswith('"""') and (end > start or line.count('"""') == 2)):
                end += 1
            return "\n".join(lines[:start] + lines[end + 1 :])
    return source
