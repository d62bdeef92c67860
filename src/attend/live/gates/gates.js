import { button, choices, controls, slider, speaker } from "../kit/control.js";
import { clamp, element, fixed, set, shape } from "../kit/dom.js";
import { handle, plane } from "../kit/plane.js";
import { softmax } from "../kit/tensor.js";

/** The weight of candidate i in hidden state t, by gates: (1 - z_i) times the gates after it, up to t. */
function byGates(keep) {
  const rows = [];
  let row = keep.map(() => 0);
  keep.forEach((z, t) => {
    row = row.map((weight, i) => (i === t ? 1 - z : z * weight));
    rows.push(row);
  });
  return rows;
}

/** Set free: a softmax of the scores of row t, over the steps up to t. */
function byScores(scores) {
  return scores.map((row, t) => {
    const weights = softmax(row.slice(0, t + 1));
    return row.map((_, i) => weights[i] ?? 0);
  });
}

/** The table of weights (T, T), and what the two wishes got. */
export function forward(tensors, data, { by, keep, scores }) {
  const weights = by === "gates" ? byGates(keep) : byScores(scores);
  return { weights, granted: data.wishes.map(([t, i]) => weights[t - 1][i - 1]) };
}

const SMALL = "\u2080\u2081\u2082\u2083\u2084\u2085\u2086\u2087\u2088",
  LOW = -5,
  HIGH = 5,
  TOP = 3;

/** Scores that give these weights back: their logarithms, the largest at TOP, none below LOW. */
const logs = (row) => row.map((weight) => clamp(TOP + Math.log(weight / Math.max(...row)), LOW, HIGH));

export function render({ root, width, data, publish }) {
  const T = data.keep.length,
    left = 56,
    margin = { left, right: 8, bottom: 12 },
    x = [0.5, T + 0.5],
    tall = 168;
  let state;

  const stages = { gates: element("div"), scores: element("div") };
  root.append(stages.gates, stages.scores);
  const gates = plane({
    parent: stages.gates,
    width,
    height: tall,
    x,
    y: [0, 1],
    yTicks: [0, 0.5, 1],
    yLabel: "update gate z",
    margin,
  });
  const scored = plane({
    parent: stages.scores,
    width,
    height: tall,
    x,
    y: [LOW, HIGH],
    yTicks: [LOW, 0, HIGH],
    yLabel: "score",
    margin,
  });
  const stems = { gates: points(gates, "gate"), scores: points(scored, "attention") };
  shape(
    gates.svg,
    "text",
    { x: gates.X(1), y: gates.Y(0) - 10, "text-anchor": "middle", style: "fill:var(--quiet)" },
    "0",
  );

  const limits = (from, to) => [x, [from, to]];
  const opened = data.keep.slice(1).map((z, i) =>
    handle({
      plane: gates,
      at: [i + 2, z],
      axis: "y",
      label: `Update gate of step ${i + 2}`,
      kind: "gate",
      step: 0.02,
      radius: 8,
      reach: 18,
      limits: limits(0, 1),
      text: (_, value) => fixed(value),
      onMove: (_, value) => {
        state.keep[i + 1] = value;
        draw(`gate ${i + 2}`);
      },
    }),
  );
  const heard = data.keep.map((_, i) =>
    handle({
      plane: scored,
      at: [i + 1, 0],
      axis: "y",
      label: `Score of step ${i + 1}`,
      kind: "attention",
      step: 0.2,
      radius: 8,
      reach: 18,
      limits: limits(LOW, HIGH),
      text: (_, value) => fixed(value, 1),
      onMove: (_, value) => {
        state.scores[state.t - 1][i] = value;
        draw(`score ${i + 1}`);
      },
    }),
  );
  const table = drawn(root, gates.X, T, width, left, data.wishes, (t) => {
    when.set(t);
    choose(t);
  });

  const line = controls(root);
  const which = choices({
    parent: line,
    label: "Weights",
    options: [
      ["gates", "by gates"],
      ["scores", "set free"],
    ],
    value: "gates",
    onChange: change,
  });
  const when = slider({
    parent: line,
    label: "Hidden state",
    min: 1,
    max: T,
    step: 1,
    value: 1,
    format: (t) => `h${SMALL[t]}`,
    onInput: choose,
  });
  button({ parent: line, label: "Start again", onPress: reset });
  const say = speaker({ parent: root, seen: true });

  function points(on, kind) {
    return data.keep.map((_, i) =>
      shape(on.svg, "line", { class: `${kind} stem`, x1: on.X(i + 1), x2: on.X(i + 1), y1: on.Y(on.y[0]) }),
    );
  }

  function change(by) {
    if (by === "scores") {
      state.scores = byGates(state.keep).map(logs);
      state.t = data.wishes[1][0]; // the row of the wish that gates could not grant beside the first
      when.set(state.t);
    }
    state.by = by;
    draw();
  }

  function choose(t) {
    state.t = t;
    draw();
  }

  function reset() {
    state = { by: "gates", t: data.wishes[0][0], keep: [...data.keep], scores: byGates(data.keep).map(logs) };
    which.set("gates");
    when.set(state.t);
    draw();
  }

  function draw(moved = "") {
    const { by, t, keep, scores } = state,
      result = forward({}, data, state);
    for (const [name, stage] of Object.entries(stages)) stage.style.display = name === by ? "" : "none";
    when.input.parentElement.style.display = by === "scores" ? "" : "none"; // gates have no row of their own
    opened.forEach((one, i) => one.set(i + 2, keep[i + 1]));
    heard.forEach((one, i) => {
      one.set(i + 1, scores[t - 1][i]);
      one.element.style.display = stems.scores[i].style.display = i < t ? "" : "none";
      set(stems.scores[i], { y2: scored.Y(scores[t - 1][i]) });
      set(stems.gates[i], { y2: gates.Y(keep[i]) });
    });
    table(result.weights, t);
    say(tell(result.granted, moved));
    publish({ ...structuredClone(state), ...result });
  }

  function tell(granted, moved) {
    const [one, two] = data.wishes.map(([t, i], n) => `candidate ${i} has ${fixed(granted[n])} of h${SMALL[t]}`),
      free = state.by === "scores";
    const both = `${one[0].toUpperCase()}${one.slice(1)}, ${two}: together ${fixed(granted[0] + granted[1])}.`;
    const number = moved.split(" ")[1];
    const said = !moved
      ? free
        ? ` The points are the scores of row h${SMALL[state.t]}.`
        : ""
      : free
        ? ` Row h${SMALL[state.t]} moved, and no other.`
        : ` Gate ${number} is in rows h${SMALL[number]} to h${SMALL[T]}: all of them moved.`;
    return `${both}${free ? "" : " No gates can make it more than 1."}${said}`;
  }

  reset();
}

