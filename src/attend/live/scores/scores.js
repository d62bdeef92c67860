import { button, choices, controls, slider, speaker } from "../kit/control.js";
import { element, fixed, set, shape } from "../kit/dom.js";
import { handle, plane } from "../kit/plane.js";
import { dot, row, softmax } from "../kit/tensor.js";

const length = (a) => Math.sqrt(dot(a, a));

/** M x for the first `width` columns of a matrix, and as many of its rows as are asked for. */
function times(M, x, rows = M.shape[0]) {
  return Array.from({ length: rows }, (_, i) => dot(x, row(M, i)));
}

/** The score of every key: plain functions of a query and keys, vectors of d numbers. Weights are scaled as fresh ones are. */
const SCORES = {
  additive: ({ W, U, v }, q, keys) => {
    const wide = Math.sqrt(0.5 / q.length),
      last = Math.sqrt(2.5 / v.shape[0]);
    const asked = times(W, q).map((value) => wide * value);
    return keys.map(
      (k) =>
        last *
        dot(
          times(U, k).map((value, i) => Math.tanh(asked[i] + wide * value)),
          v.values,
        ),
    );
  },
  bilinear: ({ M }, q, keys) => keys.map((k) => dot(q, times(M, k, q.length)) / q.length),
  dot: (_, q, keys) => keys.map((k) => dot(q, k)),
  scaled_dot: (_, q, keys) => keys.map((k) => dot(q, k) / Math.sqrt(q.length)),
  cosine: (_, q, keys) => keys.map((k) => dot(q, k) / Math.max(length(q), 1e-12) / Math.max(length(k), 1e-12)),
  location: ({ L }, q, keys) => times(L, q, keys.length).map((value) => value / Math.sqrt(q.length)),
};
const NAMES = {
  dot: "dot",
  scaled_dot: "scaled dot",
  cosine: "cosine",
  bilinear: "bilinear",
  additive: "additive",
  location: "location",
};

/** Scores and weights of the keys, the mean that is read (its first two numbers), and what is left of the softmax's slopes. */
export function forward(tensors, data, { score, width, temperature, query, keys }) {
  const whole = (point, i) => [...point, ...row(tensors.rest, i).slice(0, width - 2)];
  const scores = SCORES[score](
    tensors,
    whole(query, 0),
    keys.map((k, s) => whole(k, s + 1)),
  );
  const weights = softmax(scores.map((e) => e / temperature));
  const context = [0, 1].map((i) => weights.reduce((sum, a, s) => sum + a * keys[s][i], 0));
  return { scores, weights, context, left: 1 - dot(weights, weights) };
}

const REACH = 2.6,
  MOST = 2.4,
  SMALL = ["\u2081", "\u2082", "\u2083", "\u2084", "\u2085"];

/** Rows with the score and the weight of each key, as numbers that keep their places and as bars. */
function table(parent, S, width) {
  const top = 26,
    step = 30,
    svg = shape(parent, "svg", {
      viewBox: `0 0 ${width} ${top + S * step}`,
      width,
      height: top + S * step,
      "aria-hidden": "true",
    });
  const number = "font-variant-numeric:tabular-nums",
    from = 158,
    room = width - from - 4;
  for (const [x, text] of [
    [80, "score"],
    [144, "weight"],
  ])
    shape(svg, "text", { x, y: 14, "text-anchor": "end", style: "fill:var(--quiet)" }, text);
  const rows = Array.from({ length: S }, (_, s) => {
    const y = top + s * step + 14;
    shape(svg, "text", { x: 0, y, class: "summary" }, `k${SMALL[s]}`);
    shape(svg, "rect", { x: from, y: y - 11, width: room, height: 13, style: "fill:var(--wash)" });
    return {
      score: shape(svg, "text", { x: 80, y, "text-anchor": "end", style: number }),
      weight: shape(svg, "text", { x: 144, y, "text-anchor": "end", class: "attention", style: number }),
      bar: shape(svg, "rect", { x: from, y: y - 11, width: 0, height: 13, class: "attention" }),
    };
  });
  return ({ scores, weights }) =>
    rows.forEach((one, s) => {
      one.score.textContent = fixed(scores[s]);
      one.weight.textContent = fixed(weights[s]);
      set(one.bar, { width: room * weights[s] });
    });
}

