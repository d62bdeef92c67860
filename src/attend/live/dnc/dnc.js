import { KEYS, button, choices, controls, keys, slider, speaker, toggle } from "../kit/control.js";
import { element, fixed, set, shape, within } from "../kit/dom.js";
import { affine, argmax, sigmoid, softmax, tanh } from "../kit/tensor.js";

const zeros = (n) => new Array(n).fill(0);
const softplus = (x) => (x > 30 ? x : Math.log1p(Math.exp(x)));

/** Weights by content: a softmax over cosines; a vector shorter than 0.1 has a smaller one. */
function content(memory, key, strength) {
  const unit = (v) => {
    const size = Math.max(0.1, Math.sqrt(v.reduce((sum, x) => sum + x * x, 0)));
    return v.map((x) => x / size);
  };
  const asked = unit(key);
  return softmax(memory.map((slot) => strength * unit(slot).reduce((sum, x, i) => sum + x * asked[i], 0)));
}

/** Weights for a new entry, from the usage of each slot. */
function allocation(usage) {
  const safe = usage.map((u) => 1e-6 + (1 - 1e-6) * u);
  const order = safe.map((_, n) => n).sort((a, b) => safe[a] - safe[b] || a - b);
  const out = zeros(usage.length);
  let before = 1;
  for (const n of order) {
    out[n] = (1 - safe[n]) * before;
    before *= safe[n];
  }
  return out;
}

/** One step of the DNC with one read head: a new state, with what it answers. */
function step(tensors, sizes, x, old, cut) {
  const h = tanh(affine(tensors["controller.weight"], [...x, ...old.vector], tensors["controller.bias"]));
  const asked = affine(tensors["to_interface.weight"], h, tensors["to_interface.bias"]);
  let at = 0;
  const [key, [strength], writeKey, [writeStrength], erase, value, free, allocate, gate, mode] = sizes.map((size) =>
    asked.slice(at, (at += size)),
  );
  const freed = cut === "free gates" ? 0 : sigmoid(free)[0];
  const fresh = cut === "allocation" ? 0 : sigmoid(allocate)[0];
  const modes = cut === "links" ? [0, 1, 0] : softmax(mode);
  const usage = old.usage.map((u, n) => (u + old.write[n] - u * old.write[n]) * (1 - freed * old.read[n]));
  const found = content(old.memory, writeKey, 1 + softplus(writeStrength + 8));
  const write = allocation(usage).map((a, n) => sigmoid(gate)[0] * (fresh * a + (1 - fresh) * found[n]));
  const erased = sigmoid(erase);
  const memory = old.memory.map((slot, n) => slot.map((m, i) => m * (1 - write[n] * erased[i]) + write[n] * value[i]));
  const links = old.links.map((row, i) =>
    row.map((l, j) => (i === j ? 0 : (1 - write[i] - write[j]) * l + write[i] * old.precedence[j])),
  );
  const rest = 1 - write.reduce((a, b) => a + b, 0);
  const precedence = old.precedence.map((p, n) => rest * p + write[n]);
  const byContent = content(memory, key, 1 + softplus(strength + 8));
  const read = byContent.map((c, n) => {
    let [back, on] = [0, 0];
    old.read.forEach((r, m) => {
      back += r * links[m][n];
      on += r * links[n][m];
    });
    return modes[0] * back + modes[1] * c + modes[2] * on;
  });
  const vector = old.vector.map((_, i) => memory.reduce((sum, slot, n) => sum + read[n] * slot[i], 0));
  const logits = affine(tensors["output.weight"], [...h, ...vector], tensors["output.bias"]);
  return { memory, usage, links, precedence, write, read, vector, logits };
}

function start(slots, width) {
  const table = (columns) => Array.from({ length: slots }, () => zeros(columns));
  const [usage, precedence, write, read] = Array.from({ length: 4 }, () => zeros(slots));
  return { memory: table(width), usage, links: table(slots), precedence, write, read, vector: zeros(width) };
}

