"""Uses a live figure as a reader would: every control by keyboard, one of each kind by touch.

A control that does nothing is a defect, so what changed is compared: the figure as a whole, and what lies beyond its
controls (a picture, a number), for a slider that moves only itself shows nothing.
"""

import re
import time

from playwright.sync_api import Locator, Page

CONTROLS = 'button, input, select, textarea, [tabindex="0"]'
NAMED = ("button", "checkbox", "combobox", "link", "listbox", "option", "radio", "searchbox", "slider", "spinbutton")
NAMED += ("switch", "tab", "textbox")
LOOKS = 15
ARROWS = ("ArrowRight", "ArrowUp", "ArrowLeft", "ArrowDown")

SNAPSHOT = """(figure, controls) => {
    const read = root => root.outerHTML.replace(/ data-[a-z-]+="[^"]*"/g, "");
    const states = [...figure.querySelectorAll("input, select, textarea")].map(e => `${e.value} ${e.checked}`).join();
    const pictures = [...figure.querySelectorAll("canvas")].map(e => e.toDataURL()).join();
    const beyond = figure.cloneNode(true);
    for (const control of beyond.querySelectorAll(`.control, ${controls}`)) control.remove();
    return [read(figure) + states + pictures, read(beyond) + pictures];
}"""
KIND = """e => e.tagName === "INPUT" ? e.type : e.getAttribute("role") ?? e.tagName.toLowerCase()"""
IDLE = """e => e.disabled || e.getAttribute("aria-disabled") === "true" || (e.type === "radio" && e.checked)
    || !e.getClientRects().length"""

HIT = """e => {
    const box = e.getBoundingClientRect(), parts = [0.5, 0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9];
    for (const down of parts) for (const right of parts) {
        const [x, y] = [box.x + right * box.width, box.y + down * box.height], hit = document.elementFromPoint(x, y);
        if (hit && (e === hit || e.contains(hit))) return [x, y];
    }
    return null;
}"""


def snapshot(figure: Locator) -> list[str]:
    """The figure as it is now: whole, and beyond its controls."""
    return figure.evaluate(SNAPSHOT, CONTROLS)


def changed(figure: Locator, before: list[str], wait: float = 0.6, looks: int = LOOKS) -> list[bool]:
    """Whether the whole and what lies beyond the controls differ from before.

    It waits a while for a change, and longer on a busy machine: until it has looked often enough, too.
    """
    end, looked = time.monotonic() + wait, 0
    while (now := snapshot(figure))[0] == before[0] and (time.monotonic() < end or looked < looks):
        time.sleep(0.03)
        looked += 1
    return [a != b for a, b in zip(now, before, strict=True)]


def keystrokes(kind: str) -> tuple[str, ...]:
    """The keys that use a control of this kind; the next is tried when the one before changed nothing."""
    if kind in ("range", "slider", "spinbutton", "number"):
        return ARROWS
    if kind == "select":  # Enter and Space open the browser's own list, which is no part of the page
        return ("ArrowDown", "ArrowUp")
    if kind in ("checkbox", "radio", "switch"):
        return ("Space",)
    if kind in ("text", "search", "textarea", "textbox"):
        return ("a", "Space", "Backspace")
    return ("Enter", "Space") if kind == "button" else ("Enter", "Space", *ARROWS)


def by_keyboard(figure: Locator) -> tuple[list[str], list[bool], int]:
    """Use every control once; returns the kinds of the inert ones, what changed in all, and how many were used."""
    controls = figure.locator(CONTROLS)
    order = [(controls.nth(i).evaluate(KIND), i) for i in range(controls.count())]
    order.sort(key=lambda entry: entry[0] == "button")
    seen, used, inert = [False, False], 0, []
    for again in (False, True):
        todo, inert = (inert if again else order), []
        for _, i in todo:
            if i >= controls.count() or controls.nth(i).evaluate(IDLE):
                continue
            used += not again
            kind = controls.nth(i).evaluate(KIND)  # a figure may have put another one here since
            difference = press(figure, controls.nth(i), kind)
            seen = [a or b for a, b in zip(seen, difference, strict=True)]
            if not difference[0]:
                inert.append((kind, i))
    return [f"{kind} {i}" for kind, i in inert], seen, used


