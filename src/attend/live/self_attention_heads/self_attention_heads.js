import { button, controls, keys, KEYS, slider, speaker, textbox } from "../kit/control.js";
import { element, fixed, still } from "../kit/dom.js";
import { uniform } from "../kit/random.js";
import { layerNorm, softmax } from "../kit/tensor.js";

const NEWLINE = "\u21b5";

/** x W^T + b for T rows at once: x is a Float32Array of T rows, W a tensor of shape (out, in). */
function linear(x, W, b) {
  const [out, width] = W.shape;
  const T = x.length / width;
  const y = new Float32Array(T * out);
  for (let t = 0; t < T; t++) {
    for (let i = 0; i < out; i++) {
      let sum = b ? b.values[i] : 0;
      for (let j = 0; j < width; j++) sum += W.values[i * width + j] * x[t * width + j];
      y[t * out + i] = sum;
    }
  }
  return y;
}

/** Layer normalisation of every row. */
function norm(x, gain, bias) {
  const D = gain.shape[0];
  const y = new Float32Array(x.length);
  for (let start = 0; start < x.length; start += D) y.set(layerNorm(x.subarray(start, start + D), gain, bias), start);
  return y;
}

const plus = (a, b) => a.map((value, i) => value + b[i]);

/** Causal self-attention with its weights: {output (T rows), weights [head][t] = shares of positions 0 to t}. */
function attention(x, tensors, name, heads) {
  const part = (which) => linear(x, tensors[`${name}.${which}.weight`], tensors[`${name}.${which}.bias`]);
  const [query, key, value] = [part("q_proj"), part("k_proj"), part("v_proj")];
  const D = tensors[`${name}.q_proj.weight`].shape[0];
  const T = x.length / D;
  const width = D / heads;
  const mixed = new Float32Array(x.length);
  const weights = [];
  for (let head = 0; head < heads; head++) {
    const table = [];
    for (let t = 0; t < T; t++) {
      const scores = [];
      for (let s = 0; s <= t; s++) {
        let sum = 0;
        for (let j = head * width; j < (head + 1) * width; j++) sum += query[t * D + j] * key[s * D + j];
        scores.push(sum / Math.sqrt(width));
      }
      const shares = softmax(scores);
      shares.forEach((share, s) => {
        for (let j = head * width; j < (head + 1) * width; j++) mixed[t * D + j] += share * value[s * D + j];
      });
      table.push(shares);
    }
    weights.push(table);
  }
  const output = linear(mixed, tensors[`${name}.out_proj.weight`], tensors[`${name}.out_proj.bias`]);
  return { output, weights };
}

/** input {tokens}: the logits after every token, and the weights of all heads, layer by layer. */
export function forward(tensors, data, { tokens }) {
  const D = tensors["token.weight"].shape[1];
  let x = new Float32Array(tokens.length * D);
  tokens.forEach((token, t) => {
    for (let j = 0; j < D; j++) {
      x[t * D + j] = tensors["token.weight"].values[token * D + j] + tensors["position.weight"].values[t * D + j];
    }
  });
  const weights = [];
  for (let layer = 0; layer < data.layers; layer++) {
    const name = `blocks.${layer}`;
    const read = (which) => norm(x, tensors[`${name}.${which}.weight`], tensors[`${name}.${which}.bias`]);
    const attended = attention(read("norm1"), tensors, `${name}.self_attn`, data.heads);
    weights.push(attended.weights);
    x = plus(x, attended.output);
    const at = (n) => [tensors[`${name}.feed_forward.${n}.weight`], tensors[`${name}.feed_forward.${n}.bias`]];
    const hidden = linear(read("norm2"), ...at(0)).map((value) => Math.max(value, 0));
    x = plus(x, linear(hidden, ...at(2)));
  }
  const last = norm(x, tensors["norm.weight"], tensors["norm.bias"]);
  const logits = linear(last, tensors["output.weight"], tensors["output.bias"]);
  const vocabulary = tensors["output.weight"].shape[0];
  return { logits: tokens.map((_, t) => Array.from(logits.subarray(t * vocabulary, (t + 1) * vocabulary))), weights };
}

