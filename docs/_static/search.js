/* Part of the search page, put in by Sphinx (html_search_scorer in conf.py): guides come before entries of the API
   reference, and results show excerpts from disk too, where a page may not fetch others. */
"use strict";

var Scorer = {
  score: ([page, , , , score]) => (page.startsWith("generated/api/") ? score - 100 : score),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};

if (location.protocol === "file:" && location.pathname.endsWith("/search.html")) {
  const texts = new Promise((resolve) => {
    const script = document.createElement("script");
    script.src = "_static/texts.js"; // written by tools/site/texts.py
    script.onload = () => resolve(window.textsOfPages);
    document.head.append(script);
  });
  window.fetch = async (address) => {
    const page = document.createElement("div");
    page.setAttribute("role", "main");
    page.textContent = (await texts)[address.replace(/^(\.\/)?(.*)\.html$/, "$2")] || "";
    return new Response(page.outerHTML);
  };
}
