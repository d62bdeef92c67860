import { button, controls, KEYS, slider, speaker } from "../kit/control.js";
import { element, fixed } from "../kit/dom.js";
import { add, affine, row, softmax, tanh } from "../kit/tensor.js";

const MOST = 600,
  SHOWN = 8,
  NAMES = { "\n": "new line", " ": "space" },
  BEFORE = "\n";

/** The state after one more character, and the logits of the next. */
function step({ E, W, U, b, V, c }, h, token) {
  const now = tanh(add(affine(W, row(E, token), b), affine(U, h)));
  return { h: now, logits: affine(V, now, c) };
}

/** What the network makes of a text that begins a line: the bits of each character, its state and the next logits. */
function read(tensors, alphabet, text) {
  const bits = [];
  let now = step(tensors, new Array(tensors.b.shape[0]).fill(0), alphabet.indexOf(BEFORE));
  for (const character of text) {
    const token = alphabet.indexOf(character);
    bits.push(-Math.log2(softmax(now.logits)[token]));
    now = step(tensors, now.h, token);
  }
  return { bits, ...now };
}

const warm = (logits, temperature) => softmax(logits.map((value) => value / temperature));

/** input {text, temperature}: the bits that each character cost, and the probability of every next one. */
export function forward(tensors, data, { text, temperature }) {
  const { bits, logits } = read(tensors, data.alphabet, text);
  return { bits, probs: warm(logits, temperature) };
}

export function render({ root, data, tensors, publish }) {
  const { alphabet } = data;
  let text = data.text,
    typed = text.length,
    now,
    temperature = 1;

  const box = element("input", {
    type: "text",
    value: text,
    maxlength: 80,
    autocomplete: "off",
    spellcheck: "false",
    ...KEYS,
  });
  box.addEventListener("input", () => {
    text = Array.from(box.value)
      .filter((character) => alphabet.includes(character))
      .join("");
    typed = text.length;
    show();
  });
  controls(root).append(element("label", { class: "control textbox" }, "A line ", box));
  const line = controls(root);
  button({ parent: line, label: "Write a letter", onPress: () => write(1) });
  button({ parent: line, label: "Write 100", onPress: () => write(100) });
  button({
    parent: line,
    label: "Take back",
    onPress: () => {
      text = text.slice(0, typed);
      show();
    },
  });
  slider({
    parent: line,
    label: "temperature",
    min: 0.2,
    max: 2,
    step: 0.1,
    value: 1,
    format: (value) => fixed(value, 1),
    onInput: (value) => {
      temperature = value;
      show();
    },
  });
  const page = element("p", { class: "text" });
  const bars = element("div", { class: "bars", role: "group", "aria-label": "The next character" });
  root.append(page, bars);
  const rows = Array.from({ length: SHOWN }, () => {
    const name = element("span", { class: "name" }),
      bar = element("span", { class: "bar" }),
      share = element("span", { class: "share" });
    const made = element("button", { type: "button", class: "row", ...KEYS }, name, bar, share);
    made.addEventListener("click", () => {
      if (text.length < MOST) text += made.value;
      show();
    });
    bars.append(made);
    return { made, name, bar, share };
  });
  const say = speaker({ parent: root, seen: true });

  function write(count) {
    now = read(tensors, alphabet, text);
    for (let i = 0; i < count && text.length < MOST; i++) {
      let left = Math.random();
      const probs = warm(now.logits, temperature);
      let token = probs.findIndex((share) => {
        left -= share;
        return left < 0;
      });
      if (token < 0) token = probs.length - 1;
      text += alphabet[token];
      now = step(tensors, now.h, token);
    }
    show();
  }

  function show() {
    now = read(tensors, alphabet, text);
    page.replaceChildren(
      ...Array.from(text).map((character, t) => {
        const made = element("span", { class: t < typed ? "typed" : "" }, character);
        const share = Math.min(now.bits[t] / 8, 1) * 55;
        made.style.backgroundColor = `color-mix(in srgb, var(--error) ${share.toFixed(0)}%, transparent)`;
        return made;
      }),
    );
    const probs = warm(now.logits, temperature);
    const best = probs.map((_, token) => token).sort((a, b) => probs[b] - probs[a]);
    rows.forEach(({ made, name, bar, share }, i) => {
      const character = alphabet[best[i]],
        percent = fixed(100 * probs[best[i]], 0);
      made.value = character;
      name.textContent = NAMES[character] ?? character;
      share.textContent = `${percent} %`;
      bar.style.width = `${Math.max(60 * probs[best[i]], 0.5)}%`;
    });
    const mean = now.bits.reduce((sum, value) => sum + value, 0) / Math.max(now.bits.length, 1);
    const full = text.length >= MOST ? " The page is full." : "";
    say(
      text.length
        ? `${text.length} characters, ${fixed(mean, 2)} bits each; the last one cost ${fixed(now.bits.at(-1), 1)}.${full}`
        : "No letters yet: the bars show how lines begin.",
    );
    publish({ text, bits: now.bits, probs: best.slice(0, SHOWN).map((token) => probs[token]) });
  }

  show();
}
