// Live figures without a kernel: script and state come when a figure comes near, and it is drawn in the still's place.
(() => {
  const attend = (window.attend ??= {}),
    folder = document.currentScript.dataset.folder;
  const figures = (attend.figures ??= {}),
    states = {},
    asked = {};
  attend.state = (key, saved) => {
    states[key] = saved;
  };

  const script = (name) =>
    (asked[name] ??= new Promise((done, failed) => {
      const made = Object.assign(document.createElement("script"), { src: `${folder + name}.js`, onload: done });
      made.onerror = () => failed(new Error(`The script of live figure ${name} did not come.`));
      document.head.append(made);
    }));

  let dressed;
  const style = () =>
    (dressed ??= new Promise((done) => {
      document.head.append(
        Object.assign(document.createElement("link"), {
          rel: "stylesheet",
          href: `${folder}kit.css`,
          onload: done,
          onerror: done,
        }),
      );
    }));

  const bytes = (text) => new DataView(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);

  // What a figure sees of an ipywidgets model.
  const model = ({ state, buffers }) => {
    const traits = { ...state },
      heard = new Map();
    for (const [path, text] of Object.entries(buffers)) traits[path] = bytes(text);
    const listeners = (event) => heard.get(event) ?? heard.set(event, new Set()).get(event);
    return {
      get: (name) => traits[name],
      set(name, value) {
        if (Object.is(traits[name], value)) return;
        traits[name] = value;
        listeners(`change:${name}`).forEach((hear) => hear(value));
      },
      on: (event, hear) => {
        listeners(event).add(hear);
      },
      off: (event, hear) => {
        hear ? listeners(event).delete(hear) : listeners(event).clear();
      },
      save_changes() {},
      send() {},
    };
  };

  const models = {};
  const ready = async (place) => {
    const { live, key } = place.dataset;
    await Promise.all([script(live), script(key)]);
    return (models[key] ??= model(states[key]));
  };

  const mount = async (place) => {
    const [weights] = await Promise.all([ready(place), style()]);
    figures[place.dataset.live].render({ model: weights, el: place });
    place.classList.add("drawn");
  };

  // The figure's forward pass with the weights of this page: attend.compute("elman", input) resolves to its result.
  attend.compute = async (name, input) => {
    const place = document.querySelector(`[data-live="${name}"]`);
    if (!place) throw new Error(`No live figure ${name} on this page.`);
    const weights = await ready(place);
    return figures[name].compute(weights, input);
  };

  const near = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (isIntersecting) {
          near.unobserve(target);
          mount(target);
        }
      }
    },
    { rootMargin: "600px" },
  );
  document.querySelectorAll(".attend-live").forEach((place) => near.observe(place));
})();
