// A file that cannot be read as it is: the steward says what separates its columns.

import { checked, send } from "./api.js";
import { el, problem, set } from "./dom.js";

const SIGNS = [
  [",", "comma"], [";", "semicolon"], ["\t", "tab"], ["|", "vertical bar"],
];

/** Return a form that reads the file anew with another delimiter. */
export function readAgain(file, trouble) {
  const choice = el("select", { "data-test": "delimiter" },
    SIGNS.map(([sign, word]) => el("option", {
      value: sign, selected: file.reading?.delimiter === sign,
    }, word)));
  const go = async () => {
    try {
      const input = { ...file.reading, delimiter: choice.value };
      await send("POST", `/files/${checked(file.id)}/look`, { input });
      location.reload();
    } catch (error) {
      set(trouble, problem(error));
    }
  };
  return el("p", { class: "again" },
    el("label", null, "Columns are separated by ", choice), " ",
    el("button", { type: "button", "data-test": "read-again", onclick: go }, "Read it again"));
}
