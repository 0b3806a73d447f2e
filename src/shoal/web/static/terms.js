// Terms that several pages share: roles, measures, rules of trees, states of jobs.

import { has, t } from "./words.js";

export const ROLES = ["quasi-identifier", "identifier", "sensitive", "other", "drop"];

/** Return what people call a measure; one that is new here goes by its key. */
export function titleOf(key) {
  return has(`measure.${key}`) ? t(`measure.${key}`) : key.replaceAll("_", " ");
}

export const LINKAGES = ["distance_linkage", "rank_linkage", "block_linkage"];

const NUMBERS = [["widths:5,10", "widths"], ["cuts:18,30,65", "cuts"],
  ["quantiles:20,5", "quantiles"], ["balanced", "balanced"]];
const DATES = [["dates", "dates"], ["dates:month,year", "months"], ["balanced", "balanced"]];
const TEXTS = [["prefixes:3,2", "prefixes"], ["flat", "flat"]];

/** Return the rules that fit a column, each with what it does. */
export function rulesFor(column) {
  const is = (...kinds) => kinds.includes(column.kind);
  const placed = is("date", "datetime") ? DATES : NUMBERS;
  const rules = is("boolean") ? [["flat", "flat"]] : isPlaced(column) ? placed : TEXTS;
  return rules.map(([rule, key]) => [rule, t(`rule.${key}`)]);
}

/** Return the rule of a column for which nobody says one. */
export function automaticRule(column) {
  if (column.kind === "text" && column.hierarchy?.startsWith("prefixes:")) return column.hierarchy;
  return isPlaced(column) ? "balanced" : "flat";
}

function isPlaced(column) {
  return column.numeric && column.kind !== "boolean";
}

/** Return the state of a job in words. */
export function stateWord(state) {
  return has(`state.${state}`) ? t(`state.${state}`) : state;
}
