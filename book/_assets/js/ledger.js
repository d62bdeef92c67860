// The ledger by verdict, part and source. Without this script all of it is listed, and the form stays hidden.
(() => {
  const form = document.querySelector("form.filters");
  const rows = [...document.querySelectorAll(".ledger tbody tr")];
  const tables = [...document.querySelectorAll(".ledger")].map((table) => [
    table.closest("section"),
    [...table.tBodies[0].rows],
  ]);

  const show = () => {
    const wanted = [...new FormData(form).values()].filter(Boolean);
    for (const row of rows) row.hidden = !wanted.every((mark) => row.classList.contains(mark));
    for (const [section, some] of tables) section.hidden = some.every((row) => row.hidden);
    const count = rows.filter((row) => !row.hidden).length;
    form.querySelector("[role=status]").textContent = `${count} of ${rows.length} claims`;
  };

  form.addEventListener("change", show);
  // The fields are as they were only after the event.
  form.addEventListener("reset", () => setTimeout(show));
  form.addEventListener("submit", (event) => event.preventDefault());
  // Who comes back to the page finds what was chosen.
  addEventListener("pageshow", show);
  form.hidden = false;
  show();
})();
