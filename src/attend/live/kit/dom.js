const SVG = "http://www.w3.org/2000/svg";
let count = 0;

/** An HTML element; children may be elements or texts. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  set(made, attributes);
  made.append(...children);
  return made;
}

/** An SVG element, appended to its parent. */
export function shape(parent, tag, attributes = {}, text) {
  const made = document.createElementNS(SVG, tag);
  set(made, attributes);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
}

/** Set attributes; null or false removes one. */
export function set(target, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false || value === undefined) target.removeAttribute(name);
    else if (name === "style")
      target.style.cssText = value; // the site's security policy lets no script set the attribute
    else target.setAttribute(name, value === true ? "" : value);
  }
  return target;
}

export const unique = (stem) => `attend-${stem}-${++count}`;
export const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
export const round = (value, step) => Number((Math.round(value / step) * step).toFixed(10));

/** Where a pointer is on an element, across and down, as shares of its width and height. */
export function within(target, event) {
  const box = target.getBoundingClientRect();
  return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
}

/** A number of fixed width, with a true minus sign. */
export const fixed = (value, digits = 2) =>
  value
    .toFixed(digits)
    .replace(/^-(?=[0.]*$)/, "")
    .replace("-", "\u2212");

/** Does the reader ask for little motion? */
export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
