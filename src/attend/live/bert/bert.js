import { button, choices, controls, KEYS, speaker, textbox, toggle } from "../kit/control.js";
import { element, fixed } from "../kit/dom.js";
import { add, affine, dot, layerNorm, row, softmax, tanh } from "../kit/tensor.js";

const [CLS, SEP, MASK] = [1, 2, 3];

/** The error function to about 1e-7 (Numerical Recipes, erfcc), for GELU. */
function erf(x) {
  const z = Math.abs(x);
  const t = 1 / (1 + z / 2);
  const terms = [
    -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223,
    0.17087277,
  ];
  const rest = t * Math.exp(-z * z + terms.reduceRight((sum, term) => sum * t + term, 0));
  return x >= 0 ? 1 - rest : rest - 1;
}

const gelu = (a) => a.map((x) => (x * (1 + erf(x / Math.SQRT2))) / 2);

/**
 * input {tokens, segments, at}: the logits of the word at one position, the attention that each head of each layer pays
 * from there to all tokens, [layer][head][token], and the probability that the second sentence follows the first.
 */
export function forward(tensors, data, { tokens, segments, at }) {
  const linear = (name, x) => affine(tensors[`${name}.weight`], x, tensors[`${name}.bias`]);
  const norm = (name, x) => layerNorm(x, tensors[`${name}.weight`], tensors[`${name}.bias`]);
  const D = tensors["token.weight"].shape[1];
  const width = D / data.heads;
  let x = tokens.map((token, t) =>
    norm(
      "norm",
      add(
        add(row(tensors["token.weight"], token), row(tensors["segment.weight"], segments[t])),
        row(tensors["position.weight"], t),
      ),
    ),
  );
  const attention = [];
  for (let layer = 0; layer < data.layers; layer++) {
    const name = `blocks.${layer}`;
    const all = x.map((one) => linear(`${name}.qkv_proj`, one));
    const part = (vector, which, head) => vector.slice(which * D + head * width, which * D + (head + 1) * width);
    const read = x.map(() => []);
    attention.push([]);
    for (let head = 0; head < data.heads; head++) {
      const [keys, values] = [1, 2].map((which) => all.map((vector) => part(vector, which, head)));
      all.forEach((vector, t) => {
        const query = part(vector, 0, head);
        const shares = softmax(keys.map((key) => dot(query, key) / Math.sqrt(width)));
        if (t === at) attention[layer].push(shares);
        read[t].push(...query.map((_, i) => shares.reduce((sum, share, s) => sum + share * values[s][i], 0)));
      });
    }
    x = x.map((one, t) => {
      const attended = norm(`${name}.norm1`, add(one, linear(`${name}.out_proj`, read[t])));
      const inner = gelu(linear(`${name}.feed_forward.0`, attended));
      return norm(`${name}.norm2`, add(attended, linear(`${name}.feed_forward.2`, inner)));
    });
  }
  const asked = norm("transform.2", gelu(linear("transform.0", x[at])));
  const logits = affine(tensors["token.weight"], asked, tensors.word_bias);
  const follows = softmax(linear("next_sentence", tanh(linear("pooler.0", x[0]))))[1];
  return { logits, attention, follows };
}

