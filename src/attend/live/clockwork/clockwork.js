import { button, controls, keys, KEYS, readout, slider, speaker } from "../kit/control.js";
import { clamp, set, shape, within } from "../kit/dom.js";
import { plane } from "../kit/plane.js";

/**
 * input {stops, ahead}: group g ticks where its period divides step + ahead, and no more from step stops[g] on.
 * Returns {wave, held, ticks, error}: what is said, what each unit holds at each step, how many updates, the NMSE.
 */
export function forward({ W, U, b, R, c, wave }, { periods }, { stops, ahead }) {
  const H = b.values.length,
    each = H / periods.length,
    T = wave.values.length,
    held = [],
    said = [];
  let h = new Array(H).fill(0),
    ticks = 0;
  for (let t = 0; t < T; t++) {
    const before = h;
    h = before.map((kept, i) => {
      const group = Math.floor(i / each);
      if ((t + ahead) % periods[group] !== 0 || t >= stops[group]) return kept;
      ticks += 1;
      let sum = b.values[i] + (t === 0 ? W.values[i] : 0);
      for (let j = group * each; j < H; j++) sum += U.values[i * H + j] * before[j];
      return Math.tanh(sum);
    });
    held.push(h);
    said.push(h.reduce((sum, value, i) => sum + R.values[i] * value, c.values[0]));
  }
  return { wave: said, held, ticks, error: nmse(said, wave.values) };
}

function nmse(said, wanted) {
  const mean = wanted.reduce((sum, value) => sum + value, 0) / wanted.length;
  const sum = (of) => wanted.reduce((total, value, t) => total + of(value, t) ** 2, 0);
  return sum((value, t) => said[t] - value) / sum((value) => value - mean);
}

