// Files dropped on the page of a file: hierarchies, matched to columns by their names.

import { checked, send } from "./api.js";
import { inputOf } from "./draft.js";
import { el, name, set } from "./dom.js";
import { t } from "./words.js";

const LARGEST = 20 * 2 ** 20; // bytes of a hierarchy

function plain(text) {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}

/** Return the column that a file's name is about: the longest whose words are in it; or -1. */
export function columnOf(fileName, columns) {
  const words = ` ${plain(fileName.replace(/\.\w+$/, ""))} `;
  const fitting = columns.map((column, at) => ({ at, own: plain(column) }))
    .filter(({ own }) => own && words.includes(` ${own} `))
    .sort((one, other) => other.own.length - one.own.length);
  return fitting.length ? fitting[0].at : -1;
}

/** Take hierarchies that are dropped anywhere, several at once. */
export function dropHierarchies(page) {
  const how = { signal: page.signal };
  const isFiles = (event) => event.dataTransfer?.types.includes("Files");
  document.addEventListener("dragover", (event) => isFiles(event) && event.preventDefault(), how);
  document.addEventListener("drop", (event) => {
    if (!isFiles(event)) return;
    event.preventDefault();
    takeHierarchies(page, [...event.dataTransfer.files], page.trouble);
  }, how);
}

/** Check hierarchy files, and give each to the column that its name is about. */
export async function takeHierarchies(page, files, place) {
  const columns = page.look.columns.map((column) => column.name);
  const lines = await Promise.all(files.map(async (file) => {
    const at = columnOf(file.name, columns);
    if (at < 0) return line("bad", t("drops.nobody", { file: name(file.name, 60) }));
    const both = { file: name(file.name, 60), column: name(columns[at], 60) };
    try {
      if (file.size > LARGEST) throw new Error(t("trees.large"));
      const text = await file.text();
      const tree = await send("POST", `/files/${checked(page.id)}/trees`,
        { column: columns[at], input: inputOf(page.look, page.draft), text });
      if (tree.id) page.file.trees.push({ id: tree.id, column: columns[at], levels: tree.levels });
      page.change("trees", (draft) => {
        draft.trees[at] = { id: tree.id ? checked(tree.id) : null, text };
        if (tree.id && draft.roles[at] === "other") draft.roles[at] = "quasi-identifier";
      });
      return tree.id ? line("good", t("drops.taken", both)) : line("bad", t("drops.gaps", both));
    } catch (error) {
      return line("bad", [t("drops.refused", both), " ", error.message]);
    }
  }));
  page.tell("restored");
  page.tell("roles");
  set(place, el("ul", { class: "plain", role: "status", "data-test": "dropped" }, lines));
}

function line(mood, text) {
  return el("li", { class: mood }, text);
}
