import { decode } from "./tensor.js";
import { element } from "./dom.js";

/** A figure {render, forward} as an anywidget front end: {render({model, el}), compute(model, input)}. */
export function widget(name, figure) {
  return {
    render({ model, el }) {
      const root = element("div", {
        class: "attend-figure",
        "data-figure": name,
        role: "group",
        "aria-label": model.get("alt"),
      });
      const stage = element("div", { class: "stage" });
      root.append(element("p", { class: "invite" }, model.get("invite")), stage);
      el.replaceChildren(root);
      keepFinger(root);
      const wide = el.clientWidth || el.parentElement?.clientWidth || 640;
      const cleanUp = figure.render({
        root: stage,
        width: Math.max(280, Math.min(wide, 720)),
        data: model.get("data"),
        tensors: decode(model.get("layout_of_tensors"), model.get("buffer")),
        publish: (value) => {
          model.set("value", value);
          model.save_changes();
        },
      });
      root.dataset.ready = "true";
      return typeof cleanUp === "function" ? cleanUp : () => {};
    },
    compute(model, input) {
      return figure.forward(decode(model.get("layout_of_tensors"), model.get("buffer")), model.get("data"), input);
    },
  };
}

/** Browsers heed touch-action on an svg element but not inside it: a part that asks for the finger gets it here. */
function keepFinger(root) {
  let action = "auto",
    from = null;
  root.addEventListener(
    "touchstart",
    (event) => {
      const part = event.target.closest("svg [tabindex]");
      action = part ? getComputedStyle(part).touchAction : "auto";
      from = event.touches[0];
      if (action === "none") event.preventDefault();
    },
    { passive: false },
  );
  root.addEventListener(
    "touchmove",
    (event) => {
      const to = event.touches[0],
        across = Math.abs(to.clientX - from.clientX) > Math.abs(to.clientY - from.clientY);
      if (action === "pan-y" && across && event.cancelable) event.preventDefault();
    },
    { passive: false },
  );
}
