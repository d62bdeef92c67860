import { button, choices, controls, keys, KEYS, speaker, textbox, toggle } from "../kit/control.js";
import { element, set, shape, still } from "../kit/dom.js";
import { play } from "../kit/play.js";
import { read, write } from "../translator/net.js";
import { grown, legal } from "./tree.js";

const HEADS = 4,
  END = 0;

/** The tensors of one language by their own names. */
function parts(tensors, language) {
  const start = `${language}/`;
  return Object.fromEntries(
    Object.entries(tensors)
      .filter(([name]) => name.startsWith(start))
      .map(([name, tensor]) => [name.slice(start.length), tensor]),
  );
}

/**
 * input {language, words, constrained}: the symbols that the parser writes, the logits of each, and the weights of the
 * cross-attention, [layer][head][symbol][word].
 */
export function forward(tensors, data, { language, words, constrained }) {
  const own = parts(tensors, language),
    names = data.symbols[language],
    sizes = { K: HEADS, N: data.layers[language], end: END };
  const memory = read(
    own,
    sizes,
    words.map((word) => data.words[language].indexOf(word)),
  );
  const allowed = constrained ? (tokens) => legal(tokens, words.length, names.length, data.most) : null;
  const { tokens, logits, between } = write(own, sizes, memory, data.most, allowed);
  return { tokens, symbols: tokens.map((token) => names[token]), logits, between };
}

