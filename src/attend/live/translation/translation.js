import { controls, speaker } from "../kit/control.js";
import { numberbox } from "../kit/digits.js";
import { element, fixed, shape } from "../kit/dom.js";
import { english } from "../kit/english.js";
import { lit, table } from "../kit/looks.js";
import { pieces } from "../kit/pieces.js";
import { argmax } from "../kit/tensor.js";
import { read, write } from "./net.js";

/** input {number}: its English words, the German tokens that the model writes, and a row of weights for each of them. */
export function forward(tensors, data, { number }) {
  const words = english(number);
  const { tokens, weights } = write(
    tensors,
    read(
      tensors,
      words.map((word) => data.english.indexOf(word)),
    ),
    data.end,
  );
  return { english: words, german: tokens.map((token) => data.german[token]), weights };
}

export function render({ root, width, data, tensors, publish }) {
  const side = Math.min(width, 640);
  let asked, result, frame;

  numberbox({
    parent: controls(root),
    label: "A number of up to 15 digits",
    value: data.number,
    most: 999999999999999,
    format: (n) => n.toLocaleString("en"),
    onNumber: go,
    onOther: () => say("A whole number of 1 to 15 digits, please."),
  });
  const source = lit({ parent: root, lang: "en" });
  const target = pieces({ parent: root, "aria-label": "German tokens", lang: "de", onMove: show });
  const say = speaker({ parent: root, seen: true });
  const stage = element("div");
  root.append(stage);

  function go(to) {
    asked = to;
    result = forward(tensors, data, { number: asked });
    source.show(result.english);
    target.show(result.german, target.at());
    stage.replaceChildren();
    frame = table({ parent: stage, side, askers: result.german, asked: result.english, fill, onRow: target.choose });
    show();
  }

  function fill(svg, cell, left, top) {
    const cells = shape(svg, "g", { class: "cells" });
    result.weights.forEach((row, i) =>
      row.forEach((weight, j) =>
        shape(cells, "rect", {
          class: "attention",
          x: left + j * cell,
          y: top + i * cell,
          width: cell,
          height: cell,
          style: `fill-opacity:${weight.toFixed(3)}`,
        }),
      ),
    );
  }

  function show() {
    const at = target.at(),
      row = result.weights[at] ?? [],
      best = row.length ? argmax(row) : 0;
    source.light(row);
    frame(at);
    const place = `word ${best + 1} of ${result.english.length}`;
    say(
      row.length
        ? `\u201c${result.german[at]}\u201d attended most to \u201c${result.english[best]}\u201d, ${place}, with weight ${fixed(row[best])}.`
        : "Nothing was written.",
    );
    publish({ number: asked, english: result.english, german: result.german, at, weights: row });
  }

  go(data.number);
}
