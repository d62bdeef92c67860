import { surface } from "../kit/canvas.js";
import { keys, KEYS } from "../kit/control.js";
import { clamp, within } from "../kit/dom.js";

/** Fill a square with units x units numbers: the larger the number, the denser the colour. */
export function squares(on, values, units, left, above, across, paper, full) {
  const each = across / units;
  on.globalAlpha = 1;
  on.fillStyle = paper;
  on.fillRect(left, above, across, across);
  on.fillStyle = full;
  for (let i = 0; i < units * units; i++) {
    on.globalAlpha = clamp(values[i], 0, 1);
    if (on.globalAlpha > 0.01) on.fillRect(left + (i % units) * each, above + Math.floor(i / units) * each, each, each);
  }
  on.globalAlpha = 1;
}

/**
 * A sheet of W x W pixels under the reader's hand. While `tool()` is "look", onLook(x, y) hears where the finger or
 * the arrow keys are, in pixels from the top left corner; with "draw" and "erase", onInk(dab) asks for ink.
 */
export function sheet({ parent, length, W, label, tool, eye, onLook, onInk, onSpace }) {
  const { made, on } = surface(parent, length, length, {
    tabindex: 0,
    role: "slider",
    "aria-label": label,
    class: "pad",
    ...KEYS,
  });
  const pen = { down: false, at: [W / 2, W / 2] };
  let held = null;
  const at = (event) => within(made, event).map((share) => share * W);
  const glance = (x, y) => onLook(clamp(Math.round(x), 0, W), clamp(Math.round(y), 0, W));

  made.addEventListener("pointerdown", (event) => {
    held = at(event);
    try {
      made.setPointerCapture(event.pointerId);
    } catch {
      /* the pointer is already up */
    }
    made.focus({ preventScroll: true });
    event.preventDefault();
    if (tool() === "look") glance(...held);
    else onInk([held]);
  });
  made.addEventListener("pointermove", (event) => {
    if (!held) return;
    const [x, y] = at(event);
    if (tool() === "look") {
      glance(x, y);
      return;
    }
    const steps = Math.max(1, Math.ceil(Math.hypot(x - held[0], y - held[1])));
    onInk(
      Array.from({ length: steps }, (_, i) =>
        held.map((from, axis) => from + (([x, y][axis] - from) * (i + 1)) / steps),
      ),
    );
    held = [x, y];
  });
  for (const end of ["pointerup", "pointercancel"])
    made.addEventListener(end, () => {
      held = null;
    });

  const press = () => {
    if (tool() === "look") {
      onSpace();
      return;
    }
    pen.down = !pen.down;
    onInk(pen.down ? [pen.at.map((value) => value + 0.5)] : []);
  };
  keys(
    made,
    ([dx, dy], big) => {
      const by = big ? 4 : 1,
        path = [];
      if (tool() === "look") {
        const [x, y] = eye();
        glance(x + dx * by, y - dy * by);
        return;
      }
      for (let i = 0; i < by; i++) {
        pen.at = [clamp(pen.at[0] + dx, 0, W - 1), clamp(pen.at[1] - dy, 0, W - 1)];
        if (pen.down) path.push(pen.at.map((value) => value + 0.5));
      }
      onInk(path);
    },
    { " ": press, Enter: press },
  );
  return { made, on, pen };
}

/** Soft dots of ink about two pixels wide, or of nothing, around the points of a path. */
export function dab(image, W, path, erase) {
  for (const [x, y] of path) {
    for (let row = Math.max(0, Math.floor(y) - 2); row <= Math.min(W - 1, Math.floor(y) + 2); row++) {
      for (let column = Math.max(0, Math.floor(x) - 2); column <= Math.min(W - 1, Math.floor(x) + 2); column++) {
        const near = clamp(1.9 - Math.hypot(column + 0.5 - x, row + 0.5 - y), 0, 1),
          i = row * W + column;
        image[i] = erase ? Math.min(image[i], 1 - near) : Math.max(image[i], near);
      }
    }
  }
}
