// What a run would do and take, and the buttons that start one.

import { checked, debounced, get, send } from "./api.js";
import { withRole, numbers, obstacle, recipeOf } from "./draft.js";
import { cut, el, field, name, problem, prose, set } from "./dom.js";
import { count, loss } from "./format.js";
import { number } from "./options.js";

const WAIT = 900; // ms after the last change
const LATER = [409, 429]; // what is busy answers after a while
const LONGEST = 30_000; // ms between two questions while it is
const TAB = crypto.randomUUID(); // a name of this page: other tabs have estimates of their own

/** Return the summary of what a run does, and the bar with the estimate and the run button. */
export function runPanel(page) {
  const summary = el("div", { "data-test": "summary" });
  const told = el("div", { class: "estimate", role: "status", "data-test": "estimate" });
  const trouble = el("div");
  const later = debounced(WAIT, estimate);
  let asked = "";
  let running = null;
  let refused = 0;

  async function estimate() {
    const stopper = new AbortController();
    running = stopper;
    try {
      const found = await send("POST", `/files/${checked(page.id)}/preview`,
        { recipe: recipeOf(page.look, page.draft), tab: TAB }, { signal: stopper.signal });
      if (running !== stopper) return;
      refused = 0;
      page.estimate = found;
      set(told, words(found));
    } catch (error) {
      if (running !== stopper || error.name === "AbortError") return;
      if (LATER.includes(error.status)) {
        set(told, el("p", { class: "soft" }, "The file is busy; the estimate comes after."));
        later(Math.min(LONGEST, WAIT * 2 ** (refused += 1)));
        return;
      }
      page.estimate = null;
      set(told, problem(error));
    }
    page.tell("estimate");
  }

  function changed() {
    set(summary, rolesInWords(page));
    const stands = obstacle(page.look, page.draft, name);
    const recipe = stands ? "" : JSON.stringify(recipeOf(page.look, page.draft));
    if (recipe === asked && recipe !== "") return; // a change that changes nothing
    asked = recipe;
    page.estimate = null;
    running?.abort();
    running = null;
    refused = 0;
    later.cancel();
    if (stands) {
      set(told, el("p", { class: "bad" }, stands));
      return;
    }
    set(told, el("p", { class: "soft" }, "estimating…"));
    later();
  }
  page.on("any", changed);
  changed();

  const run = el("button", {
    type: "button", class: "primary", "data-test": "run",
    onclick: () => start(page, "anonymize", null, run, trouble),
  }, "Make the release");
  return [
    el("section", { id: "run", "aria-labelledby": "run-heading" },
      el("h2", { id: "run-heading" }, "Run"), summary, trouble),
    el("div", { class: "panel" }, told, run), // stays in view, whatever is being changed
  ];
}

function words(found) {
  const parts = [found.told || "No time or memory is known for this method"];
  if (typeof found.loss === "number") parts.push(`loss about ${loss(found.loss)}`);
  return [
    el("p", null, el("strong", null, parts.join("; ")),
      found.loss_name ? ` (${found.loss_name})` : ""),
    el("p", { class: "soft" },
      `From ${count(found.sample)} of ${count(found.records)} records, by ${found.method}: `,
      prose(reason(found))),
  ];
}

/** Return why a method is taken, without its name before it. */
export function reason(found) {
  const why = found.why ?? "";
  return why.startsWith(`${found.method}: `) ? why.slice(found.method.length + 2) : why;
}

function rolesInWords(page) {
  const { look, draft } = page;
  const names = (list) => list.flatMap((i, at) => [at ? ", " : "", name(look.columns[i].name, 40)]);
  const of = (role) => withRole(draft, role);
  const kept = [...of("other"), ...(draft.weight === null ? [] : [draft.weight])];
  const gone = [...of("identifier"),
    ...[draft.household, draft.person].filter((index) => index !== null)];
  const lines = [
    ["Grouped", of("quasi-identifier")],
    ["Strata, released as they are", draft.by],
    ["Kept as they are, sensitive", of("sensitive")],
    ["Kept as they are", kept],
    ["Dropped as identifiers", gone],
    ["Left out", of("drop")],
  ].filter(([, list]) => list.length);
  return el("dl", null, lines.map(([label, list]) =>
    [el("dt", null, label), el("dd", null, names(list))]));
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
export function comparePart(page, methods) {
  const { draft } = page;
  const trouble = el("div");
  const sizes = el("input", {
    type: "text", value: draft.compareK, inputmode: "numeric", "data-test": "compare-k",
    autocomplete: "off", oninput: () => keep("compareK", sizes.value),
  });
  const budget = el("input", {
    type: "number", min: "1", step: "any", value: draft.budget, "data-test": "compare-budget",
    autocomplete: "off", oninput: () => keep("budget", budget.value),
  });
  const keep = (key, value) => {
    draft[key] = value;
    page.changed("compare");
  };
  const boxes = methods.map((method) => {
    const box = el("input", {
      type: "checkbox", checked: draft.methods.includes(method.name), "data-test": "compare-method",
      onchange: () => keep("methods", box.checked ? [...draft.methods, method.name]
        : draft.methods.filter((own) => own !== method.name)),
    });
    return el("label", { class: "check", title: method.summary }, box, " ", cut(method.name));
  });
  const button = el("button", { type: "button", "data-test": "compare-run", onclick: go },
    "Compare");
  function go() {
    const k = numbers(draft.compareK.trim() || draft.k);
    if (!k) {
      set(trouble, problem("k must be whole numbers of at least 2, with commas between: 3,5,10."));
      return;
    }
    const known = draft.methods.filter((own) => methods.some((method) => method.name === own));
    start(page, "compare",
      { k, methods: known.length ? known : null, budget: number(draft.budget) }, button, trouble);
  }
  return el("details", { id: "compare", "data-test": "compare" },
    el("summary", null, "Compare methods"),
    el("p", null, "Makes a whole release for every method and k, verified and measured, keeps none "
      + "of them, and shows which lose less and which leave less risk."),
    el("div", { class: "fields" },
      field("Values of k", sizes, "Empty: the k chosen above. Several: 3,5,10."),
      field("Budget, seconds", budget,
        "For all runs together; what does not fit is given up. Empty: no limit.")),
    el("details", null, el("summary", null, "Which methods"),
      el("p", { class: "hint" }, "None checked: those that suit the table."),
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