export function render({ root, data, tensors, publish }) {
  const known = new Map(data.vocabulary.map((word, token) => [word, token]));
  let example = 0;
  let words = []; // tokens as the text has them
  let segments = [];
  let hidden = new Set(); // places
  let at = 0;
  let left = false;
  let head = "0";

  const line = controls(root);
  const box = textbox({ parent: line, label: "Two sentences, divided by |", value: "", onInput: (text) => take(text) });
  button({ parent: line, label: "Another pair", onPress: () => choose((example + 1) % data.texts.length) });
  const shown = element("div", { class: "words", role: "group", "aria-label": "Press a word to hide or to show it" });
  root.append(shown);
  const row2 = controls(root);
  const side = toggle({
    parent: row2,
    label: "Let the model see only what stands to the left",
    value: false,
    onChange: (value) => {
      left = value;
      show();
    },
  });
  const names = [];
  for (let layer = 1; layer <= data.layers; layer++)
    for (let n = 1; n <= data.heads; n++) names.push([String(names.length), `${layer}.${n}`]);
  choices({
    parent: row2,
    label: "Shade by the attention of layer.head",
    options: names,
    value: head,
    onChange: (value) => {
      head = value;
      show();
    },
  });
  const bars = element("div", { class: "guesses", role: "img" });
  root.append(bars);
  const say = speaker({ parent: root, seen: true });

  function choose(number) {
    example = number;
    box.set(data.texts[number]);
    take(data.texts[number]);
  }

  function take(text) {
    const sides = text
      .trim()
      .split("|")
      .map((part) => part.trim().split(/\s+/).filter(Boolean));
    const tokens = sides.flatMap((part, n) => [...(n ? [] : [CLS]), ...part.map((word) => known.get(word)), SEP]);
    const odd = sides.flat().filter((word) => !(known.get(word) >= MASK));
    if (odd.length || sides.length > 2 || tokens.length > data.context || !sides[0].length) {
      say(
        odd.length
          ? `The village does not know: ${odd.join(" ")}.`
          : `One or two sentences, please, of at most ${data.context - 3} words.`,
      );
      return;
    }
    words = tokens;
    segments = sides.flatMap((part, n) => new Array(part.length + (n ? 1 : 2)).fill(n));
    hidden = new Set(tokens.flatMap((token, t) => (token === MASK ? [t] : [])));
    at = hidden.size ? Math.min(...hidden) : 0;
    shown.replaceChildren(
      ...tokens.map((token, t) => {
        if (token === CLS || token === SEP) return element("span", { class: "special" }, data.vocabulary[token]);
        const made = element("button", { type: "button", ...KEYS });
        made.addEventListener("click", () => press(t));
        return made;
      }),
    );
    show();
  }

  function press(t) {
    if (!hidden.has(t)) {
      hidden.add(t);
      at = t;
    } else if (at !== t) at = t;
    else if (words[t] !== MASK) {
      hidden.delete(t);
      at = hidden.size ? Math.min(...hidden) : 0;
    }
    show();
  }

  function show() {
    const seen = words.map((token, t) => (hidden.has(t) ? MASK : token));
    const end = left && at ? at + 1 : seen.length;
    const found = forward(tensors, data, { tokens: seen.slice(0, end), segments: segments.slice(0, end), at });
    const shares = found.attention[Math.floor(head / data.heads)][head % data.heads];
    const most = Math.max(...shares);
    Array.from(shown.children).forEach((made, t) => {
      made.style.setProperty("--weight", t < end && at ? fixed(shares[t] / most, 3) : "0");
      made.classList.toggle("now", t === at && at > 0);
      made.classList.toggle("unseen", t >= end);
      if (made.tagName !== "BUTTON") return;
      const word = data.vocabulary[words[t]];
      made.textContent = hidden.has(t) ? "[MASK]" : word;
      made.setAttribute("aria-pressed", String(hidden.has(t)));
      made.setAttribute("aria-label", hidden.has(t) ? `[MASK], word ${t}` : `${word}, word ${t}`);
    });
    const probs = softmax(found.logits.map((logit, token) => (token > MASK ? logit : -Infinity)));
    const order = probs.map((_, token) => token).sort((a, b) => probs[b] - probs[a]);
    const best = at ? order.slice(0, 8) : [];
    bars.replaceChildren(
      ...best.map((token) => {
        const bar = element("span", { class: "bar" });
        bar.style.setProperty("--share", String(probs[token]));
        return element("span", { class: "guess" }, element("b", {}, data.vocabulary[token]), bar, fixed(probs[token]));
      }),
    );
    const top = best.slice(0, 3).map((token) => `${data.vocabulary[token]} ${fixed(probs[token])}`);
    bars.setAttribute("aria-label", at ? `Guesses: ${top.join(", ")}` : "No word is hidden");
    const both = segments.at(-1) === 1 && end === seen.length;
    say(
      (at ? `Most likely at word ${at}: ${top.join(", ")}. ` : "Press a word to hide it. ") +
        (both ? `The second sentence follows the first: ${fixed(found.follows)}.` : ""),
    );
    publish({
      at,
      hidden: hidden.size,
      left,
      guess: at ? data.vocabulary[best[0]] : "",
      sure: at ? probs[best[0]] : 0,
    });
  }

  side.set(false);
  choose(0);
}
