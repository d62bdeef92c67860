import { button, choices, controls, slider, speaker } from "../kit/control.js";
import { clamp, element, fixed, set, shape } from "../kit/dom.js";
import { handle, plane } from "../kit/plane.js";

/** One update: what the old state asks for (U old), the candidate, and the new state. */
export function forward(tensors, data, { old, alone, update, reset }) {
  const asked = data.U.map((u) => u[0] * old[0] + u[1] * old[1]);
  const candidate = alone.map((value, i) => Math.tanh(Math.atanh(value) + reset[i] * asked[i]));
  return { asked, candidate, h: old.map((value, i) => update[i] * value + (1 - update[i]) * candidate[i]) };
}

const REACH = 1.12,
  MOST = 0.95,
  NUMBERS = ["unit 1", "unit 2"],
  SMALL = ["\u2081", "\u2082"];

export function render({ root, width, data, publish }) {
  const wide = width >= 560,
    side = wide ? Math.min(width - 250, 430) : width;
  let state, apart;

  const board = element("div", { style: "display:flex;flex-wrap:wrap;gap:.3rem 1.5rem;align-items:flex-start" });
  const left = element("div"),
    right = element("div", { style: wide ? "width:220px" : "" });
  board.append(left, right);
  root.append(board);

  const main = plane({
    parent: left,
    width: side,
    height: side - 8,
    x: [-REACH, REACH],
    y: [-REACH, REACH],
    xTicks: [-1, 0, 1],
    yTicks: [-1, 0, 1],
    xLabel: `hidden state, ${NUMBERS[0]}`,
    yLabel: `hidden state, ${NUMBERS[1]}`,
  });
  const square = shape(main.svg, "path", {
    d: `${main.curve([
      [-1, -1],
      [1, -1],
      [1, 1],
      [-1, 1],
    ])}Z`,
  });
  set(square, { style: "fill:none;stroke:var(--line);stroke-dasharray:4 4" });
  const box = shape(main.svg, "path", {
    style: "fill:var(--gate);fill-opacity:.07;stroke:var(--gate);stroke-opacity:.6",
  });
  const road = shape(main.svg, "path", { class: "rival", style: "stroke-dasharray:2 4" });
  const move = shape(main.svg, "path", { class: "summary", style: "stroke-width:2.5" });
  const mark = shape(main.svg, "rect", { class: "input", width: 11, height: 11 });
  const names = {
    candidate: ["input", "candidate"],
    alone: ["input", "input alone"],
    old: ["summary", "old"],
    h: ["summary", "new"],
  };
  for (const [key, [kind, text]] of Object.entries(names))
    names[key] = shape(main.svg, "text", { class: kind, style: "pointer-events:none" }, text);

  const limits = [
      [-MOST, MOST],
      [-MOST, MOST],
    ],
    spoken = (a, b) => `${fixed(a)} and ${fixed(b)}`;
  const alone = handle({
    plane: main,
    at: data.alone,
    label: "What the input alone would make",
    radius: 7,
    reach: 18,
    text: spoken,
    limits,
    onMove: (...point) => {
      state.alone = point;
      draw();
    },
  });
  const old = handle({
    plane: main,
    at: data.old,
    label: "Old state",
    kind: "summary",
    radius: 7,
    reach: 18,
    text: spoken,
    limits,
    onMove: (...point) => {
      state.old = point;
      draw();
    },
  });
  old.element.querySelector(".dot").style.cssText = "fill:var(--paper);stroke:var(--summary);stroke-width:3";
  const fresh = handle({
    plane: main,
    at: data.old,
    label: "New state, moved by the update gate",
    kind: "summary",
    radius: 10,
    reach: 20,
    step: 0.01,
    text: spoken,
    onMove: (...point) => {
      pull(point);
      draw();
    },
  });

  const dials = {};
  for (const [gate, letter] of [
    ["update", "z"],
    ["reset", "r"],
  ]) {
    dials[gate] = [0, 1].map((i) => {
      const row = controls(right),
        label = letter + SMALL[i];
      const made = slider({
        parent: row,
        label,
        min: 0,
        max: 1,
        step: 0.01,
        value: data[gate][i],
        onInput: (value) => turn(gate, i, value),
      });
      made.input.style.accentColor = "var(--gate)";
      return { ...made, row, label: row.querySelector("label"), letter };
    });
  }
  const line = controls(right);
  const which = choices({
    parent: line,
    label: "Gates",
    options: [
      ["one", "shared"],
      ["two", "separate"],
    ],
    value: "one",
    onChange: (value) => {
      apart = value === "two";
      if (!apart) level();
      draw();
    },
  });
  button({ parent: line, label: "Start again", onPress: reset });
  const say = speaker({ parent: root, seen: true });

  function turn(gate, i, value) {
    state[gate][i] = value;
    if (!apart) state[gate] = [value, value];
    draw();
  }

  function level() {
    for (const gate of ["update", "reset"]) state[gate] = [state[gate][0], state[gate][0]];
  }

  /** The gate that brings the new state as near to a point as it can come. */
  function pull(point) {
    const { candidate } = forward({}, data, state),
      long = state.old.map((value, i) => value - candidate[i]);
    if (apart) {
      state.update = long.map((span, i) =>
        Math.abs(span) < 0.02 ? state.update[i] : clamp((point[i] - candidate[i]) / span, 0, 1),
      );
    } else {
      const length = long[0] ** 2 + long[1] ** 2;
      if (length < 0.001) return;
      const z = clamp(((point[0] - candidate[0]) * long[0] + (point[1] - candidate[1]) * long[1]) / length, 0, 1);
      state.update = [z, z];
    }
  }

  function reset() {
    state = structuredClone({ old: data.old, alone: data.alone, update: data.update, reset: data.reset });
    apart = false;
    which.set("one");
    draw();
  }

  function draw() {
    const { candidate, h, asked } = forward({}, data, state);
    const way = Array.from(
      { length: 21 },
      (_, i) => forward({}, data, { ...state, reset: [i / 20, i / 20] }).candidate,
    );
    set(road, { d: main.curve(way) });
    set(box, {
      d: apart
        ? `${main.curve([state.old, [candidate[0], state.old[1]], candidate, [state.old[0], candidate[1]]])}Z`
        : main.curve([state.old, candidate]),
    });
    set(move, { d: main.curve([state.old, h]) });
    set(mark, { x: main.X(candidate[0]) - 5.5, y: main.Y(candidate[1]) - 5.5 });
    old.set(...state.old);
    alone.set(...state.alone);
    fresh.set(...h);
    place({ candidate, alone: state.alone, old: state.old, h });
    for (const gate of ["update", "reset"]) {
      dials[gate].forEach((dial, i) => {
        dial.set(state[gate][i]);
        dial.label.textContent = dial.letter + (apart ? SMALL[i] : "");
        set(dial.row, {
          hidden: i === 1 && !apart,
          style: `margin:.15rem 0${i === 1 && !apart ? ";display:none" : ""}`,
        });
      });
    }
    say(tell());
    publish({ ...state, apart, asked, candidate, h });
  }

  /** Names where they rarely meet: the old one's above, the new one's on the side away from the candidate and the input. */
  function place({ candidate, alone: input, old: before, h }) {
    const side = h[0] <= candidate[0] ? -1 : 1;
    const put = (key, [a, b], dx, dy) =>
      set(names[key], {
        x: main.X(a) + dx,
        y: main.Y(b) + dy,
        "text-anchor": dx ? (dx < 0 ? "end" : "start") : "middle",
      });
    const inward = ([a]) => (a * -side > 0.4 ? side : -side) * 13;
    put("old", before, 0, -14);
    put("h", h, side * 16, 5);
    put("candidate", candidate, inward(candidate), inward(candidate) * side > 0 ? 22 : 5);
    put("alone", input, inward(input), 22);
  }

  function tell() {
    const [z] = state.update,
      [r] = state.reset,
      same = !apart;
    if (same && z === 1) return "z = 1: the old state is copied. Neither the input nor r has a say.";
    if (same && z === 0 && r === 0)
      return "z = 0 and r = 0: nothing is left of the old state. The input alone decides.";
    if (same && r === 0) return "r = 0: the candidate knows nothing of the old state. But z still keeps a part of it.";
    if (same && z === 0) return "z = 0: the new state is the candidate, as in a vanilla RNN.";
    return same
      ? `z = ${fixed(z)}: the new state keeps ${Math.round(100 * z)} % of the old one.`
      : "Each unit has its own gates: the new state lies anywhere in the rectangle.";
  }

  reset();
}
