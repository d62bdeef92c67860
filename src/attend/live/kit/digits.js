import { textbox } from "./control.js";
import { clamp, set } from "./dom.js";

/** The digits of a text as a number, without thousands separators; null where there are none, or more than 15. */
export function parse(text) {
  const digits = text.replace(/[\s.,'\u2019_]/g, "");
  return /^\d{1,15}$/.test(digits) ? Number(digits) : null;
}

/** A box for a whole number from 0 to `most`, which the arrow keys count up and down. onOther: any other text. Returns {set(number)}. */
export function numberbox({ parent, label, value, most, format = String, onNumber, onOther }) {
  let now = value;
  const take = (to) => {
    now = to;
    onNumber(now);
  };
  const box = textbox({
    parent,
    label,
    value: format(now),
    onInput: (text) => {
      const typed = parse(text);
      if (typed === null || typed > most) onOther();
      else take(typed);
    },
  });
  set(box.input, { inputmode: "numeric" });
  box.input.addEventListener("keydown", (event) => {
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const to = clamp(now + by, 0, most);
    box.set(format(to));
    take(to);
  });
  return {
    set: (to) => {
      now = to;
      box.set(format(now));
    },
  };
}
