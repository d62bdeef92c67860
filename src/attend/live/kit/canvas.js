import { element } from "./dom.js";

/** A canvas of sharp pixels, so wide and high on the page. Returns {made, on}: the element, and what draws on it. */
export function surface(parent, wide, high, attributes) {
  const sharp = Math.min(3, Math.max(2, window.devicePixelRatio || 1));
  const made = element("canvas", { width: wide * sharp, height: high * sharp, ...attributes });
  made.style.width = `${wide}px`;
  parent.append(made);
  const on = made.getContext("2d");
  on.scale(sharp, sharp);
  return { made, on };
}
