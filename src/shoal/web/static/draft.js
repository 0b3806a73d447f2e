// What a steward has chosen for a file so far: kept by column number, turned into a recipe.

import { areRandom, presetOf } from "./choices.js";
import { defaultText, number, sayOptions } from "./options.js";
import { ROLES } from "./terms.js";
import { t } from "./words.js";

const KINDS = new Set(ROLES);
const TYPES = new Set(["number", "text", "date", "boolean"]);
const TEXT_KEPT = 200_000; // signs of a hierarchy's text that a draft holds; beyond, its id alone
/** The role of a column -> where a recipe lists it. */
export const LISTS = {
  "quasi-identifier": "quasi_identifiers",
  identifier: "identifiers",
  sensitive: "sensitive",
  other: "other",
  drop: "drop",
};
/** What is asked of sensitive columns. */
const BEYOND = ["l", "t", "alpha", "beta", "delta", "e", "missing_sensitive"];
/** The options that have a control of their own; what else there is, is said of columns. */
export const FORM = [
  "k", "preset", "dominance", "suppress", ...BEYOND, "count", "method", "effort", "time_limit", "small_strata", "seed", "decimals",
  "incomplete", "aggregate", "numbers", "weights_as", "memory", "spreadsheet_safe", "missing",
];
const OWN = { format: "csv", compareK: "", budget: "", fraction: "" }; // no options of a recipe

/**
 * What was chosen: texts of the form by the names of options, and lists by the number of a column.
 * @typedef {Record<string, any> & {roles: string[], types: (string | null)[], trees: any[],
 *   rounds: string[], unique: boolean[], importance: string[],
 *   steps: any[], secret: string | null, series: any, weight: number | null, household: number | null,
 *   person: number | null, by: number[], methods: string[], seen: string[]}} Draft
 */

/** What is asked of a series, beside its ledger. */
export const SERIES = { ledger: null, withhold: 0, changing: [], stable: false, over_series: "worlds",
  expect_overlap: 1 };

function choices() {
  return { ...OWN, ...Object.fromEntries(FORM.map((name) => [name, defaultText(name)])) };
}

/**
 * Return the draft of a file that was looked at: what was saved, where it still fits.
 * @returns {Draft}
 */
export function restored(look, saved) {
  const draft = fresh(look);
  if (typeof saved !== "object" || saved === null) return draft;
  const size = look.columns.length;
  const at = (number) => Number.isInteger(number) && number >= 0 && number < size;
  for (const key of Object.keys(choices())) {
    if (typeof saved[key] === "string") draft[key] = saved[key];
  }
  for (let i = 0; i < size; i += 1) {
    if (KINDS.has(saved.roles?.[i])) draft.roles[i] = saved.roles[i];
    if (TYPES.has(saved.types?.[i])) draft.types[i] = saved.types[i];
    draft.trees[i] = tree(saved.trees?.[i]);
    if (typeof saved.rounds?.[i] === "string") draft.rounds[i] = saved.rounds[i];
    draft.unique[i] = saved.unique?.[i] === true;
    if (typeof saved.importance?.[i] === "string") draft.importance[i] = saved.importance[i];
  }
  for (const key of ["weight", "household", "person"]) {
    if (saved[key] === null || at(saved[key])) draft[key] = saved[key];
  }
  if (Array.isArray(saved.steps)) {
    draft.steps = saved.steps.filter((step) => typeof step?.kind === "string").slice(0, 100);
  }
  if (typeof saved.secret === "string") draft.secret = saved.secret;
  if (typeof saved.series?.ledger === "string") draft.series = { ...SERIES, ...saved.series };
  if (Array.isArray(saved.by)) draft.by = saved.by.filter(at);
  if (Array.isArray(saved.methods)) {
    draft.methods = saved.methods.filter((method) => typeof method === "string");
  }
  if (Array.isArray(saved.seen)) {
    draft.seen = saved.seen.filter((step) => typeof step === "string").slice(0, 20);
  }
  return draft;
}

