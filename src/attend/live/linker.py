"""Join a live figure and the kit into one script, without a bundler.

A figure and the kit are plain ES modules with relative, named imports. `link` makes one ES module of them, as
anywidget wants it; `bundle` makes one classic script, which a site can serve to pages that are opened from disk as
well. Standard library only, so that the site can be built without the package's own needs.
"""

import re
from pathlib import Path

LIVE = Path(__file__).parent
_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]+)";\n?', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|const|class) (\w+))", re.MULTILINE)
_LEFT_OVER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


class LinkError(ValueError):
    """A figure's script uses an import or export that the linker does not read."""


def link(name: str) -> str:
    """The figure `name` as one ES module whose default export is an anywidget front end."""
    return f"{_joined(name)}export default kit_widget_js.widget({name!r}, {_variable(_script(name))});\n"


def bundle(name: str) -> str:
    """The figure `name` as one classic script that adds its front end to `window.attend.figures`."""
    register = f"figures[{name!r}] = kit_widget_js.widget({name!r}, {_variable(_script(name))});"
    return (
        f"(() => {{\n{_joined(name)}const figures = ((window.attend ??= {{}}).figures ??= {{}});\n{register}\n}})();\n"
    )


def style() -> str:
    """The style sheet that all live figures share."""
    return (LIVE / "kit" / "kit.css").read_text()


def own_style(name: str) -> str:
    """What the figure `name` adds to the shared style sheet; empty when it adds nothing."""
    sheet = _script(name).with_suffix(".css")
    return sheet.read_text() if sheet.is_file() else ""


def names() -> list[str]:
    """The live figures there are, in alphabetical order."""
    return sorted(folder.name for folder in LIVE.iterdir() if (folder / f"{folder.name}.js").is_file())


def _script(name: str) -> Path:
    file = LIVE / str(name) / f"{name}.js"
    if not isinstance(name, str) or not file.is_file():
        raise LinkError(f"name: got {name!r}, expected one of {', '.join(names())}")
    return file


def _joined(name: str) -> str:
    """Every module that the figure reaches, each in its own scope, those that are needed first."""
    done: dict[Path, str] = {}
    _visit(LIVE / "kit" / "widget.js", done, ())
    _visit(_script(name), done, ())
    return "".join(done.values())


def _visit(file: Path, done: dict[Path, str], above: tuple[Path, ...]) -> None:
    file = file.resolve()
    if file in above:
        raise LinkError(f"{file.name}: imports itself by way of {' → '.join(f.name for f in above)}")
    if file in done:
        return
    source = file.read_text()
    for _, target in _IMPORT.findall(source):
        _visit(file.parent / target, done, (*above, file))
    exported = _EXPORT.findall(source)
    body = _EXPORT.sub("", _IMPORT.sub(lambda found: _constants(found, file), source))
    left_over = _LEFT_OVER.search(body)
    if left_over:
        raise LinkError(f"{file.name}: {left_over.group()!r} is not a named import or export on one line")
    done[file] = f"const {_variable(file)} = (() => {{\n{body}\nreturn {{ {', '.join(exported)} }};\n}})();\n"


def _constants(found: re.Match, file: Path) -> str:
    wanted = ", ".join(part.strip().replace(" as ", ": ") for part in found[1].split(",") if part.strip())
    return f"const {{ {wanted} }} = {_variable((file.parent / found[2]).resolve())};\n"


def _variable(file: Path) -> str:
    return re.sub(r"\W", "_", file.resolve().relative_to(LIVE.resolve()).as_posix())
