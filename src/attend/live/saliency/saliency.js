import { surface } from "../kit/canvas.js";
import { button, choices, controls, keys, KEYS, speaker } from "../kit/control.js";
import { clamp, element, fixed, set, within } from "../kit/dom.js";
import { along, colours, dot, hold, thumbnails, whenThemed } from "../kit/sketch.js";
import { argmax, softmax } from "../kit/tensor.js";
import { plain, reading, slopes } from "./net.js";
import { compose, inBox, pick, PIECE, SIDE } from "./scene.js";

const FIELD = 14,
  JUMP = 2;

/**
 * input {image, of}: 36 x 36 numbers from 0 to 1, and "score" or "chance". Both nets' scores, the slopes of the first
 * net's largest score (or of its probability) at every pixel, and the weights of the second net's places.
 */
export function forward(tensors, data, { image, of }) {
  const ink = Float32Array.from(image),
    first = plain(tensors, ink),
    second = reading(tensors, ink);
  const chances = softmax(first.scores),
    best = argmax(first.scores);
  const wanted = chances.map((p, k) =>
    of === "score" ? Number(k === best) : chances[best] * (Number(k === best) - p),
  );
  return {
    plain: first.scores,
    slopes: Array.from(slopes(tensors, first, wanted)),
    reading: second.scores,
    weights: second.weights,
  };
}

