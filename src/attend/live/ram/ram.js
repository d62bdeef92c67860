import { surface } from "../kit/canvas.js";
import { button, choices, controls, KEYS, slider, speaker } from "../kit/control.js";
import { element, fixed, set, shape } from "../kit/dom.js";
import { play } from "../kit/play.js";
import { corner } from "../kit/retina.js";
import { argmax } from "../kit/tensor.js";
import { look, pairs } from "./net.js";
import { dab, sheet, squares } from "./sheet.js";

/** How long one glimpse is shown before the next, in milliseconds. */
const PAUSE = 800;

/**
 * input {image, first, noise}: W x W numbers from 0 to 1, the first place (down, across) or null, and a pair of numbers
 * for each glimpse or null. What each glimpse was: its place and the mean of it, its crops, the class chances after it.
 */
export function forward(tensors, data, { image, first, noise }) {
  const looks = look(tensors, data, Float32Array.from(image), first, noise);
  return { ...looks, crops: looks.crops.map((crops) => Array.from(crops)) };
}

export function render({ root, width, data, tensors, publish }) {
  const W = data.width,
    T = data.glimpses,
    count = tensors.canvases.shape[0],
    wide = width >= 560;
  const length = wide ? 330 : Math.min(width, 320),
    each = length / W,
    reach = data.size * 2 ** (data.scales - 1);
  const view = wide ? 58 : 44,
    across = wide ? width - length - view - 55 : Math.min(width - view - 36, 260);
  let tool = "look",
    way = "own",
    means = true,
    seed = 1,
    shown = T,
    known = null,
    playing = null,
    image,
    looks;
  let first = [...data.first];

  const top = element("div", { class: "digit-top ram" });
  root.append(top);
  const pad = sheet({
    parent: top,
    length,
    W,
    label: "The canvas",
    tool: () => tool,
    eye: () => toPixels(here()),
    onLook: (x, y) => {
      first = [(2 * y) / W - 1, (2 * x) / W - 1];
      way = "given";
      ways.set(way);
      halt();
      draw();
    },
    onInk: (path) => {
      if (path.length) {
        dab(image, W, path, tool === "erase");
        known = null;
      }
      halt();
      draw();
    },
    onSpace: () => {
      halt();
      show((shown % T) + 1);
    },
  });
  const column = element("div", { class: "ram-glimpses" });
  top.append(column);
  const rows = Array.from({ length: T }, (_, t) => glimpseRow(t));
  const step = controls(root);
  const slide = slider({
    parent: step,
    label: "Glimpses",
    min: 1,
    max: T,
    step: 1,
    value: T,
    format: String,
    onInput: (to) => {
      halt();
      show(to);
    },
  });
  button({ parent: step, label: "Play", onPress: watch });
  const line = controls(root);
  const tools = choices({
    parent: line,
    label: "Drag to",
    value: tool,
    onChange: use,
    options: [
      ["look", "look there"],
      ["draw", "draw"],
      ["erase", "erase"],
    ],
  });
  const ways = choices({
    parent: line,
    label: "First glimpse",
    value: way,
    onChange: (to) => {
      way = to;
      halt();
      draw();
    },
    options: [
      ["own", "its own"],
      ["given", "yours"],
    ],
  });
  const more = controls(root);
  choices({
    parent: more,
    label: "Locations",
    value: "means",
    onChange: (to) => {
      means = to === "means";
      again.disabled = means;
      halt();
      draw();
    },
    options: [
      ["means", "at their means"],
      ["chance", "at random"],
    ],
  });
  const again = button({
    parent: more,
    label: "Draw again",
    onPress: () => {
      seed += 1;
      halt();
      draw();
    },
  });
  again.disabled = true;
  const shelf = controls(root);
  shelf.classList.add("ram-shelf");
  const thumbs = Array.from({ length: count }, (_, i) => thumb(i));
  button({
    parent: shelf,
    label: "Empty canvas",
    onPress: () => {
      image = new Float32Array(W * W);
      known = null;
      use("draw");
    },
  });
  const say = speaker({ parent: root, seen: true });

  /** One glimpse: what was seen, and a bar for each class. */
  function glimpseRow(t) {
    const row = element("div", { class: "ram-row" }),
      number = element("span", { class: "ram-number", "aria-hidden": "true" }, String(t + 1));
    row.append(number);
    const { on } = surface(row, view, view, { "aria-hidden": "true" }),
      bars = shape(row, "svg", { width: across, height: view, "aria-hidden": "true" });
    column.append(row);
    return { row, on, bars };
  }

  function thumb(i) {
    const made = element("button", {
      type: "button",
      class: "thumb",
      "aria-label": `Canvas ${i + 1} of ${count}`,
      ...KEYS,
    });
    const edge = wide ? 56 : 40,
      small = surface(made, edge, edge, { "aria-hidden": "true" });
    made.addEventListener("click", () => {
      take(i);
      use("look");
    });
    shelf.append(made);
    return { ...small, length: edge, button: made };
  }

  const canvas = (i) =>
    Float32Array.from(tensors.canvases.values.subarray(i * W * W, (i + 1) * W * W), (value) => value / 255);
  const toPixels = ([down, across]) => [((across + 1) / 2) * W, ((down + 1) / 2) * W];
  const here = () => (way === "given" ? first : looks.places[0]);

  function take(i) {
    image = canvas(i);
    known = i;
  }

  function use(to) {
    tool = to;
    pad.pen.down = false;
    tools.set(to);
    halt();
    draw();
  }

  function halt() {
    playing?.stop();
    playing = null;
  }

  function watch() {
    halt();
    playing = play({
      steps: T,
      every: PAUSE,
      onStep: (t) => show(t + 1),
      onEnd: () => {
        playing = null;
      },
    });
  }

  function show(to) {
    shown = to;
    slide.set(to);
    paint();
  }

  function draw() {
    looks = look(tensors, data, image, way === "given" ? first : null, means ? null : pairs(seed, T));
    paint();
  }

  /** Everything that is seen and said, from `looks`, `shown` and the tools. */
  function paint() {
    const style = getComputedStyle(root),
      colour = (name) => style.getPropertyValue(`--${name}`).trim() || "#888";
    paintPad(colour);
    rows.forEach((row, t) => paintRow(row, t, colour));
    thumbs.forEach((one, i) => {
      squares(one.on, canvas(i), W, 0, 0, one.length, colour("wash"), colour("input"));
      set(one.button, { "aria-pressed": String(i === known) });
    });
    tell();
  }

  function paintPad(colour) {
    const { on } = pad,
      spots = looks.places.slice(0, shown).map(toPixels);
    squares(on, image, W, 0, 0, length, colour("wash"), colour("input"));
    on.strokeStyle = colour("attention");
    const [row, column] = corner(looks.places[shown - 1], W, reach);
    for (let k = 0; k < data.scales; k++) {
      const across = data.size * 2 ** k,
        edge = (reach - across) / 2;
      on.lineWidth = k ? 1.25 : 2.5;
      on.strokeRect((column + edge) * each, (row + edge) * each, across * each, across * each);
    }
    on.lineWidth = 2;
    on.beginPath();
    spots.forEach(([x, y], t) => on[t ? "lineTo" : "moveTo"](x * each, y * each));
    on.stroke();
    spots.forEach(([x, y], t) => dot(on, x * each, y * each, t, colour));
    if (tool === "look") return;
    on.strokeStyle = colour("ink");
    on.lineWidth = pad.pen.down ? 3 : 1.5;
    on.strokeRect(pad.pen.at[0] * each, pad.pen.at[1] * each, each, each);
  }

  /** The number of a glimpse where it fell; the first has a ring, since it can be moved. */
  function dot(on, x, y, t, colour) {
    on.beginPath();
    on.arc(x, y, t ? 8.5 : 10, 0, 2 * Math.PI);
    on.fillStyle = colour("attention");
    on.fill();
    on.lineWidth = t ? 1 : 2.5;
    on.strokeStyle = colour(t ? "paper" : "ink");
    on.stroke();
    on.fillStyle = colour("paper");
    on.font = "bold 12px system-ui, sans-serif";
    on.textAlign = "center";
    on.textBaseline = "middle";
    on.fillText(String(t + 1), x, y + 0.5);
  }

  function paintRow({ row, on, bars }, t, colour) {
    const yet = t < shown;
    row.classList.toggle("now", t === shown - 1);
    on.fillStyle = colour("wash");
    on.fillRect(0, 0, view, view);
    for (let k = data.scales - 1; yet && k >= 0; k--) {
      const crop = looks.crops[t].subarray(k * data.size ** 2, (k + 1) * data.size ** 2);
      const wideness = (view * data.size * 2 ** k) / reach,
        edge = (view - wideness) / 2;
      squares(on, crop, data.size, edge, edge, wideness, colour("wash"), colour("input"));
    }
    paintBars(bars, yet ? looks.chances[t] : null);
  }

  function paintBars(bars, chances) {
    const classes = tensors["classifier.bias"].shape[0],
      one = (across - 62) / classes,
      base = view - 17,
      best = chances && argmax(chances);
    const right = known === null ? -1 : data.labels[known];
    bars.replaceChildren();
    shape(bars, "line", { x1: 0, x2: one * classes, y1: base + 0.5, y2: base + 0.5, class: "ram-floor" });
    for (let k = 0; k < classes; k++) {
      const high = chances ? Math.max(1, chances[k] * (base - 3)) : 0,
        middle = (k + 0.5) * one;
      shape(bars, "rect", {
        x: middle - one * 0.33,
        y: base - high,
        width: one * 0.66,
        height: high,
        class: k === best ? "summary" : "rival",
      });
      shape(
        bars,
        "text",
        { x: middle, y: view - 2, "text-anchor": "middle", class: k === right ? "ram-right" : "ram-class" },
        data.names[k],
      );
    }
    if (chances)
      shape(
        bars,
        "text",
        { x: across - 56, y: base - 6, class: "summary" },
        `${data.names[best]}: ${Math.round(100 * chances[best])} %`,
      );
  }

  function tell() {
    const chances = looks.chances[shown - 1],
      best = argmax(chances),
      place = looks.places[shown - 1];
    const off =
      known === null ? null : (Math.hypot(...place.map((at, axis) => at - data.middles[known][axis])) * W) / 2;
    const after = `After ${shown} ${shown === 1 ? "glimpse" : "glimpses"}: said ${data.names[best]} (${Math.round(100 * chances[best])} %).`;
    const truth =
      known === null
        ? ""
        : ` The sign says ${data.names[data.labels[known]]}; its middle is ${fixed(off, 1)} pixels from the last glimpse.`;
    say(after + truth);
    const [x, y] = toPixels(here()).map((value) => Math.round(value)),
      { pen } = pad;
    const cursor = `${pen.down ? "pen down" : "pen up"}, row ${pen.at[1] + 1}, column ${pen.at[0] + 1}; space puts it down or lifts it`;
    const spoken = tool === "look" ? `row ${y}, column ${x}; space shows one glimpse more` : cursor;
    set(pad.made, {
      "aria-valuenow": best,
      "aria-valuemin": 0,
      "aria-valuemax": chances.length - 1,
      "aria-valuetext": `${spoken}. ${after}`,
    });
    publish({
      places: looks.places,
      chances: looks.chances,
      named: best,
      shown,
      canvas: known,
      off,
      way,
      tool,
      by: means ? "means" : "chance",
      ink: image.reduce((sum, value) => sum + value, 0),
    });
  }

  const theme = new MutationObserver(paint);
  for (const carrier of [document.documentElement, document.body])
    theme.observe(carrier, { attributes: true, attributeFilter: ["data-theme", "theme", "data-jp-theme-light"] });
  take(data.start);
  draw();
  return () => {
    halt();
    theme.disconnect();
  };
}
