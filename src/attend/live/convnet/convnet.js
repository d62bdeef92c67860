import { surface } from "../kit/canvas.js";
import { button, choices, controls, keys, KEYS, readout, speaker } from "../kit/control.js";
import { clamp, element, fixed, set, shape, within } from "../kit/dom.js";
import { along, colours, dot, hold, thumbnails, whenThemed } from "../kit/sketch.js";
import { argmax, softmax } from "../kit/tensor.js";
import { read } from "./net.js";

const SIDE = 28;
const LAYERS = ["conv1", "pool1", "conv2", "pool2"];
const NAMES = { conv1: "convolution 1", pool1: "pooling 1", conv2: "convolution 2", pool2: "pooling 2" };

/** input {image}: 784 numbers from 0 to 1. Every map of the net, and the ten logits. */
export function forward(tensors, data, { image }) {
  return read(tensors, Float32Array.from(image));
}

export function render({ root, width, data, tensors, publish }) {
  const wide = width >= 560,
    cell = wide ? 9 : 6,
    side = cell * SIDE,
    reach = Math.min(130, Math.max(40, width - side - 104));
  let ink = new Float32Array(SIDE * SIDE),
    offset = [0, 0],
    tool = "move",
    cursor = [14, 14],
    pen = false;
  let unit = null,
    result = null;

  const top = element("div", { class: "digit-top" });
  root.append(top);
  const step = side / 10;
  const pad = focusable(top, side, side, { "aria-label": "The digit", role: "slider", class: "pad" });
  const bars = shape(top, "svg", { width: reach + 76, height: 10 * step, "aria-hidden": "true" });
  const line = controls(root);
  const tools = choices({
    parent: line,
    label: "Drag to",
    value: tool,
    onChange: (to) => {
      tool = to;
      pen = false;
      draw();
    },
    options: [
      ["move", "move it"],
      ["paint", "paint"],
      ["erase", "erase"],
    ],
  });
  button({ parent: line, label: "Centre it", onPress: centre });
  button({ parent: line, label: "Blank sheet", onPress: blank });
  const thumbs = thumbnails({
    parent: controls(root),
    pictures: tensors.digits,
    label: (i, count) => `Real digit ${i + 1} of ${count}`,
    onPick: (i) => {
      take(i);
      draw();
    },
  });
  const strips = Object.fromEntries(LAYERS.map((name) => [name, strip(name)]));
  const facts = controls(root),
    say = speaker({ parent: root });
  const tellUnit = readout({ parent: facts, label: "Marked unit:" });

  /** A canvas of sharp pixels that can take the focus. */
  function focusable(parent, across, high, attributes) {
    const { made, on: pen } = surface(parent, across, high, { tabindex: 0, ...KEYS, ...attributes });
    made.style.aspectRatio = `${across} / ${high}`;
    const at = (event) => {
      const [x, y] = within(made, event);
      return [x * across, y * high];
    };
    return { made, pen, at };
  }

  /** One layer: its maps side by side, and the name above them. */
  function strip(name) {
    const channels = name.endsWith("1") ? 8 : 16,
      units = { conv1: 24, pool1: 12, conv2: 8, pool2: 4 }[name];
    const columns = wide ? channels : 8,
      gap = 6,
      rows = channels / columns;
    const each = (width - gap * (columns - 1) - 2) / columns,
      high = rows * each + (rows - 1) * gap + 2;
    root.append(element("p", { class: "strip-name" }, `${NAMES[name]}: ${channels} maps of ${units} × ${units}`));
    const made = focusable(root, width, high, {
      role: "slider",
      "aria-label": `Units of ${NAMES[name]}`,
      class: "strip",
    });
    const place = (map) => [1 + (map % columns) * (each + gap), 1 + Math.floor(map / columns) * (each + gap)];
    const find = (event) => {
      const [x, y] = made.at(event),
        column = Math.floor(x / (each + gap)),
        row = Math.floor(y / (each + gap));
      const map = clamp(row, 0, rows - 1) * columns + clamp(column, 0, columns - 1),
        [left, above] = place(map);
      const index = (from) => clamp(Math.floor((from / each) * units), 0, units - 1);
      mark({ layer: name, map, row: index(y - above), column: index(x - left) });
    };
    made.made.addEventListener("pointermove", find);
    made.made.addEventListener("pointerdown", find);
    made.made.addEventListener("focus", () => {
      if (unit.layer !== name) mark(strongest(name));
    });
    keys(made.made, ([dx, dy], big) => {
      const now = unit.layer === name ? unit : strongest(name),
        step = big ? units : 1;
      let column = now.column + dx * step,
        row = clamp(now.row - dy * step, 0, units - 1),
        { map } = now;
      if (column < 0 || column >= units) {
        const next = clamp(map + dx, 0, channels - 1);
        column = next === map ? now.column : big ? now.column : dx > 0 ? 0 : units - 1;
        map = next;
      }
      mark({ layer: name, map, row, column });
    });
    return { ...made, place, each, units, channels };
  }

  function take(i) {
    ink = Float32Array.from(
      tensors.digits.values.subarray(i * SIDE * SIDE, (i + 1) * SIDE * SIDE),
      (value) => value / 255,
    );
    offset = [0, 0];
  }

  /** What the net sees: the ink moved by the offset; what leaves the frame is lost to it. */
  function seen() {
    const image = new Float32Array(SIDE * SIDE);
    for (let y = 0; y < SIDE; y++) {
      for (let x = 0; x < SIDE; x++) {
        const fromY = y - offset[1],
          fromX = x - offset[0];
        if (fromY >= 0 && fromY < SIDE && fromX >= 0 && fromX < SIDE) image[y * SIDE + x] = ink[fromY * SIDE + fromX];
      }
    }
    return image;
  }

  function blank() {
    ink = new Float32Array(SIDE * SIDE);
    offset = [0, 0];
    tool = "paint";
    tools.set(tool);
    draw();
  }

  /** Put the centre of the ink into the middle, as was done with every digit that the net learned from. */
  function centre() {
    let sum = 0,
      sumX = 0,
      sumY = 0;
    ink.forEach((value, i) => {
      sum += value;
      sumX += value * (i % SIDE);
      sumY += value * Math.floor(i / SIDE);
    });
    offset = sum > 0 ? [Math.round(14 - sumX / sum), Math.round(14 - sumY / sum)] : [0, 0];
    draw();
  }

  function push(dx, dy) {
    offset = [clamp(offset[0] + dx, -20, 20), clamp(offset[1] + dy, -20, 20)];
    draw();
  }

  /** A soft dot of ink, or of nothing, about two pixels wide. */
  function dab(place) {
    ink = seen();
    offset = [0, 0];
    dot(SIDE, place, 1.9, (i, near) => {
      ink[i] = tool === "erase" ? Math.min(ink[i], 1 - near) : Math.max(ink[i], near);
    });
  }

  hold(pad.made, (event) => pad.at(event).map((value) => value / cell), {
    press: (at) => {
      if (tool === "move") return;
      dab(at);
      draw();
    },
    drag: (now, last) => {
      if (tool === "move") {
        const by = [Math.round(now[0] - last[0]), Math.round(now[1] - last[1])];
        if (by[0] || by[1]) push(...by);
        return [last[0] + by[0], last[1] + by[1]];
      }
      along(last, now, dab);
      draw();
    },
  });
  const toggle = () => {
    if (tool === "move") return;
    pen = !pen;
    if (pen) dab([cursor[0] + 0.5, cursor[1] + 0.5]);
    draw();
  };
  keys(
    pad.made,
    ([dx, dy], big) => {
      const by = big ? 4 : 1;
      if (tool === "move") {
        push(dx * by, -dy * by);
        return;
      }
      for (let i = 0; i < by; i++) {
        cursor = [clamp(cursor[0] + dx, 0, SIDE - 1), clamp(cursor[1] - dy, 0, SIDE - 1)];
        if (pen) dab([cursor[0] + 0.5, cursor[1] + 0.5]);
      }
      draw();
    },
    { " ": toggle, Enter: toggle },
  );

  function strongest(layer) {
    const { values, width: units } = result.maps[layer],
      best = argmax(Array.from(values)),
      inner = best % (units * units);
    return { layer, map: Math.floor(best / (units * units)), row: Math.floor(inner / units), column: inner % units };
  }

  function mark(next) {
    if (["layer", "map", "row", "column"].every((key) => unit[key] === next[key])) return;
    unit = next;
    paint();
  }

  function draw() {
    result = read(tensors, seen());
    unit ??= strongest("conv2");
    paint();
  }

  function field() {
    const [size, jump] = data.fields[unit.layer];
    return { x: unit.column * jump, y: unit.row * jump, size };
  }

  /** Everything that is seen and said, from `result`, `unit` and the drawing. */
  function paint() {
    const colour = colours(root),
      image = result.maps.input.values,
      where = field();
    squares(pad.pen, image, SIDE, 0, 0, side, 1, colour("input"), colour("wash"), 0);
    pad.pen.strokeStyle = colour("attention");
    pad.pen.lineWidth = 3;
    pad.pen.strokeRect(where.x * cell + 1.5, where.y * cell + 1.5, where.size * cell - 3, where.size * cell - 3);
    if (tool !== "move") {
      pad.pen.strokeStyle = colour("ink");
      pad.pen.lineWidth = pen ? 3 : 1.5;
      pad.pen.strokeRect(cursor[0] * cell, cursor[1] * cell, cell, cell);
    }
    for (const name of LAYERS) stripPaint(name, colour);
    const probs = softmax(result.logits),
      best = argmax(probs);
    barsPaint(probs, best);
    const empty = image.every((value) => value === 0),
      value = valueAt(unit);
    tellUnit(
      `${NAMES[unit.layer]}, map ${unit.map + 1}, value ${fixed(value)}. It sees ${where.size} × ${where.size} pixels.`,
    );
    const moved = `moved ${Math.abs(offset[0])} ${offset[0] < 0 ? "left" : "right"}, ${Math.abs(offset[1])} ${offset[1] < 0 ? "up" : "down"}`;
    const told = empty ? "a blank sheet" : `read as ${best}, ${Math.round(100 * probs[best])} percent`;
    const place =
      tool === "move"
        ? moved
        : `${pen ? "pen down" : "pen up"}, row ${cursor[1] + 1}, column ${cursor[0] + 1}; space puts it down or lifts it`;
    set(pad.made, { "aria-valuenow": best, "aria-valuetext": `${told}; ${place}` });
    say(`${told[0].toUpperCase()}${told.slice(1)}.`);
    publish({
      read: best,
      probability: probs[best],
      offset: [...offset],
      ink: sum(image),
      unit: { ...unit, value },
      field: where,
    });
  }

  const valueAt = ({ layer, map, row, column }) =>
    result.maps[layer].values[(map * strips[layer].units + row) * strips[layer].units + column];
  const sum = (values) => values.reduce((a, b) => a + b, 0);

  function squares(on, values, units, left, above, length, most, full, paper, from) {
    const each = length / units;
    on.clearRect(left - 3, above - 3, length + 6, length + 6);
    on.fillStyle = paper;
    on.fillRect(left, above, length, length);
    on.fillStyle = full;
    for (let row = 0; row < units; row++) {
      for (let column = 0; column < units; column++) {
        const value = values[from + row * units + column] / most;
        if (value <= 0.01) continue;
        on.globalAlpha = Math.min(1, value);
        on.fillRect(left + column * each, above + row * each, each, each);
      }
    }
    on.globalAlpha = 1;
  }

  function stripPaint(name, colour) {
    const { pen: on, place, each, units, channels, made } = strips[name],
      { values } = result.maps[name];
    const most = Math.max(0.5, ...values);
    for (let map = 0; map < channels; map++)
      squares(on, values, units, ...place(map), each, most, colour("summary"), colour("wash"), map * units * units);
    const here = unit.layer === name,
      now = here ? unit : strongest(name);
    if (here) {
      const [left, above] = place(unit.map),
        one = each / units,
        grow = Math.max(0, (7 - one) / 2);
      on.strokeStyle = colour("attention");
      on.lineWidth = 2;
      on.strokeRect(left + unit.column * one - grow, above + unit.row * one - grow, one + 2 * grow, one + 2 * grow);
    }
    const text = `map ${now.map + 1} of ${channels}, row ${now.row + 1}, column ${now.column + 1}: ${fixed(valueAt(now))}`;
    set(made, { "aria-valuenow": now.map + 1, "aria-valuemin": 1, "aria-valuemax": channels, "aria-valuetext": text });
  }

  function barsPaint(probs, best) {
    bars.replaceChildren();
    probs.forEach((probability, k) => {
      const y = (k + 0.5) * step,
        kind = k === best ? "summary" : "rival";
      shape(
        bars,
        "text",
        { x: 2, y: y + 5, class: k === best ? "summary" : "", "font-weight": k === best ? 700 : 400 },
        String(k),
      );
      shape(bars, "rect", {
        x: 18,
        y: y - step * 0.3,
        width: Math.max(1, reach * probability),
        height: step * 0.6,
        class: kind,
      });
      shape(bars, "text", { x: reach + 26, y: y + 5 }, `${Math.round(100 * probability)} %`);
    });
  }

  take(data.start);
  thumbs(colours(root)("input"));
  draw();
  return whenThemed(() => {
    thumbs(colours(root)("input"));
    paint();
  });
}
