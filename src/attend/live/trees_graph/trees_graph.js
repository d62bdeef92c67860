import { KEYS, choices, controls, keys, speaker, toggle } from "../kit/control.js";
import { element, fixed, set, shape, within } from "../kit/dom.js";
import { affine, softmax } from "../kit/tensor.js";

const ROUNDS = [0, 1, 2, 3, 4];

/** The logits of every patch after so many rounds, and the weights of every patch in the last of them. */
export function forward(tensors, data, { canvas, rounds, cut }) {
  const { features, neighbours } = data.canvases[canvas],
    { score } = tensors;
  const near = neighbours.map((others, v) => (v === cut ? [] : others.filter((u) => u !== cut)));
  let states = features.map((x) => affine(tensors.embed, x, tensors.embed_b).map(Math.tanh)),
    weights = near.map((others) => others.map(() => 0));
  for (let round = 0; round < rounds; round++) {
    const queries = states.map((h) => affine(tensors.query, h, tensors.query_b)),
      known = states.map((h) => affine(tensors.key, h)),
      messages = states.map((h) => affine(tensors.message, h));
    const scored = (v, u) =>
      queries[v].reduce((sum, q, i) => {
        const both = q + known[u][i];
        return sum + score.values[i] * (both > 0 ? both : 0.2 * both);
      }, 0);
    weights = near.map((others, v) => softmax(others.map((u) => scored(v, u))));
    states = states.map((h, v) =>
      affine(tensors.own, h, tensors.own_b).map((own, j) =>
        Math.tanh(near[v].reduce((sum, u, k) => sum + weights[v][k] * messages[u][j], own)),
      ),
    );
  }
  const logits = states.map((h) => affine(tensors.head, h, tensors.head_b));
  return { logits, digit: logits.map((z) => softmax(z)[0]), near, weights };
}

function layout(features, width) {
  const D = features[0].length,
    edge = 24,
    ends = (k) => [Math.min(...features.map((f) => f[k])), Math.max(...features.map((f) => f[k]))];
  const [top, bottom] = ends(D - 2),
    [left, right] = ends(D - 1),
    scale = Math.min((width - 2 * edge) / (right - left || 1), (300 - 2 * edge) / (bottom - top || 1));
  const start = (width - scale * (right - left)) / 2;
  return {
    places: features.map((f) => ({ x: start + scale * (f[D - 1] - left), y: edge + scale * (f[D - 2] - top) })),
    height: 2 * edge + scale * (bottom - top),
  };
}

