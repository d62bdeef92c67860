import { controls, keys, KEYS, speaker, textbox } from "../kit/control.js";
import { element, fixed, shape } from "../kit/dom.js";
import { plane } from "../kit/plane.js";
import { tape } from "../kit/tape.js";

const NEWLINE = "\u21b5";
const MODELS = {
  rnn: ["vanilla RNN", "rival"],
  gru: ["GRU", "gate"],
  lstm: ["LSTM", "summary"],
  transformer: ["Transformer", "attention"],
};
const LEAST = -4;

/** The tensors of one model, without its name in front. */
const part = (tensors, name) =>
  Object.fromEntries(
    Object.entries(tensors)
      .filter(([key]) => key.startsWith(`${name}.`))
      .map(([key, tensor]) => [key.slice(name.length + 1), tensor]),
  );

/** One step of each recurrent layer; the state is [h] or [h, c]. */
const STEP = {
  rnn: (on, [inward, around], [h]) => [on.tanh(on.add(inward, around(h)))],
  gru: (on, [inward, around], [h]) => {
    const H = h.values.length;
    const back = around(h);
    const block = (from, n) => on.slice(from, n * H, (n + 1) * H);
    const [reset, update] = [0, 1].map((n) => on.sigmoid(on.add(block(inward, n), block(back, n))));
    const candidate = on.tanh(on.add(block(inward, 2), on.multiply(reset, block(back, 2))));
    return [on.add(on.multiply(update, h), on.multiply(on.complement(update), candidate))];
  },
  lstm: (on, [inward, around], [h, c]) => {
    const H = h.values.length;
    const sum = on.add(inward, around(h));
    const block = (n) => on.slice(sum, n * H, (n + 1) * H);
    const [input, forget, output] = [0, 1, 3].map((n) => on.sigmoid(block(n)));
    const cell = on.add(on.multiply(forget, c), on.multiply(input, on.tanh(block(2))));
    return [on.multiply(output, on.tanh(cell)), cell];
  },
};

/** Logits after the last of the inputs, by a recurrent layer. */
function recurrent(on, kind, weights, inputs) {
  const U = weights["layer.from_hidden.weight"];
  const zeros = () => on.leaf(new Float64Array(U.shape[1]));
  let state = [zeros(), zeros()];
  for (const x of inputs) {
    const inward = on.affine(weights["layer.from_input.weight"], x, weights["layer.from_input.bias"]);
    state = STEP[kind](on, [inward, (h) => on.affine(U, h)], state);
  }
  return on.affine(weights["head.weight"], state[0], weights["head.bias"]);
}

/** Logits after the last of the inputs, by a decoder-only Transformer. */
function transformer(on, weights, inputs, heads) {
  const linear = (name, x) => on.affine(weights[`${name}.weight`], x, weights[`${name}.bias`]);
  const norm = (name, x) => on.norm(x, weights[`${name}.weight`], weights[`${name}.bias`]);
  const D = weights["token.weight"].shape[1];
  const at = (t) => on.leaf(Float64Array.from(weights["position.weight"].values.subarray(t * D, (t + 1) * D)));
  let rows = inputs.map((x, t) => on.add(on.times(x, weights["token.weight"]), at(t)));
  for (let n = 0; `blocks.${n}.norm1.weight` in weights; n++) {
    const name = (layer) => `blocks.${n}.${layer}`;
    const read = rows.map((x) => norm(name("norm1"), x));
    const [query, key, value] = ["q", "k", "v"].map((one) => read.map((x) => linear(name(`self_attn.${one}_proj`), x)));
    rows = rows.map((x, t) => {
      const mixed = on.attend(query[t], key.slice(0, t + 1), value.slice(0, t + 1), heads);
      const attended = on.add(x, linear(name("self_attn.out_proj"), mixed));
      const hidden = on.relu(linear(name("feed_forward.0"), norm(name("norm2"), attended)));
      return on.add(attended, linear(name("feed_forward.2"), hidden));
    });
  }
  return linear("output", norm("norm", rows.at(-1)));
}

/** input {tokens}: for each model -log p of the last token, and the norm of its gradient by each token before it. */
export function forward(tensors, data, { tokens }) {
  const size = data.alphabet.length;
  const found = {};
  for (const name of Object.keys(MODELS)) {
    const weights = part(tensors, name);
    const on = tape();
    const inputs = tokens.slice(0, -1).map((token) => {
      const x = on.leaf(new Float64Array(size));
      x.values[token] = 1;
      return x;
    });
    const logits =
      name === "transformer" ? transformer(on, weights, inputs, data.heads) : recurrent(on, name, weights, inputs);
    const loss = on.surprise(logits, tokens.at(-1));
    on.backward();
    const norms = inputs.map(({ gradient }) => {
      const mean = gradient.reduce((sum, value) => sum + value, 0) / size;
      return Math.sqrt(gradient.reduce((sum, value) => sum + (value - mean) ** 2, 0));
    });
    found[name] = { loss, norms };
  }
  return found;
}