/** @returns {Draft} */
function fresh(look) {
  return {
    ...choices(),
    roles: suggested(look),
    types: look.columns.map(() => null),
    trees: look.columns.map(neededTree),
    rounds: look.columns.map(() => ""),
    unique: look.columns.map(() => false),
    importance: look.columns.map(() => ""),
    steps: [],
    secret: null,
    series: null,
    ...suggestedSurvey(look),
    by: [],
    methods: [],
    seen: [],
  };
}

/** Return the hierarchy without which numbers that are codes, as postcodes, would be averaged. */
function neededTree(column) {
  const coded = column.kind === "integer" && column.suspected === "quasi-identifier";
  return coded && column.hierarchy?.startsWith("prefixes:") ? { rule: column.hierarchy } : null;
}

/** Return the role that is suggested for every column. */
export function suggested(look) {
  return look.columns.map((column) => (KINDS.has(column.suspected) ? column.suspected : "other"));
}

/** Return what a survey seems to make of columns: the first of each kind, households before people. */
export function suggestedSurvey(look) {
  const first = (use) => {
    const at = look.columns.findIndex((column) => column.use === use);
    return at < 0 ? null : at;
  };
  const household = first("household");
  const counts = first("records") === null ? {} : { count: "records" };
  return {
    weight: first("weight"), household, person: household === null ? first("person") : null,
    ...counts,
  };
}

function tree(saved) {
  if (typeof saved !== "object" || saved === null) return null;
  if (typeof saved.rule === "string") return { rule: saved.rule };
  const id = typeof saved.id === "string" && /^[0-9a-f]{1,64}$/.test(saved.id) ? saved.id : null;
  const text = typeof saved.text === "string" ? saved.text : null;
  return id === null && text === null ? null : { id, text };
}

/** Return the draft as it is saved: long texts that the server has are left out. */
export function savable(draft) {
  const trees = draft.trees.map((one) =>
    (one?.id && one.text?.length > TEXT_KEPT ? { id: one.id, text: null } : one));
  return { ...draft, trees };
}

/** Return what a survey makes of a column, whatever its role was: null, or a word. */
export function surveyUse(draft, index) {
  if (draft.weight === index) return "weight";
  if (draft.household === index) return "household";
  if (draft.person === index) return "person";
  return draft.by.includes(index) ? "stratum" : null;
}

/** Tell whether a column can be released though most records are unique in it. */
export function keepsUnique(draft, index) {
  const taken = surveyUse(draft, index);
  return taken === "weight" || (taken === null && draft.roles[index] === "other");
}

/** Return the names of the columns that steps leave out: a recipe says nothing of them. */
export function leftOut(draft) {
  return new Set(draft.steps.flatMap((step) => {
    if (step.kind === "drop") return step.columns;
    return step.kind === "derive" && !step.keep ? [step.of] : [];
  }));
}

/** Return the numbers of the columns with a role that no survey takes. */
export function withRole(draft, role) {
  return draft.roles.flatMap((own, i) => (own === role && !surveyUse(draft, i) ? [i] : []));
}

