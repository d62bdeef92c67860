import { element, fixed } from "../kit/dom.js";

/** The steps by name, and the tables that each of them adds. */
export const STEPS = [
  ["vectors", ["x"]],
  ["maps", ["queries", "keys", "values"]],
  ["products", ["scores"]],
  ["scaled", ["scaled"]],
  ["weights", ["weights"]],
  ["summaries", ["summaries"]],
];

const SUBSCRIPT = ["₁", "₂"];
const power = (value) => ["e", element("sup", {}, fixed(value))];
const bracketed = (text) => (text.startsWith("−") ? `(${text})` : text);

/** a₁·b₁ + a₂·b₂ + … as text. */
function sum(a, b, [more, fewer] = [2, 2]) {
  return a.map((value, i) => `${bracketed(fixed(value, more))}·${bracketed(fixed(b[i], fewer))}`).join(" + ");
}

/** The lines that spell out one step for the word that asks; each is a list of texts and elements. */
export function working({ step, asks, x, query }, found, words) {
  const { queries, keys, values, scores, scaled, weights, summaries, hidden, place } = found;
  const order = words.map((_, t) => place.indexOf(t)),
    all = (line) => order.map((w) => line(w)),
    me = words[asks];
  const seen = order.filter((w) => !hidden[asks][w]),
    unseen = (w) => [`${words[w]} comes later: `];
  if (step === "vectors")
    return [
      [`${me} is the vector (${x[asks].map((v) => fixed(v, 1)).join(", ")}).`],
      ["Its numbers, and those of the maps, can be dragged sideways."],
    ];
  if (step === "maps") {
    const lines = [0, 1].map((i) => [
      `q${SUBSCRIPT[i]} = ${sum(query[i], x[asks], [1, 1])} = ${fixed(queries[asks][i])}`,
    ]);
    return [[`${me} asks:`], ...lines, ["Keys and values are made in the same way."]];
  }
  if (step === "products")
    return [
      [`The query of ${me} and each key:`],
      ...all((w) => [`${words[w]}: ${sum(queries[asks], keys[w])} = ${fixed(scores[asks][w])}`]),
    ];
  if (step === "scaled") {
    return [
      ["Queries have 2 numbers, so all is divided by √2:"],
      ...all((w) =>
        hidden[asks][w]
          ? [...unseen(w), "−∞"]
          : [`${words[w]}: ${fixed(scores[asks][w])} / 1.41 = ${fixed(scaled[asks][w])}`],
      ),
    ];
  }
  if (step === "weights") {
    const total = seen.flatMap((w, i) => [...(i ? [" + "] : []), ...power(scaled[asks][w])]);
    const copy = () => total.map((part) => (typeof part === "string" ? part : part.cloneNode(true)));
    return [
      [`Where ${me} looks:`],
      ...all((w) =>
        hidden[asks][w]
          ? [...unseen(w), "0.00"]
          : [`${words[w]}: `, ...power(scaled[asks][w]), " / (", ...copy(), `) = ${fixed(weights[asks][w])}`],
      ),
    ];
  }
  const lines = [0, 1].map((i) => [
    `${sum(
      seen.map((w) => weights[asks][w]),
      seen.map((w) => values[w][i]),
    )} = ${fixed(summaries[asks][i])}`,
  ]);
  return [[`The summary of ${me}, weights times values:`], ...lines];
}
