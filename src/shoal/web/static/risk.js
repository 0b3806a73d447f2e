// Risk now: how many records the quasi-identifiers single out in the file as it is.

import { question } from "./asking.js";
import { el, name, problem, set, table } from "./dom.js";
import { count, share } from "./format.js";
import { bar } from "./gauge.js";
import { term } from "./glossary.js";
import { t } from "./words.js";

/** Return the step that shows the risk of the file as it is. */
export function riskStep(page) {
  const place = el("div", { role: "status", "data-test": "risk-now" });
  question(page, "risk", {
    steps: ["risk"], wait: 100,
    hear({ state, answer, error, stands }) {
      place.setAttribute("aria-busy", String(state === "waiting" || state === "busy"));
      if (state === "done") set(place, figures(answer));
      else if (state === "failed") set(place, problem(error));
      else if (state === "blocked") set(place, el("p", { class: "bad" }, stands));
      else if (!place.childElementCount) set(place, el("p", { class: "soft" }, t("risk.counting")));
    },
  });
  return el("section", { "aria-labelledby": "risk-heading" },
    el("h2", { id: "risk-heading" }, t("risk.heading")),
    el("p", null, t("risk.what"), " ", term("quasi-identifier")),
    place);
}

function figures(told) {
  const { all, seen, k } = told;
  if (!all) return el("p", { class: "soft" }, t("risk.none"));
  const of = (columns) => columns.flatMap((one, at) => [at ? " + " : "", name(one, 40)]);
  return [
    el("div", { class: "answers" },
      card(all.alone ? "no" : "yes", share(all.alone, seen), t("risk.alone", { n: count(all.alone) }),
        term("unique")),
      card(all.below ? "no" : "yes", share(all.below, seen),
        t("risk.below", { n: count(all.below), k: count(k) }), term("k"))),
    seen < told.records && el("p", { class: "soft" }, t("risk.seen", { n: count(seen) })),
    el("h3", null, t("risk.each")),
    listed(t("risk.each"), told.each.map((one) => [of(one.columns), one]), seen, k),
    told.pairs.length > 0 && [
      el("h3", null, t("risk.pairs")),
      el("p", { class: "soft" }, t("risk.pattern")),
      listed(t("risk.pairs"), told.pairs.map((one) => [of(one.columns), one]), seen, k),
    ],
    told.without.length > 0 && [
      el("h3", null, t("risk.without")),
      el("p", { class: "soft" }, t("risk.without_what")),
      listed(t("risk.without"), told.without.map((one) => [name(one.column, 40), one]), seen, k),
    ],
    el("p", { class: "soft" }, t("risk.private")),
  ];
}

function card(mood, figure, text, more) {
  return el("div", { class: `answer ${mood}` },
    el("p", null, el("strong", { class: "huge" }, figure)), el("p", null, text, " ", more));
}

function listed(label, rows, seen, k) {
  return table(label,
    [t("risk.columns"), t("risk.share"), { text: t("risk.head_alone"), n: true },
      { text: t("risk.head_below", { k: count(k) }), n: true }],
    rows.map(([what, one]) => [what, bar(100 * one.alone / Math.max(1, seen), "risk"),
      share(one.alone, seen), share(one.below, seen)]));
}
