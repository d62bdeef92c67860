import { KEYS, button, controls, keys, speaker } from "../kit/control.js";
import { element, fixed, set, shape } from "../kit/dom.js";

const NAMES = ["MAX", "MIN"];
const sigmoid = (a) => 1 / (1 + Math.exp(-a));
const childrenOf = (parent, node) => parent.flatMap((p, i) => (p === node ? [i] : []));

/** Rows [from, from + rows) of W times x, added to `out`. */
function linear(W, x, from, rows, out) {
  const columns = W.shape[1];
  for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) out[i] += W.values[(from + i) * columns + j] * x[j];
  return out;
}

/** Every node from the leaves up: its hidden state, its answer, and the forget gate that its parent gives it. */
export function forward(tensors, _data, { tokens, parent }) {
  const { E, W, U, b, head, head_b } = tensors,
    D = E.shape[1],
    H = U.shape[1];
  const nodes = [];
  for (let node = tokens.length - 1; node >= 0; node--) {
    const x = E.values.subarray(tokens[node] * D, (tokens[node] + 1) * D),
      children = childrenOf(parent, node).map((child) => nodes[child]);
    const sum = new Float64Array(H);
    for (const { h } of children) for (let j = 0; j < H; j++) sum[j] += h[j];
    const gate = (k, h) =>
      linear(U, h, k * H, H, linear(W, x, k * H, H, Float64Array.from(b.values.subarray(k * H, (k + 1) * H))));
    const input = gate(0, sum).map(sigmoid),
      candidate = gate(2, sum).map(Math.tanh),
      output = gate(3, sum).map(sigmoid);
    const cell = input.map((i, j) => i * candidate[j]);
    for (const child of children) {
      child.forget = gate(1, child.h).map(sigmoid);
      for (let j = 0; j < H; j++) cell[j] += child.forget[j] * child.cell[j];
    }
    const h = output.map((o, j) => o * Math.tanh(cell[j])),
      logits = linear(head, h, 0, head.shape[0], Float64Array.from(head_b.values));
    const most = Math.max(...logits),
      each = Array.from(logits, (z) => Math.exp(z - most)),
      total = each.reduce((a, c) => a + c, 0);
    nodes[node] = { h, cell, logits: Array.from(logits), probs: each.map((p) => p / total), forget: null };
  }
  return {
    logits: nodes.map(({ logits }) => logits),
    values: nodes.map(({ probs }) => probs.indexOf(Math.max(...probs))),
    probs: nodes.map(({ probs }) => Math.max(...probs)),
    forget: nodes.map(({ forget }) => (forget ? forget.reduce((a, c) => a + c, 0) / H : 0)), // a root has no parent
  };
}

/** The true value of every node. */
function truth(tokens, parent) {
  const values = [];
  for (let node = tokens.length - 1; node >= 0; node--) {
    const below = childrenOf(parent, node).map((child) => values[child]);
    values[node] = below.length === 0 ? tokens[node] : (tokens[node] === 10 ? Math.max : Math.min)(...below);
  }
  return values;
}

function layout(parent, width) {
  const depth = [],
    across = [];
  parent.forEach((p, i) => {
    depth[i] = p < 0 ? 0 : depth[p] + 1;
  });
  const leaves = parent.map((_, i) => i).filter((i) => !parent.includes(i)),
    order = [];
  const walk = (node) => (parent.includes(node) ? childrenOf(parent, node).forEach(walk) : order.push(node));
  walk(0);
  const gap = Math.min((width - 44) / Math.max(leaves.length - 1, 1), 62),
    start = (width - gap * (leaves.length - 1)) / 2;
  order.forEach((leaf, i) => {
    across[leaf] = start + gap * i;
  });
  for (let i = parent.length - 1; i >= 0; i--) {
    const below = childrenOf(parent, i);
    if (below.length) across[i] = (across[below[0]] + across[below.at(-1)]) / 2;
  }
  const places = parent.map((_, i) => ({ x: across[i], y: 26 + 62 * depth[i] }));
  return { places, height: 62 * Math.max(...depth) + 52, small: gap < 34 };
}

