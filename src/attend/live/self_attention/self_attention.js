import { button, choices, controls, scrub, speaker, toggle } from "../kit/control.js";
import { element, fixed, set, shape } from "../kit/dom.js";
import { handle, plane } from "../kit/plane.js";
import { dot, softmax } from "../kit/tensor.js";
import { STEPS, working } from "./working.js";

/** All of self-attention for the words in their order; x is (T, 2), the maps are (2, 2) as (out, in). `masked`: no later word. */
export function forward(_, __, { x, query, key, value, masked }) {
  const through = (map) => x.map((word) => map.map((line) => dot(line, word)));
  const queries = through(query),
    keys = through(key),
    values = through(value);
  const scores = queries.map((q) => keys.map((k) => dot(q, k)));
  const scaled = scores.map((line) => line.map((e) => e / Math.sqrt(query.length)));
  const weights = scaled.map((line, t) => softmax(line.map((e, s) => (masked && s > t ? -Infinity : e))));
  const summaries = weights.map((line) =>
    values[0].map((_, i) => line.reduce((sum, a, s) => sum + a * values[s][i], 0)),
  );
  return { queries, keys, values, scores, scaled, weights, summaries };
}

const PALE = "color-mix(in srgb, var(--summary) 50%, var(--paper))";
const MOST = 2,
  MAPS = { query: "queries", key: "keys", value: "values" },
  SUB = { query: "q", key: "k", value: "v" };

/** A number in at most five places. */
export const short = (value) => fixed(value, Math.abs(value) < 9.995 ? 2 : Math.abs(value) < 99.95 ? 1 : 0);

/** A small table with a title and a row for each word, which moves when the words change places. */
function block({ parent, title, words, columns, cell, above = 0 }) {
  const made = element("div", {
    class: "self-attention-block",
    role: "group",
    "aria-label": title,
    style: `grid-template-columns:auto repeat(${columns.length},${cell}px)`,
  });
  const named = element("div", { class: "title" }, title);
  made.append(named);
  parent.append(made);
  const at = (part, row, column) => {
    part.style.gridArea = `${row} / ${column}`;
    made.append(part);
    return part;
  };
  const heads = columns.filter(Boolean).map((name) => at(element("div", { class: "of" }, name), 2 + above, 2)),
    head = above + (heads.length ? 1 : 0);
  if (above) made.append(element("div", { class: "rule", style: `grid-row:${2 + above}` }));
  const labels = words.map((word) => at(element("div", { class: "word" }, word), 3, 1));
  const cells = words.map(() => columns.map(() => at(element("div"), 3, 2)));
  const start = 2 + head + (above ? 1 : 0);
  /** Rows in this order; columns too, where there is one for each word. */
  const order = (places, both) => {
    heads.forEach((part, i) => {
      part.style.gridArea = `${2 + above} / ${2 + places[i]}`;
    });
    labels.forEach((part, w) => {
      part.style.gridArea = `${start + places[w]} / 1`;
    });
    cells.forEach((line, w) =>
      line.forEach((part, i) => {
        part.style.gridArea = `${start + places[w]} / ${2 + (both ? places[i] : i)}`;
      }),
    );
  };
  return { made, named, labels, cells, at, order };
}

