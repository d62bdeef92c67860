import { controls, choices, KEYS, speaker } from "../kit/control.js";
import { numberbox } from "../kit/digits.js";
import { element, fixed, set, shape, unique } from "../kit/dom.js";
import { english } from "../kit/english.js";
import { lit, table } from "../kit/looks.js";
import { pieces } from "../kit/pieces.js";
import { argmax } from "../kit/tensor.js";
import { read, unpack, write } from "./net.js";

const SMALL = 9,
  SHADES = 24;
const PLACES = [
  ["encoder", "in the encoder"],
  ["decoder", "in the decoder"],
  ["between", "between them"],
];

/**
 * input {number}: its English words, the German pieces that the model writes (the last is the end), the logits of each,
 * and all weights, of the encoder, the decoder and between them: [layer][head][who looks][what is looked at].
 */
export function forward(tensors, data, { number }) {
  return translate(unpack(tensors, data), data, number);
}

function translate(tensors, data, number) {
  const words = english(number),
    memory = read(
      tensors,
      data,
      words.map((word) => data.english.indexOf(word)),
    );
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
  rows.forEach((row, i) =>
    row.forEach((weight, j) => {
      paths[Math.round(weight * SHADES)] +=
        `M${(left + j * cell).toFixed(2)} ${(top + i * cell).toFixed(2)}h${cell.toFixed(2)}v${cell.toFixed(2)}h${(-cell).toFixed(2)}z`;
    }),
  );
  paths.forEach(
    (d, shade) =>
      shade && d && shape(parent, "path", { class: "shade", d, "fill-opacity": (shade / SHADES).toFixed(3) }),
  );
}

export function render({ root, width, data, tensors, publish }) {
  let { number, place, layer, head } = data,
    result,
    frame;
  const side = Math.min(width, 640),
    weights = unpack(tensors, data);

  numberbox({
    parent: controls(root),
    label: "A number of up to 15 digits",
    value: number,
    most: 999999999999999,
    format: (n) => n.toLocaleString("en"),
    onNumber: go,
    onOther: () => say("A whole number of 1 to 15 digits, please."),
  });
  choices({
    parent: controls(root),
    label: "Heads",
    options: PLACES,
    value: place,
    onChange: (to) => {
      place = to;
      draw(0);
    },
  });
  const heads = element(
    "fieldset",
    { class: "heads" },
    element("legend", { class: "visually-hidden" }, "Layer and head"),
  );
  root.append(heads);
  const source = lit({ parent: root });
  const askers = pieces({ parent: root, onMove: show });
  const say = speaker({ parent: root, seen: true });
  const stage = element("div");
  root.append(stage);
  const small = drawSmall();

  function go(to) {
    number = to;
    result = translate(weights, data, number);
    draw(askers.at());
  }

  /** A radio button for every head, in rows of layers; the tables in them are drawn later. */
  function drawSmall() {
    const name = unique("head");
    return Array.from({ length: data.N }, (_, n) => {
      const line = element(
        "div",
        { class: "line" },
        element("span", { class: "name", "aria-hidden": "true" }, `layer ${n + 1}`),
      );
      heads.append(line);
      return Array.from({ length: data.K }, (_, k) => {
        const input = element("input", { type: "radio", name, "aria-label": `layer ${n + 1}, head ${k + 1}`, ...KEYS });
        input.checked = n === layer && k === head;
        input.addEventListener("change", () => {
          [layer, head] = [n, k];
          drawTable();
          show();
        });
        const here = element("span", { class: "small" });
        line.append(element("label", {}, input, here));
        return here;
      });
    });
  }

  /** All that depends on the number and on where the heads are. */
  function draw(at) {
    const [who, what] = sides(result, place);
    source.show(what);
    set(source.element, { lang: place === "decoder" ? "de" : "en" });
    askers.show(who, at);
    set(askers.element, {
      "aria-label": place === "encoder" ? "English words that look" : "German pieces, and who writes them looks",
      lang: place === "encoder" ? "en" : "de",
    });
    const cell = Math.min(SMALL, (side / data.K - 14) / what.length);
    small.forEach((line, n) =>
      line.forEach((here, k) => {
        here.replaceChildren();
        const [wide, high] = [what.length * cell, who.length * cell];
        const svg = shape(here, "svg", {
          viewBox: `0 0 ${wide} ${high}`,
          width: wide,
          height: high,
          "aria-hidden": "true",
        });
        shape(svg, "rect", { class: "paper", width: wide, height: high });
        paint(svg, result[place][n][k], cell);
      }),
    );
    drawTable();
    show();
  }

  function drawTable() {
    const [who, what] = sides(result, place);
    stage.replaceChildren();
    frame = table({
      parent: stage,
      side,
      askers: who,
      asked: what,
      onRow: askers.choose,
      fill: (svg, cell, left, top) => paint(svg, result[place][layer][head], cell, left, top),
    });
  }

  function show() {
    const [who, what] = sides(result, place),
      at = askers.at(),
      row = result[place][layer][head][at],
      best = argmax(row);
    source.light(row);
    frame(at);
    const asked = place === "encoder" ? `\u201c${who[at]}\u201d` : `Writing \u201c${who[at]}\u201d, it`;
    say(
      `Layer ${layer + 1}, head ${head + 1}: ${asked} looks most at \u201c${what[best]}\u201d, ${best + 1} of ${row.length}, with weight ${fixed(row[best])}.`,
    );
    publish({
      number,
      english: result.english,
      german: result.german,
      place,
      layer: layer + 1,
      head: head + 1,
      at,
      weights: row,
    });
  }

  go(number, false);
}
