// What the program says, in the language of the page: looked up by its English form.

import { ERRORS } from "./de_errors.js";
import { PIECES, SENTENCES, WORDS } from "./de_sentences.js";

const NUMBER = /^[-±≤→ ]*\d[\d,]*(?:\.\d+)?(?: %| s)?$/;
const CLAUSES = "; ";
const DEEP = 4; // sentences within sentences
const LONG = 2000; // signs of a text that is looked up
let compiled = null;

/** Return the catalog as patterns, those with the longest words first. */
function patterns() {
  compiled ??= [...SENTENCES, ...ERRORS].map(([english, german]) => {
    const parts = english.split(/\{(\w+)\}/);
    const words = parts.filter((_, at) => at % 2 === 0);
    const whole = words.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .reduce((so, part, at) => `${so}(${parts[2 * at - 1] === "more" ? ".*?" : ".+?"})${part}`);
    return {
      pattern: new RegExp(`^${whole}$`, "s"), names: parts.filter((_, at) => at % 2), german,
      size: words.join("").length,
    };
  }).sort((one, other) => other.size - one.size);
  return compiled;
}

/** Return a number as German writes it. */
function number(text) {
  return text.replaceAll(/[,.]/g, (sign) => (sign === "," ? "." : ","));
}

/** Return the German form of a whole sentence, null where it is not in the catalog. */
function matched(text, deep) {
  if (NUMBER.test(text)) return number(text);
  for (const { pattern, names, german } of patterns()) {
    const found = pattern.exec(text);
    if (found) {
      return german.replaceAll(/\{(\w+)\}/g, (_, key) =>
        germanOf(found[names.indexOf(key) + 1], deep + 1));
    }
  }
  return null;
}

function inPieces(text) {
  return PIECES.reduce((so, [said, german]) => so.replace(said, String(german)), text);
}

/** Return a sentence of the program in German, as far as its parts are known. */
export function germanOf(text, deep = 0) {
  if (deep > DEEP || text.length > LONG) return text;
  const whole = matched(text, deep);
  if (whole !== null) return whole;
  const clauses = text.split(CLAUSES);
  const own = clauses.length > 1 ? clauses.map((one) => matched(one, deep)) : [];
  if (own.every((one) => one === null)) return inPieces(text);
  return own.map((one, at) => one ?? inPieces(clauses[at])).join(CLAUSES);
}

/** Return a word of a chart in German: of its axes, its series, its table. */
export function germanWord(text) {
  return Object.hasOwn(WORDS, text) ? WORDS[text] : germanOf(text);
}
