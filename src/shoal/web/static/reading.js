// How a file is read: what separates its columns, what stands for a missing cell, what columns hold.

import { checked, send } from "./api.js";
import { inputOf } from "./draft.js";
import { el, problem, set } from "./dom.js";

const SIGNS = [
  [",", "comma"], [";", "semicolon"], ["\t", "tab"], ["|", "vertical bar"],
];

/** Return a form that reads the file anew; `input` says what else is to be heeded. */
export function readAgain(file, trouble, input = () => ({}), before = async () => {}) {
  const now = file.reading?.delimiter ?? file.look?.delimiter;
  const choice = el("select", { "data-test": "delimiter" },
    SIGNS.map(([sign, word]) => el("option", { value: sign, selected: now === sign }, word)));
  const go = async () => {
    try {
      await before();
      const told = { ...file.reading, ...input(), delimiter: choice.value };
      await send("POST", `/files/${checked(file.id)}/look`, { input: told });
      location.reload();
    } catch (error) {
      set(trouble, problem(error));
    }
  };
  return el("p", { class: "again" },
    el("label", null, "Columns are separated by ", choice), " ",
    el("button", { type: "button", "data-test": "read-again", onclick: go }, "Read it again"));
}

/** Return the part that reads a csv file in another way, with the kinds and words chosen above. */
export function readingSection(page, trouble) {
  if (!page.look.delimiter) return null; // Parquet says itself how it is written
  return el("details", { class: "reading", "data-test": "reading" },
    el("summary", null, "The file was read in the wrong way?"),
    el("p", null, "Kinds of columns and words for missing cells that you chose count for runs at "
      + "once; read the file again to see columns and hierarchies by them."),
    readAgain(page.file, trouble, () => inputOf(page.look, page.draft), () => page.saved()));
}
