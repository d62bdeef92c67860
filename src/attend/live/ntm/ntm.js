import { button, choices, controls, readout, speaker, textbox, toggle } from "../kit/control.js";
import { element, fixed, set, shape } from "../kit/dom.js";
import { handle, plane } from "../kit/plane.js";
import { play } from "../kit/play.js";
import { affine, argmax, dot, sigmoid, softmax, tanh } from "../kit/tensor.js";

const MOST = 60;
const END = 10;
const STAGES = ["content", "gate", "shift", "sharpen"];

const softplus = (x) => (x > 20 ? x : Math.log1p(Math.exp(x)));
const cosine = (a, b) => dot(a, b) / Math.max(Math.sqrt(dot(a, a) * dot(b, b)), 1e-8);

/** The four steps of an address: the weights of one head after each. */
function address(tensors, name, h, M, last, blunt) {
  const p = affine(tensors[`${name}.linear.weight`], h, tensors[`${name}.linear.bias`]);
  const [W, N] = [M[0].length, M.length];
  const key = tanh(p.slice(0, W));
  const beta = softplus(p[W]);
  const [g] = sigmoid([p[W + 1]]);
  const [back, stay, ahead] = softmax(p.slice(W + 2, W + 5));
  const gamma = blunt ? 1 : 1 + softplus(p[W + 5]);
  const content = softmax(M.map((slot) => beta * cosine(slot, key)));
  const gate = content.map((w, i) => g * w + (1 - g) * last[i]);
  const shift = gate.map((w, i) => back * gate[(i + 1) % N] + stay * w + ahead * gate[(i + N - 1) % N]);
  const largest = Math.max(...shift);
  const powers = shift.map((w) => (w / largest) ** gamma);
  const sum = powers.reduce((a, b) => a + b, 0);
  return { content, gate, shift, sharpen: powers.map((w) => w / sum), beta, g, s: [back, stay, ahead], gamma };
}

/**
 * input {digits, steps, blunt, moved}: the row is read, then END, then answered with empty inputs, `steps` steps of it.
 * moved {step, slot}: before that step the reading head is put on that slot; null: never. blunt: γ = 1 everywhere.
 * Gives for each step both heads' weights after content, gate, shift and sharpen, the memory, and the likeliest digit.
 */
export function forward(tensors, data, { digits, steps, blunt, moved }) {
  const row = Array.from(tensors.row.values);
  let M = Array.from({ length: data.slots }, () => row);
  let write = M.map((_, i) => Number(i === 0));
  let read = write;
  let r = Array.from(tensors.first_read.values);
  const layer = (name, x) => affine(tensors[`${name}.weight`], x, tensors[`${name}.bias`]);
  const done = [];
  for (let t = 0; t < steps; t++) {
    if (moved && moved.step === t) read = read.map((_, i) => Number(i === moved.slot));
    const x = Array.from({ length: 11 }, (_, i) =>
      Number(i === (t < digits.length ? digits[t] : t === digits.length ? END : -1)),
    );
    const h = tanh(layer("controller", [...x, ...r]));
    const writes = address(tensors, "write_head", h, M, write, blunt);
    write = writes.sharpen;
    const p = layer("erase_add", h);
    const erase = sigmoid(p.slice(0, row.length));
    const added = tanh(p.slice(row.length));
    M = M.map((slot, i) => slot.map((value, j) => value * (1 - write[i] * erase[j]) + write[i] * added[j]));
    const reads = address(tensors, "read_head", h, M, read, blunt);
    read = reads.sharpen;
    r = row.map((_, j) => M.reduce((sum, slot, i) => sum + read[i] * slot[j], 0));
    const probs = softmax(layer("out", [...h, ...r]));
    const digit = argmax(probs);
    done.push({ write: writes, read: reads, M, digit, probability: probs[digit] });
  }
  return { steps: done };
}

