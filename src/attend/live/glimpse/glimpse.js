import { surface } from "../kit/canvas.js";
import { button, choices, controls, keys, KEYS, readout, speaker, toggle } from "../kit/control.js";
import { clamp, element, set, within } from "../kit/dom.js";
import { corner, glimpse } from "../kit/retina.js";

const whole = (value) => value.toLocaleString("en");

/** input {image, location, size, scales}: the crops one after the other, and where the widest one begins (row, column). */
export function forward(tensors, data, { image, location, size, scales }) {
  const crops = glimpse(Float32Array.from(image), data.width, location, size, scales);
  return { crops: Array.from(crops), corner: corner(location, data.width, size * 2 ** (scales - 1)) };
}

export function render({ root, width, data, tensors, publish }) {
  const W = data.width,
    count = tensors.canvases.shape[0],
    wide = width >= 560,
    gap = 20;
  const length = wide ? Math.floor((width - gap) / 2) : Math.min(width, 310),
    each = length / W;
  const shown = wide ? length : Math.min(width, 240),
    small = wide ? 140 : Math.floor(Math.min(width, 330) / data.most) - 8;
  let { size, scales } = data,
    which = 0,
    hidden = false,
    tool = "look",
    pen = false,
    image,
    eye,
    cursor;

  const top = element("div", { class: "digit-top" });
  top.style.columnGap = `${gap}px`;
  root.append(top);
  const pad = panel(top, "The canvas", length, {
    tabindex: 0,
    role: "slider",
    "aria-label": "The location on the canvas",
    class: "pad",
    ...KEYS,
  });
  const view = panel(top, "What is seen", shown, { "aria-hidden": "true", class: "strip" });
  const strip = element("div", { class: "glimpse-crops" });
  root.append(strip);
  const single = range(0, data.most - 1).map(() => panel(strip, "", small, { "aria-hidden": "true", class: "strip" }));
  const facts = controls(root),
    handed = readout({ parent: facts, label: "Numbers handed on:", kind: "attention" });
  const read = readout({ parent: facts, label: "Pixels read:" }),
    all = readout({ parent: facts, label: "of" });
  const line = controls(root);
  const depth = choices({
    parent: line,
    label: "Scales",
    value: scales,
    options: range(1, data.most).map((k) => [k, String(k)]),
    onChange: (to) => {
      scales = to;
      draw();
    },
  });
  const breadth = choices({
    parent: line,
    label: "Width of a crop",
    value: size,
    options: data.sizes.map((p) => [p, String(p)]),
    onChange: (to) => {
      size = to;
      draw();
    },
  });
  const more = controls(root);
  const tools = choices({
    parent: more,
    label: "Drag to",
    value: tool,
    onChange: use,
    options: [
      ["look", "look there"],
      ["paint", "paint"],
      ["erase", "erase"],
    ],
  });
  const cover = toggle({
    parent: more,
    label: "Hide the canvas",
    value: false,
    onChange: (to) => {
      hidden = to;
      draw();
    },
  });
  const last = controls(root);
  button({
    parent: last,
    label: "Another canvas",
    onPress: () => {
      take((which + 1) % count);
      draw();
    },
  });
  button({
    parent: last,
    label: "Blank sheet",
    onPress: () => {
      image = new Float32Array(W * W);
      cover.set((hidden = false));
      use("paint");
    },
  });
  button({ parent: last, label: "Start again", onPress: reset });
  const say = speaker({ parent: root });

  function range(from, to) {
    return Array.from({ length: to - from + 1 }, (_, i) => from + i);
  }

  /** A square of sharp pixels with its name above. */
  function panel(parent, name, across, attributes) {
    const box = element("div"),
      heading = element("p", { class: "strip-name" }, name);
    box.append(heading);
    const { made, on } = surface(box, across, across, attributes);
    parent.append(box);
    const at = (event) => within(made, event).map((share) => share * W);
    return { made, on, at, heading, box };
  }

  function take(next) {
    which = next;
    image = Float32Array.from(
      tensors.canvases.values.subarray(which * W * W, (which + 1) * W * W),
      (value) => value / 255,
    );
    eye = data.location.map((at) => ((at + 1) / 2) * W).reverse();
    cursor = [Math.floor(W / 2), Math.floor(W / 2)];
  }

  function reset() {
    ({ size, scales } = data);
    depth.set(scales);
    breadth.set(size);
    cover.set((hidden = false));
    take(0);
    use("look");
  }

  function use(to) {
    tool = to;
    pen = false;
    tools.set(tool);
    draw();
  }

  function look(x, y) {
    eye = [clamp(x, 0, W), clamp(y, 0, W)];
    draw();
  }

  /** A soft dot of ink, or of nothing, about two pixels wide. */
  function dab(x, y) {
    for (let i = 0; i < W * W; i++) {
      const near = clamp(1.9 - Math.hypot((i % W) + 0.5 - x, Math.floor(i / W) + 0.5 - y), 0, 1);
      image[i] = tool === "erase" ? Math.min(image[i], 1 - near) : Math.max(image[i], near);
    }
  }

  const crop = (crops, k) => crops.subarray(k * size * size, (k + 1) * size * size);

  let held = null;
  pad.made.addEventListener("pointerdown", (event) => {
    held = pad.at(event);
    try {
      pad.made.setPointerCapture(event.pointerId);
    } catch {
      /* the pointer is already up */
    }
    pad.made.focus({ preventScroll: true });
    event.preventDefault();
    if (tool === "look") look(...held);
    else {
      dab(...held);
      draw();
    }
  });
  pad.made.addEventListener("pointermove", (event) => {
    if (!held) return;
    const [x, y] = pad.at(event);
    if (tool === "look") {
      look(x, y);
      return;
    }
    const steps = Math.max(1, Math.ceil(Math.hypot(x - held[0], y - held[1]) * 2));
    for (let i = 1; i <= steps; i++) dab(held[0] + ((x - held[0]) * i) / steps, held[1] + ((y - held[1]) * i) / steps);
    held = [x, y];
    draw();
  });
  for (const end of ["pointerup", "pointercancel"])
    pad.made.addEventListener(end, () => {
      held = null;
    });
  const lift = () => {
    if (tool !== "look") {
      pen = !pen;
      if (pen) dab(cursor[0] + 0.5, cursor[1] + 0.5);
      draw();
    }
  };
  keys(
    pad.made,
    ([dx, dy], big) => {
      const by = big ? 4 : 1;
      if (tool === "look") {
        look(Math.round(eye[0]) + dx * by, Math.round(eye[1]) - dy * by);
        return;
      }
      for (let i = 0; i < by; i++) {
        cursor = [clamp(cursor[0] + dx, 0, W - 1), clamp(cursor[1] - dy, 0, W - 1)];
        if (pen) dab(cursor[0] + 0.5, cursor[1] + 0.5);
      }
      draw();
    },
    { " ": lift, Enter: lift },
  );

  /** The ground of a square that shows W x W pixels from `row` and `column` on: paper, and a wash where the canvas is. */
  function ground(on, colour, left, above, across, row, column, reach) {
    const one = across / reach;
    on.save();
    on.beginPath();
    on.rect(left, above, across, across);
    on.clip();
    on.fillStyle = colour("paper");
    on.fillRect(left, above, across, across);
    on.fillStyle = colour("wash");
    on.fillRect(left - column * one, above - row * one, W * one, W * one);
    on.restore();
  }

  /** units x units numbers, row by row, in a square: the larger the number, the denser the colour. */
  function squares(on, colour, values, units, left, above, across) {
    const one = across / units;
    on.fillStyle = colour("input");
    for (let i = 0; i < units * units; i++) {
      on.globalAlpha = clamp(values[i], 0, 1);
      if (on.globalAlpha > 0.01) on.fillRect(left + (i % units) * one, above + Math.floor(i / units) * one, one, one);
    }
    on.globalAlpha = 1;
  }

  function outline(on, kind, left, above, across, thick) {
    on.strokeStyle = kind;
    on.lineWidth = thick;
    on.strokeRect(left, above, across, across);
  }

  function draw() {
    const location = [(2 * eye[1]) / W - 1, (2 * eye[0]) / W - 1],
      crops = glimpse(image, W, location, size, scales);
    const [row, column] = corner(location, W, size * 2 ** (scales - 1)),
      reach = size * 2 ** (scales - 1);
    const style = getComputedStyle(root),
      colour = (name) => style.getPropertyValue(`--${name}`).trim() || "#888";
    paintPad(colour, row, column, reach);
    paintSeen(crops, colour, row, column, reach);
    handed(`${whole(crops.length)} (${scales} × ${size} × ${size})`);
    const inside = [row, column].map((from) => Math.max(0, Math.min(from + reach, W) - Math.max(from, 0)));
    read(whole(inside[0] * inside[1]));
    all(`${whole(W * W)}`);
    tell(location, crops, reach, [row, column]);
  }

  function paintPad(colour, row, column, reach) {
    ground(pad.on, colour, 0, 0, length, 0, 0, W);
    squares(pad.on, colour, image, hidden ? 0 : W, 0, 0, length);
    for (let k = 0; k < scales; k++) {
      const across = size * 2 ** k,
        edge = (reach - across) / 2;
      outline(pad.on, colour("attention"), (column + edge) * each, (row + edge) * each, across * each, k ? 1.5 : 2.5);
    }
    outline(pad.on, colour("line"), 0, 0, length, 1);
    if (tool !== "look") outline(pad.on, colour("ink"), cursor[0] * each, cursor[1] * each, each, pen ? 3 : 1.5);
  }

  /** The view, from the coarsest crop to the finest, and below it the crops by themselves. */
  function paintSeen(crops, colour, row, column, reach) {
    for (let k = scales - 1; k >= 0; k--) {
      const covers = size * 2 ** k,
        inset = (reach - covers) / 2,
        across = (shown * covers) / reach,
        edge = (shown - across) / 2;
      ground(view.on, colour, edge, edge, across, row + inset, column + inset, covers);
      squares(view.on, colour, crop(crops, k), size, edge, edge, across);
    }
    for (let k = 0; k < scales; k++) {
      const across = (shown * size * 2 ** k) / reach,
        edge = (shown - across) / 2;
      outline(view.on, colour("attention"), edge, edge, across, k ? 1 : 1.5);
    }
    view.heading.textContent = `What is seen: ${reach} × ${reach} pixels`;
    single.forEach(({ on, heading, box }, k) => {
      box.hidden = k >= scales;
      if (box.hidden) return;
      const covers = size * 2 ** k,
        inset = (reach - covers) / 2;
      ground(on, colour, 0, 0, small, row + inset, column + inset, covers);
      squares(on, colour, crop(crops, k), size, 0, 0, small);
      outline(on, colour("line"), 0, 0, small, 1);
      heading.textContent = `${covers} wide${!wide ? "" : k ? `, means of ${2 ** k} × ${2 ** k}` : ", sharp"}`;
    });
  }

  function tell(location, crops, reach, from) {
    const at = `row ${Math.round(eye[1])}, column ${Math.round(eye[0])}`,
      drawn = image.reduce((a, b) => a + b, 0);
    const seen = crops.subarray(0, size * size).reduce((a, b) => a + b, 0);
    const how =
      tool === "look"
        ? `at ${at}`
        : `${pen ? "pen down" : "pen up"}, row ${cursor[1] + 1}, column ${cursor[0] + 1}; space puts it down or lifts it`;
    set(pad.made, {
      "aria-valuenow": Math.round(eye[1]) * W + Math.round(eye[0]),
      "aria-valuetext": `${how}; ${whole(crops.length)} numbers`,
    });
    say(
      `Looking at ${at}: ${whole(crops.length)} numbers of ${whole(W * W)} pixels, ink in the sharp crop ${seen.toFixed(0)}.`,
    );
    publish({
      location,
      size,
      scales,
      handed: crops.length,
      reach,
      corner: from,
      ink: drawn,
      seen,
      which,
      hidden,
      tool,
    });
  }

  const theme = new MutationObserver(draw);
  for (const carrier of [document.documentElement, document.body])
    theme.observe(carrier, { attributes: true, attributeFilter: ["data-theme", "theme", "data-jp-theme-light"] });
  take(0);
  draw();
  return () => theme.disconnect();
}
