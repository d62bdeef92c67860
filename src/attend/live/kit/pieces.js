import { KEYS, keys } from "./control.js";
import { clamp, element, set, unique } from "./dom.js";

/**
 * A line of words of which one is chosen: by mouse, touch, the arrow keys, Home and End. `onMove` hears of each choice.
 * Returns {element, at(), choose(place), show(words, at)}; a word is what an element may hold: a text, or a list of parts.
 */
export function pieces({ parent, kind = "", onMove, ...attributes }) {
  const line = element("div", {
    class: `pieces ${kind}`.trim(),
    role: "listbox",
    "aria-orientation": "horizontal",
    ...attributes,
    tabindex: 0,
    ...KEYS,
  });
  let at = 0;
  keys(line, ([across, up]) => choose(at + (across || -up)), { Home: () => choose(0), End: () => choose(Infinity) });
  parent.append(line);

  const within = (to) => clamp(to, 0, line.children.length - 1);

  function choose(to) {
    if (within(to) === at) return;
    mark(to);
    onMove();
  }

  function show(words, to) {
    line.replaceChildren(
      ...words.map((word, i) => {
        const made = element("span", { id: unique("piece"), role: "option" }, ...[word].flat());
        made.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && choose(i));
        made.addEventListener("click", () => choose(i));
        return made;
      }),
    );
    mark(to);
  }

  function mark(to) {
    at = within(to);
    Array.from(line.children).forEach((made, i) => {
      set(made, { "aria-selected": String(i === at) });
      made.classList.toggle("now", i === at);
    });
    set(line, { "aria-activedescendant": line.children[at]?.id });
  }

  return { element: line, at: () => at, choose, show };
}
