// Columns: what is in them, and the role that each is given, one by one or several at once.

import { keepsUnique, nameObstacle, suggested, suggestedSurvey, surveyUse } from "./draft.js";
import { choice, el, name, set } from "./dom.js";
import { count, share } from "./format.js";
import { term } from "./glossary.js";
import { histogram } from "./small.js";
import { ROLES } from "./terms.js";
import { has, relabeled, t } from "./words.js";

const READINGS = ["", "number", "text", "date", "boolean"];

/** Return the step of columns and roles. */
export function rolesSection(page) {
  const { look } = page;
  const picked = new Set();
  const rows = look.columns.map((column, index) => columnRow(page, column, index, picked));
  const stands = el("div", { role: "status", "data-test": "names-released" });
  const refresh = () => {
    rows.forEach((row) => row.refresh());
    const names = nameObstacle(look, page.draft);
    set(stands, names.length > 0 && el("div", { class: "problem" }, t("roles.names", {
      names: names.map((i, at) => [at ? ", " : "", name(look.columns[i].name, 40)]) })));
  };
  for (const kind of ["roles", "survey", "choose"]) page.on(kind, refresh);
  refresh();
  const take = el("button", {
    type: "button", "data-test": "take-suggestions",
    onclick: () => page.change("roles", (draft) => {
      Object.assign(draft, { roles: suggested(look) }, suggestedSurvey(look));
      page.tell("survey");
    }),
  }, t("roles.take"));
  const heads = ["column", "kind", "missing", "distinct", "values", "role", "suggestion"];
  return el("section", { "aria-labelledby": "columns-heading" },
    el("h2", { id: "columns-heading" }, t("roles.heading")),
    el("p", null, t("roles.what")),
    el("dl", { class: "roles" }, ROLES.map((role) =>
      [el("dt", null, t(`role.${role}`), " ", has(`glossary.${role}`) && term(role)),
        el("dd", null, t(`role.${role}_what`))])),
    stands,
    el("div", { class: "actions" }, take, several(page, picked)),
    // The roles are spelled out since narrow screens show the rows as blocks, not as a table.
    el("table", { class: "columns", role: "table", "aria-labelledby": "columns-heading" },
      el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, heads.map((head) =>
        el("th", { scope: "col", role: "columnheader" }, t(`roles.head_${head}`))))),
      el("tbody", { role: "rowgroup" }, rows.map((row) => row.node))));
}

/** Return the control that gives one role to all columns that are checked. */
function several(page, picked) {
  const select = choice([["", t("roles.several")], ...ROLES.map((role) => [role, t(`role.${role}`)])],
    "", {
      "aria-label": t("roles.several"), "data-test": "roles-several",
      onchange: () => {
        const role = select.value;
        select.value = "";
        if (!role) return;
        page.change("roles", (draft) => { for (const i of picked) draft.roles[i] = role; });
      },
    });
  return select;
}

function columnRow(page, column, index, picked) {
  const { look, draft } = page;
  const select = choice(ROLES.map((role) => [role, t(`role.${role}`)]), draft.roles[index], {
    "data-test": "role", "aria-label": t("roles.of", { column: column.name }),
    onchange: () => page.change("roles", () => { draft.roles[index] = select.value; }),
  });
  const pick = el("input", {
    type: "checkbox", "aria-label": t("roles.pick", { column: column.name }), "data-test": "pick",
    onchange: () => (pick.checked ? picked.add(index) : picked.delete(index)),
  });
  const use = el("span", { class: "hint" });
  const keep = keeping(page, column, index);
  const mark = el("strong");
  const suggestion = suggested(look)[index];
  const cells = [
    ["kind", has(`kind.${column.kind}`) ? t(`kind.${column.kind}`) : column.kind],
    ["missing", share(column.missing, look.records)],
    ["distinct", count(column.distinct)],
    ["values", histogram(column.bins)],
    ["role", [select, use, keep.node]],
    ["suggestion", [mark, `${t(`role.${suggestion}`)}: `, el("bdi", null, relabeled(column.reason)),
      notes(page, index)]],
  ];
  const node = el("tr", { role: "row", "data-test": "column-row" },
    el("th", { scope: "row", role: "rowheader" }, pick, " ", name(column.name),
      column.label && el("div", { class: "hint" }, name(column.label, 80))),
    cells.map(([label, content]) =>
      el("td", { role: "cell", "data-label": t(`roles.head_${label}`) }, el("div", null, content))));
  return {
    node,
    refresh() {
      const taken = surveyUse(draft, index);
      select.value = draft.roles[index];
      select.disabled = taken !== null;
      set(use, taken === null ? "" : t(`use.${taken}`));
      keep.refresh();
      const differs = taken === null && draft.roles[index] !== suggestion;
      set(mark, differs ? t("roles.otherwise") : "");
    },
  };
}

/** Return what can be said of a column that is kept: its rounding, and that it may be unique. */
function keeping(page, column, index) {
  const { draft, look } = page;
  const step = el("input", {
    type: "text", inputmode: "decimal", size: "6", value: draft.rounds[index],
    "data-test": "round", "aria-label": t("roles.round_of", { column: column.name }),
    oninput: () => page.change("choose", () => { draft.rounds[index] = step.value; },
      `round-${index}`),
  });
  const box = el("input", {
    type: "checkbox", checked: draft.unique[index], "data-test": "keep-unique",
    onchange: () => page.change("choose", () => { draft.unique[index] = box.checked; }),
  });
  page.on("restored", () => {
    step.value = draft.rounds[index];
    box.checked = draft.unique[index];
  });
  const rounding = el("label", { class: "check" }, `${t("field.round")} `, step);
  const allowing = el("label", { class: "check" }, box, ` ${t("field.keep_unique")}`);
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
  const options = READINGS.map((one) => [one, t(`read_as.${one || "found"}`)]);
  const read = choice(options, page.draft.types[index] ?? "", {
    "aria-label": t("roles.read_of", { column: page.look.columns[index].name }),
    "data-test": "read-as",
    onchange: () => page.change("types", (draft) => { draft.types[index] = read.value || null; }),
  });
  page.on("restored", () => { read.value = page.draft.types[index] ?? ""; });
  return read;
}

function notes(page, index) {
  const column = page.look.columns[index];
  const warned = (...content) => el("div", { class: "warning" }, content);
  const readAs = () => el("div", { class: "check" }, `${t("field.types")} `, reading(page, index));
  const lines = [];
  if (column.warning) lines.push(warned(el("bdi", null, relabeled(column.warning)), readAs()));
  if (column.codes) {
    lines.push(warned(el("bdi", null, relabeled(column.codes)),
      page.look.delimiter === null ? "" : readAs()));
  }
  if (column.near_duplicates) {
    lines.push(warned(t("roles.near", { n: count(column.near_duplicates) })));
  }
  if (column.alike.length) {
    lines.push(warned(t("roles.alike", {
      names: column.alike.map((other, at) => [at > 0 && ", ", name(other)]) })));
  }
  return lines;
}
