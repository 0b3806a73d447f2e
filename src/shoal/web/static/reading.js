// How a file is read: what separates its columns, what stands for a missing cell, what columns hold.

import { checked, send } from "./api.js";
import { inputOf } from "./draft.js";
import { el, problem, set } from "./dom.js";

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

function isBook(file) {
  return BOOKS.some((ending) => file.name.toLowerCase().endsWith(ending));
}

async function look(file, trouble, before, input) {
  try {
    await before();
    await send("POST", `/files/${checked(file.id)}/look`, { input: input() });
    location.reload();
  } catch (error) {
    set(trouble, problem(error));
  }
}

/** Return a form that reads a sheet of a workbook. */
function readSheet(file, trouble, before) {
  const sheet = typed("sheet", file.reading?.sheet, 20);
  const go = () => look(file, trouble, before, () => ({ sheet: sheet.value.trim() || null }));
  return el("div", { class: "again" },
    el("p", null, el("label", null, "The sheet that is meant ", sheet), " ",
      el("button", { type: "button", "data-test": "read-again", onclick: go }, "Read it")));
}

/** Return a form that reads the file anew; `input` says what else is to be heeded. */
export function readAgain(file, trouble, input = () => ({}), before = async () => {}) {
  if (isBook(file)) return readSheet(file, trouble, before);
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
  const go = () => look(file, trouble, before, told);
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
    el("p", null, "This file is not plain csv. It was read as it seems to be written. Please look at "
      + "the first rows; below the columns you can have it read in another way."),
    el("ul", null, lines.map((line) => el("li", null, line))));
}

/** Return the part that reads a csv file in another way, with the kinds and words chosen above. */
export function readingSection(page, trouble) {
  if (!page.look.delimiter && !isBook(page.file)) return null; // it says itself how it is written
  return el("details", { class: "reading", "data-test": "reading" },
    el("summary", null, "The file was read in the wrong way?"),
    el("p", null, "Kinds of columns and words for missing cells that you chose count for runs at "
      + "once; read the file again to see columns and hierarchies by them."),
    readAgain(page.file, trouble, () => inputOf(page.look, page.draft), () => page.saved()));
}