/** Return the recipe as the server takes it. Names are keys here: no plain assignments. */
export function recipeOf(look, draft) {
  const named = (i) => look.columns[i].name;
  const gone = leftOut(draft);
  const having = (role) => withRole(draft, role).filter((i) => !gone.has(named(i)));
  const roles = Object.fromEntries(
    Object.entries(LISTS).map(([role, key]) => [key, having(role).map(named)]));
  const trees = having("quasi-identifier")
    .filter((i) => draft.trees[i])
    .map((i) => [named(i), draft.trees[i].rule ?? `tree:${draft.trees[i].id}`]);
  const release = {};
  const kept = [...having("other"), ...having("sensitive")];
  const rounds = kept.filter((i) => draft.rounds[i].trim() && look.columns[i].numeric)
    .map((i) => [named(i), number(draft.rounds[i])]);
  if (rounds.length) release.round = Object.fromEntries(rounds);
  const unique = draft.roles.flatMap((_, i) => (draft.unique[i] && keepsUnique(draft, i)
    && !gone.has(named(i)) ? [named(i)] : []));
  const recipe = {
    roles: {
      ...roles,
      weight: draft.weight === null ? null : named(draft.weight),
      by: draft.by.map(named),
      household: draft.household === null ? null : named(draft.household),
      person: draft.person === null ? null : named(draft.person),
      ...(unique.length ? { keep_unique: unique } : {}),
    },
    protect: {},
    release,
    hierarchies: Object.fromEntries(trees),
    input: inputOf(look, draft),
  };
  const beyond = having("sensitive").length > 0;
  const idle = new Set(["missing", ...(beyond ? [] : BEYOND),
    ...(draft.weight === null ? ["weights_as"] : [])]);
  sayOptions(recipe, draft, FORM.filter((name) => !idle.has(name)));
  const weights = having("quasi-identifier").filter((i) => draft.importance[i].trim())
    .map((i) => [named(i), number(draft.importance[i])]);
  if (weights.length) recipe.protect.column_weights = Object.fromEntries(weights);
  saySteps(recipe, draft);
  if (draft.series) recipe.series = seriesOf(draft.series);
  return recipe;
}

/** Put steps into a recipe, with the roles of the columns that they make. */
function saySteps(recipe, draft) {
  if (!draft.steps.length) return;
  recipe.steps = draft.steps.map(({ role: _, ...step }) => step);
  for (const step of draft.steps) {
    if (step.kind === "derive") recipe.roles[LISTS[step.role ?? "quasi-identifier"]].push(step.name);
  }
  if (areRandom(draft.steps) && draft.secret) recipe.secret = draft.secret;
}

function seriesOf(series) {
  const said = Object.entries(series).filter(([key, value]) => key === "ledger"
    || JSON.stringify(value) !== JSON.stringify(SERIES[key]));
  return Object.fromEntries(said);
}

/** Return how the file is to be read, where that was said. */
export function inputOf(look, draft) {
  const types = draft.types.flatMap((type, i) => (type ? [[look.columns[i].name, type]] : []));
  const missing = draft.missing.split(",").map((word) => word.trim()).filter(Boolean);
  return {
    ...(missing.length ? { missing: ["", ...missing] } : {}),
    ...(types.length ? { types: Object.fromEntries(types) } : {}),
  };
}

/** Return the numbers in a list such as 3,5,10, or null where it is none. */
export function numbers(text) {
  const every = text.split(/[\s,;]+/).filter(Boolean).map(Number);
  return every.length && every.every((k) => Number.isInteger(k) && k >= 2) ? every : null;
}

/** Return the columns that look like names of people and would be released as they are. */
export function nameObstacle(look, draft) {
  const gone = leftOut(draft);
  return withRole(draft, "other").filter((i) => look.columns[i].suspected === "identifier"
    && !gone.has(look.columns[i].name)
    && 2 * look.columns[i].distinct > look.records && !draft.unique[i]);
}

/** Return what keeps a draft from being run, as parts of a sentence; null where nothing does. */
export function obstacle(look, draft, name) {
  const k = number(draft.k);
  if (!Number.isInteger(k) || k < 2) return [t("obstacle.k")];
  const derived = draft.steps.some((step) => step.kind === "derive"
    && (step.role ?? "quasi-identifier") === "quasi-identifier");
  if (withRole(draft, "quasi-identifier").length === 0 && !derived) return [t("obstacle.quasi")];
  const preset = presetOf(draft.preset);
  if (preset && k < preset.k) return [t("preset.below", { k: preset.k })];
  if (draft.series && draft.person === null) return [t("series.person")];
  const open = withRole(draft, "quasi-identifier")
    .find((i) => draft.trees[i] && !draft.trees[i].rule && !draft.trees[i].id);
  if (open !== undefined) {
    return t("obstacle.tree", { column: name(look.columns[open].name) });
  }
  const [named] = nameObstacle(look, draft);
  if (named !== undefined) {
    return t("obstacle.name", { column: name(look.columns[named].name) });
  }
  return null;
}
