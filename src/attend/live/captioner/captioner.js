import { surface } from "../kit/canvas.js";
import { button, controls, keys, KEYS, speaker, toggle } from "../kit/control.js";
import { clamp, element, set, unique, within } from "../kit/dom.js";
import { argmax } from "../kit/tensor.js";
import { see, write } from "./net.js";
import { another, CELL, compose, dice, put, SIDE, truth } from "./scene.js";

const KINDS = ["soft", "hard"],
  WIDE = SIDE * CELL;

/** input {image, placed}: 48 x 48 numbers from 0 to 1, and for each word the region that hard attention must look at, or null. */
export function forward(tensors, data, { image, placed }) {
  const seen = see(tensors, Float32Array.from(image));
  return Object.fromEntries(KINDS.map((kind) => [kind, write(tensors, kind, seen, { ...data, placed })]));
}

export function render({ root, width, data, tensors, publish }) {
  const wide = width >= 560,
    gap = wide ? 18 : 14,
    half = Math.floor((width - gap) / 2);
  const large = wide ? Math.floor((width - 2 * gap) / 3) : Math.min(width, 250),
    small = wide ? large : half;
  const chance = dice(data.seed),
    [things, scraps] = ["things", "scraps"].map((name) => tensors[name].shape[0]);
  let cells,
    placed,
    image,
    result,
    right,
    at = 0,
    chosen = 0,
    held = null,
    over = null,
    spelled = false;

  const top = element("div", { class: "digit-top" });
  top.style.columnGap = `${gap}px`;
  root.append(top);
  const pad = panel("The scene", large, {
    tabindex: 0,
    role: "slider",
    "aria-label": "The scene, nine cells",
    class: "pad",
    ...KEYS,
  });
  const maps = {
    soft: panel("Soft attention", small, { "aria-hidden": "true" }),
    hard: panel("Hard attention", small, {
      tabindex: 0,
      role: "slider",
      "aria-label": "Where hard attention looks",
      class: "pad",
      ...KEYS,
    }),
  };
  set(pad.line, { class: "caption-words true" });
  for (const kind of KINDS) listen(kind);
  const say = speaker({ parent: root, seen: true });
  root.append(element("p", { class: "strip-name shelf-name" }, "To put into the framed cell of the scene"));
  const shelf = controls(root);
  const kinds = [...new Set(data.names)];
  kinds.forEach((name) => thumb("things", data.names.indexOf(name), data.words[name], () => fill("things", name)));
  thumb("scraps", 0, "scrap", () => fill("scraps"));
  const line = controls(root);
  button({
    parent: line,
    label: "Empty the cell",
    onPress: () => {
      cells[chosen] = null;
      draw();
    },
  });
  button({
    parent: line,
    label: "Another scene",
    onPress: () => {
      cells = another(things, scraps, chance);
      draw();
    },
  });
  const free = button({
    parent: line,
    label: "Let hard attention look by itself",
    onPress: () => {
      draw();
      maps.hard.made.focus({ preventScroll: true });
    },
  });
  toggle({
    parent: line,
    label: "Write into each cell which word comes after a look at it alone",
    value: false,
    onChange: (to) => {
      spelled = to;
      paint();
    },
  });

  /** A square to draw on, with a name above and a line of words below. */
  function panel(name, length, attributes) {
    const box = element("div"),
      heading = element("p", { class: "strip-name" }, name),
      words = element("p");
    heading.style.marginTop = "0";
    box.append(heading);
    const { made, on } = surface(box, length, length, attributes);
    box.append(words);
    box.style.width = `${length}px`;
    top.append(box);
    const find = (event) => {
      const [column, row] = within(made, event).map((share) => clamp(Math.floor(share * SIDE), 0, SIDE - 1));
      return row * SIDE + column;
    };
    return { made, on, find, line: words, length };
  }

  /** A caption whose words can be pointed at; and, for hard attention, a map on which its look can be moved. */
  function listen(kind) {
    const { line: words, made, find } = maps[kind];
    set(words, {
      class: "caption-words",
      role: "listbox",
      "aria-label": `Words of ${kind} attention`,
      "aria-orientation": "horizontal",
      tabindex: 0,
      ...KEYS,
    });
    keys(words, ([across, up]) => move(at + (across || -up)), { Home: () => move(0), End: () => move(data.steps - 1) });
    if (kind === "soft") return;
    made.addEventListener("click", (event) => look(find(event)));
    keys(made, (by) => look(beside(argmax(result.hard.used[step("hard")]), by)), {
      Delete: () => draw(),
      Escape: () => draw(),
    });
  }

  function thumb(kind, which, name, onPress) {
    const side = tensors[kind].shape[1],
      inner = element("canvas", { width: side, height: side, "aria-hidden": "true" });
    inner.style.width = `${2 * side}px`;
    Object.assign(inner.dataset, { kind, which });
    const made = element(
      "button",
      {
        type: "button",
        class: "thumb",
        title: name,
        "aria-label": `Put ${/^[aeiou]/.test(name) ? "an" : "a"} ${name} there`,
        ...KEYS,
      },
      inner,
    );
    made.addEventListener("click", onPress);
    shelf.append(made);
  }

  const beside = (cell, [dx, dy]) =>
    clamp(Math.floor(cell / SIDE) - dy, 0, SIDE - 1) * SIDE + clamp((cell % SIDE) + dx, 0, SIDE - 1);
  const step = (kind) => Math.min(at, result[kind].words.length - 1);
  const place = (cell) => `row ${Math.floor(cell / SIDE) + 1}, column ${(cell % SIDE) + 1}`;

  /** Put a thing of this name, or a scrap, into the chosen cell: another one each time. */
  function fill(kind, name) {
    const all =
      kind === "things"
        ? data.names.flatMap((n, i) => (n === name ? [i] : []))
        : Array.from({ length: scraps }, (_, i) => i);
    const now = cells[chosen]?.kind === kind ? all.indexOf(cells[chosen].which) : -1,
      middle = kind === "things" ? 1 : 5;
    cells[chosen] = put(kind, all[(now + 1) % all.length], middle, middle);
    draw();
  }

  function carry(from, to) {
    [cells[from], cells[to]] = [cells[to], cells[from]];
    chosen = to;
    draw();
  }

  pad.made.addEventListener("pointerdown", (event) => {
    try {
      pad.made.setPointerCapture(event.pointerId);
    } catch {
      /* the pointer is already up */
    }
    chosen = held = over = pad.find(event);
    pad.made.focus({ preventScroll: true });
    event.preventDefault();
    paint();
  });
  pad.made.addEventListener("pointermove", (event) => {
    if (held === null || pad.find(event) === over) return;
    over = pad.find(event);
    paint();
  });
  pad.made.addEventListener("pointerup", () => {
    const from = held;
    held = null;
    if (from !== null && from !== over) carry(from, over);
    else paint();
  });
  pad.made.addEventListener("pointercancel", () => {
    held = null;
    paint();
  });
  const empty = () => {
    cells[chosen] = null;
    draw();
  };
  keys(
    pad.made,
    (by, big) => {
      const to = beside(chosen, by);
      if (big && to !== chosen) carry(chosen, to);
      else {
        chosen = to;
        paint();
      }
    },
    { Delete: empty, Backspace: empty },
  );

  /** Ask both captioners about the scene as it is now. */
  function draw(looks = []) {
    placed = looks;
    image = compose(tensors, cells);
    right = truth(data, cells);
    result = forward(tensors, data, { image, placed });
    KINDS.forEach(spell);
    paint();
  }

  function look(cell) {
    const looks = placed.slice();
    looks[step("hard")] = cell;
    draw(looks);
  }

  function move(to) {
    const longest = Math.max(...KINDS.map((kind) => result[kind].words.length)),
      next = clamp(to, 0, longest - 1);
    if (next !== at) {
      at = next;
      paint();
    }
  }

  /** The words of a caption, each to be pointed at. */
  function spell(kind) {
    maps[kind].line.replaceChildren(
      ...result[kind].words.flatMap((word, t) => {
        const made = element("span", { id: unique("word"), role: "option" }, data.words[word]);
        made.addEventListener("pointerenter", () => move(t));
        made.addEventListener("click", () => move(t));
        return [made, " "];
      }),
    );
  }

  /** Mark the word that is looked into, and those that are wrong. */
  function mark(kind) {
    const { line: words } = maps[kind],
      now = step(kind);
    Array.from(words.children).forEach((made, t) => {
      const wrong = right && result[kind].words[t] !== right[t];
      set(made, {
        "aria-selected": String(t === now),
        class: [t === now && "now", wrong && "wrong"].filter(Boolean).join(" ") || null,
        title: wrong ? "wrong" : null,
      });
    });
    set(words, { "aria-activedescendant": words.children[now].id });
  }

  function inked({ on, length }, colour, strength) {
    const each = length / WIDE;
    on.fillStyle = colour;
    image.forEach((value, i) => {
      on.globalAlpha = value * strength;
      if (value > 0.01) on.fillRect((i % WIDE) * each, Math.floor(i / WIDE) * each, each, each);
    });
    on.globalAlpha = 1;
  }

  function frame({ on, length }, cell, colour, thick) {
    const each = length / SIDE;
    on.strokeStyle = colour;
    on.lineWidth = thick;
    on.strokeRect(
      (cell % SIDE) * each + thick / 2,
      Math.floor(cell / SIDE) * each + thick / 2,
      each - thick,
      each - thick,
    );
  }

  function weighed(kind, colour) {
    const map = maps[kind],
      { on, length } = map,
      { weights, used, alone } = result[kind],
      t = step(kind),
      each = length / SIDE;
    on.fillStyle = colour("wash");
    on.fillRect(0, 0, length, length);
    on.fillStyle = colour("attention");
    weights[t].forEach((weight, i) => {
      on.globalAlpha = 0.75 * weight;
      on.fillRect((i % SIDE) * each, Math.floor(i / SIDE) * each, each, each);
    });
    inked(map, colour("ink"), 0.6);
    for (let i = 0; i < SIDE * SIDE; i++) frame(map, i, colour("line"), 1);
    if (kind === "hard") frame(map, argmax(used[t]), colour("ink"), Number.isInteger(placed[t]) ? 4 : 2);
    on.textAlign = "center";
    on.fillStyle = colour("ink");
    on.font = `600 ${Math.min(15, each / 4.5)}px system-ui, sans-serif`;
    if (spelled)
      alone[t].forEach((word, i) =>
        on.fillText(data.words[word], ((i % SIDE) + 0.5) * each, (Math.floor(i / SIDE) + 1) * each - 6),
      );
  }

  /** Everything that is seen and said. */
  function paint() {
    const style = getComputedStyle(root),
      colour = (name) => style.getPropertyValue(`--${name}`).trim() || "#888";
    pad.on.fillStyle = colour("wash");
    pad.on.fillRect(0, 0, large, large);
    inked(pad, colour("input"), 1);
    for (let i = 0; i < SIDE * SIDE; i++) frame(pad, i, colour("line"), 1);
    frame(pad, held === null ? chosen : over, colour("ink"), 2);
    free.disabled = !placed.some(Number.isInteger);
    pad.line.textContent = right
      ? `Right: ${right.map((word) => data.words[word]).join(" ")}`
      : "No caption is right here.";
    KINDS.forEach((kind) => {
      weighed(kind, colour);
      mark(kind);
    });
    const holds =
      cells[chosen]?.kind === "things"
        ? data.words[data.names[cells[chosen].which]]
        : cells[chosen]
          ? "a scrap"
          : "nothing";
    set(pad.made, {
      "aria-valuenow": chosen + 1,
      "aria-valuemin": 1,
      "aria-valuemax": SIDE * SIDE,
      "aria-valuetext": `${place(chosen)}: ${holds}`,
    });
    const told = KINDS.map((kind) => {
      const { words, weights, used } = result[kind],
        t = step(kind),
        cell = argmax(used[t]),
        share = Math.round(100 * weights[t][cell]);
      const moved = kind === "hard" && Number.isInteger(placed[t]) ? ", where you put it" : "";
      return `${kind === "soft" ? "Soft" : "Hard"}: before \u201c${data.words[words[t]]}\u201d it looked ${kind === "soft" ? "most " : ""}at ${place(cell)} (${share} %)${moved}.`;
    });
    const look = argmax(result.hard.used[step("hard")]);
    set(maps.hard.made, {
      "aria-valuenow": look + 1,
      "aria-valuemin": 1,
      "aria-valuemax": SIDE * SIDE,
      "aria-valuetext": told[1],
    });
    say(told.join(" "));
    const line = (words) => words?.map((word) => data.words[word]).join(" ") ?? null;
    const [soft, hard] = KINDS.map((kind) => ({ ...result[kind], caption: line(result[kind].words) }));
    publish({ at, chosen, cells, placed: Array.from(placed, (cell) => cell ?? null), right: line(right), soft, hard });
  }

  function thumbs() {
    const full = getComputedStyle(root).getPropertyValue("--input").trim() || "#888";
    for (const inner of shelf.querySelectorAll("canvas")) {
      const on = inner.getContext("2d"),
        { values } = tensors[inner.dataset.kind],
        side = inner.width;
      on.clearRect(0, 0, side, side);
      on.fillStyle = full;
      for (let k = 0; k < side * side; k++) {
        on.globalAlpha = values[Number(inner.dataset.which) * side * side + k] / 255;
        on.fillRect(k % side, Math.floor(k / side), 1, 1);
      }
    }
  }

  const theme = new MutationObserver(() => {
    thumbs();
    paint();
  });
  for (const carrier of [document.documentElement, document.body])
    theme.observe(carrier, { attributes: true, attributeFilter: ["data-theme", "theme", "data-jp-theme-light"] });
  cells = data.scene.map((held) => held && put(...held));
  chosen = Math.max(
    0,
    cells.findIndex((held) => held?.kind === "things"),
  );
  thumbs();
  draw();
  return () => theme.disconnect();
}
