// Live figures without a page: a request a line comes in, an answer a line goes out, both as JSON.
// {script, name, state} loads a figure and answers with its number; {number, input} answers with what its `forward` makes of it.
import { createInterface } from "node:readline";
import { runInThisContext } from "node:vm";

globalThis.window = globalThis;
for (const trouble of ["error", "warn"]) {
  console[trouble] = (...said) => {
    throw new Error(said.join(" "));
  };
}

const loaded = [];
const plain = (_, value) => {
  if (ArrayBuffer.isView(value)) return Array.from(value);
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
};

function load({ script, name, state }) {
  runInThisContext(script, { filename: `${name}.js` });
  const bytes = Buffer.from(state.buffer, "base64");
  const held = { ...state, buffer: new DataView(new Uint8Array(bytes).buffer) };
  const model = { get: (key) => held[key] };
  return loaded.push((input) => attend.figures[name].compute(model, input)) - 1;
}

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    const asked = JSON.parse(line);
    answer = { made: "script" in asked ? load(asked) : loaded[asked.number](asked.input) };
  } catch (error) {
    answer = { error: error.stack };
  }
  process.stdout.write(`${JSON.stringify(answer, plain)}\n`);
}
