import { element, set, shape, within } from "./dom.js";

const LARGEST = 26,
  READABLE = 12;

/** A line of words that shine by the weight they have. Returns {element, show(words), light(weights)}. */
export function lit({ parent, ...attributes }) {
  const line = element("p", { class: "looked", ...attributes });
  parent.append(line);
  return {
    element: line,
    show: (words) => line.replaceChildren(...words.flatMap((word) => [element("span", {}, word), " "])),
    light: (weights) =>
      Array.from(line.children).forEach((made, j) => made.style.setProperty("--weight", (weights[j] ?? 0).toFixed(3))),
  };
}

/**
 * A table of who looks at what, named where the names can be read; `fill(svg, cell, left, top)` draws the weights into it.
 * The mouse and the finger find a row: onRow(i). Returns a function that frames a row.
 */
export function table({ parent, side, askers, asked, fill, onRow }) {
  const [T, S] = [askers.length, asked.length];
  const longest = (words, letter) => letter * Math.max(...words.map((word) => word.length)) + 8;
  const named = Math.min(LARGEST, (side - longest(askers, 7.4)) / S) >= READABLE;
  const [left, top] = named ? [longest(askers, 7.4), longest(asked, 7)] : [2, 2];
  const cell = Math.min(LARGEST, (side - left - 2) / S),
    height = top + T * cell + 2;
  const svg = shape(parent, "svg", {
    viewBox: `0 0 ${side} ${height}`,
    width: side,
    height,
    "aria-hidden": "true",
    class: "table",
  });
  const style = `font-size:${Math.min(13, cell).toFixed(1)}px`;
  const names = shape(svg, "g", { class: "axes" });
  if (named)
    asked.forEach((word, j) =>
      shape(
        names,
        "text",
        { transform: `translate(${left + (j + 0.5) * cell + 4} ${top - 5}) rotate(-90)`, style },
        word,
      ),
    );
  if (named)
    askers.forEach((word, i) =>
      shape(names, "text", { x: left - 6, y: top + (i + 0.5) * cell + 4, "text-anchor": "end", style }, word),
    );
  shape(names, "path", { class: "frame", d: `M${left} ${top}h${S * cell}v${T * cell}h${-S * cell}z` });
  fill(svg, cell, left, top);
  const frame = shape(svg, "rect", { class: "now", x: left, width: S * cell, height: cell });
  const find = (event) => {
    const y = within(svg, event)[1] * height;
    if (y >= top) onRow(Math.floor((y - top) / cell));
  };
  svg.addEventListener("pointermove", (event) => {
    if (event.pointerType === "mouse") find(event);
  });
  svg.addEventListener("click", find);
  return (row) => set(frame, { y: top + row * cell });
}
