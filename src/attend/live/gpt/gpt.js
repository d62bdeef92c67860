import { button, choices, controls, slider, speaker, textbox } from "../kit/control.js";
import { element, fixed, still } from "../kit/dom.js";
import { pieces } from "../kit/pieces.js";
import { uniform } from "../kit/random.js";
import { add, affine, dot, layerNorm, row, softmax } from "../kit/tensor.js";

const WORDS = / ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+/gu;
const SHOWN = 10;

/** The byte pairs of a text: of all neighbours that make a token, the one learned first is joined first. */
export function encode(text, rank) {
  const tokens = [];
  for (const word of text.match(WORDS) ?? []) {
    let parts = Array.from(new TextEncoder().encode(word), (byte) => String.fromCharCode(byte));
    for (;;) {
      const joint = parts.slice(1).map((part, i) => rank.get(parts[i] + part) ?? Infinity);
      const least = Math.min(...joint);
      if (least === Infinity) break;
      const made = [];
      for (const part of parts) {
        if (made.length && rank.get(made.at(-1) + part) === least) made.push(made.pop() + part);
        else made.push(part);
      }
      parts = made;
    }
    tokens.push(...parts.map((part) => rank.get(part)));
  }
  return tokens;
}

const gelu = (x) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));

/** Rotary positions: entries i and i + half of a vector at position t, as one pair, are turned by t times its speed. */
function rotate(x, t) {
  const half = x.length / 2;
  return x.map((value, i) => {
    const angle = t * 10_000 ** (-(i % half) / half);
    return i < half
      ? value * Math.cos(angle) - x[i + half] * Math.sin(angle)
      : x[i - half] * Math.sin(angle) + value * Math.cos(angle);
  });
}

/** Causal attention of all rows: their outputs, and for each head the shares of positions 0 to t at every t. */
function attention(rows, tensors, name, heads) {
  const part = (which) =>
    rows.map((x) => affine(tensors[`${name}.${which}.weight`], x, tensors[`${name}.${which}.bias`]));
  const [query, key, value] = [part("q_proj"), part("k_proj"), part("v_proj")];
  const width = rows[0].length / heads;
  const mixed = rows.map((x) => x.map(() => 0));
  const weights = Array.from({ length: heads }, (_, head) => {
    const cut = (x) => x.slice(head * width, (head + 1) * width);
    const keys = key.map((whole, t) => rotate(cut(whole), t));
    return query.map((whole, t) => {
      const q = rotate(cut(whole), t);
      const shares = softmax(keys.slice(0, t + 1).map((k) => dot(q, k) / Math.sqrt(width)));
      shares.forEach((share, s) => {
        for (let j = head * width; j < (head + 1) * width; j++) mixed[t][j] += share * value[s][j];
      });
      return shares;
    });
  });
  const output = mixed.map((x) => affine(tensors[`${name}.out_proj.weight`], x, tensors[`${name}.out_proj.bias`]));
  return { output, weights };
}

/** What the dials leave of the probabilities: softmax(logits / temperature), cut to the top k, then to the top p. */
export function dialled(logits, { temperature, topK, topP }) {
  const largest = Math.max(...logits);
  const order = logits.map((_, token) => token).sort((a, b) => logits[b] - logits[a]);
  const kept = order.slice(0, topK);
  const powers = kept.map((token) => Math.exp((logits[token] - largest) / temperature));
  const all = powers.reduce((a, b) => a + b, 0);
  let [before, sum] = [0, 0];
  const probs = logits.map(() => 0);
  kept.forEach((token, n) => {
    const p = powers[n] / all;
    if (before < topP) {
      probs[token] = p;
      sum += p;
    }
    before += p;
  });
  return probs.map((p) => p / sum);
}

/**
 * input {tokens, temperature, topK, topP}: the logits after every token, the probabilities that the dials leave after
 * the last one, and the attention weights of all heads, block by block.
 */
