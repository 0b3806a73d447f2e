// What is asked: k and what goes beyond it, the method and its effort, the survey, the output.

import { withRole } from "./draft.js";
import { choice, cut, el, field, prose, set } from "./dom.js";
import { reason } from "./estimate.js";
import { number } from "./options.js";

const EFFORTS = [["quick", "quick"], ["normal", "normal"], ["best", "best"]];
const FORMATS = [["csv", "csv"], ["csv.gz", "csv, compressed (csv.gz)"], ["parquet", "Parquet"],
  ["feather", "Feather"], ["arrow", "Arrow"], ["jsonl", "JSON lines"], ["xlsx", "Excel (xlsx)"],
  ["sav", "SPSS (sav)"], ["zsav", "SPSS, compressed (zsav)"], ["dta", "Stata (dta)"],
  ["xpt", "SAS transport (xpt)"]];
const AGGREGATES = [["", "as the method does"], ["mean", "mean"], ["median", "median"],
  ["mode", "most frequent value"], ["medoid", "most typical record’s value"],
  ["generalize", "closest common generalization"], ["range", "least and greatest value"]];

const NUMBERS = [["", "means, unless the method is one that generalizes"], ["mean", "means"],
  ["interval", "intervals, from the least to the greatest"]];

const WEIGHTS = [["mean", "the mean of each group"], ["drop", "not released"],
  ["rounded:1", "rounded to 1"], ["rounded:10", "rounded to 10"], ["rounded:100", "rounded to 100"],
  ["exact", "as they are"]];

/** Return the section of what is asked. */
export function chooseSection(page, methods) {
  return el("section", { id: "choose", "aria-labelledby": "choose-heading" },
    el("h2", { id: "choose-heading" }, "How well records shall hide"),
    kField(page),
    beyondFields(page),
    el("h3", null, "How groups are found"),
    el("div", { class: "fields" }, methodField(page, methods), effortField(page), limitField(page)),
    surveyFields(page),
    usualFields(page));
}

function input(page, key, props) {
  const node = el("input", {
    autocomplete: "off", ...props, value: page.draft[key],
    oninput: () => {
      page.draft[key] = node.value;
      page.changed("choose");
    },
  });
  return node;
}

function select(page, key, options, props) {
  const node = choice(options, page.draft[key], {
    ...props,
    onchange: () => {
      page.draft[key] = node.value;
      page.changed("choose");
    },
  });
  if (node.selectedIndex < 0) { // a draft may name what this version has not
    node.selectedIndex = 0;
    page.draft[key] = node.value;
  }
  return node;
}

function kField(page) {
  const control = input(page, "k", {
    type: "number", min: "2", step: "1", inputmode: "numeric", "data-test": "k",
  });
  const means = el("span", { "aria-live": "polite", "data-test": "k-means" });
  const tell = () => {
    const k = number(page.draft.k);
    const one = page.draft.person === null ? "records" : "people";
    const who = page.draft.household === null ? one : "households";
    set(means, Number.isInteger(k) && k >= 2
      ? `Whoever knows someone’s quasi-identifiers finds at least ${k} ${who} that fit equally `
        + `well: 1 in ${k}.`
      : "k is a whole number of at least 2.");
  };
  page.on("choose", tell);
  page.on("survey", tell);
  tell();
  return el("div", { class: "big" }, field("k", control, means));
}