def press(figure: Locator, control: Locator, kind: str) -> list[bool]:
    """Press the keys of one control until something changes; returns what did. It hurries through them first."""
    before, difference = snapshot(figure), [False, False]
    for wait in ({"wait": 0.1, "looks": 3}, {}):
        for key in keystrokes(kind):
            control.press(key, timeout=10_000)
            difference = changed(figure, before, **wait)
            if difference[0]:
                return difference
    return difference


def by_touch(page: Page, figure: Locator) -> list[str]:
    """Use the first control of each kind with a finger; returns the kinds that did nothing or lost the finger."""
    controls, inert, kinds = figure.locator(CONTROLS), [], set()
    page.evaluate("window.lost = 0; addEventListener('pointercancel', () => { window.lost += 1; }, true)")
    for i in range(controls.count()):
        if i >= controls.count() or controls.nth(i).evaluate(IDLE):
            continue
        kind = controls.nth(i).evaluate(KIND)
        if kind not in kinds:
            kinds.add(kind)
            controls.nth(i).scroll_into_view_if_needed()
            trouble = touch(page, figure, controls.nth(i), kind)
            inert += [f"{kind} {i} {trouble}"] if trouble else []
    return inert


def touch(page: Page, figure: Locator, control: Locator, kind: str) -> str:
    """Tap or drag one control, type into a text; returns what went wrong in words, or nothing."""
    before = snapshot(figure)
    if kind == "slider":
        upright = control.evaluate("e => getComputedStyle(e).touchAction !== 'pan-y'")
        for by in ((0, -40), (40, 0), (0, 40), (-40, 0)) if upright else ((40, 0), (-40, 0)):
            page.evaluate("window.lost = 0")
            drag(page, control, *by)
            if changed(figure, before)[0]:
                return "loses the finger to scrolling" if page.evaluate("window.lost") else ""
        return "did nothing"
    if kind == "range":
        box = control.bounding_box()
        for part in (0.8, 0.2):
            control.tap(position={"x": box["width"] * part, "y": box["height"] / 2})
            if changed(figure, before)[0]:
                return ""
        return "did nothing"
    if kind in ("checkbox", "radio"):
        control = control.locator("xpath=ancestor-or-self::*[self::label or self::input][last()]")
    if kind == "listbox":  # its middle may lie between two words, or on the one that is chosen
        control = control.locator('[role="option"]:not([aria-selected="true"])').first
    control.tap()
    if kind == "select":  # the finger opens the browser's own list; what is chosen there arrives like this
        options = control.locator("option")
        control.select_option(index=(control.evaluate("e => e.selectedIndex") + 1) % options.count())
    if kind in ("text", "search", "textarea"):
        page.keyboard.type("a ")
    return "" if changed(figure, before, wait=2.0)[0] else "did nothing"


def drag(page: Page, control: Locator, dx: float, dy: float) -> None:
    """One finger from a point of the control: its middle, or wherever it can be hit (a line has no middle).

    It rests before it lifts. Lifted in full motion it flings, and the browser then swallows a tap that comes within the
    next 0.2 s.
    """
    hit, finger = control.evaluate(HIT), page.context.new_cdp_session(page)
    if hit is None:
        return
    steps = (("touchStart", 0, 0), ("touchMove", 0.5, 0), ("touchMove", 1, 0), ("touchMove", 1, 0.15))
    for kind, part, rest in (*steps, ("touchEnd", None, 0)):
        time.sleep(rest)
        points = [] if part is None else [{"x": hit[0] + part * dx, "y": hit[1] + part * dy}]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    finger.detach()


def nameless(figure: Locator) -> list[str]:
    """The controls of a figure that a screen reader could not name."""
    lines = (line.strip().removeprefix("- ") for line in figure.aria_snapshot().splitlines())
    return [line for line in lines if re.match(rf"(?:{'|'.join(NAMED)})\b(?! [\"/])", line)]
