import { button, controls, choices, KEYS, slider, speaker } from "../kit/control.js";
import { element, fixed, unique } from "../kit/dom.js";
import { answer, encoder, parts } from "./read.js";

const MODELS = [
  ["hierarchical", "summary", "two levels"],
  ["flat", "rival", "one row, chrono"],
];

/**
 * input {turns, question, answer}: texts. For both models, `prob`: the probability of the answer if the question came
 * right after each turn (the first number: before any turn); `said`: the model's own words after the last one.
 */
export function forward(tensors, data, input) {
  const vocabulary = data.words.split(" ");
  const tokens = (text) => text.split(" ").map((word) => vocabulary.indexOf(word));
  const result = {};
  for (const [name] of MODELS) {
    const net = parts(tensors, name),
      { start, hear } = encoder(net),
      question = tokens(input.question);
    const states = input.turns.reduce((so_far, turn) => [...so_far, hear(so_far.at(-1), tokens(turn))], [start()]);
    const answers = states.map((state) => answer(net, hear(state, question), [...tokens(input.answer), 0]));
    result[name] = {
      prob: answers.map(({ prob }) => prob),
      said: answers
        .at(-1)
        .said.map((word) => vocabulary[word])
        .join(" "),
    };
  }
  return result;
}

/** Small talk that makes a turn as long as asked, the same for the same turn every time; a question stands at the end. */
function around(data, phrase, length, seed, after = true) {
  const fill = length - (phrase ? phrase.split(" ").length : 0),
    behind = after ? (seed * 3) % (fill + 1) : 0;
  const talk = Array.from({ length: fill }, (_, i) => data.talk[(i * 5 + seed * 7 + ((i * i) % 3)) % data.talk.length]);
  return [talk.slice(behind).join(" "), phrase, talk.slice(0, behind).join(" ")];
}

export function render({ root, data, tensors, publish }) {
  const names = Object.keys(data.things);
  const settled = (thing, i) => ({
    thing,
    value: data.things[thing].values[(i + 2) % data.things[thing].values.length],
  });
  const first = () => ({
    turns: [...names.map(settled), { thing: "small talk" }],
    asked: names[0],
    length: data.lengths[0],
  });
  let now = first();

  const line = controls(root);
  const ask = choices({
    parent: line,
    label: "Asked for",
    options: names.map((name) => [name, name]),
    value: now.asked,
    onChange: (name) => {
      now.asked = name;
      update();
    },
  });
  const talk = slider({
    parent: line,
    label: "Words a turn",
    min: data.lengths[0],
    max: data.lengths[1],
    step: 1,
    value: now.length,
    format: (words) => String(words),
    onInput: (words) => {
      now.length = words;
      update();
    },
  });
  const table = element("div", { class: "dialogue" });
  root.append(table);
  const say = speaker({ parent: root, seen: true });
  button({
    parent: controls(root),
    label: "Start again",
    onPress: () => {
      now = first();
      ask.set(now.asked);
      talk.set(now.length);
      update();
    },
  });

  function move(at, by) {
    const [turn] = now.turns.splice(at, 1);
    now.turns.splice(at + by, 0, turn);
    update([turn.thing, by]);
  }

  function value(turn) {
    const id = unique("value");
    const made = element(
      "select",
      { id, class: turn.thing === now.asked ? "value asked" : "value", "aria-label": `The ${turn.thing}`, ...KEYS },
      ...data.things[turn.thing].values.map((word) => element("option", { value: word }, word)),
    );
    made.value = turn.value;
    made.addEventListener("change", () => {
      turn.value = made.value;
      update([turn.thing, 0]);
    });
    return made;
  }

  function arrow(turn, at, by) {
    const name = by < 0 ? "earlier" : "later",
      made = element(
        "button",
        { type: "button", "aria-label": `Say the ${turn.thing} ${name}`, ...KEYS },
        by < 0 ? "\u2191" : "\u2193",
      );
    made.disabled = at + by < 0 || at + by >= now.turns.length;
    made.addEventListener("click", () => move(at, by));
    return made;
  }

  function bars(result, at) {
    return element(
      "div",
      { class: "bars" },
      ...MODELS.map(([name, kind]) => {
        const prob = result[name].prob[at];
        return element(
          "div",
          { class: `prob ${kind}` },
          element(
            "span",
            { class: "track" },
            element("span", { class: "fill", style: `width:${(100 * prob).toFixed(1)}%` }),
          ),
          element("span", { class: "number" }, fixed(prob)),
        );
      }),
    );
  }

  function update(focus) {
    const spoken = now.turns.map((turn, i) =>
      around(data, data.things[turn.thing]?.says ?? "", now.length, i + turn.thing.length),
    );
    const thing = data.things[now.asked],
      told = now.turns.find((turn) => turn.thing === now.asked);
    const fill = (text, word) => text.replace("{}", word);
    const texts = spoken.map((bits, i) => fill(bits.filter(Boolean).join(" "), now.turns[i].value));
    const question = around(data, thing.asks, now.length, 3, false).filter(Boolean);
    const input = { turns: texts, question: question.join(" "), answer: fill(thing.answer, told.value) };
    const result = forward(tensors, data, input);
    const rows = now.turns.map((turn, i) => {
      const [before, phrase, behind] = spoken[i],
        [left, right] = phrase.split("{}");
      const said = data.things[turn.thing] ? [left, value(turn), right] : [];
      return element(
        "div",
        { class: turn.thing === now.asked ? "row holds" : "row" },
        element("span", { class: "move" }, arrow(turn, i, -1), arrow(turn, i, 1)),
        element(
          "span",
          { class: "said" },
          element("span", { class: "talk" }, before, " "),
          ...said,
          element("span", { class: "talk" }, " ", behind),
        ),
        bars(result, i + 1),
      );
    });
    const head = element(
      "div",
      { class: "row head" },
      element("span", { class: "move" }),
      element("span", { class: "said" }, "turn"),
      element(
        "div",
        { class: "bars key" },
        element("span", {}, "right answer, if asked now"),
        element(
          "span",
          {},
          ...MODELS.flatMap(([, kind, label], i) => [i ? ", " : "", element("span", { class: kind }, label)]),
        ),
      ),
    );
    const end = element(
      "div",
      { class: "row question" },
      element("span", { class: "move" }),
      element("span", { class: "said" }, input.question),
      element(
        "div",
        { class: "bars key" },
        ...MODELS.map(([name, kind, label]) =>
          element("span", { class: kind }, `${label}: \u201c${result[name].said}\u201d`),
        ),
      ),
    );
    table.replaceChildren(head, ...rows, end);
    if (focus) refocus(focus);
    const back = now.turns.length - now.turns.indexOf(told);
    const probs = MODELS.map(([name, , label]) => `${label} ${fixed(result[name].prob.at(-1))}`).join(", ");
    say(
      `Said ${back} ${back === 1 ? "turn" : "turns"} ago: \u201c${input.answer}\u201d Probability of this answer: ${probs}.`,
    );
    publish({
      ...input,
      back,
      prob: Object.fromEntries(MODELS.map(([name]) => [name, result[name].prob])),
      said: Object.fromEntries(MODELS.map(([name]) => [name, result[name].said])),
    });
  }

  function refocus([thing, by]) {
    const row = table.children[1 + now.turns.findIndex((turn) => turn.thing === thing)];
    const [up, down] = row.querySelectorAll("button"),
      wished = by < 0 ? up : down;
    if (by === 0) row.querySelector("select").focus();
    else (wished.disabled ? (by < 0 ? down : up) : wished).focus();
  }

  update();
}
