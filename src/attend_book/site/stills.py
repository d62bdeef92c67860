"""`python -m attend_book stills`: photograph every live figure of the built site, for readers without JavaScript.

A still is also what stands on a page until its figure is drawn, so it has the size of the figure in the text.
"""

import argparse
import json
import sys
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from attend_book import ROOT, build
from attend_book.browser import launched
from attend_book.site import course, live, preview, source

WINDOWS, HEIGHT = (360, 412, 1280), 900
LARGEST = 20_000
COLOURS = (64, 48, 32)


def main(arguments):
    """Build the site, photograph its figures, note of what each is the picture; returns the exit status."""
    parser = argparse.ArgumentParser(prog="attend_book stills", description=main.__doc__)
    parser.add_argument("page", nargs="*", type=Path, help="only the figures of these pages")
    parser.add_argument("--all", action="store_true", help="also those that are fresh")
    options = parser.parse_args(arguments)
    if not preview.fresh():
        with launched() as browser:
            preview.take(browser)
    known, shown = live.manifest(), {view.key: (docname, view) for docname, view in views()}
    pages = {page.stem for page in options.page}
    wanted = {
        key: (docname, view)
        for key, (docname, view) in shown.items()
        if (options.all or live.stale(view, known)) and (not pages or Path(docname).name in pages)
    }
    entries = {key: entry for key, entry in known.items() if key in shown}
    if wanted:
        print(f"to be photographed, whatever the build says of them: {', '.join(sorted(wanted))}", flush=True)
        if build.main(["--no-strict"]):
            return 1
    for key in set(known) - set(shown):
        (live.STILLS / f"{key}.webp").unlink(missing_ok=True)
    try:
        for key, entry in photograph(ROOT / "_build" / "html", wanted):
            entries[key] = entry
    finally:
        live.MANIFEST.write_text(json.dumps(entries, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{len(wanted)} of {len(shown)} stills taken, the others are fresh")
    return 0


def views(srcdir=ROOT):
    """(page, view) for every live figure of the book's executable pages."""
    site_map = course.contents(srcdir)
    for page in course.chapters(srcdir, site_map):
        for view in source.views(source.read(srcdir / f"{page.docname}.ipynb"), page.docname):
            yield page.docname, view


def photograph(site, wanted):
    """Take the wanted stills from the site built in `site`; gives key and manifest entry of each."""
    live.STILLS.mkdir(parents=True, exist_ok=True)
    with launched() as browser:
        for key, (docname, view) in sorted(wanted.items()):
            tall, url = {}, (site / f"{docname}.html").as_uri()
            for window in WINDOWS:
                with drawn(browser, url, key, window) as place:
                    tall[str(window)] = round(place.bounding_box()["height"])
                    if window == WINDOWS[-1]:
                        width, height, data = squeezed(place.screenshot(omit_background=True))
            (live.STILLS / f"{key}.webp").write_bytes(data)
            print(f"{key}: {width} by {height}, {len(data) / 1000:.0f} kB", flush=True)
            yield key, {"digest": live.digest(view), "width": width, "height": height, "tall": tall}


@contextmanager
def drawn(browser, url, key, window, **options):
    """The live figure of a page, ready, at rest and without paper, in a window of that width."""
    given = {"color_scheme": "light", "reduced_motion": "reduce", "bypass_csp": True} | options
    context = browser.new_context(viewport={"width": window, "height": HEIGHT}, **given)
    page = context.new_page()
    page.goto(url)
    page.evaluate("document.fonts.ready.then(() => null)")
    page.reload()  # a face of the book that comes late is used from the next page on: now it is there
    place = page.locator(f'.attend-live[data-key="{key}"]')
    place.scroll_into_view_if_needed()
    place.locator('[data-ready="true"]').wait_for(timeout=20_000)
    page.evaluate("document.fonts.ready.then(() => null)")
    page.wait_for_timeout(300)
    # The paper shows through a still, as through every picture of the book.
    page.add_style_tag(content="html, body { background: transparent !important }")
    yield place
    context.close()


def squeezed(png):
    """(width, height, WebP without loss): as many colours as fit into `LARGEST` bytes."""
    from PIL import Image

    picture = Image.open(BytesIO(png)).convert("RGBA")
    for colours in COLOURS:
        out, few = BytesIO(), picture.quantize(colours, method=Image.Quantize.FASTOCTREE)
        few.convert("RGBA").save(out, "WEBP", lossless=True, quality=100, method=6)
        if out.tell() <= LARGEST:
            break
    else:
        print(f"a still of {out.tell() / 1000:.0f} kB is larger than {LARGEST / 1000:.0f} kB", file=sys.stderr)
    return *picture.size, out.getvalue()
