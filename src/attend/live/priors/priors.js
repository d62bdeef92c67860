import { choices, controls, slider, speaker } from "../kit/control.js";
import { set, shape, within } from "../kit/dom.js";

const NAMES = {
  dense: "dense",
  convolution: "convolution",
  recurrence: "recurrence",
  attention: "attention",
  causal: "causal attention",
};

/** From which nodes [layer, position] the output t of a layer is computed directly. */
function sources(kind, layer, t, T) {
  const below = Array.from({ length: T }, (_, s) => [layer - 1, s]);
  if (kind === "convolution") return below.filter(([, s]) => Math.abs(s - t) <= 1);
  if (kind === "causal") return below.filter(([, s]) => s <= t);
  if (kind === "recurrence") return [...(t > 0 ? [[layer, t - 1]] : []), [layer - 1, t]];
  return below;
}

/** For each input: in how many steps the output at `position` of the top layer reads it, or 0; and all lines on the way. */
export function forward(tensors, data, { kind, layers, position }) {
  const { T } = data,
    seen = new Map([[`${layers},${position}`, 0]]),
    lines = [];
  let front = [[layers, position]];
  while (front.length) {
    const next = [];
    for (const [layer, t] of front) {
      if (layer === 0) continue;
      for (const [under, s] of sources(kind, layer, t, T)) {
        lines.push([layer, t, under, s]);
        if (seen.has(`${under},${s}`)) continue;
        seen.set(`${under},${s}`, seen.get(`${layer},${t}`) + 1);
        next.push([under, s]);
      }
    }
    front = next;
  }
  return { steps: Array.from({ length: T }, (_, s) => seen.get(`0,${s}`) ?? 0), lines };
}

export function render({ root, width, data, publish }) {
  const { T } = data,
    gap = 62,
    left = width < 480 ? 14 : 64,
    X = (t) => left + ((t + 0.5) * (width - left)) / T,
    state = { kind: data.kind, layers: data.layers, position: data.position };
  const row = controls(root);
  choices({
    parent: row,
    label: "Kind",
    options: data.kinds.map((kind) => [kind, NAMES[kind]]),
    value: state.kind,
    onChange: (kind) => draw({ kind }),
  });
  choices({
    parent: row,
    label: "Layers",
    options: [1, 2, 3].map((layers) => [String(layers), String(layers)]),
    value: String(state.layers),
    onChange: (layers) => draw({ layers: Number(layers) }),
  });
  const svg = shape(root, "svg", { "aria-hidden": "true", style: "cursor:pointer" });
  svg.addEventListener("click", (event) => {
    const across = within(svg, event)[0] * width;
    const position = Math.min(T - 1, Math.max(0, Math.floor(((across - left) / (width - left)) * T)));
    chosen.set(position + 1);
    draw({ position });
  });
  const below = controls(root);
  const chosen = slider({
    parent: below,
    label: "Output",
    min: 1,
    max: T,
    step: 1,
    value: state.position + 1,
    format: (v) => String(v),
    onInput: (v) => draw({ position: v - 1 }),
  });
  const say = speaker({ parent: root, seen: true });

  function draw(changed) {
    Object.assign(state, changed);
    const { steps, lines } = forward({}, data, state),
      height = state.layers * gap + 62,
      Y = (layer) => 16 + (state.layers - layer) * gap,
      on = new Set(lines.flatMap(([a, b, c, d]) => [`${a},${b}`, `${c},${d}`]));
    svg.replaceChildren();
    set(svg, { viewBox: `0 0 ${width} ${height}`, width, height });
    for (const [layer, t, under, s] of lines)
      shape(svg, "path", {
        class: "summary",
        style: "stroke-width:1.3;stroke-opacity:.55",
        d: `M${X(t)} ${Y(layer)}L${X(s)} ${Y(under)}`,
      });
    for (let layer = 0; layer <= state.layers; layer++) {
      if (width >= 480)
        shape(
          svg,
          "text",
          { x: 0, y: Y(layer) + 5, style: "fill:var(--quiet);font-size:13px" },
          layer ? `layer ${layer}` : "inputs",
        );
      for (let t = 0; t < T; t++) {
        const kind = layer ? "summary" : "input",
          lit = on.has(`${layer},${t}`);
        shape(svg, "circle", {
          cx: X(t),
          cy: Y(layer),
          r: layer === state.layers && t === state.position ? 9 : 7,
          style: `fill:var(--${lit ? kind : "paper"});stroke:var(--${lit ? kind : "rival"});stroke-width:1.5`,
        });
      }
    }
    steps.forEach((count, s) => {
      if (count)
        shape(
          svg,
          "text",
          { x: X(s), y: Y(0) + 26, "text-anchor": "middle", style: "font-size:13px;font-variant-numeric:tabular-nums" },
          String(count),
        );
    });
    const reached = steps.filter((count) => count),
      most = Math.max(...reached);
    say(
      `Output ${state.position + 1} depends on ${reached.length} of ${T} inputs; the one with the longest way is ${most} ${most > 1 ? "steps" : "step"} off. (Below each input: its steps.)`,
    );
    publish({ ...state, steps });
  }

  draw({});
}
