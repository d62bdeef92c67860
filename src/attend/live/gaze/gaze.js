import { controls, KEYS, keys, speaker, textbox } from "../kit/control.js";
import { clamp, element, fixed, set, shape, unique } from "../kit/dom.js";
import { english, parse } from "../kit/english.js";
import { argmax } from "../kit/tensor.js";
import { read, write } from "./net.js";

const LARGEST = 26, READABLE = 12;

/** input {number}: its English words, the German pieces that the model writes, and a row of weights for each of them. */
export function forward(tensors, data, { number }) {
  const words = english(number);
  const { tokens, weights } = write(tensors, read(tensors, words.map((word) => data.english.indexOf(word))), data.end);
  return { english: words, german: tokens.map((token) => data.german[token]), weights };
}

export function render({ root, width, data, tensors, publish }) {
  let number = data.number, result, at = 0, frame;
  const side = Math.min(width, 640);

  const box = textbox({ parent: controls(root), label: "A number of up to 15 digits", value: number.toLocaleString("en"), onInput: typed });
  set(box.input, { inputmode: "numeric" });
  box.input.addEventListener("keydown", (event) => {
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    go(clamp(number + by, 0, 999999999999999), true);
  });
  const source = element("p", { class: "looked", lang: "en" });
  const pieces = element("div", { class: "pieces", role: "listbox", "aria-label": "German pieces", "aria-orientation": "horizontal", lang: "de", tabindex: 0, ...KEYS });
  keys(pieces, ([across, up]) => move(at + (across || -up)), { Home: () => move(0), End: () => move(result.german.length - 1) });
  root.append(source, pieces);
  const say = speaker({ parent: root, seen: true });
  const stage = element("div");
  root.append(stage);

  function typed(text) {
    const value = parse(text);
    if (value === null) say("A whole number of 1 to 15 digits, please.");
    else go(value, false);
  }

  function go(to, rewrite) {
    number = to;
    if (rewrite) box.set(number.toLocaleString("en"));
    result = forward(tensors, data, { number });
    at = clamp(at, 0, result.german.length - 1);
    source.replaceChildren(...result.english.flatMap((word) => [element("span", {}, word), " "]));
    pieces.replaceChildren(...result.german.map((piece, i) => {
      const made = element("span", { id: unique("piece"), role: "option" }, piece);
      made.addEventListener("pointerenter", () => move(i));
      made.addEventListener("click", () => move(i));
      return made;
    }));
    drawTable();
    show();
  }

  function drawTable() {
    stage.replaceChildren();
    const [S, T] = [result.english.length, result.german.length];
    const longest = (words, letter) => letter * Math.max(...words.map((word) => word.length)) + 8;
    const named = Math.min(LARGEST, (side - longest(result.german, 7.4)) / S) >= READABLE;
    const [left, top] = named ? [longest(result.german, 7.4), longest(result.english, 7)] : [2, 2];
    const cell = Math.min(LARGEST, (side - left - 2) / S), height = top + T * cell + 2;
    const svg = shape(stage, "svg", { viewBox: `0 0 ${side} ${height}`, width: side, height, "aria-hidden": "true", class: "table" });
    const size = `font-size:${Math.min(13, cell).toFixed(1)}px`;
    const names = shape(svg, "g", { class: "axes" });
    if (named) result.english.forEach((word, j) => shape(names, "text", { transform: `translate(${left + (j + 0.5) * cell + 4} ${top - 5}) rotate(-90)`, style: size }, word));
    if (named) result.german.forEach((piece, i) => shape(names, "text", { x: left - 6, y: top + (i + 0.5) * cell + 4, "text-anchor": "end", style: size }, piece));
    shape(names, "path", { class: "frame", d: `M${left} ${top}h${S * cell}v${T * cell}h${-S * cell}z` });
    const cells = shape(svg, "g", { class: "cells" });
    result.weights.forEach((row, i) => row.forEach((weight, j) => shape(cells, "rect", {
      class: "attention", x: left + j * cell, y: top + i * cell, width: cell, height: cell, style: `fill-opacity:${weight.toFixed(3)}`,
    })));
    frame = shape(svg, "rect", { x: left, width: S * cell, height: cell, style: "fill:none;stroke:var(--ink);stroke-width:1.5" });
    frame.dataset.top = top;
    frame.dataset.cell = cell;
    const find = (event) => {
      const shown = svg.getBoundingClientRect(), y = ((event.clientY - shown.top) / shown.height) * height;
      if (y >= top) move(Math.floor((y - top) / cell));
    };
    svg.addEventListener("pointermove", (event) => { if (event.pointerType === "mouse") find(event); });
    svg.addEventListener("click", find);
  }

  function move(to) {
    const next = clamp(to, 0, result.german.length - 1);
    if (next === at) return;
    at = next;
    show();
  }

  function show() {
    const row = result.weights[at] ?? [], best = row.length ? argmax(row) : 0;
    Array.from(source.children).forEach((made, j) => made.style.setProperty("--weight", (row[j] ?? 0).toFixed(3)));
    Array.from(pieces.children).forEach((made, i) => set(made, { "aria-selected": String(i === at), class: i === at ? "now" : null }));
    if (row.length) set(pieces, { "aria-activedescendant": pieces.children[at].id });
    set(frame, { y: Number(frame.dataset.top) + at * Number(frame.dataset.cell) });
    const place = `word ${best + 1} of ${result.english.length}`;
    say(row.length ? `\u201c${result.german[at]}\u201d looked most at \u201c${result.english[best]}\u201d, ${place}, with weight ${fixed(row[best])}.` : "Nothing was written.");
    publish({ number, english: result.english, german: result.german, at, weights: row });
  }

  go(number, false);
}
