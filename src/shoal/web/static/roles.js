// The columns of a file: what is in them, and the role that each is given.

import { keepsUnique, suggested, surveyUse } from "./draft.js";
import { choice, el, name, set } from "./dom.js";
import { count, share } from "./format.js";
import { histogram } from "./small.js";
import { ROLES } from "./words.js";

const USES = {
  weight: "survey weight: released as is chosen below",
  household: "household: dropped",
  person: "person: dropped",
  stratum: "stratum: a quasi-identifier that is released as it is",
};
const READINGS = [["", "as found"], ["number", "number"], ["text", "text"], ["date", "date"],
  ["boolean", "yes or no"]];

/** Return the section of columns and roles. */
export function rolesSection(page) {
  const { look, draft } = page;
  const rows = look.columns.map((column, index) => columnRow(page, column, index));
  const refresh = () => rows.forEach((row) => row.refresh());
  page.on("roles", refresh);
  page.on("survey", refresh);
  refresh();
  const take = el("button", {
    type: "button", "data-test": "take-suggestions",
    onclick: () => {
      draft.roles = suggested(look);
      page.changed("roles");
    },
  }, "Take the suggestions");
  const heads = ["Column", "Kind", "Missing", "Distinct", "Values", "Role", "Suggestion"];
  return el("section", { id: "columns", "aria-labelledby": "columns-heading" },
    el("h2", { id: "columns-heading" }, "What each column is"),
    el("p", null, "What could be looked up elsewhere is grouped. Suggestions are preselected; they "
      + "come from names, counts and what cells look like, so look at each. What is sensitive, only "
      + "you know."),
    el("dl", { class: "roles" }, ROLES.map(([, label, what]) =>
      [el("dt", null, label), el("dd", null, what)])),
    el("p", null, take),
    // The roles are spelled out since narrow screens show the rows as blocks, not as a table.
    el("table", { class: "columns", role: "table", "aria-labelledby": "columns-heading" },
      el("thead", { role: "rowgroup" }, el("tr", { role: "row" },
        heads.map((head) => el("th", { scope: "col", role: "columnheader" }, head)))),
      el("tbody", { role: "rowgroup" }, rows.map((row) => row.node))));
}

function columnRow(page, column, index) {
  const { look, draft } = page;
  const select = choice(ROLES.map(([role, label]) => [role, label]), draft.roles[index], {
    "data-test": "role", "aria-label": `Role of ${column.name}`,
    onchange: () => {
      draft.roles[index] = select.value;
      page.changed("roles");
    },
  });
  const use = el("span", { class: "hint" });
  const keep = keeping(page, column, index);
  const mark = el("strong");
  const suggestion = suggested(look)[index];
  const cells = [
    ["Kind", column.kind],
    ["Missing", share(column.missing, look.records)],
    ["Distinct", count(column.distinct)],
    ["Values", histogram(column.bins)],
    ["Role", [select, use, keep.node]],
    ["Suggestion", [mark, `${suggestion}: `, el("bdi", null, column.reason), notes(page, index)]],
  ];
  const node = el("tr", { role: "row", "data-test": "column-row" },
    el("th", { scope: "row", role: "rowheader" }, name(column.name)),
    cells.map(([label, content]) =>
      el("td", { role: "cell", "data-label": label }, el("div", null, content))));
  return {
    node,
    refresh() {
      const taken = surveyUse(draft, index);
      select.value = draft.roles[index];
      select.disabled = taken !== null;
      set(use, taken === null ? "" : USES[taken]);
      keep.refresh();
      const differs = taken === null && draft.roles[index] !== suggestion;
      set(mark, differs ? "you chose otherwise; " : "");
    },
  };
}

/** Return what can be said of a column that is kept: its rounding, and that it may be unique. */
function keeping(page, column, index) {
  const { draft, look } = page;
  const step = el("input", {
    type: "text", inputmode: "decimal", size: "6", value: draft.rounds[index],
    "data-test": "round", "aria-label": `Round ${column.name} to multiples of`,
    oninput: () => {
      draft.rounds[index] = step.value;
      page.changed("choose");
    },
  });
  const box = el("input", {
    type: "checkbox", checked: draft.unique[index], "data-test": "keep-unique",
    onchange: () => {
      draft.unique[index] = box.checked;
      page.changed("choose");
    },
  });
  const rounding = el("label", { class: "check" }, "round to multiples of ", step);
  const allowing = el("label", { class: "check" }, box, " release it though most are unique");
  return {
    node: el("div", null, rounding, allowing),
    refresh() {
      const kept = surveyUse(draft, index) === null
        && ["other", "sensitive"].includes(draft.roles[index]);
      rounding.hidden = !(kept && column.numeric && column.kind !== "boolean");
      allowing.hidden = !(keepsUnique(draft, index) && 2 * column.distinct > look.records);
    },
  };
}

/** Return the control that says as what a column is read. */
function reading(page, index) {
  const read = choice(READINGS, page.draft.types[index] ?? "", {
    "aria-label": `How to read ${page.look.columns[index].name}`, "data-test": "read-as",
    onchange: () => {
      page.draft.types[index] = read.value || null;
      page.changed("types");
    },
  });
  return read;
}

function notes(page, index) {
  const column = page.look.columns[index];
  const lines = [];
  if (column.warning) {
    lines.push(el("div", { class: "warning" }, el("bdi", null, column.warning), " Read it ",
      reading(page, index)));
  }
  if (column.codes) {
    lines.push(el("div", { class: "warning" }, el("bdi", null, column.codes),
      page.look.delimiter === null ? "" : [" Read it ", reading(page, index)]));
  }
  if (column.near_duplicates) {
    lines.push(el("div", { class: "warning" },
      `${count(column.near_duplicates)} of its values differ from another only in case, spaces or `
      + "invisible signs."));
  }
  if (column.alike.length) {
    lines.push(el("div", { class: "warning" }, "Its name differs from ",
      column.alike.map((other, at) => [at > 0 && ", ", name(other)]), " only in case, spaces or Unicode form."));
  }
  return lines;
}
