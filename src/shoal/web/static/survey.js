// People with several records, and surveys: weights, strata, households.

import { select } from "./controls.js";
import { choice, cut, el, field } from "./dom.js";
import { t } from "./words.js";

const WEIGHTS = ["mean", "drop", "rounded:1", "rounded:10", "rounded:100", "exact"];

/** Return how survey weights are released, in words. */
export function weightWord(how) {
  const step = /^rounded:(.+)$/.exec(how)?.[1];
  return step === undefined ? t(`weights.${how}`) : t("weights.rounded", { step });
}

/** Return a choice of a column; others of the same key follow it. */
export function columnChoice(page, key, indices, test) {
  const options = [["", t("survey.none")],
    ...indices.map((i) => [String(i), page.look.columns[i].name])];
  const now = () => (page.draft[key] === null ? "" : String(page.draft[key]));
  const node = choice(options, now(), {
    "data-test": test,
    onchange: () => page.change("survey", (draft) => {
      draft[key] = node.value === "" ? null : Number(node.value);
    }),
  });
  for (const kind of ["restored", "survey"]) page.on(kind, () => { node.value = now(); });
  return node;
}

/** Return the part of surveys and of people with several records. */
export function surveyPart(page) {
  const { look, draft } = page;
  const every = look.columns.map((_, i) => i);
  const numeric = every.filter((i) => look.columns[i].numeric);
  const boxes = every.map((i) => {
    const box = el("input", {
      type: "checkbox", checked: draft.by.includes(i),
      onchange: () => page.change("survey", () => {
        draft.by = box.checked ? [...draft.by, i].sort((a, b) => a - b)
          : draft.by.filter((own) => own !== i);
      }),
    });
    page.on("restored", () => { box.checked = draft.by.includes(i); });
    return el("label", { class: "check" }, box, " ", el("bdi", null, cut(look.columns[i].name)));
  });
  const small = select(page, "small_strata",
    [["refuse", t("survey.refuse")], ["merge", t("survey.merge")]], { "data-test": "small-strata" });
  const known = WEIGHTS.includes(draft.weights_as) ? WEIGHTS : [...WEIGHTS, draft.weights_as];
  const weights = select(page, "weights_as", known.map((how) => [how, weightWord(how)]),
    { "data-test": "weights-as" });
  const refresh = () => {
    small.disabled = draft.by.length === 0;
    weights.disabled = draft.weight === null;
  };
  page.on("survey", refresh);
  refresh();
  const open = draft.weight !== null || draft.household !== null || draft.person !== null
    || draft.by.length > 0;
  return el("details", { open, "data-test": "survey" },
    el("summary", null, t("survey.heading")),
    el("div", { class: "fields" },
      field(t("field.person"), columnChoice(page, "person", every, "person"),
        t("survey.person_hint")),
      field(t("field.count"), select(page, "count",
        [["people", t("survey.count_people")], ["records", t("survey.count_records")]],
        { "data-test": "counted" })),
      field(t("field.weight"), columnChoice(page, "weight", numeric, "weight"),
        t("survey.weight_hint")),
      field(t("field.weights_as"), weights, t("survey.weights_hint")),
      field(t("field.household"), columnChoice(page, "household", every, "household"),
        t("survey.household_hint")),
      field(t("field.small_strata"), small, t("survey.small_hint"))),
    el("fieldset", { "data-test": "by" },
      el("legend", null, t("field.by"), ": ", t("survey.by_hint")),
      el("div", { class: "checks" }, boxes)));
}
