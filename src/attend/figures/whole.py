"""A whole program in one listing: parts of the package under headings, ready to be pasted into an empty file."""

from IPython.display import Markdown, display

from attend.core.expect import checked, expect
from attend.figures import code


@checked
def show_whole(parts: dict[str, tuple]) -> None:
    """Show functions and classes of the package as one program, after the imports that it needs.

    The keys of `parts` stand before their functions and classes as comments. Raises ValueError where there are no
    parts, and for an object that has no Python source.
    """
    expect(len(parts) > 0, "parts", parts, "comments, each with functions or classes")
    objects = tuple(thing for group in parts.values() for thing in group)
    shown = {thing: code.listing(code._source(thing)) for thing in objects}
    groups = [f"# {comment}\n\n" + "\n\n\n".join(map(shown.get, group)) for comment, group in parts.items()]
    text = "\n\n\n".join(filter(None, [code._imports(objects, list(shown.values())), *groups]))
    display(Markdown(f"```python\n{text}\n```"))