export function render({ root, width, data, tensors, publish }) {
  const wide = Math.min(width, 560);
  let canvas = 0,
    rounds = 4,
    alone = false,
    node,
    places,
    svg,
    lines,
    parts,
    ring;
  const stage = element("div");
  root.append(stage);
  const line = controls(root);
  choices({
    parent: line,
    label: "Rounds",
    options: ROUNDS.map((count) => [String(count), String(count)]),
    value: "4",
    onChange: (value) => {
      rounds = Number(value);
      draw();
    },
  });
  const cutting = toggle({
    parent: line,
    label: "cut this patch off",
    value: false,
    onChange: (value) => {
      alone = value;
      draw();
    },
  });
  if (data.canvases.length > 1)
    choices({
      parent: line,
      label: "Canvas",
      options: data.canvases.map((_, i) => [String(i), String(i + 1)]),
      value: "0",
      onChange: (value) => {
        canvas = Number(value);
        start();
      },
    });
  const say = speaker({ parent: root, seen: true });

  function start() {
    node = data.canvases[canvas].picked;
    alone = false;
    cutting.set(false);
    build();
    draw();
  }

  function build() {
    const { features, neighbours, labels } = data.canvases[canvas],
      made = layout(features, wide);
    places = made.places;
    stage.replaceChildren();
    svg = shape(stage, "svg", { viewBox: `0 0 ${wide} ${made.height}`, width: wide, height: made.height });
    const under = shape(svg, "g", { "aria-hidden": "true" });
    lines = neighbours.map((others, v) =>
      others.map((u) =>
        u < v
          ? null
          : shape(under, "line", { class: "edge", x1: places[v].x, y1: places[v].y, x2: places[u].x, y2: places[u].y }),
      ),
    );
    parts = places.map(({ x, y }, i) => {
      shape(svg, "circle", { class: "paper", cx: x, cy: y, r: 15 });
      const part = shape(svg, "circle", {
        class: labels[i] === 0 ? "patch digit" : "patch scrap",
        cx: x,
        cy: y,
        r: 15,
      });
      const mark = shape(svg, "text", { class: "mark", x, y: y + 5, "text-anchor": "middle" });
      part.addEventListener("click", () => pick(i));
      return { part, mark };
    });
    ring = shape(svg, "circle", {
      class: "picked",
      r: 19,
      tabindex: 0,
      role: "slider",
      "aria-label": "Patch",
      "aria-valuemin": 1,
      "aria-valuemax": places.length,
      ...KEYS,
    });
    keys(ring, move, { Home: () => pick(0), End: () => pick(places.length - 1) });
    svg.addEventListener("pointermove", (event) => {
      if (event.buttons === 1) pick(nearest(event));
    });
  }

  function nearest(event) {
    const [x, y] = within(svg, event),
      box = svg.viewBox.baseVal,
      far = places.map((place) => Math.hypot(place.x - x * box.width, place.y - y * box.height));
    return far.indexOf(Math.min(...far));
  }

  /** Arrow keys: to the nearest patch on that side. */
  function move([dx, dy]) {
    const from = places[node],
      cost = (place) => {
        const along = (place.x - from.x) * dx - (place.y - from.y) * dy,
          aside = Math.abs((place.x - from.x) * dy) + Math.abs((place.y - from.y) * dx);
        return along > 1 ? along + 2 * aside : Infinity;
      };
    const all = places.map(cost),
      best = Math.min(...all);
    if (best < Infinity) pick(all.indexOf(best));
  }

  function pick(i) {
    if (i !== node) {
      node = i;
      draw();
    }
  }

  function draw() {
    const { labels, neighbours } = data.canvases[canvas],
      found = forward(tensors, data, { canvas, rounds, cut: alone ? node : null });
    const read = neighbours[node].map((u) => {
      const k = found.near[node].indexOf(u);
      return k < 0 ? 0 : found.weights[node][k];
    });
    lines.forEach((of, v) =>
      of.forEach((edge, k) => {
        if (!edge) return;
        const u = neighbours[v][k],
          mine = v === node ? u : u === node ? v : null,
          share = mine === null ? 0 : read[neighbours[node].indexOf(mine)];
        edge.classList.toggle("read", share > 0);
        edge.classList.toggle("gone", alone && mine !== null);
        set(edge, { "stroke-width": share > 0 ? (1.5 + 10 * share).toFixed(2) : 1.2 });
      }),
    );
    parts.forEach(({ part, mark }, i) => {
      set(part, { style: `fill-opacity:${(0.85 * found.digit[i]).toFixed(3)}` });
      mark.textContent = found.digit[i] > 0.5 === (labels[i] === 0) ? "" : "\u00d7";
    });
    set(ring, { cx: places[node].x, cy: places[node].y });
    const is = labels[node] === 0 ? "part of the digit" : "a scrap",
      chance = fixed(100 * found.digit[node], 0),
      wrong = parts.filter(({ mark }) => mark.textContent).length;
    set(ring, { "aria-valuenow": node + 1, "aria-valuetext": `patch ${node + 1}, digit at ${chance} %` });
    const heard = read.filter((share) => share > 0).length,
      whom =
        rounds === 0 || heard === 0
          ? "nobody"
          : `${heard} of ${places.length - 1} others, at most ${fixed(100 * Math.max(...read), 0)} % of one`;
    say(
      `This patch reads ${whom}. Part of the digit? ${chance} % says the network; it is ${is}. Named wrongly (\u00d7): ${wrong} of ${places.length}.`,
    );
    publish({ canvas, node, rounds, alone, read, digit: found.digit, wrong });
  }

  start();
}
