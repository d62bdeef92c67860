import { button, choices, controls, speaker } from "../kit/control.js";
import { clamp, fixed, set, shape } from "../kit/dom.js";
import { handle, plane } from "../kit/plane.js";

/** The gate at every step and the hidden states that it makes. level and depth are places on the axis of the gate. */
export function forward(tensors, data, { bit, level, opened, depth }) {
  let h = 0;
  const gate = data.inputs.map((_, t) => (t === 0 ? 0 : toGate(t + 1 === opened ? Math.min(depth, level) : level)));
  const hidden = data.inputs.map((x, t) => (h = gate[t] * h + (1 - gate[t]) * Math.tanh(t === 0 ? STRONG * bit : x)));
  return { gate, hidden };
}

const STRONG = 10,
  SHUT = 4;

/** The axis of the gate is the power of ten that it leaves open: 0, .9, .99, .999 stand evenly; its upper end is shut. */
const toGate = (place) => (place >= SHUT ? 1 : 1 - 10 ** -place);

const spell = (place) => (place >= SHUT ? "1" : toGate(place).toFixed(clamp(Math.floor(place) + 1, 2, 5)));

export function render({ root, width, data, publish }) {
  const T = data.inputs.length,
    x = [1, T],
    edge = { left: 66, right: 16 };
  const begin = Math.log10(data.level);
  let state;

  const inputs = plane({
    parent: root,
    width,
    height: 105,
    x,
    y: [-1.6, 1.6],
    yTicks: [-1, 0, 1],
    yLabel: "candidate",
    margin: edge,
  });
  const gates = plane({
    parent: root,
    width,
    height: 165,
    x,
    y: [0, SHUT],
    yLabel: "gate z",
    margin: { ...edge, top: 18 },
    yTicks: [
      [0, "0"],
      [1, "0.9"],
      [2, "0.99"],
      [3, "0.999"],
      [4, "1"],
    ],
  });
  const bits = plane({
    parent: root,
    width,
    height: 175,
    x,
    y: [-1.15, 1.15],
    yTicks: [-1, 0, 1],
    yLabel: "hidden state h",
    xLabel: "step",
    xTicks: [1, ...[0.25, 0.5, 0.75, 1].map((part) => Math.round(part * T))].map((t) => [t, String(t)]),
    margin: edge,
  });
  for (const row of [inputs, bits])
    shape(row.svg, "path", {
      d: row.curve([
        [1, 0],
        [T, 0],
      ]),
      style: "stroke:var(--line);fill:none",
    });
  const rain = shape(inputs.svg, "path", { class: "input", style: "stroke-width:1;stroke-opacity:.75" });
  const first = shape(inputs.svg, "circle", { class: "input", r: 6 });
  const line = shape(gates.svg, "path", { class: "gate" });
  const kept = shape(bits.svg, "path", { class: "summary" }),
    end = shape(bits.svg, "circle", { class: "summary", r: 6 });
  const name = shape(gates.svg, "text", { class: "gate", "text-anchor": "end", style: "pointer-events:none" });
  const hint = shape(gates.svg, "text", { class: "gate", "text-anchor": "middle", style: "pointer-events:none" });

  const hatch = handle({
    plane: gates,
    at: [2, 0],
    label: "Open the gate at one step",
    kind: "gate",
    radius: 7,
    reach: 20,
    step: 0.05,
    limits: [
      [1, T],
      [0, SHUT],
    ],
    text: (t, place) => (state?.opened ? `step ${t}, z ${spell(place)}` : "not opened"),
    onMove: (t, place) => {
      state.opened = clamp(Math.round(t), 2, T);
      state.depth = place;
      draw();
    },
  });
  const grip = handle({
    plane: gates,
    at: [T, begin],
    label: "Level of the gate",
    kind: "gate",
    axis: "y",
    radius: 9,
    step: 0.05,
    limits: [x, [0, SHUT]],
    text: (_, place) => `z ${spell(place)}`,
    onMove: (_, place) => {
      state.level = place;
      if (!state.opened) state.depth = place;
      draw();
    },
  });

  const row = controls(root);
  const which = choices({
    parent: row,
    label: "Bit",
    options: [
      ["1", "+1"],
      ["-1", "\u22121"],
    ],
    value: "1",
    onChange: (value) => {
      state.bit = Number(value);
      draw();
    },
  });
  button({ parent: row, label: "Start again", onPress: reset });
  const say = speaker({ parent: root, seen: true });

  function reset() {
    state = { bit: 1, level: begin, opened: data.opened, depth: data.opened ? 0 : begin };
    which.set("1");
    draw();
  }

  function draw() {
    const { gate, hidden } = forward({}, data, state),
      left = hidden.at(-1);
    set(rain, {
      d: data.inputs
        .map((value, t) =>
          t
            ? inputs.curve([
                [t + 1, 0],
                [t + 1, Math.tanh(value)],
              ])
            : "",
        )
        .join(""),
    });
    set(first, { cx: inputs.X(1), cy: inputs.Y(state.bit) });
    const at = state.opened ?? Math.round(T / 2),
      low = state.opened ? Math.min(state.depth, state.level) : state.level;
    const dip = state.opened
      ? [
          [at - 1, state.level],
          [at, low],
          [at + 1, state.level],
        ]
      : [];
    set(line, {
      d: gates.curve([[1, 0], [2, state.level], ...dip.filter(([t]) => t > 1 && t <= T), [T, state.level]]),
    });
    hatch.set(at, low);
    grip.set(T, state.level);
    set(name, { x: gates.X(T) - 16, y: gates.Y(state.level) + (state.level > 3.3 ? 22 : -12) });
    name.textContent = state.level >= SHUT ? "z = 1, shut" : `z = ${spell(state.level)}`;
    set(hint, { x: gates.X(at), y: gates.Y(low) + (low < 0.9 ? -14 : 26) });
    hint.textContent = state.opened ? "" : "drag down to open";
    set(kept, { d: bits.curve(hidden.map((h, t) => [t + 1, h])) });
    set(end, { cx: bits.X(T), cy: bits.Y(left) });
    say(tell(left));
    publish({ ...state, z: toGate(state.level), gate, hidden });
  }

  function tell(left) {
    const share = `At step ${T} the hidden state is ${fixed(left)}`;
    if (state.opened)
      return `${share}. At step ${state.opened} the gate stood at z = ${spell(Math.min(state.depth, state.level))} and let that input in.`;
    if (state.level >= SHUT) return `${share}: the bit, untouched, and no input has come in.`;
    return `${share}. At this gate ${Math.round(100 * toGate(state.level) ** (T - 1))} % of the bit is left; the rest is noise.`;
  }

  reset();
}
