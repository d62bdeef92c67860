import { button, controls, KEYS, speaker } from "../kit/control.js";
import { element, fixed, unique } from "../kit/dom.js";
import { add, argmax, dot, row, softmax } from "../kit/tensor.js";

const capital = (text) => text[0].toUpperCase() + text.slice(1);
const sentence = (one) => one.join(" ");

/** The sum of the words' vectors; with position encoding each is weighted, dimension by dimension, by its place. */
function encode(table, tokens, position) {
  const D = table.shape[1];
  const J = tokens.length;
  const sum = new Array(D).fill(0);
  tokens.forEach((token, at) => {
    const word = row(table, token);
    const j = (at + 1) / J;
    for (let k = 0; k < D; k++) sum[k] += word[k] * (position ? 1 - j - ((k + 1) / D) * (1 - 2 * j) : 1);
  });
  return sum;
}

/**
 * input {story, question}: sentences and a question as text. Gives the weights of each hop over the sentences, the
 * probability of each place, and the sentence that each hop reads most.
 */
export function forward(tensors, data, { story, question }) {
  const hops = Object.keys(tensors).length / 2 - 1;
  const tokens = (text) => text.split(" ").map((word) => data.words[word]);
  const first = tensors.time0.shape[0] - story.length;
  const rows = (i) =>
    story.map((text, n) =>
      add(encode(tensors[`embed${i}`], tokens(text), data.position), row(tensors[`time${i}`], first + n)),
    );
  let u = encode(tensors.embed0, tokens(question), data.position);
  const weights = [];
  for (let hop = 0; hop < hops; hop++) {
    const p = softmax(rows(hop).map((key) => dot(key, u)));
    const values = rows(hop + 1);
    u = u.map((old, k) => old + values.reduce((sum, value, n) => sum + p[n] * value[k], 0));
    weights.push(p);
  }
  const last = tensors[`embed${hops}`];
  const all = softmax(Array.from({ length: last.shape[0] }, (_, token) => dot(row(last, token), u)));
  const probs = data.places.map((place) => all[data.words[place]]);
  return { weights, probs, reads: weights.map(argmax) };
}

export function render({ root, data, tensors, publish }) {
  const first = () => ({ story: data.story.map((one) => [...one]), asked: data.asked });
  let now = first();
  const table = element("div", { class: "story" });
  root.append(table);
  const say = speaker({ parent: root, seen: true });
  const below = controls(root);
  const more = button({
    parent: below,
    label: "Add a sentence",
    onPress: () => {
      const verb = Object.keys(data.forms)[0];
      const [who, what] = data.forms[verb];
      now.story.push([who[0], verb, what[0]]);
      update([now.story.length - 1, "who"]);
    },
  });
  button({
    parent: below,
    label: "Start again",
    onPress: () => {
      now = first();
      update();
    },
  });

  function menu(label, options, value, name, onChange) {
    const made = element(
      "select",
      { id: unique("menu"), "aria-label": label, "data-part": name, ...KEYS },
      ...options.map((one) => element("option", { value: one }, one)),
    );
    made.value = value;
    made.addEventListener("change", () => onChange(made.value));
    return made;
  }

  function parts(one, n) {
    const [who, verb, what] = one;
    const [before, behind] = data.forms[verb];
    const at = `sentence ${n + 1}`;
    return [
      menu(`Who or what, ${at}`, before, who, "who", (value) => {
        one[0] = value;
        update([n, "who"]);
      }),
      menu(`Does what, ${at}`, Object.keys(data.forms), verb, "verb", (value) => {
        const [whos, whats] = data.forms[value];
        now.story[n] = [whos.includes(who) ? who : whos[0], value, whats.includes(what) ? what : whats[0]];
        update([n, "verb"]);
      }),
      menu(`Where or which, ${at}`, behind, what, "what", (value) => {
        one[2] = value;
        update([n, "what"]);
      }),
    ];
  }

  function small(label, text, off, part, onPress) {
    const made = element("button", { type: "button", "aria-label": label, "data-part": part, ...KEYS }, text);
    made.disabled = off;
    made.addEventListener("click", onPress);
    return made;
  }

  function tools(n) {
    return element(
      "span",
      { class: "tools" },
      small(`Move sentence ${n + 1} up`, "\u2191", n === 0, "up", () => {
        const [one] = now.story.splice(n, 1);
        now.story.splice(n - 1, 0, one);
        update([n - 1, n > 1 ? "up" : "who"]);
      }),
      small(`Delete sentence ${n + 1}`, "\u00d7", now.story.length === 1, "delete", () => {
        now.story.splice(n, 1);
        update([Math.min(n, now.story.length - 1), now.story.length > 1 ? "delete" : "who"]);
      }),
    );
  }

  function bar(weight, kind) {
    return element(
      "span",
      { class: `bar ${kind}` },
      element(
        "span",
        { class: "track" },
        element("span", { class: "fill", style: `width:${(100 * weight).toFixed(1)}%` }),
      ),
      element("span", { class: "number" }, fixed(weight)),
    );
  }

  function update(focus) {
    const story = now.story.map(sentence);
    const question = `where is ${now.asked}`;
    const { weights, probs, reads } = forward(tensors, data, { story, question });
    const head = element(
      "div",
      { class: "line head" },
      element("span", { class: "tools" }),
      element("span", {}, "story"),
      element("span", { class: "hops" }, ...weights.map((_, hop) => element("span", {}, `hop ${hop + 1}`))),
    );
    const lines = now.story.map((one, n) =>
      element(
        "div",
        { class: "line" },
        tools(n),
        element("span", { class: "said" }, ...parts(one, n)),
        element("span", { class: "hops" }, ...weights.map((p) => bar(p[n], "attention"))),
      ),
    );
    const ask = element(
      "div",
      { class: "line ask" },
      element("span", { class: "tools" }, "?"),
      element(
        "span",
        { class: "said" },
        "Where is ",
        menu("Where is", data.may, now.asked, "asked", (value) => {
          now.asked = value;
          update([now.story.length, "asked"]);
        }),
      ),
    );
    const answers = element(
      "div",
      { class: "answers" },
      ...data.places.map((place, i) => element("span", { class: "answer" }, place, bar(probs[i], "summary"))),
    );
    table.replaceChildren(head, ...lines, ask, answers);
    more.disabled = now.story.length >= data.most;
    if (focus) table.children[focus[0] + 1].querySelector(`[data-part="${focus[1]}"]`)?.focus();
    const best = argmax(probs);
    const read = reads.map(
      (n, hop) => `hop ${hop + 1} reads sentence ${n + 1} most (${fixed(100 * weights[hop][n], 0)} %)`,
    );
    say(`${capital(read.join(", "))}. Answer: ${data.places[best]} (${fixed(100 * probs[best], 0)} %).`);
    publish({ story, asked: now.asked, reads, answer: data.places[best], probability: probs[best] });
  }

  update();
}