export function render({ root, width, data, tensors, publish }) {
  const { periods } = data,
    T = tensors.wave.shape[0],
    G = periods.length,
    each = tensors.b.shape[0] / G;
  const left = 58,
    right = 16,
    unit = 8,
    rowHeight = each * unit + 6,
    top = 24,
    height = top + G * rowHeight;
  const X = (t) => left + (t / T) * (width - left - right);
  const healthy = forward(tensors, data, { stops: periods.map(() => T), ahead: 0 });
  let stops = [...data.stops],
    ahead = 0;

  const stage = shape(root, "svg", {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "group",
    "aria-label": "The modules, slow to fast",
  });
  shape(
    stage,
    "text",
    { x: left - 10, y: 14, "text-anchor": "end", style: "fill: var(--quiet); font-size: 13px" },
    "period",
  );
  shape(
    stage,
    "text",
    { x: left, y: 14, style: "fill: var(--quiet); font-size: 13px" },
    "what its units hold (more blue is higher)",
  );
  const rows = periods.map((period, group) => makeRow(period, group));

  const view = plane({
    parent: root,
    width,
    height: 190,
    x: [0, T],
    y: [-0.8, 1.5],
    xLabel: "step",
    yLabel: "wave",
    xTicks: [0, 80, 160, 240, T],
    yTicks: [-0.5, 0, 0.5, 1],
    margin: { left, right },
  });
  shape(view.svg, "path", {
    style: "fill: none; stroke: var(--ink); stroke-width: 1.3",
    "stroke-dasharray": "4 3",
    d: view.curve(Array.from(tensors.wave.values, (value, t) => [t, value])),
  });
  const made = shape(view.svg, "path", { class: "summary" });
  shape(view.svg, "text", { class: "summary", x: left + 8, y: view.Y(1.24) }, "by the network");
  shape(view.svg, "text", { x: X(T), y: view.Y(1.24), "text-anchor": "end" }, "recorded (dashed)");
  const words = speaker({ parent: root, seen: true }),
    line = controls(root);
  const setting = slider({
    parent: line,
    label: "Clocks ahead",
    min: 0,
    max: 32,
    step: 1,
    value: 0,
    format: (v) => `${v} steps`,
    onInput: (v) => {
      ahead = v;
      draw();
    },
  });
  const error = readout({ parent: line, label: "error of the wave:", kind: "summary" });
  const share = readout({ parent: line, label: "units updated a step:" });
  button({
    parent: line,
    label: "Wind all clocks",
    onPress: () => {
      stops = stops.map(() => T);
      ahead = 0;
      setting.set(0);
      draw();
    },
  });

  function makeRow(period, group) {
    const y = top + (G - 1 - group) * rowHeight,
      span = X(T) - X(0),
      cells = [];
    const row = shape(stage, "g", {
      tabindex: 0,
      role: "slider",
      "aria-label": `Clock of period ${period}`,
      "aria-valuemin": 0,
      "aria-valuemax": T,
      style: "cursor: ew-resize; touch-action: pan-y; outline-offset: 1px",
      ...KEYS,
    });
    shape(row, "rect", { x: left, y: y - 1, width: span, height: rowHeight, fill: "transparent" });
    for (let k = 0; k < each; k++) {
      cells.push(
        Array.from({ length: Math.ceil(T / period) }, (_, tick) => {
          const from = X(tick * period),
            to = X(Math.min((tick + 1) * period, T));
          return shape(row, "rect", {
            class: "summary",
            x: from.toFixed(2),
            y: y + k * unit,
            width: (to - from + 0.05).toFixed(2),
            height: unit - 1,
          });
        }),
      );
    }
    const veil = shape(row, "rect", { y: y - 1, height: rowHeight - 4, style: "fill: var(--paper); fill-opacity: .6" });
    const stop = shape(row, "line", {
      y1: y,
      y2: y + each * unit - 1,
      style: "stroke: var(--ink); stroke-width: 2; stroke-linecap: round",
    });
    const knob = shape(row, "circle", {
      r: 5,
      cy: y + (each * unit) / 2 - 1,
      style: "fill: var(--ink); stroke: var(--paper); stroke-width: 1.5",
    });
    const name = shape(row, "text", { x: left - 10, y: y + (each * unit) / 2 + 5, "text-anchor": "end" }, period);
    let held = false;
    const move = (to) => {
      stops[group] = clamp(Math.round(to), 0, T);
      if (T - stops[group] < 4) stops[group] = T;
      draw();
    };
    const at = (event) => ((within(stage, event)[0] * width - left) / span) * T;
    row.addEventListener("pointerdown", (event) => {
      held = true;
      row.setPointerCapture(event.pointerId);
      row.focus({ preventScroll: true });
      event.preventDefault();
      move(at(event));
    });
    row.addEventListener("pointermove", (event) => {
      if (held) move(at(event));
    });
    for (const end of ["pointerup", "pointercancel"])
      row.addEventListener(end, () => {
        held = false;
      });
    keys(row, ([dx, dy], big) => move(stops[group] + (dx + dy) * (big ? 64 : 8)), {
      Home: () => move(0),
      End: () => move(T),
    });
    return { row, cells, veil, stop, knob, name };
  }

  function draw() {
    const now = forward(tensors, data, { stops, ahead }),
      astray = [];
    rows.forEach(({ row, cells, veil, stop, knob, name }, group) => {
      const period = periods[group],
        from = X(stops[group]);
      let off = 0;
      cells.forEach((strip, k) =>
        strip.forEach((cell, tick) => {
          const t = tick * period,
            value = now.held[t][group * each + k];
          set(cell, { "fill-opacity": (0.06 + 0.47 * (1 + value)).toFixed(2) });
          off = Math.max(off, Math.abs(value - healthy.held[t][group * each + k]));
        }),
      );
      set(veil, { x: from, width: Math.max(X(T) - from, 0) });
      set(stop, { x1: from, x2: from });
      set(knob, { cx: from });
      if (off > 0.02) astray.push(period);
      set(name, { class: off > 0.02 ? "error" : "", "font-weight": off > 0.02 ? 700 : 400 });
      set(row, {
        "aria-valuenow": stops[group],
        "aria-valuetext": stops[group] === T ? "ticks to the end" : `stops at step ${stops[group]}`,
      });
    });
    set(made, { d: view.curve(now.wave.map((value, t) => [t, clamp(value, -0.8, 1.15)])) });
    words(sentence(astray));
    error(now.error.toFixed(3));
    share(`${Math.round((100 * now.ticks) / (T * each * G))} %`);
    publish({ stops: [...stops], ahead, error: now.error, astray });
  }

  function sentence(astray) {
    const stopped = periods.filter((_, group) => stops[group] < T);
    if (!stopped.length && !astray.length) return "All clocks tick, and the wave is the recorded one.";
    const cause = stopped.length ? `Stopped: ${stopped.join(", ")}.` : `All clocks are ${ahead} steps ahead.`;
    return `${cause} Rows that hold something else than before: ${astray.join(", ") || "none"}.`;
  }

  draw();
}