function beyondFields(page) {
  const l = input(page, "l", { type: "number", min: "1", step: "1", "data-test": "l" });
  const t = input(page, "t", { type: "number", min: "0", max: "1", step: "any", "data-test": "t" });
  const alpha = input(page, "alpha", {
    type: "number", min: "0", max: "1", step: "any", "data-test": "alpha",
  });
  const more = (key) => input(page, key, {
    type: "number", min: "0", step: "any", "data-test": key,
  });
  const whether = el("p", { class: "hint" });
  const set_ = el("fieldset", null,
    el("legend", null, "Asked of the sensitive columns; empty: not asked"),
    el("div", { class: "fields" },
      field("l", l, "Every group holds at least so many different values of each sensitive column, "
        + "so that finding someone’s group does not tell theirs."),
      field("t", t, "In every group the sensitive values are distributed as in the whole table, up "
        + "to this distance from 0 to 1: a group tells little that the table does not."),
      field("alpha", alpha,
        "No sensitive value is more than this share of a group: 0.5 is half."),
      field("beta", more("beta"), "No sensitive value is more frequent in a group than in the whole "
        + "table by more than this: 1 is twice as frequent (enhanced β-likeness)."),
      field("delta", more("delta"), "The share of every sensitive value in a group is like that in "
        + "the whole table, up to a factor of e to this power (δ-disclosure privacy)."),
      field("e", more("e"), "Every group holds k different numbers of each sensitive column, the "
        + "least and the greatest at least this far apart ((k,e)-anonymity)."),
      field("Missing sensitive cells",
        select(page, "missing_sensitive",
          [["ignored", "add nothing to l and shares"], ["value", "are a value of their own"]],
          { "data-test": "missing-sensitive" }))));
  const refresh = () => {
    const any = withRole(page.draft, "sensitive").length > 0;
    set_.disabled = !any;
    set(whether, any
      ? "k hides who a record is, not what it says: if all of a group share a diagnosis, everybody "
        + "knows it."
      : "This is asked of sensitive columns; make a column sensitive first.");
  };
  page.on("roles", refresh);
  page.on("survey", refresh);
  refresh();
  const open = ["l", "t", "alpha", "beta", "delta", "e"].some((key) => page.draft[key]);
  return el("details", { open, "data-test": "beyond" }, el("summary", null, "More protection"),
    whether, set_);
}

function methodField(page, methods) {
  const kinds = [...new Set(methods.map((method) => method.kind))];
  const control = el("select", {
    "data-test": "method",
    onchange: () => {
      page.draft.method = control.value;
      page.changed("choose");
    },
  },
  el("option", { value: "auto" }, "auto"),
  kinds.map((kind) => el("optgroup", { label: kind }, methods
    .filter((method) => method.kind === kind)
    .map((method) => el("option", { value: method.name }, cut(method.name))))));
  control.value = page.draft.method;
  if (control.selectedIndex < 0) {
    control.value = "auto";
    page.draft.method = "auto";
  }
  const about = el("span", { "aria-live": "polite", "data-test": "method-about" });
  const tell = () => {
    const found = methods.find((method) => method.name === control.value);
    if (found) {
      set(about, `${found.summary}; ${found.cost}. `, el("cite", null, found.citation));
    } else {
      set(about, page.estimate
        ? [`auto takes ${page.estimate.method} here: `, prose(reason(page.estimate))]
        : "auto takes what suits the table, and says what and why with the estimate.");
    }
  };
  page.on("choose", tell);
  page.on("estimate", tell);
  tell();
  return field("Method", control, about);
}

function effortField(page) {
  return field("Effort", select(page, "effort", EFFORTS, { "data-test": "effort" }),
    "How long a search goes on, counted in iterations: about 1, 10 or 60 seconds for a thousand "
    + "records.");
}

function limitField(page) {
  return field("Time limit, seconds",
    input(page, "time_limit", { type: "number", min: "0", step: "any", "data-test": "time-limit" }),
    "A search that takes longer ends with the best it has; empty: as the effort says.");
}

function columnChoice(page, key, columns, test) {
  const options = [["", "none"], ...columns.map((i) => [String(i), page.look.columns[i].name])];
  const node = choice(options, page.draft[key] === null ? "" : String(page.draft[key]), {
    "data-test": test,
    onchange: () => {
      page.draft[key] = node.value === "" ? null : Number(node.value);
      page.changed("survey");
    },
  });
  return node;
}

