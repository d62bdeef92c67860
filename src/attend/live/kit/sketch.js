import { KEYS } from "./control.js";
import { clamp, element } from "./dom.js";

/**
 * Follow a pointer that is held down. at(event) is its place; press(place) begins, drag(place, last) goes on from the last
 * one and may return what counts as the last one from now on.
 */
export function hold(made, at, { press, drag }) {
  let last = null;
  made.addEventListener("pointerdown", (event) => {
    last = at(event);
    try {
      made.setPointerCapture(event.pointerId);
    } catch {
      /* the pointer is already up */
    }
    press(last);
    made.focus({ preventScroll: true });
    event.preventDefault();
  });
  made.addEventListener("pointermove", (event) => {
    if (!last) return;
    const now = at(event);
    last = drag(now, last) ?? now;
  });
  for (const end of ["pointerup", "pointercancel"])
    made.addEventListener(end, () => {
      last = null;
    });
}

/** A soft dot at a place of an image `width` pixels wide: put(i, near) for each pixel under it, near from 0 to 1. */
export function dot(width, [x, y], radius, put) {
  for (let i = 0; i < width * width; i++) {
    const near = clamp(radius - Math.hypot((i % width) + 0.5 - x, Math.floor(i / width) + 0.5 - y), 0, 1);
    if (near > 0) put(i, near);
  }
}

/** dab(place) along the way from one place to another, twice for each pixel. */
export function along(from, to, dab) {
  const steps = Math.max(1, Math.ceil(Math.hypot(to[0] - from[0], to[1] - from[1]) * 2));
  for (let i = 1; i <= steps; i++)
    dab([from[0] + ((to[0] - from[0]) * i) / steps, from[1] + ((to[1] - from[1]) * i) / steps]);
}

/** A button for each picture {values, shape: [N, side, side]} of bytes. Returns what draws them in a colour. */
export function thumbnails({ parent, pictures: { values, shape }, label, onPick }) {
  const [count, side] = shape;
  const made = Array.from({ length: count }, (_, i) => {
    const frame = element("button", { type: "button", class: "thumb", "aria-label": label(i, count), ...KEYS });
    const picture = element("canvas", { width: side, height: side, "aria-hidden": "true" });
    picture.style.width = "28px";
    frame.append(picture);
    frame.addEventListener("click", () => onPick(i));
    parent.append(frame);
    return picture.getContext("2d");
  });
  return (colour) =>
    made.forEach((on, i) => {
      on.clearRect(0, 0, side, side);
      on.fillStyle = colour;
      for (let k = 0; k < side * side; k++) {
        on.globalAlpha = values[i * side * side + k] / 255;
        on.fillRect(k % side, Math.floor(k / side), 1, 1);
      }
    });
}

/** The theme's colours, by name, as they are now. */
export function colours(root) {
  const style = getComputedStyle(root);
  return (name) => style.getPropertyValue(`--${name}`).trim() || "#888";
}

/** Paint again whenever the page turns dark or light. Returns what ends it. */
export function whenThemed(paint) {
  const theme = new MutationObserver(paint);
  for (const carrier of [document.documentElement, document.body])
    theme.observe(carrier, { attributes: true, attributeFilter: ["data-theme", "theme", "data-jp-theme-light"] });
  return () => theme.disconnect();
}
