// Small comforts; every page reads and works without them.
(() => {
  const root = document.documentElement;

  const mode = document.getElementById("mode");
  const name = () => mode.setAttribute("aria-label", root.dataset.theme === "dark" ? "Light page" : "Dark page");
  mode.hidden = false;
  mode.addEventListener("click", () => {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("attend-mode", root.dataset.theme);
    } catch {
      /* a page opened from disk may not remember */
    }
    name();
  });
  new MutationObserver(name).observe(root, { attributeFilter: ["data-theme"] });
  name();

  // What is wider than its place scrolls, and then the keyboard must reach it.
  const wide = document.querySelectorAll(".scrolls, .highlight pre, .output pre, .output:has(> table)");
  const reach = (box) => {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  };
  const resized = new ResizeObserver((entries) => entries.forEach(({ target }) => reach(target)));
  wide.forEach((box) => resized.observe(box));
  document.fonts.addEventListener("loadingdone", () => wide.forEach(reach));

  for (const code of document.querySelectorAll(
    ".cell_input .highlight, details.solution .highlight, .copy .highlight",
  )) {
    if (!navigator.clipboard) break;
    const button = document.createElement("button");
    button.className = "copy-code";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(code.querySelector("pre").innerText);
      button.textContent = "Copied";
      setTimeout(() => {
        button.textContent = "Copy";
      }, 1500);
    });
    code.append(button);
  }

  const contents = document.getElementById("contents");
  // A book's contents are longer than a window: they begin where the reader is.
  const here = contents.querySelector("[aria-current]");
  const begin = () => {
    if (here) contents.scrollTop = here.offsetTop - contents.clientHeight / 3;
  };
  contents.addEventListener("toggle", begin);
  begin();
  contents.addEventListener("click", (event) => {
    if (event.target.closest("a") && contents.matches(":popover-open")) contents.hidePopover();
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, textarea, select, [contenteditable], .attend-live")) return;
    const search = document.querySelector("#find, .top .search input");
    if (search?.checkVisibility()) {
      event.preventDefault();
      search.focus();
    }
  });
})();
