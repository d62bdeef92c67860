import { KEYS, button, choices, controls, keys, speaker } from "../kit/control.js";
import { clamp, element, fixed, set, shape, within } from "../kit/dom.js";
import { shapes } from "./shapes.js";
import { tape } from "./tape.js";

const WAYS = {
  line: [
    ["both", "both ways"],
    ["left", "from the left"],
    ["right", "from the right"],
  ],
  tree: [],
  grid: [
    ["0", "from the top left"],
    ["all", "from all corners"],
  ],
  graph: [
    ["1", "one pass"],
    ["2", "two passes"],
  ],
};
const FIRST = { line: "both", tree: "up", grid: "0", graph: "1" };
const NAMES = { line: "a line", tree: "a tree", grid: "a plane", graph: "a graph" };

/** The hidden state of `node` (of all layers, one after the other), and how much it moves with each input. */
export function forward(tensors, data, { kind, example, node, way }) {
  const t = tape(),
    { x, said } = shapes[kind](t, tensors, data.examples[kind][example], way ?? FIRST[kind]);
  const each = said.map((states) => t.slopes(states[node], x));
  return {
    hidden: said.flatMap((states) => Array.from(states[node].value)),
    reach: x.map((_, i) => Math.hypot(...each.map((moved) => moved[i]))),
  };
}

/** Where the nodes of each kind stand: {places: [{x, y, name}], height}. */
const layouts = {
  line({ names }, width) {
    let x = 0,
      y = 34;
    const places = names.map((name) => {
      const wide = 8.2 * name.length + 18;
      if (x + wide > width && x > 0) {
        x = 0;
        y += 56;
      }
      x += wide + 8;
      return { x: x - 8 - wide / 2, y, name, wide, tall: 34 };
    });
    return { places, height: y + 34 };
  },
  tree({ names, parent }, width) {
    const kids = names.map((_, i) => parent.flatMap((p, k) => (p === i ? [k] : []))),
      depth = parent.map(() => 0),
      across = [];
    parent.forEach((p, i) => {
      depth[i] = p < 0 ? 0 : depth[p] + 1;
    });
    const leaves = names.map((_, i) => i).filter((i) => kids[i].length === 0);
    const gap = Math.min((width - 30) / Math.max(leaves.length - 1, 1), 54),
      start = (width - gap * (leaves.length - 1)) / 2;
    leaves.forEach((leaf, i) => {
      across[leaf] = start + gap * i;
    });
    for (let i = names.length - 1; i >= 0; i--)
      if (kids[i].length) across[i] = (across[kids[i][0]] + across[kids[i].at(-1)]) / 2;
    const places = names.map((name, i) => ({
      x: across[i],
      y: 24 + 54 * depth[i],
      name,
      wide: name.length > 1 ? 42 : Math.min(26, gap - 1),
      tall: 26,
    }));
    return { places, height: 24 + 54 * Math.max(...depth) + 26 };
  },
  grid({ side, block }, width) {
    const n = side / block,
      size = Math.min(Math.floor(width / n), 34),
      start = (width - size * n) / 2;
    const places = Array.from({ length: n * n }, (_, i) => ({
      x: start + size * ((i % n) + 0.5),
      y: size * (Math.floor(i / n) + 0.5) + 4,
      name: "",
      wide: size - 2,
      tall: size - 2,
    }));
    return { places, height: size * n + 8, size, start };
  },
  graph({ features }, width) {
    const size = Math.min(width, 380),
      edge = 18,
      ends = (k) => [Math.min(...features.map((f) => f[k])), Math.max(...features.map((f) => f[k]))];
    const [top, bottom] = ends(5),
      [left, right] = ends(6),
      scale = Math.min((size - 2 * edge) / (right - left), (300 - 2 * edge) / (bottom - top));
    const start = (width - scale * (right - left)) / 2;
    return {
      places: features.map((f) => ({
        x: start + scale * (f[6] - left),
        y: edge + scale * (f[5] - top),
        name: "",
        wide: 28,
        tall: 28,
        round: true,
      })),
      height: 2 * edge + scale * (bottom - top),
    };
  },
};

