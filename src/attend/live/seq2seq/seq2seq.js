import { choices, controls, scrub, speaker } from "../kit/control.js";
import { element, fixed, shape } from "../kit/dom.js";
import { english } from "../kit/english.js";
import { german } from "../kit/german.js";
import { pieces } from "../kit/pieces.js";
import { plane } from "../kit/plane.js";
import { row } from "../kit/tensor.js";
import { labels, reach } from "./map.js";
import { read, write } from "./net.js";

/** input {number}: its words in both languages and, reading true tokens or its own, what the decoder points at and says. */
export function forward(tensors, data, { number }) {
  const source = english(number),
    target = [...german(number).map((piece) => data.german.indexOf(piece)), data.end];
  const context = read(
    tensors,
    source.map((word) => data.english.indexOf(word)),
  );
  const by = (forced) => {
    const { points, tokens, distances } = write(tensors, context, target, data.end, forced);
    return { points, distances, said: tokens.map((token) => data.german[token]) };
  };
  return { english: source, german: target.map((token) => data.german[token]), forced: by(true), free: by(false) };
}

const PLACES = ["Hundred thousands", "Ten thousands", "Thousands", "Hundreds", "Tens", "Units"];
const READS = [
  ["free", "its own tokens"],
  ["forced", "the true tokens"],
];
const MARK = "\u25a0"; // the end, which has no word

export function render({ root, width, data, tensors, publish }) {
  let digits = [...String(data.number).padStart(6, "0")].map(Number),
    reads = "free",
    result;
  const known = (words, rows, name) => words.map((word, v) => ({ word, name: name(word), at: row(rows, v) }));
  const source = known(data.english, tensors["embed_source.weight"], (word) => word);
  const target = known(data.german, tensors["embed_target.weight"], (word) =>
    word === data.german[data.end] ? MARK : word,
  ).filter(({ word }) => word !== "eine");

  const top = controls(root);
  const odometer = element("span", { class: "odometer", role: "group", "aria-label": "The number, digit by digit" });
  top.append(odometer);
  digits.forEach((digit, i) =>
    scrub({
      parent: odometer,
      label: PLACES[i],
      value: digit,
      min: 0,
      max: 9,
      step: 1,
      format: (value) => String(value),
      onChange: (value) => {
        digits[i] = value;
        go();
      },
    }),
  );
  choices({
    parent: top,
    label: "The decoder reads",
    options: READS,
    value: reads,
    onChange: (value) => {
      reads = value;
      show();
    },
  });
  const lines = pieces({ parent: root, kind: "two", "aria-label": "German tokens", lang: "de", onMove: show });
  const say = speaker({ parent: root, seen: true });
  const board = element("div", { class: "boards" });
  root.append(board);
  const side = width >= 560 ? (width - 16) / 2 : width;
  const left = map("English", source),
    right = map("German", target);

  function map(name, words) {
    const [x, y] = reach(words),
      box = { width: side, height: side, x, y, margin: { top: 20, left: 8, right: 8, bottom: 8 } };
    const made = plane({ parent: board, ...box });
    shape(made.svg, "text", { x: 8, y: 13, class: "where" }, name);
    const under = made.layer("under");
    const ink = labels(made, words);
    return { ...made, under, ink, over: made.layer("over") };
  }

  /** Show another number, up to two tokens after the first mistake. */
  function go() {
    result = forward(tensors, data, { number: Number(digits.join("")) });
    lines.show(
      result.german.map(() => [element("span", { class: "true" }), element("span", { class: "own" })]),
      first() + 2,
    );
    show();
  }

  /** The first step at which the decoder says something wrong, or the last. */
  function first() {
    const wrong = result.german.findIndex((piece, i) => piece !== result.free.said[i]);
    return wrong < 0 ? result.german.length - 1 : wrong;
  }

  const named = (piece) => (piece === data.german[data.end] ? MARK : piece);
  const place = (words, word) => words.find((known) => known.word === word).at;

  function show() {
    const run = result[reads],
      at = lines.at();
    Array.from(lines.element.children).forEach((made, i) => {
      made.children[0].textContent = named(result.german[i]);
      made.children[1].textContent = named(run.said[i]);
      made.classList.toggle("wrong", run.said[i] !== result.german[i]);
    });
    [left, right].forEach(({ under, over }) => {
      under.replaceChildren();
      over.replaceChildren();
    });
    left.ink(result.english);
    right.ink([...result.german, run.said[at]]);
    const read_ = result.english.map((word) => place(source, word)),
      true_ = result.german.map((piece) => place(target, piece));
    shape(left.under, "path", { class: "input", d: left.curve(read_) });
    read_.forEach(([x, y], i) =>
      shape(left.over, "circle", { class: "input", r: i ? 3 : 5, cx: left.X(x), cy: left.Y(y) }),
    );
    shape(right.under, "path", { class: "truth faint", d: right.curve(true_.slice(at)) });
    shape(right.under, "path", { class: "truth", d: right.curve(true_.slice(0, at + 1)) });
    shape(right.under, "path", { class: "summary", d: right.curve(run.points.slice(0, at + 1)) });
    run.points.slice(0, at + 1).forEach(([x, y], i) => {
      shape(right.over, "path", { class: i === at ? "error now" : "error", d: right.curve([[x, y], true_[i]]) });
      shape(right.over, "circle", { class: "summary", r: i === at ? 5 : 3, cx: right.X(x), cy: right.Y(y) });
    });
    shape(right.over, "circle", { class: "ringed", r: 8, cx: right.X(true_[at][0]), cy: right.Y(true_[at][1]) });
    tell(run, at);
  }

  function tell(run, at) {
    const mean = run.distances.reduce((sum, d) => sum + d, 0) / run.distances.length,
      wrong = run.said.filter((piece, i) => piece !== result.german[i]).length;
    const said =
      run.said[at] === result.german[at]
        ? `\u201c${named(run.said[at])}\u201d is right`
        : `\u201c${named(run.said[at])}\u201d in place of \u201c${named(result.german[at])}\u201d`;
    say(
      `Token ${at + 1} of ${run.said.length}: ${said}, at a distance of ${fixed(run.distances[at], 1)}. In all ${wrong} wrong, mean distance ${fixed(mean, 1)}.`,
    );
    publish({
      number: Number(digits.join("")),
      reads,
      at,
      said: run.said,
      german: result.german,
      distance: run.distances[at],
      wrong,
    });
  }

  go();
}