export function forward(tensors, data, { tokens, ...dials }) {
  let rows = tokens.map((token) => row(tensors["token.weight"], token));
  const weights = [];
  for (let layer = 0; layer < data.layers; layer++) {
    const at = (name) => [tensors[`blocks.${layer}.${name}.weight`], tensors[`blocks.${layer}.${name}.bias`]];
    const read = (name) => rows.map((x) => layerNorm(x, ...at(name)));
    const attended = attention(read("norm1"), tensors, `blocks.${layer}.self_attn`, data.heads);
    weights.push(attended.weights);
    rows = rows.map((x, t) => add(x, attended.output[t]));
    const [[W1, b1], [W2, b2]] = [at("feed_forward.0"), at("feed_forward.2")];
    rows = read("norm2").map((x, t) => add(rows[t], affine(W2, affine(W1, x, b1).map(gelu), b2)));
  }
  const last = rows.map((x) => layerNorm(x, tensors["norm.weight"], tensors["norm.bias"]));
  const logits = last.map((x) => affine(tensors["token.weight"], x));
  return { logits, weights, probs: dialled(logits.at(-1), dials) };
}

export function render({ root, data, tensors, publish }) {
  const [V] = tensors["token.weight"].shape;
  const { context } = data;
  const END = V - 1;
  const rank = new Map(data.vocab.map((part, token) => [part, token]));
  const bytes = (tokens) => tokens.map((token) => (token === END ? "" : data.vocab[token])).join("");
  const spell = (tokens) => new TextDecoder().decode(Uint8Array.from(bytes(tokens), (one) => one.charCodeAt(0)));
  const shown = (token) => (token === END ? "⏹" : spell([token]).replace(/^ /, "␣").replaceAll("\n", "↵"));
  const spoken = (token) => (token === END ? "the end of the text" : `“${spell([token]).trim() || "a space"}”`);
  const random = uniform(7);
  const start = { temperature: 1, topK: V, topP: 1 };
  const dials = { ...start };
  let [layer, head] = [data.layers - 1, 0];
  let tokens = [];
  let found;
  let timer = null;

  const top = controls(root);
  const box = textbox({
    parent: top,
    label: "Text",
    value: data.text,
    onInput: (typed) => {
      stop();
      read(encode(typed, rank));
    },
  });
  const buttons = controls(root);
  const one = button({
    parent: buttons,
    label: "Draw a token",
    onPress: () => {
      stop();
      write(draw());
    },
  });
  const many = button({ parent: buttons, label: "Write on", onPress: () => (timer ? stop() : run()) });
  button({
    parent: buttons,
    label: "Start again",
    onPress: () => {
      stop();
      Object.assign(dials, start);
      heat.set(1);
      most.set(20);
      mass.set(1);
      box.set(data.text);
      read(encode(data.text, rank));
    },
  });
  const turn = controls(root);
  const dial = (label, min, max, step, value, format, take) =>
    slider({
      parent: turn,
      label,
      min,
      max,
      step,
      value,
      format,
      onInput: (to) => {
        Object.assign(dials, take(to));
        show();
      },
    });
  const heat = dial(
    "temperature",
    0.1,
    2,
    0.1,
    1,
    (v) => fixed(v, 1),
    (temperature) => ({ temperature }),
  );
  const most = dial(
    "top-k",
    1,
    20,
    1,
    20,
    (v) => (v === 20 ? "all" : String(v)),
    (k) => ({ topK: k === 20 ? V : k }),
  );
  const mass = dial(
    "top-p",
    0.1,
    1,
    0.05,
    1,
    (v) => fixed(v),
    (topP) => ({ topP }),
  );
  choices({
    parent: controls(root),
    label: "Attention of block, head",
    options: Array.from({ length: data.layers * data.heads }, (_, n) => [
      String(n),
      `${1 + Math.floor(n / data.heads)},\u2009${1 + (n % data.heads)}`,
    ]),
    value: String((data.layers - 1) * data.heads),
    onChange: (n) => {
      [layer, head] = [Math.floor(Number(n) / data.heads), Number(n) % data.heads];
      show();
    },
  });
  const line = pieces({ parent: root, kind: "gpt-line", onMove: () => show(), "aria-label": "The token that asks" });
  const bars = element("div", { class: "gpt-bars", role: "group", "aria-label": "Next tokens: a press writes one" });
  root.append(element("p", { class: "strip-name" }, "What may come next"), bars);
  const say = speaker({ parent: root, seen: true });

  function read(next) {
    tokens = next.slice(-context);
    if (tokens.length) found = forward(tensors, data, { tokens, ...dials });
    line.show(tokens.map(shown), tokens.length - 1);
    show();
  }

  const at = () => Math.min(line.at(), tokens.length - 1);

  function draw() {
    const probs = dialled(found.logits.at(-1), dials);
    let left = random();
    const drawn = probs.findIndex((p) => (left -= p) < 0);
    return drawn < 0 ? probs.indexOf(Math.max(...probs)) : drawn;
  }

  function write(token) {
    const longer = [...tokens.slice(0, at() + 1), token].slice(-context);
    if (at() === tokens.length - 1 || token !== tokens[at() + 1]) {
      read(longer);
      box.set(spell(tokens));
    } else line.choose(at() + 1);
  }

  function show() {
    one.disabled = many.disabled = !tokens.length;
    if (!tokens.length) {
      bars.replaceChildren();
      say("Nothing to read yet: type something.");
      publish({ tokens: 0, at: -1 });
      return;
    }
    const asks = at();
    const shares = found.weights[layer][head][asks];
    Array.from(line.element.children).forEach((cell, t) => {
      cell.style.setProperty("--weight", (shares[t] ?? 0).toFixed(3));
      cell.classList.toggle("later", t > asks);
    });
    const before = softmax(found.logits[asks]);
    const after = dialled(found.logits[asks], dials);
    const best = before
      .map((_, token) => token)
      .sort((a, b) => before[b] - before[a])
      .slice(0, SHOWN);
    const longest = Math.max(...best.flatMap((token) => [before[token], after[token]]));
    bars.replaceChildren(
      ...best.map((token) => {
        const bar = element("span", { class: "gpt-bar" });
        bar.style.setProperty("--before", (before[token] / longest).toFixed(4));
        bar.style.setProperty("--after", (after[token] / longest).toFixed(4));
        const made = element(
          "button",
          {
            type: "button",
            class: "gpt-next",
            "data-lm-suppress-shortcuts": "true",
          },
          element("b", {}, shown(token)),
          bar,
          element("span", {}, fixed(after[token])),
        );
        made.addEventListener("click", () => {
          stop();
          write(token);
        });
        return made;
      }),
    );
    const left = after.filter((p) => p > 0).length;
    const held = before.reduce((sum, p, token) => sum + (after[token] > 0 ? p : 0), 0);
    const far = shares.indexOf(Math.max(...shares));
    say(
      `After ${spoken(tokens[asks])}: ${left === V ? "any" : left} of ${V} tokens may come; the model gave them ` +
        `${Math.round(100 * held)} %. This head looks most at ${spoken(tokens[far])}, ${Math.round(100 * shares[far])} %.`,
    );
    publish({ tokens: tokens.length, at: asks, text: spell(tokens), left, next: best[0], held, looks: far });
  }

  function run() {
    line.choose(tokens.length - 1);
    if (still()) {
      for (let n = 0; n < 20; n++) write(draw());
      return;
    }
    let left = 20;
    many.textContent = "Stop";
    timer = setInterval(() => {
      write(draw());
      if (--left === 0) stop();
    }, 150);
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    many.textContent = "Write on";
  }

  read(encode(data.text, rank));
  return stop;
}