export function render({ root, width, data, tensors, publish }) {
  const N = data.slots;
  const parse = (text) => Array.from(text.replace(/\D/g, "").slice(0, MOST), Number);
  const begin = () => ({ digits: parse(data.number), step: data.number.length + 8, blunt: false, moved: null });
  let state = begin();
  let head = "read";
  let running = null;

  const line = controls(root);
  const number = textbox({ parent: line, label: "Number", value: data.number, onInput: (text) => typed(text) });
  const rows = element("p", { class: "ntm-rows" });
  root.append(rows);
  const picture = element("div");
  root.append(picture);
  const below = controls(root);
  const playing = button({ parent: below, label: "Play", onPress: () => (running ? stop() : run()) });
  const back = button({ parent: below, label: "One back", onPress: () => change({ step: state.step - 1 }) });
  const next = button({ parent: below, label: "Next step", onPress: () => change({ step: state.step + 1 }) });
  const heads = choices({
    parent: below,
    label: "Show the address of",
    options: [
      ["write", "write head"],
      ["read", "read head"],
    ],
    value: head,
    onChange: (name) => {
      head = name;
      show();
    },
  });
  const dull = toggle({
    parent: below,
    label: "Without sharpening",
    value: false,
    onChange: (blunt) => change({ blunt }),
  });
  button({
    parent: below,
    label: "Start again",
    onPress: () => {
      stop();
      [state, head] = [begin(), "read"];
      number.set(data.number);
      heads.set(head);
      dull.set(false);
      show();
    },
  });
  const quantities = readout({ parent: root, label: "its quantities" });
  const say = speaker({ parent: root, seen: true });

  const on = plane({
    parent: picture,
    width,
    height: 364,
    x: [0, N],
    y: [0, 364],
    margin: { top: 0, bottom: 0, left: 66, right: 6 },
  });
  const Y = (down) => on.Y(364 - down);
  const [wide, W] = [on.X(1) - on.X(0), tensors.row.values.length];
  const name = (text, down, kind = "") => shape(on.svg, "text", { x: 0, y: Y(down), class: `ntm-name ${kind}` }, text);
  name("write", 22, "input");
  name("tape", 78);
  name("read", 148, "attention");
  const cells = Array.from({ length: N }, (_, i) =>
    Array.from({ length: W }, (_, j) =>
      shape(on.svg, "rect", { x: on.X(i) + 0.5, y: Y(34 + j * 5.5), width: wide - 1, height: 5.5 }),
    ),
  );
  const marker = shape(on.svg, "path", { class: "ntm-marker" });
  const bars = STAGES.map((stage, n) => {
    const floor = 214 + n * 48;
    name(stage, floor - 4);
    shape(on.svg, "line", { x1: on.X(0), x2: on.X(N), y1: Y(floor), y2: Y(floor), class: "ntm-floor" });
    return Array.from({ length: N }, (_, i) =>
      shape(on.svg, "rect", { x: on.X(i) + 0.8, width: Math.max(wide - 1.6, 1), class: "attention" }),
    );
  });
  const grip = handle({
    plane: on,
    at: [0.5, 364 - 143],
    axis: "x",
    kind: "attention",
    step: 1,
    reach: 18,
    limits: [[0, N - 1], on.y],
    label: "Where the read head stands",
    text: (slot) => `slot ${Math.round(slot)} of ${N}`,
    onMove: (slot) => move(Math.round(slot)),
  });

  const length = () => 2 * state.digits.length + 1;

  function change(changed) {
    stop();
    state = { ...state, ...changed };
    show();
  }

  function typed(text) {
    const digits = parse(text);
    if (digits.length) change({ digits, step: 1, moved: null });
  }

  /** Put the reading head on a slot, from which the next step starts. */
  function move(slot) {
    change({ moved: { step: state.step, slot } });
  }

  function run() {
    if (state.step >= length()) state.step = 0;
    const from = state.step;
    playing.textContent = "Stop";
    running = play({
      steps: length() - from,
      every: 280,
      onStep: (i) => {
        state.step = from + i + 1;
        show();
      },
      onEnd: () => stop(),
    });
    if (state.step >= length()) stop();
  }

  function stop() {
    running?.stop();
    running = null;
    playing.textContent = "Play";
  }

  function show() {
    state.step = Math.min(Math.max(state.step, 1), length());
    if (state.moved && state.moved.step > state.step) state.moved = null;
    const { digits, step, blunt, moved } = state;
    const { steps } = forward(tensors, data, { digits, steps: step, blunt, moved });
    const now = steps.at(-1);
    now.M.forEach((slot, i) =>
      slot.forEach((value, j) =>
        set(cells[i][j], { class: value > 0 ? "input" : "summary", opacity: Math.min(1, Math.abs(value)).toFixed(2) }),
      ),
    );
    const at = { write: argmax(now.write.sharpen), read: argmax(now.read.sharpen) };
    const waits = moved?.step === step;
    if (waits) at.read = moved.slot;
    const [x, y] = [on.X(at.write + 0.5), Y(30)];
    set(marker, { d: `M${x} ${y}L${x - 6} ${y - 12}H${x + 6}Z` });
    grip.set(at.read, 364 - 143);
    STAGES.forEach((stage, n) =>
      bars[n].forEach((bar, i) => {
        const tall = 36 * now[head][stage][i];
        set(bar, {
          y: Y(214 + n * 48) - tall,
          height: Math.max(0.4, tall),
          class: head === "read" ? "attention" : "input",
        });
      }),
    );
    const answers = steps.slice(digits.length + 1).map((one) => one.digit);
    const wrong = answers.filter((digit, i) => digit !== digits[i]).length;
    const shownDigits = digits.map((digit, i) =>
      element("span", { class: i === step - 1 ? "now" : "" }, String(digit)),
    );
    const shownAnswers = answers.map((digit, i) =>
      element("span", { class: digit === digits[i] ? "" : "wrong" }, digit === END ? "■" : String(digit)),
    );
    rows.replaceChildren(
      element("span", { class: "name" }, "read in"),
      ...shownDigits,
      element("br"),
      element("span", { class: "name" }, "answered"),
      ...shownAnswers,
    );
    back.disabled = step === 1;
    next.disabled = step === length();
    const phase =
      step <= digits.length
        ? `reads ${digits[step - 1]}`
        : step === digits.length + 1
          ? "reads END"
          : `answers ${now.digit}`;
    const { beta, g, s, gamma } = now[head];
    const sharpest = Math.max(...now[head].sharpen);
    quantities(
      `β ${fixed(beta, 1)} · g ${fixed(g)} · s ${s.map((share) => fixed(share)).join(" ")} · γ ${fixed(gamma, 1)}`,
    );
    say(
      `Step ${step} of ${length()}: it ${phase}. Write head on slot ${at.write}, read head ${waits ? "put " : ""}on slot ${at.read}; the ` +
        `${head} head's largest weight is ${fixed(sharpest)}. ${answers.length - wrong} of ${answers.length} answers right.`,
    );
    publish({ step, head, blunt, moved, write: at.write, read: at.read, answers: answers.join(""), wrong, sharpest });
  }

  show();
}
