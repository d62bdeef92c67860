import { button, choices, controls, KEYS, keys, speaker } from "../kit/control.js";
import { numberbox } from "../kit/digits.js";
import { clamp, element, fixed, set, shape, within } from "../kit/dom.js";
import { english } from "../kit/english.js";
import { german } from "../kit/german.js";
import { argmax } from "../kit/tensor.js";
import { read, reader, write } from "./net.js";

const ROW = 27,
  TOP = 30,
  FAINT = 0.15;

/** input {number, by}: its English words, the German pieces that the reader writes and the true ones, and its weights. */
export function forward(tensors, data, { number, by }) {
  const net = reader(tensors, by),
    words = english(number);
  const { tokens, weights } = write(
    net,
    read(
      net,
      words.map((word) => data.english.indexOf(word)),
    ),
    data.end,
  );
  return {
    english: words,
    german: tokens.map((token) => data.german[token]),
    truth: [...german(number), data.german[data.end]],
    weights,
  };
}

export function render({ root, width, data, tensors, publish }) {
  const side = Math.min(width, 560),
    first = { number: data.number, by: "content", at: 2 };
  let now = { ...first },
    result,
    drawn;

  const line = controls(root);
  const box = numberbox({
    parent: line,
    label: "A number of up to six digits",
    value: now.number,
    most: data.most,
    onNumber: (number) => {
      now.number = number;
      again();
    },
    onOther: () => say(`A whole number from 0 to ${data.most.toLocaleString("en")}, please.`),
  });
  const way = choices({
    parent: line,
    label: "Look by",
    options: [
      ["content", "content"],
      ["location", "location"],
    ],
    value: now.by,
    onChange: (by) => {
      now.by = by;
      again();
    },
  });
  const stage = element("div");
  root.append(stage);
  const say = speaker({ parent: root, seen: true });
  button({
    parent: controls(root),
    label: "Start again",
    onPress: () => {
      now = { ...first };
      box.set(now.number);
      way.set(now.by);
      again();
    },
  });

  function again() {
    result = forward(tensors, data, now);
    now.at = clamp(now.at, 0, result.german.length - 1);
    draw();
    show();
  }

  /** All that stays while the reader moves along the pieces. */
  function draw() {
    const { english: words, german: pieces } = result,
      focused = drawn?.group === document.activeElement;
    stage.replaceChildren();
    const height = TOP + ROW * Math.max(words.length, pieces.length) + 4;
    const svg = shape(stage, "svg", { viewBox: `0 0 ${side} ${height}`, width: side, height });
    const [x, bar, right] = [88, Math.min(90, side * 0.2), side - 84],
      y = (i) => TOP + ROW * (i + 0.5);
    const heads = shape(svg, "g", { class: "axes" });
    shape(heads, "text", { x, y: 14, "text-anchor": "end" }, "English");
    shape(heads, "text", { x: x + 8, y: 14 }, "weight");
    shape(heads, "text", { x: right, y: 14 }, "German");
    const links = shape(svg, "g"),
      table = shape(svg, "g");
    result.weights.forEach((row, t) =>
      row.forEach((weight, s) => {
        if (weight >= FAINT)
          shape(links, "path", {
            class: "attention",
            d: `M${x + bar + 14} ${y(s)}L${right - 22} ${y(t)}`,
            style: `stroke-width:1.5;stroke-opacity:${(0.3 * weight).toFixed(2)}`,
          });
      }),
    );
    const bars = words.map((word, s) => {
      shape(table, "text", { x, y: y(s) + 5, "text-anchor": "end", lang: "en" }, word);
      return shape(table, "rect", { class: "attention", x: x + 8, y: y(s) - 8, height: 16 });
    });
    const lines = words.map((_, s) =>
      shape(links, "path", { class: "attention", d: `M${x + bar + 14} ${y(s)}L${right - 14} 0` }),
    );
    const group = shape(svg, "g", {
      class: "handle attention",
      tabindex: 0,
      role: "slider",
      "aria-label": "German piece",
      "aria-orientation": "vertical",
      "aria-valuemin": 1,
      "aria-valuemax": pieces.length,
      ...KEYS,
    });
    const rows = shape(group, "rect", {
      class: "reach",
      x: right - 22,
      y: TOP - 4,
      width: side - right + 22,
      height: height - TOP + 4,
    });
    const names = pieces.map((piece, t) =>
      shape(group, "text", { x: right, y: y(t) + 5, lang: "de" }, piece === data.german[data.end] ? "(end)" : piece),
    );
    const dot = shape(group, "circle", { class: "dot", r: 7, cx: right - 12 });
    keys(group, ([across, up]) => move(now.at + (across || -up)), {
      Home: () => move(0),
      End: () => move(pieces.length - 1),
    });
    follow(group, svg, (to) => move(Math.floor((to - TOP) / ROW)), height);
    drawn = { group, bars, lines, names, dot, rows, x, y, bar, right };
    if (focused) group.focus({ preventScroll: true });
  }

  function follow(group, svg, onRow, height) {
    let held = false;
    const at = (event) => onRow(within(svg, event)[1] * height);
    group.addEventListener("pointerdown", (event) => {
      held = true;
      group.setPointerCapture(event.pointerId);
      group.focus({ preventScroll: true });
      event.preventDefault();
      at(event);
    });
    group.addEventListener("pointermove", (event) => {
      if (held) at(event);
    });
    for (const end of ["pointerup", "pointercancel"])
      group.addEventListener(end, () => {
        held = false;
      });
  }

  function move(to) {
    const next = clamp(to, 0, result.german.length - 1);
    if (next === now.at) return;
    now.at = next;
    show();
  }

  function show() {
    const row = result.weights[now.at],
      best = argmax(row),
      { x, y, bar, right } = drawn;
    row.forEach((weight, s) => {
      set(drawn.bars[s], { width: Math.max(bar * weight, 0.5).toFixed(1) });
      set(drawn.lines[s], {
        d: `M${x + bar + 14} ${y(s)}L${right - 22} ${y(now.at)}`,
        style: `stroke-width:${(6 * weight).toFixed(2)};stroke-opacity:${Math.min(1, 0.15 + weight).toFixed(2)}`,
      });
    });
    drawn.names.forEach((name, t) => set(name, { style: t === now.at ? "font-weight:600" : null }));
    set(drawn.dot, { cy: y(now.at) });
    const piece = result.german[now.at] === data.german[data.end] ? "(end)" : result.german[now.at];
    const most = `most weight on \u201c${result.english[best]}\u201d, ${fixed(row[best])}`;
    set(drawn.group, { "aria-valuenow": now.at + 1, "aria-valuetext": `${piece}: ${most}` });
    const right_ = result.german.join() === result.truth.join();
    const verdict = right_ ? "right" : `wrong, it should be ${result.truth.slice(0, -1).join("\u00b7")}`;
    say(`\u201c${piece}\u201d: ${most}. The whole number is ${verdict}.`);
    publish({ ...now, english: result.english, german: result.german, right: right_, weights: row });
  }

  again();
}
