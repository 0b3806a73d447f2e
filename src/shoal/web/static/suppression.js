// What is left out instead of changed: records within a budget, and how much each column counts.

import { select } from "./controls.js";
import { withRole } from "./draft.js";
import { el, name, set } from "./dom.js";
import { fixed } from "./format.js";
import { t } from "./words.js";

const SHARES = ["0", "0.005", "0.01", "0.02", "0.05"];

function shareWord(share) {
  const percent = 100 * Number(share);
  return percent === 0 ? t("suppress.none")
    : t("suppress.share", { share: fixed(percent, percent % 1 ? 1 : 0) });
}

/** Return the fields of what may be left out. */
export function suppressField(page) {
  const now = page.draft.suppress;
  const shares = SHARES.includes(now) ? SHARES : [...SHARES, now];
  return select(page, "suppress", shares.map((one) => [one, shareWord(one)]),
    { "data-test": "suppress" });
}

/** Return the part that says how much each quasi-identifier counts. */
export function importancePart(page) {
  const { look, draft } = page;
  const list = el("div", { class: "fields narrow" });
  const fields = new Map();
  const made = (i) => {
    const node = el("input", {
      type: "number", min: "0", step: "any", value: draft.importance[i], placeholder: "1",
      "data-test": "importance", "aria-label": t("importance.of", { column: look.columns[i].name }),
      oninput: () => page.change("choose", () => { draft.importance[i] = node.value; },
        `importance-${i}`),
    });
    page.on("restored", () => { node.value = draft.importance[i]; });
    return el("div", { class: "line" }, node, name(look.columns[i].name, 40));
  };
  const refresh = () => set(list, withRole(draft, "quasi-identifier").map((i) => {
    if (!fields.has(i)) fields.set(i, made(i));
    return fields.get(i);
  }));
  for (const kind of ["roles", "survey"]) page.on(kind, refresh);
  refresh();
  return el("details", { class: "inner", "data-test": "importance-part",
    open: draft.importance.some(Boolean) },
  el("summary", null, t("importance.heading")),
  el("p", { class: "hint" }, t("importance.what")), list);
}
