import { clamp, fixed, round, set, shape, within } from "./dom.js";
import { KEYS, keys } from "./control.js";

/**
 * A coordinate plane: an SVG with axes that carry names.
 * x, y: [from, to] in data units; ticks: arrays of numbers, or [number, text] pairs.
 * Returns {svg, X, Y, invert(event), layer(className), curve(points)}.
 */
export function plane({
  parent,
  width,
  height,
  x,
  y,
  xLabel = "",
  yLabel = "",
  xTicks = [],
  yTicks = [],
  label = "",
  margin = {},
}) {
  const edge = {
    top: 12,
    right: 14,
    bottom: xLabel || xTicks.length ? 44 : 12,
    left: yLabel || yTicks.length ? 52 : 14,
    ...margin,
  };
  const svg = shape(parent, "svg", { class: "plane", viewBox: `0 0 ${width} ${height}`, width, height });
  set(svg, label ? { role: "group", "aria-label": label } : {});
  const inner = [edge.left, width - edge.right, height - edge.bottom, edge.top];
  const X = (value) => inner[0] + ((value - x[0]) / (x[1] - x[0])) * (inner[1] - inner[0]);
  const Y = (value) => inner[2] + ((value - y[0]) / (y[1] - y[0])) * (inner[3] - inner[2]);
  const axes = shape(svg, "g", { class: "axes", "aria-hidden": "true" });
  for (const tick of xTicks) {
    const [at, text] = Array.isArray(tick) ? tick : [tick, fixed(tick, Number.isInteger(tick) ? 0 : 1)];
    shape(axes, "line", { x1: X(at), x2: X(at), y1: inner[2], y2: inner[2] + 5 });
    shape(axes, "text", { x: X(at), y: inner[2] + 18, "text-anchor": "middle" }, text);
  }
  for (const tick of yTicks) {
    const [at, text] = Array.isArray(tick) ? tick : [tick, fixed(tick, Number.isInteger(tick) ? 0 : 1)];
    shape(axes, "line", { x1: inner[0] - 5, x2: inner[0], y1: Y(at), y2: Y(at) });
    shape(axes, "text", { x: inner[0] - 8, y: Y(at) + 4, "text-anchor": "end" }, text);
  }
  shape(axes, "path", { d: `M${inner[0]} ${inner[3]}V${inner[2]}H${inner[1]}`, class: "frame" });
  if (xLabel)
    shape(
      axes,
      "text",
      { x: (inner[0] + inner[1]) / 2, y: height - 6, "text-anchor": "middle", class: "name" },
      xLabel,
    );
  if (yLabel)
    shape(
      axes,
      "text",
      { transform: `translate(13 ${(inner[2] + inner[3]) / 2}) rotate(-90)`, "text-anchor": "middle", class: "name" },
      yLabel,
    );

  const invert = (event) => {
    const [across, down] = within(svg, event),
      px = across * width,
      py = down * height;
    return [
      x[0] + ((px - inner[0]) / (inner[1] - inner[0])) * (x[1] - x[0]),
      y[0] + ((py - inner[2]) / (inner[3] - inner[2])) * (y[1] - y[0]),
    ];
  };
  const layer = (name = "") => shape(svg, "g", { class: name });
  const curve = (points) => points.map(([a, b], i) => `${i ? "L" : "M"}${X(a).toFixed(1)} ${Y(b).toFixed(1)}`).join("");
  return { svg, X, Y, invert, layer, curve, x, y, width, height };
}

/**
 * A point to drag by mouse or touch and to move with the arrow keys (shift: ten steps).
 * axis: "both", "x" or "y"; reach: how near a finger must come, in pixels. onMove(x, y) is called with values kept within the plane and rounded to step.
 * `reach` is the radius in which it can be caught: less where points stand close. Returns {set(x, y), element}.
 */
export function handle({
  plane: on,
  parent,
  at,
  label,
  kind = "input",
  axis = "both",
  step = 0.05,
  radius = 9,
  reach = 22,
  onMove,
  text,
  limits,
}) {
  const [xs, ys] = limits ?? [on.x, on.y];
  const group = shape(parent ?? on.svg, "g", {
    class: `handle ${kind}`,
    tabindex: 0,
    role: "slider",
    "aria-label": label,
    ...KEYS,
  });
  shape(group, "circle", { r: reach, class: "reach" });
  shape(group, "circle", { r: radius, class: "dot" });
  const range = axis === "y" ? ys : xs;
  set(group, {
    "aria-valuemin": range[0],
    "aria-valuemax": range[1],
    "aria-orientation": axis === "y" ? "vertical" : "horizontal",
  });
  let now = [...at],
    held = false;
  const show = () => {
    const spoken = text
      ? text(...now)
      : axis === "both"
        ? `x ${fixed(now[0])}, y ${fixed(now[1])}`
        : fixed(now[axis === "y" ? 1 : 0]);
    set(group, {
      transform: `translate(${on.X(now[0])} ${on.Y(now[1])})`,
      "aria-valuenow": now[axis === "y" ? 1 : 0],
      "aria-valuetext": spoken,
    });
  };
  const move = (x, y) => {
    const next = [
      axis === "y" ? now[0] : round(clamp(x, ...xs), step),
      axis === "x" ? now[1] : round(clamp(y, ...ys), step),
    ];
    if (next[0] === now[0] && next[1] === now[1]) return;
    now = next;
    show();
    onMove(...now);
  };
  keys(group, (by, big) => move(now[0] + by[0] * step * (big ? 10 : 1), now[1] + by[1] * step * (big ? 10 : 1)));
  group.addEventListener("pointerdown", (event) => {
    held = true;
    group.setPointerCapture(event.pointerId);
    group.focus({ preventScroll: true });
    event.preventDefault();
  });
  group.addEventListener("pointermove", (event) => {
    if (held) move(...on.invert(event));
  });
  for (const end of ["pointerup", "pointercancel"])
    group.addEventListener(end, () => {
      held = false;
    });
  show();
  return {
    set: (x, y) => {
      now = [x, y];
      show();
    },
    element: group,
  };
}
