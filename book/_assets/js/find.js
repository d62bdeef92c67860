// A page opened from disk may not read other pages, so its search results come without excerpts.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
// A page that is read for its excerpt brings styles of its own, which this page's policy would refuse aloud.
const asText = Search.htmlToText;
Search.htmlToText = (page, ...rest) => asText(page.replace(/<style>.*?<\/style>/, ""), ...rest);
