// Options of the form as the server's table has them: where a recipe has each, of what kind it is,
// and its default. Values are texts on the form.

import { get } from "./api.js";

const TABLE = new Map();

/** Ask the server for the table; before that, the form has no option. */
export async function loadOptions() {
  for (const option of await get("/options.json")) TABLE.set(option.name, option);
}

/** Return an option of the table. */
export function optionOf(name) {
  return TABLE.get(name);
}

/** Tell whether a value is the default of an option, whose name is a recipe's key. */
export function isDefault(key, value) {
  return TABLE.has(key) && TABLE.get(key).default === value;
}

/** Return an option's default as the form shows it. */
export function defaultText(name) {
  return textOf(name, TABLE.get(name).default);
}

/** Return a value of a recipe as the form shows it. */
export function textOf(name, value) {
  if (TABLE.get(name).kind === "flag") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.filter(Boolean).join(", ");
  return value === undefined || value === null ? "" : String(value);
}

/** Return what was typed or chosen as a recipe has it; null: nothing. */
export function valueOf(name, text) {
  const typed = text.trim();
  const { kind } = TABLE.get(name);
  if (typed === "") return null;
  if (kind === "flag") return typed === "yes";
  const digits = kind === "digits" && /^\d+$/.test(typed);
  return kind === "number" || digits ? number(typed) : typed;
}

/**
 * Return a number that was typed, null where none was; what is none is left for its error.
 * @returns {any}
 */
export function number(text) {
  const typed = String(text).trim();
  if (typed === "") return null;
  const value = Number(typed);
  return Number.isFinite(value) ? value : typed;
}

/** Put what the form says of options into a recipe: what differs from the defaults. */
export function sayOptions(recipe, draft, names) {
  for (const name of names) {
    const { part, needed } = TABLE.get(name);
    const value = valueOf(name, draft[name]);
    if (value !== null && (needed || !isDefault(name, value))) recipe[part][name] = value;
  }
}
