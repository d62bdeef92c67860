"""What each built page says in its markup. No browser is needed."""

import re
from urllib.parse import urlsplit

import pytest
import yaml
from tests.site import built

CONFIG = yaml.safe_load((built.ROOT / "_config.yml").read_text(encoding="utf-8"))
NAMED_ONLY = ("canonical", "alternate", "author", "license")  # links that a browser does not follow by itself
SKELETON = ("search.html", "genindex.html")
each_page = pytest.mark.parametrize("path", built.paths() or ["index.html"])
each_text = pytest.mark.parametrize("path", [p for p in built.paths() if p not in SKELETON] or ["index.html"])
each_notebook = pytest.mark.parametrize("path", built.notebooks() or ["chapters/memory/coin.html"])


def test_every_page_of_the_contents_is_built():
    contents = yaml.safe_load((built.ROOT / "_toc.yml").read_text(encoding="utf-8"))
    listed = ["index"] + [chapter["file"] for part in contents["parts"] for chapter in part["chapters"]]
    missing = [name for name in listed if f"{name}.html" not in built.paths()]
    assert not missing, f"not built: {missing}; run make site"


@each_text
def test_a_page_says_what_it_is(path):
    page = built.markup(path)
    titles, headings = page.texts.get("title", []), page.texts.get("h1", [])
    assert len(titles) == 1
    assert titles[0].strip()
    assert len(headings) == 1, headings
    assert 20 <= len(page.meta("description")) <= 170, page.meta("description")
    assert "width=device-width" in page.meta("viewport")
    assert page.all("html")[0].get("lang") == "en"
    assert page.all("link", rel="icon"), "no favicon"


def test_no_two_pages_have_one_title_or_description():
    pages = [built.markup(path) for path in built.paths() if path not in SKELETON and path != "index.html"]
    for said in ([page.texts["title"][0] for page in pages], [page.meta("description") for page in pages]):
        double = {text for text in said if said.count(text) > 1}
        assert not double, double


@each_page
def test_every_link_and_anchor_leads_somewhere(path):
    page, broken = built.markup(path), []
    for attributes in page.all("a") + page.all("link"):
        link = attributes.get("href", "")
        if not link or urlsplit(link).scheme or link.startswith("//"):
            continue
        file, fragment = built.target(path, link)
        if not file.is_file() or not file.is_relative_to(built.SITE):
            broken.append(f"{link}: no such file")
        elif fragment and file.suffix == ".html":
            other = built.markup(file.relative_to(built.SITE).as_posix())
            if fragment not in other.ids:
                broken.append(f"{link}: no such anchor")
    for attributes in page.all("script") + page.all("img") + page.all("source"):
        source = attributes.get("src", "")
        if source and not source.startswith("data:") and not built.target(path, source)[0].is_file():
            broken.append(f"{source}: no such file")
    assert not broken, broken


@each_page
def test_ids_are_unique(path):
    ids = built.markup(path).ids
    assert len(ids) == len(set(ids)), {name for name in ids if ids.count(name) > 1}


@each_page
def test_a_page_asks_no_other_host(path):
    page = built.markup(path)
    asks = [
        a.get(name, "")
        for tag in ("script", "img", "iframe", "source", "video", "audio", "object")
        for a in page.all(tag)
        for name in ("src", "data", "srcset", "poster")
    ]
    asks += [a.get("href", "") for a in page.all("link") if a.get("rel") not in NAMED_ONLY]
    elsewhere = [ask for ask in asks if urlsplit(ask).netloc]
    assert not elsewhere, elsewhere
    written = " ".join(page.texts.get("script", []) + page.texts.get("style", []))
    assert not built.abroad(written), built.abroad(written)


def test_no_script_or_style_names_another_host():
    files = [file for suffix in ("js", "css", "svg") for file in built.SITE.rglob(f"*.{suffix}")]
    assert files, "the site is not built; run make site"
    texts = {file.name: file.read_text(encoding="utf-8") for file in files if file.name != "searchindex.js"}
    found = {name: built.abroad(text) for name, text in texts.items()}
    assert not any(found.values()), {name: addresses for name, addresses in found.items() if addresses}


@each_notebook
def test_a_notebook_says_how_long_it_takes(path):
    text = built.markup(path).texts["main"][0]
    for time, act in ((r"\d+\s*min", "read"), (r"\d+\s*(?:s|min)", "run")):
        assert re.search(rf"\b{time}\b[^.]{{0,40}}\b{act}|\b{act}[^.]{{0,40}}\b{time}\b", text), text[:400]


@each_notebook
def test_a_notebook_can_be_launched(path):
    repository = CONFIG["repository"]["url"].removeprefix("https://github.com/").rstrip("/")
    branch, source = CONFIG["repository"].get("branch", "main"), path.removesuffix(".html") + ".ipynb"
    binder_hub, colab_hub = (CONFIG["launch_buttons"][name] for name in ("binderhub_url", "colab_url"))
    links = [a.get("href", "").replace("%2F", "/") for a in built.markup(path).all("a")]
    binder = [link for link in links if link.startswith(binder_hub)]
    colab = [link for link in links if link.startswith(colab_hub)]
    assert len(binder) == 1, binder
    assert binder[0].startswith(f"{binder_hub}/v2/gh/{repository}/{branch}?")
    assert binder[0].endswith(source)
    assert colab == [f"{colab_hub}/github/{repository}/blob/{branch}/{source}"]


@each_page
def test_every_picture_says_what_it_shows(path):
    silent = [a.get("src") for a in built.markup(path).all("img") if "alt" not in a]
    assert not silent, silent


@each_notebook
def test_the_pictures_of_a_notebook_are_described(path):
    bare = [a.get("src") for a in built.markup(path).all("img") if len(a.get("alt", "")) < 20]
    assert not bare, bare