function surveyFields(page) {
  const { look, draft } = page;
  const every = look.columns.map((_, i) => i);
  const numeric = every.filter((i) => look.columns[i].numeric);
  const boxes = every.map((i) => {
    const box = el("input", {
      type: "checkbox", checked: draft.by.includes(i),
      onchange: () => {
        draft.by = box.checked ? [...draft.by, i].sort((a, b) => a - b)
          : draft.by.filter((own) => own !== i);
        page.changed("survey");
      },
    });
    return el("label", { class: "check" }, box, " ", el("bdi", null, cut(look.columns[i].name)));
  });
  const small = select(page, "small_strata",
    [["refuse", "stop and say which"], ["merge", "join them to the one most like them"]],
    { "data-test": "small-strata" });
  const step = /^rounded:(.+)$/.exec(draft.weights_as)?.[1]; // of a run that was asked elsewhere
  const known = step === undefined || WEIGHTS.some(([how]) => how === draft.weights_as);
  const ways = known ? WEIGHTS : [...WEIGHTS, [draft.weights_as, `rounded to ${step}`]];
  const weights = select(page, "weights_as", ways, { "data-test": "weights-as" });
  const refresh = () => {
    small.disabled = draft.by.length === 0;
    weights.disabled = draft.weight === null;
  };
  page.on("survey", refresh);
  refresh();
  const open = draft.weight !== null || draft.household !== null || draft.person !== null
    || draft.by.length > 0;
  return el("details", { open, "data-test": "survey" },
    el("summary", null, "People with several records; a survey: weights, strata, households"),
    el("div", { class: "fields" },
      field("Person", columnChoice(page, "person", every, "person"),
        "The column that says whose record each is: each hides among at least k people."),
      field("Where identifiers repeat", select(page, "count",
        [["people", "stop: people are to be counted"], ["records", "count records all the same"]],
        { "data-test": "counted" })),
      field("Survey weight", columnChoice(page, "weight", numeric, "weight"),
        "How many people a record stands for: means and losses count by it."),
      field("Released weights", weights,
        "Exact weights may tell whose record it is, and who is of one household."),
      field("Household", columnChoice(page, "household", every, "household"),
        "Records of a household stay together, and each hides among at least k households."),
      field("Strata with fewer than k records", small,
        "Only where there are strata.")),
    el("fieldset", { "data-test": "by" },
      el("legend", null, "Strata: groups are made within the combinations of these columns"),
      el("div", { class: "checks" }, boxes)));
}

function usualFields(page) {
  return el("details", null, el("summary", null, "Less usual choices"),
    el("div", { class: "fields" },
      field("Format of the release", select(page, "format", FORMATS, { "data-test": "format" })),
      field("Decimals",
        input(page, "decimals", { type: "text", inputmode: "numeric", "data-test": "decimals" }),
        ["Means are rounded to so many decimals; empty: as precise as the column; ",
          el("code", null, "none"), ": not rounded."]),
      field("A group’s value",
        select(page, "aggregate", AGGREGATES, { "data-test": "aggregate" }),
        "What stands for the values of a group."),
      field("Numbers and dates",
        select(page, "numbers", NUMBERS, { "data-test": "numbers" }),
        "A mean is released where at least k cells of a group are present."),
      field("Records with missing quasi-identifiers",
        select(page, "incomplete",
          [["keep", "keep: missing is a category of its own"], ["delete", "delete them"]],
          { "data-test": "incomplete" }),
        "The report counts missing cells that became a mean, and deleted records."),
      field("Words that mean missing",
        input(page, "missing", { type: "text", "data-test": "missing", spellcheck: "false" }),
        "Besides the empty cell, with commas between: NA, unknown."),
      field("Texts like formulas",
        select(page, "spreadsheet_safe",
          [["yes", "write an apostrophe before them"], ["no", "write them as they are"]],
          { "data-test": "spreadsheet-safe" }),
        "A spreadsheet runs a cell that begins with =, +, - or @."),
      field("Memory",
        input(page, "memory", { type: "text", "data-test": "memory", placeholder: "4GB" }),
        "A file that would take more is grouped region by region; empty: all at once."),
      field("Seed",
        input(page, "seed", { type: "number", min: "0", step: "1", "data-test": "seed" }),
        "The same seed gives the same groups.")));
}