export function render({ root, width: room, data, tensors, publish }) {
  const wide = room >= 600,
    side = wide ? Math.min(room - 290, 420) : room,
    S = data.keys.length;
  let state;

  const board = element("div", { style: "display:flex;flex-wrap:wrap;gap:.5rem 1.6rem;align-items:center" });
  const left = element("div"),
    right = element("div");
  board.append(left, right);
  root.append(board);

  const main = plane({
    parent: left,
    width: side,
    height: side,
    x: [-REACH, REACH],
    y: [-REACH, REACH],
    xTicks: [-2, 0, 2],
    yTicks: [-2, 0, 2],
    xLabel: "first number",
    yLabel: "second number",
  });
  const discs = data.keys.map(() => shape(main.svg, "circle", { class: "attention", style: "fill-opacity:.35" }));
  const stem = shape(main.svg, "path", { class: "input", style: "stroke-opacity:.5" });
  const names = [...data.keys.map((_, s) => [`k${SMALL[s]}`, "summary"]), ["q", "input"], ["read", "attention"]].map(
    ([text, kind]) =>
      shape(
        main.svg,
        "text",
        { class: kind, style: "pointer-events:none;stroke:var(--paper);stroke-width:3;paint-order:stroke" },
        text,
      ),
  );
  const limits = [
      [-MOST, MOST],
      [-MOST, MOST],
    ],
    spoken = (a, b) => `${fixed(a, 1)} and ${fixed(b, 1)}`;
  const keys = data.keys.map((at, s) =>
    handle({
      plane: main,
      at,
      label: `Key ${s + 1}`,
      kind: "summary",
      radius: 6,
      reach: 17,
      step: 0.1,
      limits,
      text: spoken,
      onMove: (...point) => {
        state.keys[s] = point;
        draw(`Key ${s + 1}`);
      },
    }),
  );
  const read = shape(main.svg, "path", {
    d: "M0 -8L8 0L0 8L-8 0Z",
    style: "fill:var(--attention);stroke:var(--paper);stroke-width:2;pointer-events:none",
  });
  const query = handle({
    plane: main,
    at: data.query,
    label: "Query",
    radius: 9,
    reach: 20,
    step: 0.1,
    limits,
    text: spoken,
    onMove: (...point) => {
      state.query = point;
      draw("Query");
    },
  });
  const rows = table(right, S, wide ? 250 : Math.min(room, 340));

  const which = choices({
    parent: controls(root),
    label: "Score",
    options: Object.entries(NAMES),
    value: "dot",
    onChange: (value) => {
      state.score = value;
      draw();
    },
  });
  const line = controls(root);
  const broad = choices({
    parent: line,
    label: "Width",
    options: data.widths.map((d) => [String(d), String(d)]),
    value: String(data.widths.at(-1)),
    onChange: (value) => {
      state.width = Number(value);
      draw();
    },
  });
  const heat = slider({
    parent: line,
    label: "Temperature",
    min: -4,
    max: 4,
    step: 0.5,
    value: 0,
    format: (power) => fixed(2 ** power),
    onInput: (power) => {
      state.temperature = 2 ** power;
      draw();
    },
  });
  button({ parent: line, label: "Start again", onPress: reset });
  const say = speaker({ parent: root, seen: true });

  function reset() {
    state = {
      score: "dot",
      width: data.widths.at(-1),
      temperature: 1,
      ...structuredClone({ query: data.query, keys: data.keys }),
    };
    which.set(state.score);
    broad.set(state.width);
    heat.set(0);
    draw();
  }

  function draw(moved = "") {
    const result = forward(tensors, data, state),
      { weights, context } = result;
    state.keys.forEach((k, s) => {
      set(discs[s], { cx: main.X(k[0]), cy: main.Y(k[1]), r: 42 * Math.sqrt(weights[s]) });
      keys[s].set(...k);
    });
    query.set(...state.query);
    set(stem, { d: main.curve([[0, 0], state.query]) });
    set(read, { transform: `translate(${main.X(context[0])} ${main.Y(context[1])})` });
    [...state.keys, state.query, context].forEach(([a, b], i) =>
      set(names[i], {
        x: main.X(a) + (i === S + 1 ? -14 : 13),
        y: main.Y(b) + (i === S + 1 ? 18 : -9),
        "text-anchor": i === S + 1 ? "end" : "start",
      }),
    );
    rows(result);
    say(tell(result, moved));
    publish({ ...state, ...result });
  }

  function tell({ weights, left }, moved) {
    const hidden = state.width - 2,
      best = weights.indexOf(Math.max(...weights));
    const seen = hidden
      ? `Of ${state.width} numbers two are drawn; the other ${hidden} stay as they are.`
      : "Both numbers are drawn.";
    const share = `Key ${best + 1} has ${fixed(weights[best])} of the weight; the slopes of the softmax add up to ${fixed(left)}.`;
    const blind =
      state.score === "location"
        ? moved.startsWith("Key")
          ? " No weight moved: location does not look at the keys."
          : " Location looks at the query alone."
        : "";
    return `${seen} ${share}${blind}`;
  }

  reset();
}
