import { controls, choices, KEYS, keys, speaker, textbox } from "../kit/control.js";
import { clamp, element, fixed, set, shape, unique } from "../kit/dom.js";
import { english, parse } from "../kit/english.js";
import { argmax } from "../kit/tensor.js";
import { read, unpack, write } from "./net.js";

const LARGEST = 26, READABLE = 12, SMALL = 9, SHADES = 24;
const PLACES = [["encoder", "in the encoder"], ["decoder", "in the decoder"], ["between", "between them"]];

/**
 * input {number}: its English words, the German pieces that the model writes (the last is the end), the logits of each,
 * and all weights, of the encoder, the decoder and between them: [layer][head][who looks][what is looked at].
 */
export function forward(tensors, data, { number }) {
  return translate(unpack(tensors, data), data, number);
}

function translate(tensors, data, number) {
  const words = english(number), memory = read(tensors, data, words.map((word) => data.english.indexOf(word)));
  const { tokens, logits, decoder, between } = write(tensors, data, memory);
  const german = tokens.map((token) => (token === data.end ? "(end)" : data.german[token]));
  return { english: words, german, logits, encoder: memory.weights, decoder, between };
}

/** Who looks and what is looked at, in words. */
function sides(result, place) {
  const askers = place === "encoder" ? result.english : result.german;
  return [askers, place === "decoder" ? ["(start)", ...result.german.slice(0, -1)] : result.english];
}

/** Draw a table of weights, one path for each shade. */
function paint(parent, rows, cell, left = 0, top = 0) {
  const paths = Array.from({ length: SHADES + 1 }, () => "");
  rows.forEach((row, i) => row.forEach((weight, j) => {
    paths[Math.round(weight * SHADES)] += `M${(left + j * cell).toFixed(2)} ${(top + i * cell).toFixed(2)}h${cell.toFixed(2)}v${cell.toFixed(2)}h${(-cell).toFixed(2)}z`;
  }));
  paths.forEach((d, shade) => shade && d && shape(parent, "path", { class: "shade", d, "fill-opacity": (shade / SHADES).toFixed(3) }));
}

