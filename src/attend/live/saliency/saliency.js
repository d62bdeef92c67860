import { surface } from "../kit/canvas.js";
import { button, choices, controls, keys, KEYS, speaker } from "../kit/control.js";
import { clamp, element, fixed, set, within } from "../kit/dom.js";
import { along, colours, dot, hold, thumbnails, whenThemed } from "../kit/sketch.js";
import { argmax, softmax } from "../kit/tensor.js";
import { attending, average, gradCam, gradient } from "./net.js";
import { compose, inBox, pick, PIECE, SIDE } from "./scene.js";

/** A position of the last maps stands for 4 x 4 pixels. */
const JUMP = 4;

/**
 * input {image, net, map}: 36 x 36 numbers from 0 to 1; "average" or "marked"; "gradient", "probability" or "cam". The
 * logits of that net and the map of its largest one, and the logits and weights of the net with attention.
 */
export function forward(tensors, _data, { image, net, map }) {
  const ink = Float32Array.from(image),
    run = average(tensors, net, ink),
    second = attending(tensors, ink),
    probs = softmax(run.logits),
    best = argmax(run.logits);
  const wanted = probs.map((p, k) =>
    map === "probability" ? probs[best] * (Number(k === best) - p) : Number(k === best),
  );
  return {
    logits: run.logits,
    map: map === "cam" ? gradCam(run, wanted) : gradient(run, wanted),
    attention: second.logits,
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
    net = "average",
    map = "gradient",
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
  const seen = panel("Average pooling: map", small, { "aria-hidden": "true" }),
    weight = panel("Attention: weights", small, { "aria-hidden": "true" });
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
    label: "Net trained",
    value: net,
    onChange: (to) => {
      net = to;
      draw();
    },
    options: [
      ["average", "without marks"],
      ["marked", "with marked 7s"],
    ],
  });
  choices({
    parent: line,
    label: "Its map",
    value: map,
    onChange: (to) => {
      map = to;
      draw();
    },
    options: [
      ["gradient", "gradient"],
      ["probability", "of the probability"],
      ["cam", "Grad-CAM"],
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
    last = { image, ...forward(tensors, data, { image, net, map }) };
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
    const side = map === "cam" ? JUMP : 1,
      units = W / side,
      most = map === "cam" ? Math.max(...last.map, 1e-9) : data.full;
    squares(seen, last.map, units, side, most, colour("summary"), colour("wash"));
    squares(weight, last.weights, places, JUMP, Math.max(...last.weights), colour("attention"), colour("wash"));
    if (there) for (const on of [pad, seen]) outline(on, box, colour("quiet"), 1);
    if (there) outline(weight, box, colour("quiet"), 1);
    if (tool === "move" && (chosen > 0 || there)) outline(pad, things[chosen], colour("ink"), 2);
    if (tool !== "move") outline(pad, { row: cursor[1], column: cursor[0], side: 1 }, colour("ink"), pen ? 3 : 1.5);
    const cells = (values, across, side) =>
      Array.from(values, (value, i) => ({
        value: Math.abs(value),
        row: Math.floor(i / across) * side,
        column: (i % across) * side,
        side,
      }));
    const what = map === "cam" ? "map" : "gradient",
      first = told(seen, last.logits, what, there ? inBox(cells(last.map, units, side), box) : null),
      second = told(weight, last.attention, "weight", there ? inBox(cells(last.weights, places, JUMP), box) : null);
    const largest = Math.max(...last.map.map(Math.abs));
    pad.told.textContent = `Largest value of the map: ${largest < 0.01 ? largest.toExponential(0).replace("-", "\u2212") : fixed(largest)}`;
    const thing = things[chosen],
      name = chosen === 0 ? "the digit" : thing.which === data.mark ? "the mark" : `piece ${chosen}`;
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
    say(`Average pooling: ${first.text} Attention: ${second.text}`);
    publish({
      average: first,
      attention: second,
      largest,
      net,
      map,
      chosen,
      things: things.map(({ which, row, column }) => [which, row, column]),
      ink: last.image.reduce((a, b) => a + b, 0),
    });
  }

  function told(panel, logits, what, share) {
    const probs = softmax(logits),
      best = argmax(probs),
      text = `Named ${best} (${Math.round(100 * probs[best])} %).`;
    const where = share === null ? "" : ` ${Math.round(100 * share)} % of the ${what} in the box.`;
    panel.told.textContent = text + where;
    return { named: best, probability: probs[best], inside: share, text: text + where };
  }

  again();
  thumbs(colours(root)("input"));
  draw();
  return whenThemed(() => {
    thumbs(colours(root)("input"));
    paint();
  });
}
