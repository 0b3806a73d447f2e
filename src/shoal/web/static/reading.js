// How a file is read: what separates its columns, what stands for a missing cell, what columns hold.

import { checked, send } from "./api.js";
import { inputOf } from "./draft.js";
import { el, name, problem, set } from "./dom.js";
import { counted } from "./format.js";

const SIGNS = [
  [",", "comma"], [";", "semicolon"], ["\t", "tab"], ["|", "vertical bar"],
];

const ENCODINGS = [
  ["", "UTF-8, or what the file says"], ["cp1252", "Windows, Western Europe (cp1252)"],
  ["latin-1", "Latin-1"], ["utf-16", "UTF-16"], ["cp1250", "Windows, Central Europe (cp1250)"],
  ["cp437", "DOS (cp437)"],
];
const DECIMALS = [[".", "point: 1.5"], [",", "comma: 1,5"]];
const THOUSANDS = [["", "nothing"], [".", "point: 1.234"], [",", "comma: 1,234"],
  [" ", "blank: 1 234"], ["'", "apostrophe: 1'234"]];

function chosen(test, choices, now) {
  const known = choices.some(([value]) => value === now) || now === undefined;
  const every = known ? choices : [[now, now], ...choices];
  return el("select", { "data-test": test },
    every.map(([value, word]) => el("option", { value, selected: now === value }, word)));
}

function typed(test, value, size) {
  return el("input", { type: "text", "data-test": test, value: value ?? "", size });
}

const BOOKS = [".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"];

const TEXTS = [".csv", ".tsv", ".txt", ".gz", ".bz2", ".zst", ".zip"];

function endsIn(file, endings) {
  return endings.some((ending) => file.name.toLowerCase().endsWith(ending));
}

function isBook(file) {
  return endsIn(file, BOOKS);
}

function isText(file) {
  return endsIn(file, TEXTS);
}

async function look(file, trouble, before, asked) {
  try {
    await before();
    await send("POST", `/files/${checked(file.id)}/look`, asked());
    location.reload();
  } catch (error) {
    set(trouble, problem(error));
  }
}

/** Return a form that reads a sheet of a workbook. */
function readSheet(file, trouble, before) {
  const sheet = typed("sheet", file.reading?.sheet, 20);
  const go = () => look(file, trouble, before,
    () => ({ input: { sheet: sheet.value.trim() || null } }));
  return el("div", { class: "again" },
    el("p", null, el("label", null, "The sheet that is meant ", sheet), " ",
      el("button", { type: "button", "data-test": "read-again", onclick: go }, "Read it")));
}

/** Return a form that reads a table of a database. */
function readTable(file, trouble, before) {
  const table = el("select", { "data-test": "table" }, file.tables.map((one) =>
    el("option", { value: one, selected: one === file.table }, one)));
  const go = () => look(file, trouble, before, () => ({ table: table.value }));
  return el("div", { class: "again" },
    el("p", null, el("label", null, "The table that is meant ", table), " ",
      el("button", { type: "button", "data-test": "read-again", onclick: go }, "Read it")));
}

/** Return the page of a database of several tables, one of which is to be chosen. */
export function chooseTable(file, trouble) {
  return el("section", { "aria-labelledby": "table-heading", "data-test": "choosing" },
    el("h2", { id: "table-heading" }, "Which table?"),
    el("p", null, `There are ${counted(file.tables.length, "table")} in `, name(file.name),
      ". One of them is read; nothing in the file is changed, and its views are not opened."),
    readTable(file, trouble, async () => {}));
}

/** Return a form that reads the file anew; `input` says what else is to be heeded. */
export function readAgain(file, trouble, input = () => ({}), before = async () => {}) {
  if (isBook(file)) return readSheet(file, trouble, before);
  if (file.tables.length) return readTable(file, trouble, before);
  if (!isText(file)) return null;
  const now = file.reading ?? {};
  const parts = {
    delimiter: chosen("delimiter", SIGNS, now.delimiter ?? file.look?.delimiter),
    encoding: chosen("encoding", ENCODINGS, now.encoding ?? ""),
    decimal: chosen("decimal", DECIMALS, now.decimal ?? "."),
    thousands: chosen("thousands", THOUSANDS, now.thousands ?? ""),
    date_format: typed("date-format", typeof now.date_format === "string" ? now.date_format : "", 10),
    skip_lines: typed("skip-lines", now.skip_lines ? String(now.skip_lines) : "", 3),
  };
  const told = () => {
    const every = { ...file.reading, ...input(), delimiter: parts.delimiter.value };
    if (now.widths?.length) delete every.delimiter;
    for (const key of ["encoding", "decimal", "thousands"]) every[key] = parts[key].value || null;
    if (every.decimal === ".") every.decimal = null;
    if (typeof now.date_format !== "object" || parts.date_format.value) {
      every.date_format = parts.date_format.value.trim() || null;
    }
    every.skip_lines = Number.parseInt(parts.skip_lines.value, 10) || null;
    return every;
  };
  const go = () => look(file, trouble, before, () => ({ input: told() }));
  return el("div", { class: "again" },
    el("p", null, el("label", null, "Columns are separated by ", parts.delimiter), " ",
      el("label", null, "Encoding ", parts.encoding)),
    el("p", null, el("label", null, "Decimal sign ", parts.decimal), " ",
      el("label", null, "between thousands ", parts.thousands), " ",
      el("label", null, "dates as ", parts.date_format), " ",
      el("label", null, "lines above the header ", parts.skip_lines)),
    el("p", null, el("button", { type: "button", "data-test": "read-again", onclick: go },
      "Read it again")));
}

/** Return what was found of a file that is not plain csv; null where it is. */
export function findings(file) {
  const lines = file.look?.findings ?? [];
  if (!lines.length) return null;
  return el("div", { class: "warning", "data-test": "findings" },
    !file.table && el("p", null, "This file is not plain csv. It was read as it seems to be written. Please look at "
      + "the first rows; below the columns you can have it read in another way."),
    el("ul", null, lines.map((line) => el("li", null, line))));
}

/** Return the part that reads a csv file in another way, with the kinds and words chosen above. */
export function readingSection(page, trouble) {
  const several = page.file.tables.length > 1;
  // Every other file says itself how it is written.
  if (!page.look.delimiter && !isBook(page.file) && !several) return null;
  if (several) {
    return el("details", { class: "reading", "data-test": "reading" },
      el("summary", null, "Another table is meant?"),
      readTable(page.file, trouble, () => page.saved()));
  }
  return el("details", { class: "reading", "data-test": "reading" },
    el("summary", null, "The file was read in the wrong way?"),
    el("p", null, "Kinds of columns and words for missing cells that you chose count for runs at "
      + "once; read the file again to see columns and hierarchies by them."),
    readAgain(page.file, trouble, () => inputOf(page.look, page.draft), () => page.saved()));
}