export function render({ root, width, data, tensors, publish }) {
  const alphabet = Array.from(data.alphabet);
  const context = tensors["transformer.position.weight"].shape[0];
  const names = Object.keys(MODELS);
  let characters = [];
  let at = 0;

  const line = controls(root);
  const shown = (character) => (character === "\n" ? NEWLINE : character === " " ? "\u00a0" : character);
  const box = textbox({
    parent: line,
    label: `Text (Enter makes a new line, ${NEWLINE})`,
    value: data.text.replaceAll("\n", NEWLINE),
    onInput: (typed) => read(typed.replaceAll(NEWLINE, "\n")),
  });
  box.input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    box.input.setRangeText(NEWLINE, box.input.selectionStart, box.input.selectionEnd, "end");
    box.input.dispatchEvent(new Event("input"));
  });

  const table = element("div", { class: "models" });
  const chosen = element("div", {
    class: "asks",
    tabindex: 0,
    role: "slider",
    "aria-label": "The character whose loss is passed back",
    "aria-valuemin": 2,
    ...KEYS,
  });
  table.append(element("span", { class: "model" }, "loss at"), chosen);
  const strips = names.map((name) => {
    const [said, kind] = MODELS[name];
    const strip = element("div", { class: `strip ${kind}`, "aria-hidden": "true" });
    table.append(element("span", { class: `model ${kind}` }, said), strip);
    return strip;
  });
  root.append(table);

  const chart = plane({
    parent: root,
    width,
    height: 210,
    x: [context, 0.5],
    y: [LEAST, 0.3],
    xTicks: [60, 50, 40, 30, 20, 10, 1].map((back) => [back, String(back)]),
    xLabel: "characters back",
    yLabel: "gradient",
    yTicks: [
      [0, "1"],
      [-1, "0.1"],
      [-2, "0.01"],
      [-3, "10\u207b\u00b3"],
      [-4, "10\u207b\u2074"],
    ],
    margin: { left: 64, right: 12 },
  });
  const lines = names.map((name) => shape(chart.svg, "path", { class: MODELS[name][1] }));
  const say = speaker({ parent: root, seen: true });

  keys(chosen, ([across, up], big) => move(at + (across + up) * (big ? 10 : 1)), {
    Home: () => move(1),
    End: () => move(characters.length - 1),
  });
  chosen.addEventListener("pointermove", (event) => {
    const cell = event.buttons && document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-at]");
    if (cell) move(Number(cell.dataset.at));
  });
  table.addEventListener("click", (event) => {
    const cell = event.target.closest("[data-at]");
    if (cell) move(Number(cell.dataset.at));
  });

  function read(text) {
    characters = Array.from(text)
      .filter((character) => alphabet.includes(character))
      .slice(-context - 1);
    for (const strip of [chosen, ...strips])
      strip.replaceChildren(...characters.map((character, t) => element("span", { "data-at": t }, shown(character))));
    at = characters.length - 1;
    show();
  }

  function move(to) {
    const next = Math.max(1, Math.min(characters.length - 1, to));
    if (next === at) return;
    at = next;
    show();
  }

  const spoken = (character) =>
    character === "\n" ? "the line break" : character === " " ? "the space" : `\u201c${character}\u201d`;

  function show() {
    if (characters.length < 2) {
      for (const path of lines) path.removeAttribute("d");
      say("Type at least two characters.");
      publish({ text: characters.join(""), at: -1, far: {} });
      return;
    }
    const tokens = characters.slice(0, at + 1).map((character) => alphabet.indexOf(character));
    const found = forward(tensors, data, { tokens });
    Array.from(chosen.children).forEach((cell, t) => {
      cell.classList.toggle("now", t === at);
      cell.classList.toggle("later", t > at);
    });
    const far = {};
    names.forEach((name, n) => {
      const { norms } = found[name];
      const most = Math.max(...norms, 1e-30);
      const height = norms.map((norm) => Math.max(Math.log10(norm / most || 1e-30), LEAST));
      Array.from(strips[n].children).forEach((cell, t) => {
        cell.style.setProperty("--weight", (t < at ? 1 - height[t] / LEAST : 0).toFixed(3));
        cell.classList.toggle("later", t >= at);
      });
      lines[n].setAttribute("d", chart.curve(height.map((y, t) => [at - t, y])));
      const total = norms.reduce((sum, norm) => sum + norm, 0) || 1;
      far[name] = norms.slice(0, Math.max(at - data.far + 1, 0)).reduce((sum, norm) => sum + norm, 0) / total;
    });
    const percent = (share) => (share > 0 && share < 0.01 ? "below 1\u00a0%" : `${Math.round(100 * share)}\u00a0%`);
    const shares = names.map((name) => `${MODELS[name][0]} ${percent(far[name])}`).join(", ");
    const surprises = names.map((name) => `${fixed(found[name].loss / Math.LN2, 1)}`).join(", ");
    say(
      at < data.far
        ? `The loss at ${spoken(characters[at])}, in bits: ${surprises} (in the order of the rows).`
        : `At ${spoken(characters[at])} (${surprises} bits), share of the gradient from ${data.far} or more back: ${shares}.`,
    );
    chosen.setAttribute("aria-valuemax", characters.length);
    chosen.setAttribute("aria-valuenow", at + 1);
    chosen.setAttribute("aria-valuetext", `${spoken(characters[at])}, character ${at + 1} of ${characters.length}`);
    publish({ text: characters.join(""), at, far });
  }

  read(data.text);
}
