// Words of the page in the language of its reader: all texts are in en.js, de.js has the same keys;
// what the program itself says comes in English, de_sentences.js has its German.

import { DE } from "./de.js";
import { EN } from "./en.js";
import { germanOf, germanWord } from "./sentences.js";

const LANGUAGES = { en: EN, de: DE };
const KEPT = "shoal-language";

/** @typedef {string | number | Node | null | undefined | false | Array<any>} Part */

/** Return the language of this page: the chosen one, else the browser's, else English. */
function pick() {
  let chosen = null;
  try {
    chosen = localStorage.getItem(KEPT);
  } catch {
    // Storage may be off; the browser's language is taken then.
  }
  const wanted = [chosen, ...(navigator.languages ?? [navigator.language])];
  return wanted.map((one) => String(one ?? "").slice(0, 2).toLowerCase())
    .find((one) => Object.hasOwn(LANGUAGES, one)) ?? "en";
}

export const LANGUAGE = pick();
export const LOCALE = LANGUAGE === "de" ? "de-DE" : "en-US";

/** Tell whether there is a text of this key. */
export function has(key) {
  return Object.hasOwn(EN, key);
}

/**
 * Return a text with its {places} filled: a string, or parts where a place holds an element.
 * @param {string} key
 * @param {Record<string, Part>} [values]
 * @returns {any}
 */
export function t(key, values = {}) {
  const text = LANGUAGES[LANGUAGE][key] ?? EN[key];
  if (text === undefined) throw new Error(`there is no text ${key}`);
  const parts = text.split(/\{(\w+)\}/).map((part, at) => (at % 2 ? values[part] : part));
  return parts.some((part) => typeof part === "object" && part !== null) ? parts : parts.join("");
}

/** Return a text that counts: the key's own for one, `key.many` for others. */
export function tn(key, n, values = {}) {
  const shown = Math.round(n).toLocaleString(LOCALE);
  return t(n === 1 ? key : `${key}.many`, { ...values, n: shown });
}

/** Return a sentence of the program in the page's language, as far as its parts are known. */
export function relabeled(text) {
  if (LANGUAGE === "en") return text;
  return germanOf(text).replace(/“([^”]+)”/g, (whole, label) => {
    const key = keyOf(label, /^(?:field|role)\./);
    return key ? `„${t(key)}“` : whole;
  });
}

/** Return a word of a chart in the page's language: of its axes, its series, its table. */
export function charted(text) {
  if (LANGUAGE === "en") return text;
  const measure = keyOf(text, /^measure\./);
  return measure ? t(measure) : germanWord(text);
}

function keyOf(text, kind) {
  return Object.keys(EN).find((one) => kind.test(one) && EN[one] === text);
}

/** Put the choice of a language into the page's head. */
export function prepareLanguage(select) {
  document.documentElement.lang = LANGUAGE;
  select.value = LANGUAGE;
  select.addEventListener("change", () => {
    try {
      localStorage.setItem(KEPT, select.value);
    } catch {
      return; // Without storage there is nothing that a reload would know of it.
    }
    location.reload();
  });
  for (const node of document.querySelectorAll("[data-word]")) {
    node.textContent = t(/** @type {HTMLElement} */ (node).dataset.word);
  }
}
