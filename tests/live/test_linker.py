"""Figures and the kit become one script without a bundler."""

import json
import shutil
import subprocess

import pytest

from attend.live import linker

node = pytest.mark.skipif(shutil.which("node") is None, reason="no node on this machine")


@pytest.fixture
def live(tmp_path, monkeypatch):
    """A folder of live figures to write into."""
    monkeypatch.setattr(linker, "LIVE", tmp_path)

    def write(name, text):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)

    write("kit/widget.js", "export const widget = (name, figure) => ({ name, ...figure });\n")
    return write


def run(script):
    done = subprocess.run(["node", "--input-type=module", "-e", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@node
def test_names_of_two_modules_do_not_meet(live):
    live("kit/a.js", "const secret = 1;\nexport function f() { return secret; }\nexport const g = 5;\n")
    live(
        "one/one.js",
        'import { f,\n  g as other } from "../kit/a.js";\nconst secret = 2;\n'
        "export const forward = () => [f(), secret, other];\n",
    )
    window = "globalThis.window = globalThis;\n"
    assert run(window + linker.bundle("one") + "console.log(attend.figures.one.forward().join());") == "1,2,5"
    assert "export default" in linker.link("one")


PARSE = """
import { readFileSync } from "node:fs";
import { Script, SourceTextModule } from "node:vm";
const wrong = [];
for (const [name, module, script] of JSON.parse(readFileSync(0, "utf8"))) {
  for (const [parse, text] of [[SourceTextModule, module], [Script, script]]) {
    try { new parse(text); } catch (error) { wrong.push(`${name}: ${error}`); }
  }
}
console.log(wrong.join("\\n"));
"""


@pytest.mark.nightly
@node
def test_every_figure_is_valid_javascript_both_ways():
    texts = [(name, linker.link(name), linker.bundle(name)) for name in linker.names()]
    command = ["node", "--experimental-vm-modules", "--no-warnings", "--input-type=module", "-e", PARSE]
    done = subprocess.run(command, input=json.dumps(texts), capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr


def test_a_figure_adds_its_own_style_to_the_shared_one(live):
    for name, text in (("kit/kit.css", "a{}"), ("one/one.css", "b{}"), ("one/one.js", ""), ("two/two.js", "")):
        live(name, text)
    assert [linker.style(), linker.own_style("one"), linker.own_style("two")] == ["a{}", "b{}", ""]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('import x from "../kit/widget.js";\n', "import x from"),
        ("export default 3;\n", "export default 3"),
        ('import { one } from "./one.js";\n', "imports itself"),
    ],
)
def test_what_the_linker_does_not_read_is_refused(live, text, says):
    live("one/one.js", text)
    with pytest.raises(linker.LinkError, match=says):
        linker.link("one")


def test_an_unknown_figure_is_refused():
    with pytest.raises(ValueError, match=r"name: got 'nowhere', expected one of .*coin"):
        linker.link("nowhere")


def calls():
    return {
        linker.link: {"name": "coin"},
        linker.bundle: {"name": "coin"},
        linker.own_style: {"name": "coin"},
    }
