// A page opened from disk may not read other pages, so its search results come without excerpts.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

// Sphinx would hand the words on to the next page by the browser's storage, which a reader may have closed; no page reads them.
globalThis.SPHINX_HIGHLIGHT_ENABLED = false;

// Whoever asks for "constructor" means the word, not what every object inherits.
const bare = Object.create(null, {
  hasOwnProperty: {
    value(name) {
      return Object.hasOwn(this, name);
    },
  },
});
const { setIndex } = Search;
Search.setIndex = (index) => {
  for (const words of [index.terms, index.titleterms]) Object.setPrototypeOf(words, bare);
  setIndex(index);
};

// An excerpt is what one would read aloud: no code, no figure's labels, a formula once. A word that stands in none of that is
// shown where it stands. Styles go in any case, for this page's policy would refuse them aloud.
const UNSEEN = "script, button, .headerlink, .katex-mathml",
  UNREAD = `${UNSEEN}, .cell, svg, h1, .under-title`;
const summary = Search.makeSearchSummary;
Search.makeSearchSummary = (page, stems, anchor) => {
  const plain = page.replace(/<style>.*?<\/style>/gs, "");
  for (const left of [UNREAD, UNSEEN]) {
    const read = new DOMParser().parseFromString(plain, "text/html");
    read.querySelectorAll(left).forEach((element) => element.remove());
    const text = (read.querySelector(`[role="main"] ${anchor}`)?.textContent ?? "").toLowerCase();
    // The stem of "memory" is "memori": its last letter need not be there.
    const there = [...stems].flatMap((stem) =>
      [stem, stem.slice(0, -1)].filter((part) => text.includes(part)).slice(0, 1),
    );
    if (there.length) return summary(read.documentElement.outerHTML, there, anchor);
  }
  return summary(plain, stems, anchor);
};
