import { button, controls, keys, KEYS, readout, speaker } from "../kit/control.js";
import { fixed, set, shape, still, within } from "../kit/dom.js";
import { plane } from "../kit/plane.js";
import { add, affine, dot, tanh } from "../kit/tensor.js";

/** input {flips}: the exact summary and prediction, and what the trained network predicts after each flip. */
export function forward(tensors, data, { flips }) {
  const { W, U, b, readout: weights, bias } = tensors;
  let h = new Array(U.shape[0]).fill(0);
  const learned = flips.map((flip) => {
    h = tanh(add(affine(W, [flip], b), affine(U, h)));
    return 1 / (1 + Math.exp(-dot(h, weights.values) - bias.values[0]));
  });
  const heads = flips.reduce((sum, flip) => sum + flip, 0);
  return { heads, flips: flips.length, exact: (heads + 1) / (flips.length + 2), learned };
}

export function render({ root, width, data, tensors, publish }) {
  const T = data.flips.length,
    gap = Math.min(44, (width - 8) / T),
    radius = Math.min(17, gap / 2 - 2);
  let flips = [...data.flips],
    order = flips.map((_, i) => i),
    trails = [];

  const row = shape(root, "svg", {
    class: "coins",
    viewBox: `0 0 ${width} 50`,
    width,
    height: 50,
    role: "group",
    "aria-label": "Coins, in the order in which they fell",
  });
  const side = Math.min(width, 470),
    above = Math.round(side * 0.62);
  const walk = plane({
    parent: root,
    width: side,
    height: above,
    x: [0, T],
    y: [0, T],
    xLabel: "flips seen",
    yLabel: "heads seen",
    xTicks: [0, T / 2, T],
    yTicks: [0, T / 2, T],
    margin: { right: 108 },
  });
  const old = walk.layer("trails"),
    edges = walk.layer("edges"),
    path = shape(walk.svg, "path", { class: "input" });
  const end = shape(walk.svg, "circle", { class: "summary", r: 7 });
  const memory = shape(walk.svg, "text", { class: "summary" }, "the memory:"),
    name = shape(walk.svg, "text", { class: "summary" });
  const line = controls(root),
    say = speaker({ parent: root });
  const exact = readout({ parent: line, label: "heads next, exact:", kind: "summary" });
  const learned = readout({ parent: line, label: "by the network:" });
  button({ parent: line, label: "Shuffle", onPress: shuffle });
  button({
    parent: line,
    label: "Start again",
    onPress: () => {
      flips = [...data.flips];
      order = order.map((_, i) => i);
      trails = [];
      draw();
    },
  });

  const coins = order.map((_, coin) => makeCoin(coin));

  function makeCoin(coin) {
    const made = shape(row, "g", { class: "coin", tabindex: 0, role: "button", "aria-describedby": null, ...KEYS });
    shape(made, "rect", { x: -gap / 2, y: -24, width: gap, height: 48, fill: "transparent" });
    shape(made, "circle", { r: radius });
    shape(made, "text", { y: 5, "text-anchor": "middle" });
    let from = null,
      moved = false;
    made.addEventListener("pointerdown", (event) => {
      from = event.clientX;
      moved = false;
      made.setPointerCapture(event.pointerId);
      event.preventDefault();
      made.focus({ preventScroll: true });
    });
    made.addEventListener("pointermove", (event) => {
      if (from === null) return;
      const x = within(row, event)[0] * width;
      if (Math.abs(event.clientX - from) > 6) moved = true;
      if (moved) put(coin, Math.max(0, Math.min(T - 1, Math.floor((x - 4) / gap))));
    });
    made.addEventListener("pointerup", () => {
      if (from !== null && !moved) flip(coin);
      from = null;
    });
    made.addEventListener("pointercancel", () => {
      from = null;
    });
    keys(
      made,
      ([dx], big) => {
        const place = order.indexOf(coin);
        if (big) put(coin, Math.max(0, Math.min(T - 1, place + dx)));
        else coins[order[Math.max(0, Math.min(T - 1, place + dx))]].focus();
      },
      { Enter: () => flip(coin), " ": () => flip(coin) },
    );
    return made;
  }

  function remember() {
    trails = [...trails, order.map((coin) => flips[coin])].slice(-14);
  }

  function flip(coin) {
    flips[coin] = 1 - flips[coin];
    trails = [];
    draw();
  }

  function put(coin, place) {
    if (order.indexOf(coin) === place) return;
    remember();
    order = order.filter((other) => other !== coin);
    order.splice(place, 0, coin);
    draw();
  }

  function shuffle() {
    remember();
    for (let i = T - 1; i > 0; i--) {
      const j = Math.floor(Math.random() * (i + 1));
      [order[i], order[j]] = [order[j], order[i]];
    }
    draw();
  }

  function route(series) {
    let heads = 0;
    return walk.curve([[0, 0], ...series.map((value, i) => [i + 1, (heads += value)])]);
  }

  /** The two walks that enclose all others: all heads first, and all tails first. */
  function enclose(heads) {
    const series = order.map((_, i) => (i < heads ? 1 : 0));
    edges.replaceChildren();
    for (const side of [series, [...series].reverse()])
      shape(edges, "path", { class: "rival", d: route(side), style: "opacity: .45; stroke-width: 1" });
    if (heads < 3 || heads > T - 3) return;
    const quiet = "fill: var(--quiet); font-size: 13px";
    shape(edges, "text", { x: walk.X(T) - 8, y: walk.Y(heads) - 8, "text-anchor": "end", style: quiet }, "heads first");
    shape(
      edges,
      "text",
      { x: Math.max(walk.X(T - heads) + 30, walk.X(T) - 58), y: walk.Y(0) - 6, style: quiet },
      "tails first",
    );
  }

  function draw() {
    const series = order.map((coin) => flips[coin]),
      result = forward(tensors, data, { flips: series });
    order.forEach((coin, place) => {
      const heads = flips[coin] === 1;
      set(coins[coin], {
        style: `transform: translate(${4 + gap * (place + 0.5)}px, 25px); transition: transform ${still() ? 0 : 0.25}s`,
        "aria-label": `Flip ${place + 1} of ${T}: ${heads ? "heads" : "tails"}. Enter turns it, shift and an arrow moves it.`,
      });
      set(coins[coin].children[1], { class: heads ? "heads" : "tails" });
      set(coins[coin].children[2], { class: heads ? "on" : "" });
      coins[coin].children[2].textContent = heads ? "H" : "T";
    });
    old.replaceChildren();
    for (const trail of trails) shape(old, "path", { class: "rival", d: route(trail) });
    set(path, { d: route(series) });
    const x = walk.X(T),
      y = walk.Y(result.heads);
    set(end, { cx: x, cy: y });
    const beside = Math.max(y, walk.Y(T) + 12);
    set(memory, { x: x + 14, y: beside - 5 });
    set(name, { x: x + 14, y: beside + 13 });
    enclose(result.heads);
    name.textContent = `${result.heads} of ${T} heads`;
    exact(fixed(result.exact, 3));
    learned(fixed(result.learned.at(-1), 3));
    say(
      `${result.heads} heads of ${T}. Heads next: ${fixed(result.exact, 3)}, by the network ${fixed(result.learned.at(-1), 3)}.`,
    );
    publish({ flips: series, heads: result.heads, exact: result.exact, learned: result.learned.at(-1) });
  }

  draw();
}
