// Values put into named groups: dragged, or picked and moved by buttons.

import { checked, send } from "./api.js";
import { inputOf } from "./draft.js";
import { el, name, problem, set } from "./dom.js";
import { count } from "./format.js";
import { t, tn } from "./words.js";

const MOST = 400; // values that a person can sort

/** Return the values of a column with their records: [{value, count}]. */
export async function valuesOf(page, column) {
  const tree = await send("POST", `/files/${checked(page.id)}/trees`,
    { column, input: inputOf(page.look, page.draft), rule: "flat" });
  if (tree.csv === null) throw new Error(t("groups.too_many"));
  const counts = new Map((tree.nodes.children ?? []).map((one) => [one.label, one.count]));
  const values = lines(tree.csv).map(([value]) => ({ value, count: counts.get(value) ?? null }));
  if (values.length > MOST) throw new Error(t("groups.too_many"));
  return values.sort((one, other) => (other.count ?? 0) - (one.count ?? 0));
}

/** Return the cells of a hierarchy's text, line by line. */
export function lines(text) {
  const rows = [];
  let row = [];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^;\n]*))(;|\n|$)/g)) {
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ";") continue;
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
  }
  return rows;
}

/** Return a hierarchy's text: every value, its group or itself, and the root. */
export function hierarchyOf(values, groups) {
  const cell = (text) => (/[;"\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return values.map(({ value }) => `${cell(value)};${cell(groups[value] ?? value)};*\n`).join("");
}

/** Return the groups that a hierarchy's text has right above its values. */
export function groupsIn(text) {
  const rows = lines(text ?? "").filter((row) => row.length > 2 && row[1] !== row[0]);
  return Object.fromEntries(rows.map(([value, group]) => [value, group]));
}

/**
 * Return a board on which values are sorted into groups.
 * @param {{value: string, count: number | null}[]} values
 * @param {Record<string, string>} start the group of each value that has one
 * @param {(groups: Record<string, string>) => void} changed
 */
export function board(values, start, changed) {
  const groups = new Map(Object.entries(start));
  const names = [...new Set(groups.values())];
  const picked = new Set();
  const place = el("div", { class: "board", "data-test": "board" });
  const told = el("p", { class: "unseen", role: "status" });

  function move(group, which = [...picked]) {
    for (const value of which) {
      if (group === null) groups.delete(value);
      else groups.set(value, group);
    }
    picked.clear();
    draw();
    set(told, tn("groups.moved", which.length, { group: group ?? t("groups.none") }));
    changed(Object.fromEntries(groups));
  }

  function chip({ value, count: records }) {
    const node = el("button", {
      type: "button", class: "chip", "aria-pressed": String(picked.has(value)),
      "data-test": "chip", title: t("groups.chip"),
      onclick: () => {
        if (!picked.delete(value)) picked.add(value);
        node.setAttribute("aria-pressed", String(picked.has(value)));
      },
      ondragstart: (event) => {
        if (!picked.has(value)) picked.add(value);
        event.dataTransfer.setData("text/plain", value);
        event.dataTransfer.effectAllowed = "move";
      },
    }, name(value, 40), records === null ? null : el("span", { class: "soft" }, ` ${count(records)}`));
    node.draggable = true;
    return node;
  }

  function bin(group, at) {
    const inside = values.filter(({ value }) => (groups.get(value) ?? null) === group);
    const title = group === null ? el("strong", null, t("groups.none")) : el("input", {
      type: "text", value: group, "aria-label": t("groups.name", { n: at + 1 }), size: "14",
      "data-test": "group-name", onchange: (event) => rename(group, event.target.value.trim()),
    });
    const node = el("div", {
      class: "bin", "data-test": "bin",
      ondragover: (event) => {
        if (!picked.size) return;
        event.preventDefault();
        node.classList.add("over");
      },
      ondragleave: () => node.classList.remove("over"),
      ondrop: (event) => {
        event.preventDefault();
        event.stopPropagation();
        move(group);
      },
    },
    el("div", { class: "line" }, title,
      el("button", {
        type: "button", class: "small", "data-test": "move-here", onclick: () => picked.size && move(group),
        "aria-label": t("groups.move_to", { group: group ?? t("groups.none") }),
      }, t("groups.move")),
      group !== null && el("button", {
        type: "button", class: "small quiet", "data-test": "group-remove",
        "aria-label": t("groups.remove_of", { group }),
        onclick: () => {
          names.splice(names.indexOf(group), 1);
          move(null, inside.map(({ value }) => value));
        },
      }, t("groups.remove"))),
    el("div", { class: "chips" }, inside.map(chip)));
    return node;
  }

  function rename(old, wanted) {
    const free = wanted && !names.includes(wanted) ? wanted : old;
    names[names.indexOf(old)] = free;
    for (const [value, group] of groups) if (group === old) groups.set(value, free);
    draw();
    changed(Object.fromEntries(groups));
  }

  function draw() {
    const add = el("button", {
      type: "button", class: "small", "data-test": "group-add",
      onclick: () => {
        let n = names.length + 1;
        while (names.includes(t("groups.new", { n }))) n += 1;
        names.push(t("groups.new", { n }));
        move(names.at(-1));
        place.querySelectorAll("[data-test=group-name]")[names.length - 1]?.focus();
      },
    }, t("groups.add"));
    set(place, bin(null, 0), names.map((group, at) => bin(group, at)), el("div", null, add));
  }
  draw();
  return el("div", null, el("p", { class: "hint" }, t("groups.what")), place, told);
}

/** Return the control of a recoding: a board of the column's values, and the same as lines. */
export function valuesField(page, start, whole) {
  let mapping = { ...start };
  const text = el("textarea", {
    rows: "5", spellcheck: "false", "data-test": "change-values", "aria-label": t("groups.lines"),
    oninput: () => { mapping = read(text.value); },
  });
  const shown = () => Object.entries(mapping).map(([old, now]) => `${old} = ${now}`).join("\n");
  const place = el("div");
  const open = el("button", {
    type: "button", class: "small", "data-test": "values-sort",
    onclick: async () => {
      try {
        const values = await valuesOf(page, whole.column());
        set(place, board(values, mapping, (groups) => {
          mapping = groups;
          text.value = shown();
        }));
      } catch (error) {
        set(place, problem(error));
      }
    },
  }, t("groups.sort"));
  text.value = shown();
  const node = el("div", null, open, place, text);
  return { node, value: () => (Object.keys(mapping).length ? mapping : null) };
}

function read(text) {
  const pairs = text.split("\n").map((line) => /^(.*?)\s*=\s*(.*)$/.exec(line)).filter(Boolean);
  return Object.fromEntries(pairs.map(([, old, now]) => [old.trim(), now.trim()]));
}