/** The network after it has been told `rides`, in a memory of so many slots; and the weights of each write. */
function told(tensors, data, { rides, slots, cut }) {
  let state = start(slots, data.sizes[0]);
  const writes = rides.map(([from, train, to]) => {
    const x = zeros(2 * data.stations + data.trains + 2);
    x[from] = x[data.stations + train] = x[data.stations + data.trains + to] = 1;
    state = step(tensors, data.sizes, x, state, cut);
    return state.write;
  });
  return { state, writes };
}

/** The route from station `from` by `trains`: where each ride was read, and the probability of each station. */
function walked(tensors, data, state, { from, trains, cut }) {
  const reads = [],
    probs = [];
  trains.forEach((train, n) => {
    const x = zeros(2 * data.stations + data.trains + 2);
    x[data.stations + train] = 1;
    x[x.length - 2] = 1;
    if (n === 0) x[from] = x[x.length - 1] = 1;
    state = step(tensors, data.sizes, x, state, cut);
    reads.push(state.read);
    probs.push(softmax(state.logits));
  });
  return { reads, probs };
}

/** input {rides, from, trains, slots, cut}: rides are [from, train, to], a route begins at a station. */
export function forward(tensors, data, input) {
  const { state, writes } = told(tensors, data, input);
  return { writes, ...walked(tensors, data, state, input) };
}

const LINE = { U2: "gate", U5: "summary", U6: "attention", U8: "error" };