/** The table: a row for each hidden state, to be chosen, and a column for each candidate, under its gate. */
function drawn(parent, X, T, width, left, wishes, onChoose) {
  const top = 28,
    step = 27,
    broad = X(2) - X(1),
    small = broad < 44 ? "12px" : "13px",
    edge = X(0.5);
  const svg = shape(parent, "svg", {
    class: "weights",
    viewBox: `0 0 ${width} ${top + T * step + 4}`,
    width,
    height: top + T * step + 4,
    "aria-hidden": "true",
  });
  const rows = Array.from({ length: T }, (_, t) => {
    const back = shape(svg, "rect", { class: "row", x: 0, y: top + t * step, width, height: step });
    back.addEventListener("click", () => onChoose(t + 1));
    const name = shape(
      svg,
      "text",
      { x: left - 24, y: top + t * step + 18, class: "summary", style: "pointer-events:none" },
      `h${SMALL[t + 1]}`,
    );
    return { back, name };
  });
  Array.from({ length: T }, (_, i) =>
    shape(svg, "text", { x: X(i + 1), y: 18, class: "summary" }, `h\u0303${SMALL[i + 1]}`),
  );
  const cells = rows.map((_, t) =>
    Array.from({ length: t + 1 }, (_, i) => {
      const y = top + t * step,
        at = {
          x: edge + i * broad + 1.5,
          y: y + 1.5,
          width: broad - 3,
          height: step - 3,
          style: "pointer-events:none",
        };
      return {
        cell: shape(svg, "rect", { class: "cell", ...at }),
        text: shape(svg, "text", { x: X(i + 1), y: y + 18, style: `pointer-events:none;font-size:${small}` }),
      };
    }),
  );
  wishes.forEach(([t, i]) =>
    shape(svg, "rect", {
      class: "wish",
      x: edge + (i - 1) * broad + 1.5,
      y: top + (t - 1) * step + 1.5,
      width: broad - 3,
      height: step - 3,
      rx: 3,
      style: "pointer-events:none",
    }),
  );
  return (weights, now) => {
    rows.forEach(({ back, name }, t) => {
      set(back, { class: t === now - 1 ? "row now" : "row" });
      set(name, { class: t === now - 1 ? "summary now" : "summary" });
    });
    cells.forEach((row, t) =>
      row.forEach(({ cell, text }, i) => {
        cell.style.fillOpacity = 0.5 * weights[t][i];
        text.textContent = fixed(weights[t][i]);
        set(text, { class: weights[t][i] < 0.005 ? "none" : null });
      }),
    );
  };
}