export function render({ root, width, data, tensors, publish }) {
  const first = data.languages[0];
  let state = { language: first, line: data.lines[first][0], constrained: true, head: "mean", at: null };
  let found = null,
    running = null,
    turn = 0;

  const top = controls(root);
  const languages = choices({
    parent: top,
    label: "Language",
    options: data.languages.map((name) => [name, name === "english" ? "English" : "Python"]),
    value: state.language,
    onChange: (language) => {
      turn = 0;
      box.set(data.lines[language][0]);
      change({ language, line: data.lines[language][0], at: null });
    },
  });
  const honest = toggle({
    parent: top,
    label: "Legal brackets only",
    value: true,
    onChange: (constrained) => change({ constrained, at: null }),
  });
  const line = controls(root);
  const box = textbox({ parent: line, label: "Line to parse", value: state.line, onInput: take });
  button({
    parent: line,
    label: "Another line",
    onPress: () => {
      const lines = data.lines[state.language];
      turn = (turn + 1) % lines.length;
      box.set(lines[turn]);
      change({ line: lines[turn], at: null });
    },
  });
  const scroll = element("div", { class: "parser-scroll" });
  const written = element("div", {
    class: "parser-symbols",
    tabindex: 0,
    role: "slider",
    "aria-label": "Symbols written so far",
    ...KEYS,
  });
  root.append(scroll, written);
  const below = controls(root);
  const back = button({ parent: below, label: "Back", onPress: () => step(-1) });
  const next = button({ parent: below, label: "Next symbol", onPress: () => step(1) });
  const runner = button({ parent: below, label: "Write it", onPress: run });
  choices({
    parent: below,
    label: "Attention of head",
    options: [["mean", "all"], ...Array.from({ length: HEADS }, (_, k) => [String(k), String(k + 1)])],
    value: "mean",
    onChange: (head) => change({ head }, false),
  });
  const say = speaker({ parent: root, seen: true });
  keys(written, ([dx, dy], big) => step((dx + dy) * (big ? 5 : 1)), {
    Home: () => go(0),
    End: () => go(found.tokens.length),
  });

  /** Go to the symbol that is nearest to the pointer. */
  function point(event) {
    const distances = Array.from(written.children).map((one) => {
      const box = one.getBoundingClientRect();
      return Math.hypot(event.clientX - box.x - box.width / 2, event.clientY - box.y - box.height / 2);
    });
    const at = distances.indexOf(Math.min(...distances)) + 1;
    if (at !== state.at) go(at);
  }
  written.addEventListener("pointerdown", (event) => {
    written.setPointerCapture(event.pointerId);
    point(event);
  });
  written.addEventListener("pointermove", (event) => {
    if (written.hasPointerCapture(event.pointerId)) point(event);
  });

  function take(typed) {
    const words = typed.trim().split(/\s+/).filter(Boolean),
      unknown = words.filter((word) => !data.words[state.language].includes(word));
    if (unknown.length || words.length < 1 || words.length > data.longest) {
      say(
        unknown.length
          ? `The parser has never seen ${unknown.slice(0, 3).join(", ")}. It knows: ${data.words[state.language].join(" ")}`
          : `From 1 to ${data.longest} words, please, with spaces between them.`,
      );
      return;
    }
    change({ line: words.join(" "), at: null });
  }

  function change(changed, anew = true) {
    running?.stop();
    running = null;
    state = { ...state, ...changed };
    if (anew) found = forward(tensors, data, { ...state, words: state.line.split(" ") });
    if (state.at === null) state.at = found.tokens.length;
    draw();
  }

  function go(at) {
    change({ at: Math.max(0, Math.min(found.tokens.length, at)) }, false);
  }

  function step(by) {
    go(state.at + by);
  }

  function run() {
    if (running) {
      go(state.at);
      return;
    }
    // Without motion all is written at once, so what is written already is taken away first.
    if (still() && state.at >= found.tokens.length) {
      go(0);
      return;
    }
    const from = state.at >= found.tokens.length ? 0 : state.at;
    state.at = from;
    const going = play({
      steps: found.tokens.length - from,
      every: 260,
      onStep: (i) => {
        state.at = from + i + 1;
        draw();
      },
      onEnd: () => {
        running = null;
        draw();
      },
    });
    if (state.at < found.tokens.length) running = going;
    draw();
  }

  /** The weights behind the last symbol: of one head of the last layer, or the mean of its heads. */
  function looks() {
    const n = Math.max(0, state.at - 1),
      layer = found.between.at(-1);
    if (state.head !== "mean") return layer[Number(state.head)][n];
    return layer[0][n].map((_, s) => layer.reduce((sum, rows) => sum + rows[n][s], 0) / layer.length);
  }

  function draw() {
    const words = state.line.split(" "),
      names = data.symbols[state.language],
      tokens = found.tokens.slice(0, state.at);
    const { nodes, at, fault } = grown(tokens, names, words.length);
    const small = width < 480,
      gap = 10,
      sizes = words.map((word) => Math.max(26, word.length * (small ? 7.2 : 8) + gap));
    const spare = Math.max(0, (width - 8 - sizes.reduce((a, b) => a + b, 0)) / words.length),
      edges = [4];
    for (const size of sizes) edges.push(edges.at(-1) + size + Math.min(spare, 30));
    const whole = grown(found.tokens, names, words.length).nodes,
      deep = Math.max(0, ...whole.map(({ level }) => level));
    const rise = deep > 9 ? 20 : 26,
      base = 24 + (deep + 1) * rise,
      height = base + 74;
    scroll.replaceChildren();
    const full = Math.max(edges.at(-1) + 4, 200);
    const svg = shape(scroll, "svg", {
      viewBox: `0 0 ${full.toFixed(1)} ${height}`,
      width: full.toFixed(1),
      height,
      role: "img",
      "aria-label": `Tree over ${words.length} words, ${nodes.length} brackets so far`,
    });
    set(svg, { style: `max-width: none; width: ${full.toFixed(1)}px` });
    const middle = (s) => (edges[s] + edges[s + 1]) / 2;
    const place = new Map();
    for (const node of nodes) {
      const last = Math.max(node.from, Math.min(node.to, words.length) - 1),
        start = Math.min(node.from, words.length - 1);
      place.set(node, [(middle(start) + middle(Math.min(last, words.length - 1))) / 2, 18 + node.level * rise]);
    }
    const covered = new Array(words.length).fill(null);
    for (const node of nodes) for (let s = node.from; s < Math.min(node.to, words.length); s++) covered[s] = node;
    const up = [];
    nodes.forEach((node, n) => {
      const parent = up[node.level - 1];
      up[node.level] = node;
      if (n > 0 && parent) link(svg, place.get(parent), place.get(node), node.open);
    });
    covered.forEach((node, s) => {
      if (node && s < at) link(svg, place.get(node), [middle(s), base - 2], false);
    });
    for (const node of nodes) {
      const [x, y] = place.get(node);
      if (node.label)
        shape(
          svg,
          "text",
          { x, y: y + 5, "text-anchor": "middle", class: node.open ? "node open" : "node" },
          node.label,
        );
      else shape(svg, "circle", { cx: x, cy: y, r: 4, class: node.open ? "dot open" : "dot" });
    }
    const weights = looks();
    words.forEach((word, s) => {
      const x = middle(s);
      shape(svg, "text", { x, y: base + 14, "text-anchor": "middle", class: s < at ? "word" : "word coming" }, word);
      shape(svg, "rect", {
        class: "attention",
        x: x - 8,
        width: 16,
        y: base + 24,
        height: Math.max(1, 40 * weights[s]),
      });
    });
    written.replaceChildren(
      ...found.symbols.map((symbol, n) =>
        element("span", { class: n + 1 === state.at ? "now" : n < state.at ? "" : "coming" }, symbol),
      ),
    );
    set(written, {
      "aria-valuemin": 0,
      "aria-valuemax": found.tokens.length,
      "aria-valuenow": state.at,
      "aria-valuetext": state.at ? `${state.at} of ${found.tokens.length}: ${found.symbols[state.at - 1]}` : "none",
    });
    back.setAttribute("aria-disabled", String(state.at === 0));
    next.setAttribute("aria-disabled", String(state.at === found.tokens.length));
    runner.textContent = running ? "Stop" : "Write it";
    const top = weights.reduce((best, weight, s) => (weight > weights[best] ? s : best), 0);
    const unfinished = !fault && state.at === found.tokens.length && found.tokens.at(-1) !== END;
    const trouble = unfinished ? "It never comes to an end." : fault;
    say(
      trouble
        ? `No tree. ${trouble}`
        : state.at === found.tokens.length
          ? `A tree over ${words.length} words: ${nodes.length} brackets, ${found.tokens.length} symbols with the end.`
          : `${state.at} of ${found.tokens.length} symbols. Most attention: \u201c${words[top]}\u201d.`,
    );
    publish({
      language: state.language,
      line: state.line,
      constrained: state.constrained,
      head: state.head,
      at: state.at,
      symbols: found.symbols,
      brackets: nodes.length,
      fault: trouble,
      looks: weights,
    });
  }

  languages.set(state.language);
  honest.set(state.constrained);
  change({});
}

/** A line from a node to what stands below it. */
function link(svg, [x1, y1], [x2, y2], open) {
  shape(svg, "line", { x1, y1: y1 + 9, x2, y2: y2 - 9, class: open ? "branch open" : "branch" });
}