export function render({ root, width, data, tensors, publish }) {
  const wide = Math.min(width, 680),
    tall = Math.max(300, Math.round(wide * 0.56));
  const X = (p) => 4 + (p / 100) * (wide - 8),
    Y = (p) => 4 + (p / 100) * (tall - 8);
  let from, trains, many, cut, without, known;

  const svg = shape(root, "svg", { viewBox: `0 0 ${wide} ${tall}`, width: wide, height: tall });
  const under = shape(svg, "g", { "aria-hidden": "true" });
  const tracks = data.rides.map(([a, train, b]) => {
    const [x1, y1, x2, y2] = [X(data.places[a][0]), Y(data.places[a][1]), X(data.places[b][0]), Y(data.places[b][1])];
    const line = LINE[data.calls[train].split(" ")[0]] ?? "rival";
    const at = { x1, y1, x2, y2 };
    const track = shape(under, "line", { class: `track ${line}`, ...at });
    const lit = shape(under, "line", { class: "lit", ...at });
    return { track, lit };
  });
  under.append(...tracks.map(({ lit }) => lit));
  data.calls.forEach((call, n) => {
    const name = call.split(" ")[0];
    if (data.calls.findIndex((other) => other.split(" ")[0] === name) !== n) return;
    const [a, , b] = data.rides.filter(([, train]) => data.calls[train].split(" ")[0] === name).at(0);
    const x = (X(data.places[a][0]) + X(data.places[b][0])) / 2,
      y = (Y(data.places[a][1]) + Y(data.places[b][1])) / 2;
    shape(under, "rect", { class: "sign", x: x - 12, y: y - 8, width: 24, height: 16, rx: 3 });
    shape(under, "text", { class: `sign ${LINE[name]}`, x, y: y + 4, "text-anchor": "middle" }, name);
  });
  const dots = data.places.map(([x, y, side], n) => {
    const dot = shape(svg, "circle", { class: "station", cx: X(x), cy: Y(y), r: 6 });
    dot.addEventListener("click", () => begin(n));
    label(data.names[n], X(x), Y(y), side);
    return dot;
  });
  const answer = shape(svg, "circle", { class: "answer", r: 11 });
  const ring = shape(svg, "circle", {
    class: "begin",
    r: 14,
    tabindex: 0,
    role: "slider",
    "aria-label": "Start of the route",
    "aria-valuemin": 1,
    "aria-valuemax": data.names.length,
    ...KEYS,
  });
  keys(ring, ([dx, dy]) => begin((from + (dx || dy) + data.names.length) % data.names.length), {
    Home: () => begin(0),
    End: () => begin(data.names.length - 1),
  });

  ring.addEventListener("pointerdown", (event) => ring.setPointerCapture(event.pointerId));
  ring.addEventListener("pointermove", (event) => {
    if (event.buttons !== 1) return;
    const [across, down] = within(svg, event);
    const far = data.places.map(([x, y]) => Math.hypot(X(x) - across * wide, Y(y) - down * tall));
    const near = far.indexOf(Math.min(...far));
    if (near !== from) begin(near);
  });

  function label(name, x, y, side) {
    const parts = name.match(/^(.+?)(straße|platz|brücke|insel|markt| Tor| Linden| Rathaus| Museum)$/);
    const small = wide < 520 && parts;
    const lines = small ? [parts[2][0] === " " ? parts[1] : `${parts[1]}-`, parts[2].trim()] : [name];
    const anchor = side.includes("left") ? "end" : side.includes("right") ? "start" : "middle";
    const dx = { end: -11, start: 11, middle: 0 }[anchor];
    const high = 13;
    const first = side.includes("above")
      ? y - 12 - high * (lines.length - 1)
      : side === "below"
        ? y + 22
        : y + 4 - (high * (lines.length - 1)) / 2;
    lines.forEach((text, n) =>
      shape(under, "text", { class: "name", x: x + dx, y: first + n * high, "text-anchor": anchor }, text),
    );
  }

  const stage = element("div", { class: "trains" });
  root.append(stage);
  const line = controls(stage);
  const taken = element("p", { class: "route" });
  root.append(taken);
  const strip = shape(root, "svg", { class: "slots", viewBox: `0 0 ${wide} 66`, width: wide, height: 66 });
  const title = shape(strip, "text", { class: "name", x: 0, y: 11 });
  const bars = Array.from({ length: data.slots }, (_, n) => {
    const w = wide / data.slots;
    shape(strip, "rect", { class: "slot", x: n * w + 1, y: 18, width: w - 2, height: 44 });
    return shape(strip, "rect", { class: "attention", x: n * w + 1, width: w - 2 });
  });
  const below = controls(root);
  const telling = slider({
    parent: below,
    label: "Rides told",
    min: 0,
    max: data.rides.length,
    step: 1,
    value: data.rides.length,
    format: (value) => `${value} of ${data.rides.length}`,
    onInput: (value) => {
      many = value;
      tell();
      draw();
    },
  });
  const leaving = toggle({
    parent: below,
    label: "Do not tell the last ride of the route",
    value: false,
    onChange: (value) => {
      without = value ? last() : null;
      tell();
      draw();
    },
  });
  const cutting = choices({
    parent: below,
    label: "Cut",
    options: ["nothing", "links", "free gates", "allocation"].map((name) => [name, name]),
    value: "nothing",
    onChange: (value) => {
      cut = value;
      tell();
      draw();
    },
  });
  button({ parent: below, label: "Start again", onPress: again });
  const say = speaker({ parent: root, seen: true });

  const rideFrom = (station, train) => data.rides.findIndex(([a, t]) => a === station && t === train);
  /** The rides of the route, as places in the list. */
  function path() {
    let here = from;
    return trains.map((train) => {
      const n = rideFrom(here, train);
      here = data.rides[n][2];
      return n;
    });
  }
  const last = () => path().at(-1) ?? null;

  function again() {
    [from, trains, many, cut, without] = [data.start, [...data.route], data.rides.length, "nothing", null];
    telling.set(many);
    leaving.set(false);
    cutting.set(cut);
    tell();
    draw();
  }

  function begin(station) {
    [from, trains] = [station, []];
    draw();
  }

  /** Write all rides that are to be told; reading begins from there. */
  function tell() {
    const which = data.rides.map((_, n) => n).filter((n) => n < many && n !== without);
    const { state, writes } = told(tensors, data, { rides: which.map((n) => data.rides[n]), slots: data.slots, cut });
    const owner = Array.from({ length: data.slots }, (_, slot) => {
      const most = writes.map((write) => write[slot]);
      const best = most.length ? argmax(most.map((w, n) => (w > 0.3 ? 1 + n : w))) : -1;
      return best >= 0 && most[best] > 0.05 ? which[best] : null;
    });
    known = { state, writes, which, owner };
  }

  function choose(here) {
    line.replaceChildren(element("span", { class: "at" }, `At ${data.names[here]}, take`));
    for (const [a, train] of data.rides)
      if (a === here)
        button({
          parent: line,
          label: data.calls[train],
          onPress: () => {
            trains = [...trains, train];
            draw();
            line.querySelector("button")?.focus();
          },
        });
    const back = button({
      parent: line,
      label: "one ride back",
      onPress: () => {
        trains = trains.slice(0, -1);
        draw();
      },
    });
    back.disabled = trains.length === 0;
  }

  function draw() {
    const { state, writes, which, owner } = known;
    const walk = path();
    const here = walk.length ? data.rides[walk.at(-1)][2] : from;
    const { reads, probs } = walked(tensors, data, state, { from, trains, cut });
    choose(here);
    tracks.forEach(({ track }, n) => set(track, { "data-untold": !which.includes(n) && !which.includes(twin(n)) }));
    const now = reads.length ? reads.at(-1) : (writes.at(-1) ?? zeros(data.slots));
    tracks.forEach(({ lit }) => set(lit, { opacity: 0 }));
    reads.forEach((read, n) =>
      read.forEach((weight, slot) => {
        if (owner[slot] === null || weight < 0.05) return;
        const { lit } = tracks[owner[slot]];
        const faded = n === reads.length - 1 ? weight : 0.45 * weight;
        set(lit, { opacity: Math.max(faded, Number(lit.getAttribute("opacity"))) });
      }),
    );
    bars.forEach((bar, n) => {
      const size = 44 * Math.min(1, now[n]);
      set(bar, { y: 62 - size, height: size, class: reads.length ? "attention" : "input" });
    });
    const heard = probs.map((p) => argmax(p));
    const at = reads.length ? heard.at(-1) : null;
    title.textContent = reads.length
      ? `Where it reads for ride ${reads.length}: a bar for each of ${data.slots} slots`
      : writes.length
        ? `Where ride ${writes.length} was written: a bar for each of ${data.slots} slots`
        : "The memory is empty";
    set(answer, { cx: at === null || at >= dots.length ? -99 : X(data.places[at][0]) });
    set(answer, { cy: at === null || at >= dots.length ? -99 : Y(data.places[at][1]) });
    set(ring, { cx: X(data.places[from][0]), cy: Y(data.places[from][1]) });
    set(ring, { "aria-valuenow": from + 1, "aria-valuetext": data.names[from] });
    const name = (n) => data.names[n] ?? "a code that no station has";
    taken.replaceChildren(
      element("b", {}, data.names[from]),
      ...walk.flatMap((n, i) => {
        const right = heard[i] === data.rides[n][2];
        const said = element("span", { class: right ? "right" : "wrong" }, name(heard[i]));
        return [` \u2192 ${data.calls[data.rides[n][1]]} \u2192 `, said];
      }),
    );
    const wrong = walk.filter((n, i) => heard[i] !== data.rides[n][2]).length;
    if (!reads.length) say(`${which.length} rides are told. Choose a train from ${data.names[from]}.`);
    else {
      const slot = argmax(now),
        ride = owner[slot];
      const what = ride === null ? "nothing was written there" : spell(ride);
      say(
        `The head reads slot ${slot + 1} with weight ${fixed(now[slot])} (${what}), and the answer is ${name(at)}` +
          ` (${fixed(probs.at(-1)[at])}). ${wrong ? `${wrong} of ${walk.length} answers are wrong.` : "All answers so far are right."}`,
      );
    }
    publish({
      from: data.names[from],
      trains: trains.map((t) => data.calls[t]),
      told: which.length,
      cut,
      answers: heard.map(name),
      right: walk.length - wrong,
      slot: reads.length ? argmax(now) : null,
    });
  }

  const spell = (n) => {
    const [a, train, b] = data.rides[n];
    return `${data.names[a]}, ${data.calls[train]}, ${data.names[b]}`;
  };
  const twin = (n) => data.rides.findIndex(([a, , b]) => a === data.rides[n][2] && b === data.rides[n][0]);

  again();
}