export function render({ root, width, data, tensors, publish }) {
  const W = data.width,
    wide = width >= 560,
    gap = wide ? 18 : 14;
  const third = Math.floor((width - 2 * gap) / 3),
    large = wide ? third : Math.min(width, 300),
    small = wide ? third : Math.floor((width - gap) / 2);
  const start = data.scene;
  let things,
    painted,
    tool = "move",
    of = "score",
    chosen = 0,
    cursor = [W / 2, W / 2],
    pen = false,
    last = null;

  const top = element("div", { class: "digit-top" });
  top.style.columnGap = `${gap}px`;
  root.append(top);
  const pad = panel("Canvas", large, {
    tabindex: 0,
    role: "slider",
    "aria-label": "The canvas",
    class: "pad",
    ...KEYS,
  });
  const slope = panel("Slopes, no attention", small, { "aria-hidden": "true" }),
    weight = panel("Weights of attention", small, { "aria-hidden": "true" });
  const line = controls(root);
  choices({
    parent: line,
    label: "Drag to",
    value: tool,
    onChange: (to) => {
      tool = to;
      pen = false;
      draw();
    },
    options: [
      ["move", "move things"],
      ["paint", "paint"],
      ["erase", "erase"],
    ],
  });
  choices({
    parent: line,
    label: "Slope of",
    value: of,
    onChange: (to) => {
      of = to;
      draw();
    },
    options: [
      ["score", "the score"],
      ["chance", "its probability"],
    ],
  });
  const shelf = controls(root);
  const thumbs = thumbnails({
    parent: shelf,
    pictures: tensors.digits,
    label: (i, count) => `Digit ${i + 1} of ${count}`,
    onPick: (i) => {
      things[0].which = i;
      draw();
    },
  });
  button({
    parent: shelf,
    label: "No digit",
    onPress: () => {
      things[0].which = -1;
      draw();
    },
  });
  button({
    parent: shelf,
    label: "Start again",
    onPress: () => {
      again();
      draw();
    },
  });
  const say = speaker({ parent: root });

  /** A square of sharp pixels with a name above and a line to read below. */
  function panel(name, length, attributes) {
    const box = element("div");
    const told = element("p", { class: "strip-name" }),
      heading = element("p", { class: "strip-name" }, name);
    heading.style.marginTop = "0";
    told.style.minHeight = "3.2em";
    box.append(heading);
    const { made, on } = surface(box, length, length, attributes);
    box.append(told);
    box.style.width = `${length}px`;
    top.append(box);
    const at = (event) => within(made, event).map((share) => share * W);
    return { made, on, at, told, length };
  }

  function again() {
    things = [{ kind: "digits", which: start.digit, row: start.corner[0], column: start.corner[1], side: SIDE }];
    for (const [which, row, column] of start.pieces) things.push({ kind: "pieces", which, row, column, side: PIECE });
    painted = new Float32Array(W * W);
    chosen = 0;
  }

  function move(thing, row, column) {
    thing.row = clamp(Math.round(row), 0, W - thing.side);
    thing.column = clamp(Math.round(column), 0, W - thing.side);
    draw();
  }

  /** A soft dot of ink, or of nothing, about two pixels wide. */
  function dab(place) {
    dot(W, place, 1.7, (i, near) => {
      painted[i] = tool === "erase" ? Math.min(painted[i], -near) : Math.max(painted[i], near);
    });
  }

  let grip = null;
  hold(pad.made, pad.at, {
    press: ([x, y]) => {
      const under = tool === "move" ? pick(things, x, y) : -1;
      grip = null;
      if (under >= 0) {
        chosen = under;
        grip = [x - things[chosen].column, y - things[chosen].row];
      }
      if (tool !== "move") dab([x, y]);
      draw();
    },
    drag: (now, last) => {
      if (tool !== "move") {
        along(last, now, dab);
        draw();
      } else if (grip) move(things[chosen], now[1] - grip[1], now[0] - grip[0]);
    },
  });
  const act = () => {
    if (tool === "move") chosen = (chosen + 1) % things.length;
    else {
      pen = !pen;
      if (pen) dab([cursor[0] + 0.5, cursor[1] + 0.5]);
    }
    draw();
  };
  keys(
    pad.made,
    ([dx, dy], big) => {
      const by = big ? 4 : 1,
        thing = things[chosen];
      if (tool === "move") {
        move(thing, thing.row - dy * by, thing.column + dx * by);
        return;
      }
      for (let i = 0; i < by; i++) {
        cursor = [clamp(cursor[0] + dx, 0, W - 1), clamp(cursor[1] - dy, 0, W - 1)];
        if (pen) dab([cursor[0] + 0.5, cursor[1] + 0.5]);
      }
      draw();
    },
    { " ": act, Enter: act },
  );

  function draw() {
    const image = compose(tensors, things, painted, W);
    last = { image, ...forward(tensors, data, { image, of }) };
    paint();
  }

  /** Fill a panel with squares, `jump` pixels of the canvas wide: the larger the value, the denser the colour. */
  function squares({ on, length }, values, units, jump, most, full, paper) {
    const each = (length / W) * jump,
      edge = (length - units * each) / 2;
    on.globalAlpha = 1;
    on.fillStyle = paper;
    on.fillRect(0, 0, length, length);
    on.fillStyle = full;
    for (let i = 0; i < units * units; i++) {
      on.globalAlpha = Math.min(1, Math.abs(values[i]) / most);
      if (on.globalAlpha > 0.01)
        on.fillRect(edge + (i % units) * each, edge + Math.floor(i / units) * each, each, each);
    }
    on.globalAlpha = 1;
  }

  function outline({ on, length }, { row, column, side }, colour, thick) {
    const each = length / W;
    on.strokeStyle = colour;
    on.lineWidth = thick;
    on.strokeRect(column * each + 1, row * each + 1, side * each - 2, side * each - 2);
  }

  /** Everything that is seen and said, from `last`, the things and the tools. */
  function paint() {
    const colour = colours(root),
      there = things[0].which >= 0,
      box = things[0],
      places = Math.sqrt(last.weights.length);
    squares(pad, last.image, W, 1, 1, colour("input"), colour("wash"));
    squares(slope, last.slopes, W, 1, data.full, colour("summary"), colour("wash"));
    squares(weight, last.weights, places, JUMP, Math.max(...last.weights), colour("attention"), colour("wash"));
    if (there) for (const on of [pad, slope]) outline(on, box, colour("quiet"), 1);
    if (there) outline(weight, box, colour("quiet"), 1);
    if (tool === "move" && (chosen > 0 || there)) outline(pad, things[chosen], colour("ink"), 2);
    if (tool !== "move") outline(pad, { row: cursor[1], column: cursor[0], side: 1 }, colour("ink"), pen ? 3 : 1.5);
    const spread = last.weights.map((value, s) => ({
      value,
      row: Math.floor(s / places) * JUMP,
      column: (s % places) * JUMP,
      side: FIELD,
    }));
    const each = Array.from(last.slopes, (value, i) => ({
      value: Math.abs(value),
      row: Math.floor(i / W),
      column: i % W,
      side: 1,
    }));
    const first = told(slope, last.plain, "slope", there ? inBox(each, box) : null),
      second = told(weight, last.reading, "weight", there ? inBox(spread, box) : null);
    const steepest = Math.max(...each.map(({ value }) => value)),
      what = of === "score" ? "score" : "probability";
    pad.told.textContent = `Steepest slope of the ${what}, without attention: ${steepest < 0.01 ? steepest.toExponential(0).replace("-", "\u2212") : fixed(steepest)}`;
    const thing = things[chosen],
      name = chosen === 0 ? "the digit" : `piece ${chosen} of ${things.length - 1}`;
    const place =
      tool === "move"
        ? `${name}, row ${thing.row + 1}, column ${thing.column + 1}; space takes the next thing`
        : `${pen ? "pen down" : "pen up"}, row ${cursor[1] + 1}, column ${cursor[0] + 1}; space puts it down or lifts it`;
    set(pad.made, {
      "aria-valuenow": first.named,
      "aria-valuemin": 0,
      "aria-valuemax": 9,
      "aria-valuetext": `${place}. ${first.text} ${second.text}`,
    });
    say(`Without attention: ${first.text} With attention: ${second.text}`);
    publish({
      plain: first,
      reading: second,
      steepest,
      of,
      chosen,
      things: things.map(({ which, row, column }) => [which, row, column]),
      ink: last.image.reduce((a, b) => a + b, 0),
    });
  }

  function told(panel, scores, what, share) {
    const chances = softmax(scores),
      best = argmax(chances),
      text = `Named ${best} (${Math.round(100 * chances[best])} %).`;
    const where = share === null ? "" : ` ${Math.round(100 * share)} % of the ${what} in the box.`;
    panel.told.textContent = text + where;
    return { named: best, chance: chances[best], inside: share, text: text + where };
  }

  again();
  thumbs(colours(root)("input"));
  draw();
  return whenThemed(() => {
    thumbs(colours(root)("input"));
    paint();
  });
}