export function render({ root, width: room, data, publish }) {
  const { words } = data,
    T = words.length,
    wide = room >= 600,
    side = wide ? Math.min(290, 0.44 * room) : Math.min(room, 280),
    cell = room >= 690 ? 43 : wide ? 38 : 36;
  let state,
    held = "",
    before = {};

  const top = element("div", { class: "self-attention-top" }),
    left = element("div"),
    right = element("div", { class: "self-attention-side" });
  top.append(left, right);
  root.append(top);
  const main = plane({
    parent: left,
    width: side,
    height: side,
    x: [-2.3, 2.3],
    y: [-2.3, 2.3],
    xTicks: [-2, 0, 2],
    yTicks: [-2, 0, 2],
    xLabel: "first number",
    yLabel: "second number",
  });
  const discs = words.map(() => shape(main.svg, "circle", { class: "attention", style: "fill-opacity:.3" }));
  const reach = shape(main.svg, "path", {
    class: "rival",
    style: "stroke-dasharray:4 4;stroke-width:1.5;pointer-events:none",
  });
  const way = shape(main.svg, "path", { class: "summary", style: "pointer-events:none" });
  const points = words.map((word, w) =>
    handle({
      plane: main,
      at: data.x[w],
      label: word,
      radius: 7,
      reach: 20,
      step: 0.1,
      limits: [
        [-MOST, MOST],
        [-MOST, MOST],
      ],
      text: (a, b) => `${fixed(a, 1)} and ${fixed(b, 1)}`,
      onMove: (...to) =>
        edit(`x${w}`, () => {
          state.x[w] = to;
        }),
    }),
  );
  const marks = words.map(() => shape(main.svg, "path", { d: "M0 -7L7 0L0 7L-7 0Z" }));
  const halo = "pointer-events:none;stroke:var(--paper);stroke-width:3;paint-order:stroke";
  const names = words.map((word) => shape(main.svg, "text", { class: "input", style: halo }, word));
  const becomes = shape(main.svg, "text", { class: "summary", style: halo }, "summary");

  const steps = choices({
    parent: controls(right),
    label: "Step",
    options: STEPS.map(([name]) => [name, name]),
    value: STEPS.at(-1)[0],
    onChange: (name) => {
      state.step = name;
      draw();
    },
  });
  const asker = choices({
    parent: controls(right),
    label: "Who asks",
    options: words.map((word) => [word, word]),
    value: words[0],
    onChange: (word) => {
      state.asks = words.indexOf(word);
      draw();
    },
  });
  const spelled = element("div", { class: "self-attention-working" });
  right.append(spelled);
  const line = controls(right);
  button({
    parent: line,
    label: "Next step",
    onPress: () => {
      state.step = STEPS[(stepNumber() + 1) % STEPS.length][0];
      steps.set(state.step);
      draw();
    },
  });
  button({
    parent: line,
    label: `Swap ${words[0]} and ${words.at(-1)}`,
    onPress: () =>
      edit(
        null,
        () => {
          state.order = [state.order.at(-1), ...state.order.slice(1, -1), state.order[0]];
        },
        `${words[0]} and ${words.at(-1)} change places. `,
      ),
  });
  const mask = toggle({
    parent: line,
    label: "no later word",
    value: false,
    onChange: (on) =>
      edit(
        null,
        () => {
          state.masked = on;
        },
        on ? "Now nobody looks at a later word. " : "Now all look at all. ",
      ),
  });
  button({ parent: line, label: "Start again", onPress: reset });

  const lower = [
    element("div", { class: "self-attention-blocks" }),
    element("div", { class: "self-attention-blocks" }),
  ];
  root.append(...lower);
  const tables = {},
    scrubs = [];
  const add = (name, title, columns, row, above = 0) => {
    tables[name] = block({ parent: lower[row], title, words, columns, cell, above });
  };
  add("x", "vectors x", ["", ""], 0);
  for (const [map, name] of Object.entries(MAPS)) {
    add(name, `${name} ${SUB[map]}`, ["", ""], 0, 2);
    const { at } = tables[name];
    for (const i of [0, 1]) {
      at(element("div", { class: "word" }, ...(i ? [] : ["W", element("sub", {}, SUB[map])])), 2 + i, 1);
      for (const j of [0, 1])
        number(
          at(element("div"), 2 + i, 2 + j),
          `${map} map, row ${i + 1}, column ${j + 1}`,
          () => state[map][i],
          j,
          `${map}${i}${j}`,
        );
    }
  }
  words.forEach((word, w) => {
    for (const i of [0, 1]) number(tables.x.cells[w][i], `${word}, number ${i + 1}`, () => state.x[w], i, `x${w}`);
  });
  add("scores", "products q·k", words, 1);
  add("scaled", "scaled: q·k / √2", words, 1);
  add("weights", "weights", words, 1);
  add("summaries", "summaries", ["", ""], 1);
  const say = speaker({ parent: root, seen: true });

  /** A number to drag sideways: number i of the list that `where` gives. */
  function number(parent, label, where, i, id) {
    const made = scrub({
      parent,
      label,
      value: 0,
      min: -MOST,
      max: MOST,
      onChange: (to) =>
        edit(id, () => {
          where()[i] = to;
        }),
    });
    scrubs.push(() => made.set(where()[i]));
  }

  function stepNumber() {
    return STEPS.findIndex(([name]) => name === state.step);
  }

  function reset() {
    const { x, query, key, value, asks } = structuredClone(data);
    state = { x, query, key, value, asks, order: words.map((_, w) => w), masked: false, step: STEPS.at(-1)[0] };
    [held, before] = ["", {}];
    steps.set(state.step);
    asker.set(words[asks]);
    mask.set(false);
    draw("Each summary is a mean of the values, so it cannot leave the shape that is drawn between them.");
  }

  /** Change something, and remember what all numbers were before this thing was first taken hold of. */
  function edit(id, change, also = "") {
    if (id === null || id !== held) [held, before] = [id ?? "", numbers(results())];
    change();
    draw(null, also);
  }

  /** The forward pass, its lines put back from places to words. */
  function results() {
    const { order } = state,
      place = order.map((_, w) => order.indexOf(w));
    const found = forward(null, null, { ...state, x: order.map((w) => state.x[w]) });
    const byWord = (lines) => place.map((t) => lines[t]),
      byBoth = (lines) => place.map((t) => place.map((s) => lines[t][s]));
    const hidden = place.map((t) => place.map((s) => state.masked && s > t));
    const named = Object.fromEntries(
      Object.entries(found).map(([name, lines]) => [
        name,
        ["scores", "scaled", "weights"].includes(name) ? byBoth(lines) : byWord(lines),
      ]),
    );
    return { ...named, x: state.x, place, hidden };
  }

  /** Every number as it is shown, by table, word and column. */
  function numbers({ x, hidden, place, ...found }) {
    const shown = (name, e, w, i) => (name === "scaled" && hidden[w][i] ? "−∞" : short(e));
    const all = Object.entries(found).map(([name, lines]) => [
      name,
      lines.map((one, w) => one.map((e, i) => shown(name, e, w, i))),
    ]);
    return Object.fromEntries(all);
  }

  function draw(told = null, also = "") {
    const found = results(),
      texts = numbers(found),
      now = stepNumber(),
      moved = {};
    for (const [name, lines] of Object.entries(texts)) {
      moved[name] = [0, 0];
      lines.forEach((one, w) =>
        one.forEach((text, i) => {
          const part = tables[name].cells[w][i],
            other = before[name] !== undefined && before[name][w][i] !== text;
          part.textContent = text;
          part.className = `${other ? "moved" : ""} ${w === state.asks ? "asks" : ""}`;
          moved[name][0] += other;
          moved[name][1] += 1;
          if (name === "weights")
            part.style.background = `color-mix(in srgb, var(--attention) ${(45 * found.weights[w][i]).toFixed(0)}%, transparent)`;
        }),
      );
    }
    for (const [name, one] of Object.entries(tables)) {
      one.order(found.place, ["scores", "scaled", "weights"].includes(name));
      one.labels.forEach((part, w) => {
        part.className = `word ${w === state.asks ? "asks" : ""}`;
      });
      const step = STEPS.findIndex(([, shown]) => shown.includes(name));
      one.made.hidden = step > now;
      one.named.className = `title ${step === now ? "now" : ""}`;
    }
    scrubs.forEach((show) => show());
    picture(found);
    spelled.replaceChildren(
      ...working(state, found, words).map((text) => {
        const made = element("p");
        made.append(...text);
        return made;
      }),
    );
    say(told ?? also + tell(moved));
    publish({
      ...state,
      ...found,
      moved: Object.fromEntries(Object.entries(moved).map(([name, [count]]) => [name, count])),
    });
  }

  function picture({ weights, values, summaries }) {
    const { asks } = state;
    const on = ([a, b]) => [main.X(Math.max(-2.3, Math.min(a, 2.3))), main.Y(Math.max(-2.3, Math.min(b, 2.3)))];
    const middle = state.x.reduce((sum, word) => sum + word[1] / T, 0);
    state.x.forEach((word, w) => {
      const [a, b] = on(word);
      set(discs[w], { cx: a, cy: b, r: 40 * Math.sqrt(weights[asks][w]) });
      points[w].set(...word);
      const above = b > 34 && (b < main.Y(-1.7) ? word[1] >= middle : true);
      set(names[w], { x: a, y: above ? b - 13 : b + 23, "text-anchor": "middle" });
      const [c, d] = on(summaries[w]);
      set(marks[w], {
        transform: `translate(${c} ${d}) scale(${w === asks ? 1.2 : 0.8})`,
        style: `fill:${w === asks ? "var(--summary)" : PALE};stroke:var(--paper);stroke-width:2;pointer-events:none`,
      });
    });
    const [a, b] = on(state.x[asks]),
      [c, d] = on(summaries[asks]);
    set(way, { d: `M${a} ${b}L${c} ${d}` });
    set(reach, {
      d: `${hull(values)
        .map((v, i) => `${i ? "L" : "M"}${on(v).join(" ")}`)
        .join("")}Z`,
    });
    const below = state.x.some((word) => {
      const [e, f] = on(word);
      return Math.abs(e - c) < 45 && f > d + 4 && f < d + 36;
    });
    const now = stepNumber(),
      shown = (parts, from) => parts.forEach((part) => set(part, { visibility: now < from ? "hidden" : null }));
    shown([reach], 1);
    shown(discs, 4);
    shown([way, becomes, ...marks], 5);
    set(becomes, { x: c, y: below ? d - 12 : d + 22, "text-anchor": "middle" });
  }

  /** Which tables moved since the reader took hold of something, and by how many of their numbers. */
  function tell(moved) {
    if (!before.weights) return "Nothing has moved yet.";
    const names = { scores: "products", scaled: "scaled" };
    const list = Object.entries(moved)
      .filter(([, [count]]) => count)
      .map(([name, [count, all]]) => `${names[name] ?? name} ${count} of ${all}`);
    return list.length ? `Moved: ${list.join(", ")}.` : "No number of any word has moved.";
  }

  reset();
}

/** The outline of a few points, in turn: the shape that their means cannot leave. */
function hull(points) {
  const sorted = [...points].sort(([a, b], [c, d]) => a - c || b - d);
  const half = (list) =>
    list.reduce((kept, p) => {
      const left = ([a, b], [c, d]) => (c - a) * (p[1] - b) - (d - b) * (p[0] - a);
      while (kept.length > 1 && left(kept.at(-2), kept.at(-1)) <= 0) kept.pop();
      return [...kept, p];
    }, []);
  return [...half(sorted).slice(0, -1), ...half(sorted.reverse()).slice(0, -1)];
}
