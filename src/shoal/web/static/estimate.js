// Run: what a run does and takes, the button that starts it, and comparisons of methods.

import { question } from "./asking.js";
import { checked, get, send } from "./api.js";
import { withRole, numbers, obstacle, recipeOf } from "./draft.js";
import { cut, el, field, name, problem, prose, set } from "./dom.js";
import { count, loss } from "./format.js";
import { jobList } from "./home.js";
import { reason } from "./method.js";
import { number } from "./options.js";
import { keepSettings } from "./take.js";
import { streamPart } from "./streams.js";
import { weightWord } from "./survey.js";
import { relabeled, t } from "./words.js";

const WAIT = 900; // ms after the last change

/** Return the step that starts a run. */
export function runStep(page) {
  const summary = el("div", { "data-test": "summary" });
  const told = el("div", { class: "estimate", role: "status", "data-test": "estimate" });
  const trouble = el("div");
  question(page, "preview", {
    steps: ["run"], wait: WAIT,
    hear({ state, answer, error, stands }) {
      page.estimate = state === "done" ? answer : null;
      if (state === "done") set(told, words(answer));
      else if (state === "failed") set(told, problem(error));
      else if (state === "blocked") set(told, el("p", { class: "bad" }, stands));
      else set(told, el("p", { class: "soft" }, t(`estimate.${state}`)));
      page.tell("estimate");
    },
  });
  const refresh = () => set(summary, rolesInWords(page));
  page.on("any", refresh);
  refresh();
  const run = el("button", {
    type: "button", class: "primary large", "data-test": "run",
    onclick: () => start(page, "anonymize", null, run, trouble),
  }, t("run.go"));
  const keep = el("button", {
    type: "button", class: "quiet", "data-test": "keep-settings",
    onclick: () => keepSettings(page.id, recipeOf(page.look, page.draft), trouble),
  }, t("settings.keep"));
  return el("section", { "aria-labelledby": "run-heading" },
    el("h2", { id: "run-heading" }, t("run.heading")),
    summary, trouble, told,
    el("div", { class: "actions" }, run, keep),
    comparePart(page),
    streamPart(page),
    jobList(page.jobs, trouble, t("run.jobs")));
}

function words(found) {
  const parts = [found.told ? relabeled(found.told) : t("estimate.unknown")];
  if (typeof found.loss === "number") parts.push(t("estimate.loss", { loss: loss(found.loss) }));
  return [
    el("p", null, el("strong", null, parts.join("; ")),
      found.loss_name ? ` (${relabeled(found.loss_name)})` : ""),
    el("p", { class: "soft" },
      t("estimate.from", { sample: count(found.sample), records: count(found.records),
        method: found.method }), " ", prose(reason(found))),
  ];
}

function rolesInWords(page) {
  const { look, draft } = page;
  const names = (list) => list.flatMap((i, at) => [at ? ", " : "", name(look.columns[i].name, 40)]);
  const of = (role) => withRole(draft, role);
  const gone = [...of("identifier"),
    ...[draft.household, draft.person].filter((index) => index !== null)];
  const lines = [
    ["grouped", of("quasi-identifier")],
    ["strata", draft.by],
    ["sensitive", of("sensitive")],
    ["kept", of("other")],
    ["weight", draft.weight === null ? [] : [draft.weight]],
    ["dropped", gone],
    ["left", of("drop")],
    ["ledger", draft.series && draft.person !== null ? [draft.person] : []],
  ].filter(([, list]) => list.length);
  return el("dl", null, lines.map(([label, list]) =>
    [el("dt", null, t(`summary.${label}`)), el("dd", null, names(list),
      label === "weight" && `: ${weightWord(draft.weights_as)}`)]));
}

async function start(page, kind, compare, button, trouble) {
  const stands = obstacle(page.look, page.draft, name);
  if (stands) {
    set(trouble, el("div", { class: "problem", role: "alert", "data-test": "error" }, stands));
    trouble.scrollIntoView({ block: "center" });
    return;
  }
  set(trouble);
  button.disabled = true;
  try {
    await page.saved();
    const { id } = await send("POST", "/jobs", {
      file: page.id, kind, recipe: recipeOf(page.look, page.draft), format: page.draft.format,
      compare,
    });
    location.assign(`/jobs/${checked(id)}`);
  } catch (error) {
    set(trouble, problem(error));
    trouble.scrollIntoView({ block: "center" });
  }
  button.disabled = false;
}

/** Return the part that compares methods. */
function comparePart(page) {
  const { draft, methods } = page;
  const trouble = el("div");
  const sizes = el("input", {
    type: "text", value: draft.compareK, inputmode: "numeric", "data-test": "compare-k",
    autocomplete: "off", oninput: () => keep("compareK", sizes.value),
  });
  const budget = el("input", {
    type: "number", min: "1", step: "any", value: draft.budget, "data-test": "compare-budget",
    autocomplete: "off", oninput: () => keep("budget", budget.value),
  });
  const keep = (key, value) => page.change("compare", () => { draft[key] = value; }, key);
  page.on("restored", () => {
    sizes.value = draft.compareK;
    budget.value = draft.budget;
  });
  const boxes = methods.map((method) => {
    const box = el("input", {
      type: "checkbox", checked: draft.methods.includes(method.name), "data-test": "compare-method",
      onchange: () => keep("methods", box.checked ? [...draft.methods, method.name]
        : draft.methods.filter((own) => own !== method.name)),
    });
    page.on("restored", () => { box.checked = draft.methods.includes(method.name); });
    return el("label", { class: "check", title: relabeled(method.summary) }, box, " ", cut(method.name));
  });
  const button = el("button", { type: "button", "data-test": "compare-run", onclick: go },
    t("compare.go"));
  function go() {
    const k = numbers(draft.compareK.trim() || draft.k);
    if (!k) {
      set(trouble, problem(t("compare.k_wrong")));
      return;
    }
    const known = draft.methods.filter((own) => methods.some((method) => method.name === own));
    start(page, "compare",
      { k, methods: known.length ? known : null, budget: number(draft.budget) }, button, trouble);
  }
  return el("details", { "data-test": "compare" },
    el("summary", null, t("compare.heading")),
    el("p", null, t("compare.what")),
    el("div", { class: "fields" },
      field(t("compare.k"), sizes, t("compare.k_hint")),
      field(t("compare.budget"), budget, t("compare.budget_hint"))),
    el("details", null, el("summary", null, t("compare.which")),
      el("p", { class: "hint" }, t("compare.which_hint")),
      el("div", { class: "checks" }, boxes)),
    trouble,
    el("div", { class: "actions" }, button));
}

/** Return the methods there are; a page without them still works with auto. */
export async function knownMethods() {
  try {
    return await get("/methods.json");
  } catch {
    return [];
  }
}