export function render({ root, data, tensors, publish }) {
  const alphabet = Array.from(data.alphabet);
  const context = tensors["position.weight"].shape[0];
  const random = uniform(1);
  let text = data.text;
  let at = 0;
  let temperature = 0.8;
  let result;
  let timer = null;

  const line = controls(root);
  const shown = (character) => (character === "\n" ? NEWLINE : character === " " ? "\u00a0" : character);
  const box = textbox({
    parent: line,
    label: `Text (Enter makes a new line, ${NEWLINE})`,
    value: text.replaceAll("\n", NEWLINE),
    onInput: (typed) => {
      stop();
      read(typed.replaceAll(NEWLINE, "\n"));
    },
  });
  box.input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    box.input.setRangeText(NEWLINE, box.input.selectionStart, box.input.selectionEnd, "end");
    box.input.dispatchEvent(new Event("input"));
  });
  const row = controls(root);
  const one = button({
    parent: row,
    label: "Write one character",
    onPress: () => {
      stop();
      write();
    },
  });
  const many = button({ parent: row, label: "Write on", onPress: () => (timer ? stop() : run()) });
  slider({
    parent: row,
    label: "temperature",
    min: 0.1,
    max: 1.5,
    step: 0.1,
    value: temperature,
    format: (value) => fixed(value, 1),
    onInput: (value) => {
      temperature = value;
      show();
    },
  });
  const table = element("div", { class: "heads-table" });
  const chosen = element("div", {
    class: "asks",
    tabindex: 0,
    role: "slider",
    "aria-label": "The character that asks",
    "aria-valuemin": 1,
    ...KEYS,
  });
  const strips = [];
  table.append(element("span", { class: "head-name" }, "asks"), chosen);
  for (let layer = 0; layer < data.layers; layer++) {
    for (let head = 0; head < data.heads; head++) {
      const strip = element("div", { class: "strip", "aria-hidden": "true" });
      table.append(element("span", { class: "head-name" }, `layer ${layer + 1}, head ${head + 1}`), strip);
      strips.push({ layer, head, strip });
    }
  }
  const bars = element("div", { class: "next", role: "img" });
  root.append(table, element("p", { class: "strip-name" }, "What comes next, by the model"), bars);
  const say = speaker({ parent: root, seen: true });

  keys(chosen, ([across, up], big) => move(at + (across + up) * (big ? 10 : 1)), {
    Home: () => move(0),
    End: () => move(result.tokens.length - 1),
  });
  for (const kind of ["pointerdown", "pointermove"]) {
    chosen.addEventListener(kind, (event) => {
      const cell = event.buttons && document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-at]");
      if (cell) move(Number(cell.dataset.at));
    });
  }
  root.addEventListener("click", (event) => {
    const cell = event.target.closest("[data-at]");
    if (cell) move(Number(cell.dataset.at));
  });

  function read(next) {
    text = next;
    const known = Array.from(text)
      .filter((character) => alphabet.includes(character))
      .slice(-context);
    result = known.length
      ? { characters: known, tokens: known.map((character) => alphabet.indexOf(character)) }
      : { characters: [], tokens: [], logits: [], weights: [] };
    if (known.length) Object.assign(result, forward(tensors, data, { tokens: result.tokens }));
    at = known.length - 1;
    fill(chosen);
    for (const { strip } of strips) fill(strip);
    show();
  }

  function fill(parent) {
    parent.replaceChildren(
      ...result.characters.map((character, t) => element("span", { "data-at": t }, shown(character))),
    );
  }

  function move(to) {
    at = Math.max(0, Math.min(result.tokens.length - 1, to));
    show();
  }

  const chances = (t) => softmax(result.logits[t].map((logit) => logit / temperature));

  function show() {
    one.disabled = many.disabled = !result.tokens.length;
    if (!result.tokens.length) {
      bars.replaceChildren();
      say("Nothing to read yet: type something.");
      publish({ text: "", at: -1 });
      return;
    }
    Array.from(chosen.children).forEach((cell, t) => {
      cell.classList.toggle("now", t === at);
      cell.classList.toggle("later", t > at);
    });
    for (const { layer, head, strip } of strips) {
      const shares = result.weights[layer][head][at];
      Array.from(strip.children).forEach((cell, t) => {
        cell.style.setProperty("--weight", (shares[t] ?? 0).toFixed(3));
        cell.classList.toggle("later", t > at);
      });
    }
    const probs = chances(at);
    const best = probs
      .map((share, token) => [share, token])
      .sort((a, b) => b[0] - a[0])
      .slice(0, 8);
    bars.replaceChildren(
      ...best.map(([share, token]) => {
        const bar = element("span", { class: "bar" });
        bar.style.setProperty("--share", share.toFixed(3));
        return element("span", { class: "guess" }, element("b", {}, shown(alphabet[token])), bar, fixed(share));
      }),
    );
    const spoken = (character) =>
      character === "\n" ? "a new line" : character === " " ? "a space" : `\u201c${character}\u201d`;
    bars.setAttribute(
      "aria-label",
      best.map(([share, token]) => `${spoken(alphabet[token])} ${fixed(share)}`).join(", "),
    );
    chosen.setAttribute("aria-valuemax", result.tokens.length);
    chosen.setAttribute("aria-valuenow", at + 1);
    chosen.setAttribute(
      "aria-valuetext",
      `${spoken(result.characters[at])}, character ${at + 1} of ${result.tokens.length}`,
    );
    const back = strips.map(({ layer, head }) => {
      const shares = result.weights[layer][head][at];
      const most = shares.indexOf(Math.max(...shares));
      return { layer, head, back: at - most, share: shares[most] };
    });
    const sharp = back.reduce((best, one) => (one.share > best.share ? one : best));
    const where =
      sharp.back === 0 ? "at itself" : sharp.back === 1 ? "one character back" : `${sharp.back} characters back`;
    say(
      `${spoken(result.characters[at])} asks. Sharpest: layer ${sharp.layer + 1}, head ${sharp.head + 1}, ` +
        `${Math.round(100 * sharp.share)}\u00a0% of it ${where}.`,
    );
    publish({ text: result.characters.join(""), at, next: alphabet[best[0][1]] });
  }

  function write() {
    const probs = chances(result.tokens.length - 1);
    let left = random();
    const token = Math.max(
      probs.findIndex((share) => (left -= share) < 0),
      0,
    );
    const longer = (result.characters.join("") + alphabet[token]).slice(-context);
    box.set(longer.replaceAll("\n", NEWLINE));
    read(longer);
  }

  function run() {
    if (still()) {
      for (let n = 0; n < 40; n++) write();
      return;
    }
    let left = 40;
    many.textContent = "Stop";
    timer = setInterval(() => {
      write();
      if (--left === 0) stop();
    }, 120);
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    many.textContent = "Write on";
  }

  read(text);
  return stop;
}
