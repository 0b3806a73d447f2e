// What can be chosen, as the server has it: the kinds of steps with their fields, and presets.

import { get } from "./api.js";
import { has, t } from "./words.js";

const KINDS = new Map();
const PRESETS = new Map();

/** Ask the server for what there is; before that, nothing can be chosen. */
export async function loadChoices() {
  const [steps, presets] = await Promise.all([get("/steps.json"), get("/presets.json")]);
  for (const one of steps) KINDS.set(one.kind, one);
  for (const one of presets) PRESETS.set(one.name, one);
}

/** Return every kind of step, in the order of the server. */
export function stepKinds() {
  return [...KINDS.values()];
}

/** Return a kind of step with its fields; nothing for one that is not known. */
export function stepKind(kind) {
  return KINDS.get(kind);
}

/** Return every preset. */
export function presets() {
  return [...PRESETS.values()];
}

/** Return a preset by its name; nothing for one that is not known. */
export function presetOf(name) {
  return PRESETS.get(name);
}

/** Return what a kind of step is called. */
export function stepTitle(kind) {
  return has(`step.${kind}`) ? t(`step.${kind}`) : kind;
}

/** Return what a field of a step is called; some kinds call theirs otherwise. */
export function fieldTitle(kind, field) {
  const key = [`stepfield.${kind}.${field}`, `stepfield.${field}`].find(has);
  return key ? t(key) : field;
}

/** Return what a choice of a field is called. */
export function choiceTitle(choice) {
  return has(`stepchoice.${choice}`) ? t(`stepchoice.${choice}`) : choice;
}

/** Tell whether any step of a list is carried out by chance. */
export function areRandom(steps) {
  return steps.some((step) => KINDS.get(step.kind)?.after);
}

/** Tell whether a column is one that a kind of step can change. */
export function suits(kind, column) {
  const is = (...kinds) => kinds.includes(column.kind);
  switch (KINDS.get(kind)?.suits) {
    case "numbers": return column.numeric && !is("boolean");
    case "dates": return is("date", "datetime");
    case "texts": return is("text");
    case "categories": return is("text", "integer", "boolean", "ordinal");
    default: return true;
  }
}
