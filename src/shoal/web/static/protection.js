// Protection: how many records each hides among, what groups may tell, and how groups are made.

import { input, select } from "./controls.js";
import { withRole } from "./draft.js";
import { el, field, set } from "./dom.js";
import { count } from "./format.js";
import { followTrials, gauges } from "./gauge.js";
import { term } from "./glossary.js";
import { methodPart } from "./method.js";
import { number } from "./options.js";
import { outputPart } from "./output.js";
import { presetPart } from "./presets.js";
import { seriesPart } from "./series.js";
import { stepsPart } from "./steplist.js";
import { surveyPart } from "./survey.js";
import { treesPart } from "./trees.js";
import { t } from "./words.js";

const FURTHER = ["beta", "delta", "e"]; // models that few ask for
const SLIDER = 50; // the largest k of the slider; the field beside it takes any

/** Return the step of protection. */
export function protectionStep(page) {
  followOnce(page);
  return el("section", { "aria-labelledby": "protection-heading" },
    el("h2", { id: "protection-heading" }, t("protection.heading")),
    el("div", { class: "halves wide" },
      el("div", null, kField(page), presetPart(page), beyondPart(page), methodPart(page)),
      el("div", null, gauges(page))),
    treesPart(page),
    stepsPart(page),
    surveyPart(page),
    seriesPart(page),
    outputPart(page));
}

/** Begin to ask for trials, once a page. */
export function followOnce(page) {
  if (page.followsTrials) return;
  page.followsTrials = true;
  followTrials(page);
}

/** Return a field for k with a slider under it; `before` names them where there is another. */
export function kField(page, before = "") {
  const slider = el("input", {
    type: "range", min: "2", max: String(SLIDER), step: "1", "aria-label": t("protection.slider"),
    "data-test": `${before}k-slider`,
    oninput: () => page.change("choose", (draft) => { draft.k = slider.value; }, "k"),
  });
  const control = input(page, "k", {
    type: "number", min: "2", step: "1", inputmode: "numeric", "data-test": `${before}k`,
  });
  const means = el("span", { "aria-live": "polite", "data-test": `${before}k-means` });
  const refresh = () => {
    const k = number(page.draft.k);
    const whole = Number.isInteger(k) && k >= 2;
    const one = page.draft.person === null ? "records" : "people";
    const who = page.draft.household === null ? one : "households";
    if (whole) slider.value = String(Math.min(SLIDER, k));
    if (document.activeElement !== control) control.value = page.draft.k;
    set(means, whole ? t("protection.means", { k: count(k), who: t(`who.${who}`) })
      : t("protection.whole"));
  };
  page.on("choose", refresh);
  page.on("survey", refresh);
  refresh();
  return el("div", { class: "big" },
    field(`${t("field.k_words")} (k)`, control, means, term("k")), slider);
}

function beyondPart(page) {
  const numeric = (key, more = {}) => input(page, key, {
    type: "number", min: "0", step: "any", "data-test": key, ...more });
  const whether = el("p", { class: "hint" });
  const fields = el("fieldset", null,
    el("legend", null, t("beyond.legend")),
    field(`${t("beyond.l")} (l)`, numeric("l", { min: "1", step: "1" }), t("beyond.l_hint"),
      term("l")),
    field(`${t("beyond.alpha")} (alpha)`, numeric("alpha", { max: "1" }), t("beyond.alpha_hint"),
      term("alpha")),
    field(`${t("beyond.t")} (t)`, numeric("t", { max: "1" }), t("beyond.t_hint"), term("t")),
    el("details", { class: "inner", open: FURTHER.some((key) => page.draft[key]) },
      el("summary", null, t("beyond.more")),
      FURTHER.map((key) => field(`${t(`beyond.${key}`)} (${key})`, numeric(key),
        t(`beyond.${key}_hint`)))),
    field(t("field.missing_sensitive"), select(page, "missing_sensitive",
      [["ignored", t("beyond.missing_ignored")], ["value", t("beyond.missing_value")]],
      { "data-test": "missing-sensitive" })));
  const refresh = () => {
    const any = withRole(page.draft, "sensitive").length > 0;
    fields.disabled = !any;
    set(whether, any ? t("beyond.why") : t("beyond.none"));
  };
  page.on("roles", refresh);
  page.on("survey", refresh);
  refresh();
  const open = ["l", "t", "alpha", ...FURTHER].some((key) => page.draft[key]);
  return el("details", { open, "data-test": "beyond" },
    el("summary", null, t("beyond.heading")), whether, fields);
}