export function render({ root, width, data, tensors, publish }) {
  const kinds = Object.keys(NAMES).filter((name) => data.examples[name]);
  let kind = kinds[0],
    example = 0,
    node = 0,
    way = FIRST[kind],
    layout,
    places,
    parts,
    ring,
    result;
  const wide = Math.min(width, 640),
    top = controls(root);
  if (kinds.length > 1)
    choices({
      parent: top,
      label: "Along",
      options: kinds.map((name) => [name, NAMES[name]]),
      value: kind,
      onChange: (value) => {
        kind = value;
        example = 0;
        way = FIRST[kind];
        start();
      },
    });
  const stage = element("div"),
    below = controls(root),
    say = speaker({ parent: root, seen: true });
  root.insertBefore(stage, below);

  const now = () => data.examples[kind][example];

  function start() {
    node = now().picked;
    layout = layouts[kind](now(), wide);
    places = layout.places;
    below.replaceChildren();
    if (WAYS[kind].length)
      choices({
        parent: below,
        label: kind === "graph" ? "Turns" : "Heard",
        options: WAYS[kind],
        value: way,
        onChange: (value) => {
          way = value;
          draw();
        },
      });
    if (data.examples[kind].length > 1)
      button({
        parent: below,
        label: "Another example",
        onPress: () => {
          example = (example + 1) % data.examples[kind].length;
          start();
        },
      });
    build();
    draw();
  }

  function build() {
    stage.replaceChildren();
    const svg = shape(stage, "svg", { viewBox: `0 0 ${wide} ${layout.height}`, width: wide, height: layout.height });
    const under = shape(svg, "g", { "aria-hidden": "true", class: "edges" });
    const join = (a, b) => shape(under, "line", { x1: places[a].x, y1: places[a].y, x2: places[b].x, y2: places[b].y });
    if (kind === "tree")
      now().parent.forEach((p, i) => {
        if (p >= 0) join(p, i);
      });
    if (kind === "graph")
      now().neighbours.forEach((others, i) =>
        others.forEach((k) => {
          if (k < i) join(k, i);
        }),
      );
    if (kind === "line")
      places.slice(1).forEach((place, i) => {
        if (place.y === places[i].y) join(i, i + 1);
      });
    parts = places.map((place, i) => {
      const round = place.round || kind === "tree";
      const back = shape(svg, "rect", {
        class: "back",
        x: place.x - place.wide / 2,
        y: place.y - place.tall / 2,
        width: place.wide,
        height: place.tall,
        rx: round ? place.tall / 2 : 3,
      });
      const fill = shape(svg, "rect", {
        class: "input",
        x: place.x - place.wide / 2,
        y: place.y - place.tall / 2,
        width: place.wide,
        height: place.tall,
        rx: round ? place.tall / 2 : 3,
      });
      if (place.name) shape(svg, "text", { x: place.x, y: place.y + 5, "text-anchor": "middle" }, place.name);
      back.addEventListener("click", () => pick(i));
      fill.addEventListener("click", () => pick(i));
      return fill;
    });
    if (kind === "grid") ink(svg);
    if (kind === "graph")
      now().order.forEach((i, k) =>
        shape(svg, "text", { class: "turn", x: places[i].x, y: places[i].y + 4, "text-anchor": "middle" }, k + 1),
      );
    ring = shape(svg, "g", {
      class: "handle summary ring",
      tabindex: 0,
      role: "slider",
      "aria-label": "Node",
      "aria-valuemin": 1,
      "aria-valuemax": places.length,
      ...KEYS,
    });
    shape(ring, "rect", { class: "dot" });
    keys(ring, move, { Home: () => pick(0), End: () => pick(places.length - 1) });
    let held = false;
    ring.addEventListener("pointerdown", (event) => {
      held = true;
      ring.setPointerCapture(event.pointerId);
      ring.focus({ preventScroll: true });
      event.preventDefault();
    });
    ring.addEventListener("pointermove", (event) => {
      if (held) pick(nearest(svg, event));
    });
    for (const end of ["pointerup", "pointercancel"])
      ring.addEventListener(end, () => {
        held = false;
      });
  }

  /** The pixels of the image, small and dark, over the blocks. */
  function ink(svg) {
    const { pixels, side, block } = now(),
      dot = layout.size / block,
      over = shape(svg, "g", { class: "pixels", "aria-hidden": "true" });
    pixels.forEach((value, i) => {
      if (value > 40)
        shape(over, "rect", {
          x: layout.start + dot * (i % side) + dot * 0.2,
          y: 4 + dot * Math.floor(i / side) + dot * 0.2,
          width: dot * 0.6,
          height: dot * 0.6,
          style: `opacity:${(value / 255).toFixed(2)}`,
        });
    });
  }

  function nearest(svg, event) {
    const [x, y] = within(svg, event),
      far = places.map((place) => Math.hypot(place.x - x * wide, place.y - y * layout.height));
    return far.indexOf(Math.min(...far));
  }

  /** Arrow keys: to the nearest node on that side; along a line to the next word. */
  function move([dx, dy], big) {
    if (kind === "line") return pick(node + (dx + -dy) * (big ? 10 : 1));
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
    const next = clamp(i, 0, places.length - 1);
    if (next !== node) {
      node = next;
      draw();
    }
  }

  function draw() {
    result = forward(tensors, data, { kind, example, node, way });
    const most = Math.max(...result.reach, 1e-12),
      at = places[node],
      round = at.round || kind === "tree";
    parts.forEach((fill, i) => {
      set(fill, { style: `fill-opacity:${(0.55 * Math.sqrt(result.reach[i] / most)).toFixed(3)}` });
      fill.classList.toggle("reached", result.reach[i] > 0);
    });
    set(ring.firstChild, {
      x: at.x - at.wide / 2 - 2,
      y: at.y - at.tall / 2 - 2,
      width: at.wide + 4,
      height: at.tall + 4,
      rx: round ? at.tall / 2 + 2 : 4,
    });
    const reached = result.reach.filter((r) => r > 0).length,
      strongest = result.reach.indexOf(Math.max(...result.reach));
    set(ring, {
      "aria-valuenow": node + 1,
      "aria-valuetext": `${called(node)}: ${reached} of ${places.length} inputs reach it`,
    });
    const own = strongest === node ? "its own input" : called(strongest);
    say(
      `${reached} of ${places.length} inputs reach ${called(node)}. It hears ${own} best: ${fixed((100 * most) / result.reach.reduce((sum, r) => sum + r, 0), 0)} % of all that reaches it.`,
    );
    publish({ kind, example, node, way, reached, reach: result.reach });
  }

  /** A node in words. */
  function called(i) {
    if (kind === "line") return `\u201c${places[i].name}\u201d`;
    if (kind === "tree") return `${places[i].name}${now().parent.includes(i) ? "" : " (a digit)"}`;
    if (kind === "grid") {
      const n = now().side / now().block;
      return `row ${Math.floor(i / n) + 1}, column ${(i % n) + 1}`;
    }
    return `patch ${now().order.indexOf(i) + 1}`;
  }

  start();
}
