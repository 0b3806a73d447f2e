// The glossary in place: a "?" beside a term that unfolds what it means.

import { el } from "./dom.js";
import { t } from "./words.js";

let terms = 0;

/** Return a button that shows what a term of the glossary means. */
export function term(key) {
  terms += 1;
  const text = el("span", { class: "meaning", id: `term-${terms}`, hidden: true, role: "note" },
    t(`glossary.${key}`));
  const button = el("button", {
    type: "button", class: "term", "aria-expanded": "false", "aria-controls": text.id,
    "aria-label": t("glossary.ask", { term: t(`glossary.${key}.name`) }), "data-test": "term",
    onclick: () => {
      text.hidden = !text.hidden;
      button.setAttribute("aria-expanded", String(!text.hidden));
    },
  }, "?");
  return el("span", { class: "glossed" }, button, text);
}
