// Files dropped on the page of a file: hierarchies, matched to columns by their names.

import { checked, send, upload } from "./api.js";
import { inputOf } from "./draft.js";
import { el, name, problem, set } from "./dom.js";
import { t } from "./words.js";

const LARGEST = 20 * 2 ** 20; // bytes of a hierarchy
const LISTS = /\.(?:csv|txt|tsv)$/i; // what a hierarchy may be written as

const isFiles = (event) => Boolean(event.dataTransfer?.types.includes("Files"));

/** Open a file as a table of its own. */
async function openTable(file, place) {
  set(place, el("p", { role: "status" }, t("home.reading", { name: name(file.name) })));
  try {
    const { id } = await upload(file, () => {});
    location.assign(`/files/${checked(id)}`);
  } catch (error) {
    set(place, problem(error));
  }
}

/** Take a table that is dropped where nothing else takes it: no drop replaces the page. */
export function dropTables(main) {
  addEventListener("dragover", (event) => isFiles(event) && event.preventDefault());
  addEventListener("drop", (event) => {
    if (!isFiles(event) || event.defaultPrevented) return;
    event.preventDefault();
    const place = el("div");
    main.prepend(place);
    openTable(event.dataTransfer.files[0], place);
  });
}

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
  document.addEventListener("dragover", (event) => isFiles(event) && event.preventDefault(), how);
  document.addEventListener("drop", (event) => {
    if (!isFiles(event)) return;
    event.preventDefault();
    const files = [...event.dataTransfer.files];
    const table = files.find((file) => !LISTS.test(file.name));
    if (table) openTable(table, page.told);
    else takeHierarchies(page, files, page.told);
  }, how);
}

/** Check hierarchy files, and give each to the column that its name is about. */
export async function takeHierarchies(page, files, place) {
  const columns = page.look.columns.map((column) => column.name);
  const lines = await Promise.all(files.map(async (file) => {
    const at = columnOf(file.name, columns);
    if (at < 0) {
      return line("bad", [t("drops.nobody", { file: name(file.name, 60) }), " ", el("button", {
        type: "button", class: "small", "data-test": "open-dropped",
        onclick: () => openTable(file, place),
      }, t("drops.open"))]);
    }
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
