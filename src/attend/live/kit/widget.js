import { decode } from "./tensor.js";
import { element } from "./dom.js";

/** A figure {render, forward} as an anywidget front end: {render({model, el}), compute(model, input)}. */
export function widget(name, figure) {
  return {
    render({ model, el }) {
      const root = element("div", {
        class: "attend-figure", "data-figure": name, role: "group", "aria-label": model.get("alt"),
      });
      const stage = element("div", { class: "stage" });
      root.append(element("p", { class: "invite" }, model.get("invite")), stage);
      el.replaceChildren(root);
      const wide = el.clientWidth || el.parentElement?.clientWidth || 640;
      const cleanUp = figure.render({
        root: stage,
        width: Math.max(280, Math.min(wide, 720)),
        data: model.get("data"),
        tensors: decode(model.get("layout_of_tensors"), model.get("buffer")),
        publish: (value) => { model.set("value", value); model.save_changes(); },
      });
      root.dataset.ready = "true";
      return typeof cleanUp === "function" ? cleanUp : () => {};
    },
    compute(model, input) {
      return figure.forward(decode(model.get("layout_of_tensors"), model.get("buffer")), model.get("data"), input);
    },
  };
}
