import { controls, slider, speaker } from "../kit/control.js";
import { element, fixed, shape } from "../kit/dom.js";
import { table } from "../kit/looks.js";
import { argmax } from "../kit/tensor.js";

/** The E-step: for each target word of each pair, the shares of the source words by the table p(target | source). */
function attend(pairs, p) {
  return pairs.map(({ source, target }) =>
    target.map((word) => {
      const scores = source.map((other) => p(word, other)),
        sum = scores.reduce((a, b) => a + b, 0);
      return scores.map((score) => score / sum);
    }),
  );
}

/** The M-step: how often each target word attended to each source word, as shares of all that attended to it. */
function count(pairs, weights, smoothing) {
  const targets = [...new Set(pairs.flatMap(({ target }) => target))],
    counts = new Map();
  for (const other of new Set(pairs.flatMap(({ source }) => source)))
    counts.set(other, new Map(targets.map((word) => [word, smoothing])));
  pairs.forEach(({ source, target }, n) =>
    target.forEach((word, t) =>
      source.forEach((other, s) => counts.get(other).set(word, counts.get(other).get(word) + weights[n][t][s])),
    ),
  );
  const sums = new Map([...counts].map(([other, row]) => [other, [...row.values()].reduce((a, b) => a + b, 0)]));
  return (word, other) => counts.get(other).get(word) / sums.get(other);
}

/** input {rounds}: the weights of every pair, [pair][target word][source word], after so many rounds. */
export function forward(_tensors, data, { rounds }) {
  let weights = attend(data.pairs, () => 1);
  for (let round = 0; round < rounds; round++) weights = attend(data.pairs, count(data.pairs, weights, data.smoothing));
  return { weights };
}

export function render({ root, width, data, tensors, publish }) {
  const rounds = slider({
    parent: controls(root),
    label: "Rounds of EM",
    min: 0,
    max: 12,
    step: 1,
    value: 0,
    format: (value) => String(value),
    onInput: show,
  });
  const stage = controls(root),
    say = speaker({ parent: root, seen: true });
  let at = [data.pairs.length - 1, data.pairs.at(-1).target.length - 1];

  function show() {
    const { weights } = forward(tensors, data, { rounds: rounds.value() });
    stage.replaceChildren();
    data.pairs.forEach(({ source, target }, n) => {
      const panel = element("div");
      stage.append(panel);
      const frame = table({
        parent: panel,
        side: Math.min(150, (width - 40) / 2),
        askers: target,
        asked: source,
        fill: (svg, cell, left, top) => draw(svg, cell, left, top, weights[n]),
        onRow: (row) => choose([n, row]),
      });
      if (n === at[0]) frame(at[1]);
      else panel.querySelector("rect.now").remove();
    });
    tell(weights);
  }

  function choose([n, row]) {
    const to = [n, Math.max(0, Math.min(row, data.pairs[n].target.length - 1))];
    if (to.join() === at.join()) return;
    at = to;
    show();
  }

  function draw(svg, cell, left, top, rows) {
    const cells = shape(svg, "g", { class: "cells" });
    rows.forEach((row, t) =>
      row.forEach((weight, s) =>
        shape(cells, "rect", {
          class: "attention",
          x: left + s * cell,
          y: top + t * cell,
          width: cell,
          height: cell,
          style: `fill-opacity:${weight.toFixed(3)}`,
        }),
      ),
    );
  }

  function tell(weights) {
    const [n, t] = at,
      { source, target } = data.pairs[n],
      row = weights[n][t],
      best = argmax(row);
    say(
      `After ${rounds.value()} rounds “${target[t]}” gives “${source[best]}” ${fixed(row[best])} of its weight, in pair ${n + 1}.`,
    );
    publish({ rounds: rounds.value(), weights });
  }

  show();
}
