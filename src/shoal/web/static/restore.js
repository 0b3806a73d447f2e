// A recipe that was run -> the form that asks for it again.

import { FORM, LISTS, recipeOf, restored, SERIES } from "./draft.js";
import { isDefault, optionOf, textOf } from "./options.js";
import { t } from "./words.js";

/**
 * Return the draft whose recipe this is; what no recipe says is taken from the present draft.
 * @returns {import("./draft.js").Draft}
 */
export function draftOf(look, recipe, present, compare = null) {
  const { format, fraction, seen } = present;
  /** @type {import("./draft.js").Draft} */
  const draft = { ...restored(look, null), format, fraction, seen };
  const places = new Map(look.columns.map((column, i) => [column.name, i]));
  const at = (column) => {
    if (!places.has(column)) throw new Error(t("restore.column"));
    return places.get(column);
  };
  const each = (part, call) => {
    for (const [column, value] of Object.entries(part ?? {})) call(at(column), value);
  };
  const { roles = {}, release = {}, input = {} } = recipe;
  draft.roles = draft.roles.map(() => "other");
  draft.steps = structuredClone(recipe.steps ?? []);
  const made = new Map(draft.steps.filter((step) => step.kind === "derive")
    .map((step) => [step.name, step]));
  for (const [role, key] of Object.entries(LISTS)) {
    for (const column of roles[key] ?? []) {
      if (made.has(column) && !places.has(column)) made.get(column).role = role;
      else draft.roles[at(column)] = role;
    }
  }
  draft.secret = recipe.secret ?? null;
  draft.series = recipe.series ? { ...SERIES, ...recipe.series } : null;
  each(recipe.protect?.column_weights, (i, weight) => { draft.importance[i] = String(weight); });
  for (const key of ["weight", "household", "person"]) {
    draft[key] = typeof roles[key] === "string" ? at(roles[key]) : null;
  }
  draft.by = (roles.by ?? []).map(at);
  for (const column of roles.keep_unique ?? []) draft.unique[at(column)] = true;
  for (const name of FORM) {
    const option = optionOf(name);
    draft[name] = textOf(name, recipe[option.part]?.[name] ?? option.default);
  }
  each(release.round, (i, step) => { draft.rounds[i] = String(step); });
  each(input.types, (i, type) => { draft.types[i] = type; });
  each(recipe.hierarchies, (i, rule) => {
    draft.trees[i] = rule.startsWith("tree:") ? { id: rule.slice(5), text: null } : { rule };
  });
  if (compare) {
    draft.compareK = compare.k.join(",");
    draft.budget = String(compare.budget ?? "");
    draft.methods = compare.methods ?? [];
  }
  if (!same(plain(recipeOf(look, draft)), plain(recipe))) {
    throw new Error(t("restore.more"));
  }
  return draft;
}

/**
 * Return a recipe without the parts that are taken over as they are: their order counts.
 * @param {any} recipe
 */
function plain({ steps: _, secret: __, series: ___, ...rest }) {
  return rest;
}

/** Tell whether two trees of settings say the same: what is empty says nothing. */
export function same(one, other) {
  return JSON.stringify(said(one)) === JSON.stringify(said(other));
}

function said(tree, key) {
  if (tree === undefined || tree === null || tree === "" || isDefault(key, tree)) return null;
  if (Array.isArray(tree)) return tree.length ? [...tree].sort() : null; // lists are sets here
  if (typeof tree !== "object") return tree;
  const parts = Object.keys(tree).sort().map((name) => [name, said(tree[name], name)])
    .filter(([, value]) => value !== null);
  return parts.length ? parts : null;
}