export function render({ root, width, data, tensors, publish }) {
  const wide = Math.min(width, 620);
  let at = 0,
    tokens,
    parent,
    edges,
    marks,
    answers;
  const stage = element("div");
  root.append(stage);
  const line = controls(root);
  button({
    parent: line,
    label: "Another list",
    onPress: () => {
      at = (at + 1) % data.lists.length;
      start();
    },
  });
  button({ parent: line, label: "Start again", onPress: start });
  const say = speaker({ parent: root, seen: true });

  function start() {
    tokens = [...data.lists[at].tokens];
    parent = data.lists[at].parent;
    build();
    draw();
  }

  function turn(node, by) {
    const inner = tokens[node] >= 10;
    tokens[node] = inner ? 21 - tokens[node] : (tokens[node] + by + 10) % 10;
    draw();
  }

  function build() {
    stage.replaceChildren();
    const { places, height, small } = layout(parent, wide);
    const svg = shape(stage, "svg", { viewBox: `0 0 ${wide} ${height}`, width: wide, height });
    const under = shape(svg, "g", { "aria-hidden": "true" });
    edges = parent.map((p, i) =>
      p < 0
        ? null
        : shape(under, "line", { class: "kept", x1: places[p].x, y1: places[p].y, x2: places[i].x, y2: places[i].y }),
    );
    answers = [];
    marks = parent.map((_, i) => {
      const inner = parent.includes(i),
        { x, y } = places[i],
        half = inner ? 23 : small ? 11 : 15;
      const mark = shape(svg, "g", { class: "node", tabindex: 0, role: "button", ...KEYS });
      shape(mark, "rect", {
        class: inner ? "inner" : "leaf",
        x: x - half,
        y: y - 15,
        width: 2 * half,
        height: 30,
        rx: inner ? 6 : Math.min(half, 15),
      });
      shape(mark, "text", { x, y: y + 5, "text-anchor": "middle" });
      if (inner) answers[i] = shape(svg, "text", { class: "answer", x: x + half + 4, y: y - 6 });
      mark.addEventListener("click", () => turn(i, 1));
      keys(mark, ([dx, dy]) => turn(i, dx + dy), { Enter: () => turn(i, 1), " ": () => turn(i, 1) });
      return mark;
    });
  }

  function draw() {
    const found = forward(tensors, data, { tokens, parent }),
      right = truth(tokens, parent);
    let wrong = 0,
      inner = 0;
    marks.forEach((mark, i) => {
      const name = tokens[i] >= 10 ? NAMES[tokens[i] - 10] : String(tokens[i]);
      mark.lastChild.textContent = name;
      if (tokens[i] >= 10) {
        const good = found.values[i] === right[i];
        inner++;
        wrong += good ? 0 : 1;
        answers[i].textContent = good ? String(found.values[i]) : `${found.values[i]}, not ${right[i]}`;
        answers[i].setAttribute("class", good ? "answer right" : "answer wrong");
        set(mark, { "aria-label": `${name}: the network says ${answers[i].textContent}` });
      } else set(mark, { "aria-label": `Digit ${name}` });
      if (edges[i]) set(edges[i], { "stroke-width": (0.6 + 9 * found.forget[i] ** 2).toFixed(2) });
    });
    const sure = fixed(100 * found.probs[0], 0);
    say(
      `The network says ${found.values[0]} (${sure} % sure), and the list is worth ${right[0]}. ${wrong ? `Of its ${inner} lists ${wrong} came out wrong.` : `All ${inner} lists came out right.`}`,
    );
    publish({ at, tokens: [...tokens], values: found.values, forget: found.forget, wrong });
  }

  start();
}
