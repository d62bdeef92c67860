import { button, controls, keys, KEYS, speaker, textbox, toggle } from "../kit/control.js";
import { element, fixed } from "../kit/dom.js";
import { add, affine, dot, layerNorm, row, softmax } from "../kit/tensor.js";

/** One layer at every position: what its heads add, and their weights [head][asks][asked]. A head that is cut adds 0. */
function layer(tensors, name, h, heads, cut) {
  const [query, key, value] = ["q_proj", "k_proj", "v_proj"].map((part) =>
    h.map((x) => affine(tensors[`${name}.${part}.weight`], x, tensors[`${name}.${part}.bias`])),
  );
  const width = query[0].length / heads;
  const read = h.map(() => []);
  const weights = Array.from({ length: heads }, (_, head) => {
    const own = (x) => x.slice(head * width, (head + 1) * width);
    return query.map((asks, t) => {
      const shares = softmax(key.map((asked) => dot(own(asks), own(asked)) / Math.sqrt(width)));
      const silent = own(asks).map(() => 0);
      read[t].push(
        ...(cut[head] ? silent : shares.reduce((sum, w, s) => sum.map((v, i) => v + w * own(value[s])[i]), silent)),
      );
      return shares;
    });
  });
  const output = read.map((x) => affine(tensors[`${name}.out_proj.weight`], x, tensors[`${name}.out_proj.bias`]));
  return { output, weights };
}

/** input {tokens, cut: [layer][head] true or false}: logits at every position, and the weights of all heads. */
export function forward(tensors, data, { tokens, cut }) {
  const normed = (x, n) => layerNorm(x, tensors[`norms.${n}.weight`], tensors[`norms.${n}.bias`]);
  let x = tokens.map((token, t) => add(row(tensors["token.weight"], token), row(tensors["position.weight"], t)));
  const weights = [];
  for (let n = 0; n < data.layers; n++) {
    const attended = layer(
      tensors,
      `layers.${n}`,
      x.map((at) => normed(at, n)),
      data.heads,
      cut[n],
    );
    weights.push(attended.weights);
    x = x.map((at, t) => add(at, attended.output[t]));
  }
  const output = (at) => affine(tensors["output.weight"], normed(at, data.layers), tensors["output.bias"]);
  return { logits: x.map(output), weights };
}

export function render({ root, data, tensors, publish }) {
  const { words, asks, layers, heads } = data;
  const longest = tensors["position.weight"].shape[0];
  const whole = () => Array.from({ length: layers }, () => Array(heads).fill(false));
  let cut = whole();
  let read = [];
  let at = 0;

  const box = textbox({ parent: controls(root), label: "Sentence", value: data.sentence, onInput: take });
  const table = element("div", { class: "heads-table" });
  const chosen = element("div", {
    class: "asks",
    tabindex: 0,
    role: "slider",
    "aria-label": "The word that asks",
    "aria-valuemin": 1,
    ...KEYS,
  });
  table.append(element("span", { class: "head-name" }, "asks"), chosen);
  const strips = cut.flatMap((own, n) =>
    own.map((_, head) => {
      const strip = element("div", { class: "strip", "aria-hidden": "true" });
      const set = toggle({
        parent: table,
        label: `layer ${n + 1}, head ${head + 1}`,
        value: true,
        onChange: (on) => {
          cut[n][head] = !on;
          show();
        },
      });
      table.append(strip);
      return { n, head, strip, set };
    }),
  );
  const answer = element("div", { class: "answer", role: "img" });
  root.append(table, answer);
  const say = speaker({ parent: root, seen: true });
  button({
    parent: controls(root),
    label: "Start again",
    onPress: () => {
      cut = whole();
      for (const { set } of strips) set.set(true);
      box.set(data.sentence);
      take(data.sentence);
    },
  });

  keys(chosen, ([across, up], big) => move(at + (across + up) * (big ? 5 : 1)), {
    Home: () => move(0),
    End: () => move(read.length - 1),
  });
  for (const kind of ["pointerdown", "pointermove"]) {
    chosen.addEventListener(kind, (event) => {
      if (!event.buttons) return;
      const away = Array.from(chosen.children, (word) => {
        const { x, y, width, height } = word.getBoundingClientRect();
        return Math.hypot(event.clientX - x - width / 2, 3 * (event.clientY - y - height / 2));
      });
      move(away.indexOf(Math.min(...away)));
    });
  }
  root.addEventListener("click", (event) => {
    const word = event.target.closest("[data-at]");
    if (word) move(Number(word.dataset.at));
  });

  function take(text) {
    const typed = text
      .toLowerCase()
      .split(/[^a-z]+/)
      .filter(Boolean);
    const unknown = typed.filter((word) => !words.includes(word));
    if (unknown.length || !typed.includes(asks) || typed.length > longest) {
      say(
        unknown.length
          ? `Unknown: ${unknown.join(", ")}. Known are ${words.join(", ")}.`
          : `A sentence of at most ${longest} words with \u201c${asks}\u201d in it, please.`,
      );
      return;
    }
    read = typed;
    at = read.indexOf(asks);
    for (const parent of [chosen, ...strips.map(({ strip }) => strip)])
      parent.replaceChildren(...read.map((word, t) => element("span", { "data-at": t }, word)));
    show();
  }

  function move(to) {
    at = Math.max(0, Math.min(read.length - 1, to));
    show();
  }

  function show() {
    const found = forward(tensors, data, { tokens: read.map((word) => words.indexOf(word)), cut });
    Array.from(chosen.children).forEach((word, t) => {
      word.classList.toggle("now", t === at);
    });
    for (const { n, head, strip } of strips) {
      strip.classList.toggle("cut", cut[n][head]);
      Array.from(strip.children).forEach((word, t) => {
        word.style.setProperty("--weight", found.weights[n][head][at][t].toFixed(3));
      });
    }
    const probs = softmax(found.logits[read.indexOf(asks)]);
    const best = probs
      .slice(0, data.answers)
      .map((share, token) => [share, words[token]])
      .sort((a, b) => b[0] - a[0])
      .slice(0, 3);
    answer.replaceChildren(
      `\u201c${asks}\u201d is the`,
      ...best.map(([share, word]) => {
        const bar = element("span", { class: "bar" });
        bar.style.setProperty("--share", share.toFixed(3));
        return element("span", { class: "guess" }, element("b", {}, word), bar, fixed(share));
      }),
    );
    answer.setAttribute("aria-label", best.map(([share, word]) => `${word} ${fixed(share)}`).join(", "));
    chosen.setAttribute("aria-valuemax", read.length);
    chosen.setAttribute("aria-valuenow", at + 1);
    chosen.setAttribute("aria-valuetext", `${read[at]}, word ${at + 1} of ${read.length}`);
    const all = strips
      .filter(({ n, head }) => !cut[n][head])
      .map(({ n, head }) => ({ n, head, shares: found.weights[n][head][at] }));
    const sharp = all.reduce(
      (top, one) => (top && Math.max(...top.shares) >= Math.max(...one.shares) ? top : one),
      null,
    );
    const looked = sharp?.shares.indexOf(Math.max(...sharp.shares));
    say(
      sharp
        ? `\u201c${read[at]}\u201d asks. Sharpest: layer ${sharp.n + 1}, head ${sharp.head + 1}, with ` +
            `${Math.round(100 * sharp.shares[looked])}\u00a0% on \u201c${read[looked]}\u201d.`
        : "All heads are cut.",
    );
    publish({ text: read.join(" "), at, cut: cut.flat(), answer: best[0][1], share: best[0][0] });
  }

  take(data.sentence);
}
