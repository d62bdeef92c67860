import { clamp, element, fixed, round, set, unique } from "./dom.js";

/** JupyterLab takes no key from an element that carries this. */
export const KEYS = { "data-lm-suppress-shortcuts": "true" };

/** A row that holds controls side by side, wrapping on a phone. */
export function controls(parent) {
  const made = element("div", { class: "controls" });
  parent.append(made);
  return made;
}

/** A labelled slider. Returns {set(value), value()}. */
export function slider({ parent, label, min, max, step, value, onInput, format = (v) => fixed(v) }) {
  const id = unique("slider");
  const input = element("input", { id, type: "range", min, max, step, value, ...KEYS });
  const shown = element("output", { for: id });
  const show = () => {
    shown.textContent = format(Number(input.value));
    input.setAttribute("aria-valuetext", shown.textContent);
  };
  input.addEventListener("input", () => {
    show();
    onInput(Number(input.value));
  });
  parent.append(element("div", { class: "control slider" }, element("label", { for: id }, label), input, shown));
  show();
  return {
    set: (v) => {
      input.value = v;
      show();
    },
    value: () => Number(input.value),
    input,
  };
}

/** A button. Returns the element. */
export function button({ parent, label, onPress }) {
  const made = element("button", { type: "button", class: "control", ...KEYS }, label);
  made.addEventListener("click", onPress);
  parent.append(made);
  return made;
}

/** One of several options, as radio buttons that look like words. options: [[value, label], …]. */
export function choices({ parent, label, options, value, onChange }) {
  const name = unique("choice");
  const group = element("fieldset", { class: "control choices" }, element("legend", {}, label));
  const inputs = options.map(([option, text]) => {
    const input = element("input", { type: "radio", name, value: option, ...KEYS });
    input.checked = option === value;
    input.addEventListener("change", () => onChange(option));
    group.append(element("label", {}, input, element("span", {}, text)));
    return input;
  });
  parent.append(group);
  return {
    set: (v) =>
      inputs.forEach((input) => {
        input.checked = input.value === String(v);
      }),
  };
}

/** Yes or no. Returns {set(value)}. */
export function toggle({ parent, label, value, onChange }) {
  const input = element("input", { type: "checkbox", ...KEYS });
  input.checked = value;
  input.addEventListener("change", () => onChange(input.checked));
  parent.append(element("label", { class: "control toggle" }, input, element("span", {}, label)));
  return {
    set: (v) => {
      input.checked = v;
    },
  };
}

/** A line of text to type in. */
export function textbox({ parent, label, value, onInput }) {
  const id = unique("text");
  const input = element("input", { id, type: "text", value, autocomplete: "off", spellcheck: "false", ...KEYS });
  input.addEventListener("input", () => onInput(input.value));
  parent.append(element("div", { class: "control textbox" }, element("label", { for: id }, label), input));
  return {
    set: (v) => {
      input.value = v;
    },
    value: () => input.value,
    input,
  };
}

/** A number to drag sideways, or to step with the arrow keys. Returns {set(value), element}. */
export function scrub({
  parent,
  label,
  value,
  min = -Infinity,
  max = Infinity,
  step = 0.1,
  onChange,
  format = (v) => fixed(v, 1),
}) {
  const made = element("span", { class: "scrub", tabindex: 0, role: "slider", "aria-label": label, ...KEYS });
  if (Number.isFinite(min)) set(made, { "aria-valuemin": min, "aria-valuemax": max });
  let now = value,
    from = null;
  const show = () => {
    made.textContent = format(now);
    set(made, { "aria-valuenow": now, "aria-valuetext": format(now) });
  };
  const move = (to) => {
    const next = round(clamp(to, min, max), step);
    if (next !== now) {
      now = next;
      show();
      onChange(now);
    }
  };
  keys(made, (direction, big) =>
    move(now + direction[0] * step * (big ? 10 : 1) + direction[1] * step * (big ? 10 : 1)),
  );
  made.addEventListener("pointerdown", (event) => {
    from = [event.clientX, now];
    made.setPointerCapture(event.pointerId);
    made.focus();
    event.preventDefault();
  });
  made.addEventListener("pointermove", (event) => {
    if (from) move(from[1] + Math.round((event.clientX - from[0]) / 6) * step);
  });
  for (const end of ["pointerup", "pointercancel"])
    made.addEventListener(end, () => {
      from = null;
    });
  parent.append(made);
  show();
  return {
    set: (v) => {
      now = v;
      show();
    },
    element: made,
  };
}

/** Call move([dx, dy], big) for the arrow keys; shift makes a big step. extra: {key: action}. */
export function keys(target, move, extra = {}) {
  const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  target.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const action = arrows[event.key] ? () => move(arrows[event.key], event.shiftKey) : extra[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  });
}

/** A named number that keeps its width. Returns a function that sets its text. */
export function readout({ parent, label, kind = "" }) {
  const shown = element("span", { class: "number" });
  parent.append(element("span", { class: `readout ${kind}` }, element("span", { class: "name" }, label), " ", shown));
  return (text) => {
    shown.textContent = text;
  };
}

/** A line that screen readers speak when it changes; visible when `seen`. Returns a function that sets its text. */
export function speaker({ parent, seen = false }) {
  const made = element("p", { class: seen ? "says" : "says visually-hidden", role: "status" });
  parent.append(made);
  return (text) => {
    if (made.textContent !== text) made.textContent = text;
  };
}