export function render({ root, width, data, tensors, publish }) {
  let { number, place, layer, head } = data, result, at = 0, frame;
  const side = Math.min(width, 640), weights = unpack(tensors, data);

  const box = textbox({ parent: controls(root), label: "A number of up to 15 digits", value: number.toLocaleString("en"), onInput: typed });
  set(box.input, { inputmode: "numeric" });
  box.input.addEventListener("keydown", (event) => {
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    go(clamp(number + by, 0, 999999999999999), true);
  });
  choices({ parent: controls(root), label: "Heads", options: PLACES, value: place, onChange: (to) => { place = to; at = 0; draw(); } });
  const heads = element("fieldset", { class: "heads" }, element("legend", { class: "visually-hidden" }, "Layer and head"));
  const source = element("p", { class: "looked" });
  const askers = element("div", { class: "pieces", role: "listbox", "aria-orientation": "horizontal", tabindex: 0, ...KEYS });
  keys(askers, ([across, up]) => move(at + (across || -up)), { Home: () => move(0), End: () => move(sides(result, place)[0].length - 1) });
  root.append(heads, source, askers);
  const say = speaker({ parent: root, seen: true });
  const stage = element("div");
  root.append(stage);
  const small = drawSmall();

  function typed(text) {
    const value = parse(text);
    if (value === null) say("A whole number of 1 to 15 digits, please.");
    else go(value, false);
  }

  function go(to, rewrite) {
    number = to;
    if (rewrite) box.set(number.toLocaleString("en"));
    result = translate(weights, data, number);
    draw();
  }

  /** A radio button for every head, in rows of layers; the tables in them are drawn later. */
  function drawSmall() {
    const name = unique("head");
    return Array.from({ length: data.N }, (_, n) => {
      const line = element("div", { class: "line" }, element("span", { class: "name", "aria-hidden": "true" }, `layer ${n + 1}`));
      heads.append(line);
      return Array.from({ length: data.K }, (_, k) => {
        const input = element("input", { type: "radio", name, "aria-label": `layer ${n + 1}, head ${k + 1}`, ...KEYS });
        input.checked = n === layer && k === head;
        input.addEventListener("change", () => { [layer, head] = [n, k]; drawTable(); show(); });
        const here = element("span", { class: "small" });
        line.append(element("label", {}, input, here));
        return here;
      });
    });
  }

  /** All that depends on the number and on where the heads are. */
  function draw() {
    const [who, what] = sides(result, place);
    at = clamp(at, 0, who.length - 1);
    source.replaceChildren(...what.flatMap((word) => [element("span", {}, word), " "]));
    set(source, { lang: place === "decoder" ? "de" : "en" });
    askers.replaceChildren(...who.map((word, i) => {
      const made = element("span", { id: unique("asker"), role: "option" }, word);
      made.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && move(i));
      made.addEventListener("click", () => move(i));
      return made;
    }));
    set(askers, { "aria-label": place === "encoder" ? "English words that look" : "German pieces, and who writes them looks", lang: place === "encoder" ? "en" : "de" });
    const cell = Math.min(SMALL, (side / data.K - 14) / what.length);
    small.forEach((line, n) => line.forEach((here, k) => {
      here.replaceChildren();
      const [wide, high] = [what.length * cell, who.length * cell];
      const svg = shape(here, "svg", { viewBox: `0 0 ${wide} ${high}`, width: wide, height: high, "aria-hidden": "true" });
      shape(svg, "rect", { class: "paper", width: wide, height: high });
      paint(svg, result[place][n][k], cell);
    }));
    drawTable();
    show();
  }

  function drawTable() {
    stage.replaceChildren();
    const [who, what] = sides(result, place), [T, S] = [who.length, what.length];
    const longest = (words, letter) => letter * Math.max(...words.map((word) => word.length)) + 8;
    const named = Math.min(LARGEST, (side - longest(who, 7.4)) / S) >= READABLE;
    const [left, top] = named ? [longest(who, 7.4), longest(what, 7)] : [2, 2];
    const cell = Math.min(LARGEST, (side - left - 2) / S), height = top + T * cell + 2;
    const svg = shape(stage, "svg", { viewBox: `0 0 ${side} ${height}`, width: side, height, "aria-hidden": "true", class: "table" });
    const size = `font-size:${Math.min(13, cell).toFixed(1)}px`;
    const names = shape(svg, "g", { class: "axes" });
    if (named) what.forEach((word, j) => shape(names, "text", { transform: `translate(${left + (j + 0.5) * cell + 4} ${top - 5}) rotate(-90)`, style: size }, word));
    if (named) who.forEach((word, i) => shape(names, "text", { x: left - 6, y: top + (i + 0.5) * cell + 4, "text-anchor": "end", style: size }, word));
    paint(svg, result[place][layer][head], cell, left, top);
    shape(names, "path", { class: "frame", d: `M${left} ${top}h${S * cell}v${T * cell}h${-S * cell}z` });
    frame = shape(svg, "rect", { class: "now", x: left, width: S * cell, height: cell });
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
    const next = clamp(to, 0, sides(result, place)[0].length - 1);
    if (next === at) return;
    at = next;
    show();
  }

  function show() {
    const [who, what] = sides(result, place), row = result[place][layer][head][at], best = argmax(row);
    Array.from(source.children).forEach((made, j) => made.style.setProperty("--weight", (row[j] ?? 0).toFixed(3)));
    Array.from(askers.children).forEach((made, i) => set(made, { "aria-selected": String(i === at), class: i === at ? "now" : null }));
    set(askers, { "aria-activedescendant": askers.children[at].id });
    set(frame, { y: Number(frame.dataset.top) + at * Number(frame.dataset.cell) });
    const asked = place === "encoder" ? `\u201c${who[at]}\u201d` : `Writing \u201c${who[at]}\u201d, it`;
    say(`Layer ${layer + 1}, head ${head + 1}: ${asked} looks most at \u201c${what[best]}\u201d, ${best + 1} of ${row.length}, with weight ${fixed(row[best])}.`);
    publish({ number, english: result.english, german: result.german, place, layer: layer + 1, head: head + 1, at, weights: row });
  }

  go(number, false);
}
