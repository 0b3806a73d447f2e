// Open: how a file is read, beside its first rows, which are read again as soon as that changes.

import { checked, send } from "./api.js";
import { inputOf, restored } from "./draft.js";
import { choice, el, field, name, problem, prose, set, table } from "./dom.js";
import { finishButton } from "./home.js";
import { draftOf } from "./restore.js";
import { t, tn } from "./words.js";

const SIGNS = [[",", "comma"], [";", "semicolon"], ["\t", "tab"], ["|", "bar"]];
const ENCODINGS = [["", "auto"], ["cp1252", "cp1252"], ["latin-1", "latin1"], ["utf-16", "utf16"],
  ["cp1250", "cp1250"], ["cp437", "cp437"]];
const DECIMALS = [[".", "point"], [",", "comma"]];
const THOUSANDS = [["", "nothing"], [".", "point"], [",", "comma"], [" ", "blank"],
  ["'", "apostrophe"]];
const DATES = [["", "iso"], ["%d.%m.%Y", "dmy_points"], ["%d/%m/%Y", "dmy"], ["%m/%d/%Y", "mdy"],
  ["%Y/%m/%d", "ymd"], ["%d-%m-%Y", "dmy_dashes"]];
const BOOKS = [".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"];
const TEXTS = [".csv", ".tsv", ".txt", ".gz", ".bz2", ".zst", ".zip"];

let isUsed = false; // the form stays open once it was used: its page is made anew at every change

function endsIn(file, endings) {
  return endings.some((ending) => file.name.toLowerCase().endsWith(ending));
}

/** Return choices with their words, and the present value among them. */
function chosen(test, part, values, now, onchange) {
  const options = values.map(([value, key]) => [value, t(`reading.${part}.${key}`)]);
  const known = now === undefined || values.some(([value]) => value === now);
  return choice(known ? options : [[now, now], ...options], now ?? values[0][0],
    { "data-test": test, onchange });
}

function typed(test, value, size, onchange) {
  return el("input", { type: "text", "data-test": test, value: value ?? "", size, onchange,
    autocomplete: "off", spellcheck: "false" });
}

/** Read the file again, show it, and give the focus back to the control that was used. */
async function look(file, { trouble, again, before = async () => {} }, body) {
  const used = /** @type {HTMLElement} */ (document.activeElement)?.dataset?.test;
  isUsed = true;
  const form = document.activeElement?.closest("fieldset") ?? document.querySelector(".again");
  if (form) form.disabled = true; // what was chosen meanwhile would be lost with the old form
  try {
    await before();
    await send("POST", `/files/${checked(file.id)}/look`, body);
    await again();
    if (used) {
      /** @type {HTMLElement} */ (document.querySelector(`[data-test=${used}]`))?.focus();
    }
  } catch (error) {
    set(trouble, problem(error));
    if (form) form.disabled = false;
  }
}

/** Return a form that reads a sheet of a workbook. */
function readSheet(file, how) {
  const go = () => look(file, how, { input: { sheet: sheet.value.trim() || null } });
  const sheets = file.look?.sheets ?? [];
  if (file.look && sheets.length < 2) return null;
  const sheet = sheets.length
    ? choice(sheets.map((one) => [one, one]), file.reading?.sheet ?? sheets[0],
      { "data-test": "sheet", onchange: go })
    : typed("sheet", file.reading?.sheet, 20, go);
  return el("fieldset", { class: "again fields" }, field(t("field.sheet"), sheet),
    sheets.length === 0 && el("p", null, el("button", {
      type: "button", "data-test": "read-again", onclick: go }, t("reading.read"))));
}

/** Return a form that reads a table of a database. */
function readTable(file, how) {
  const tables = choice(file.tables.map((one) => [one, one]), file.table ?? file.tables[0],
    { "data-test": "table" });
  const go = () => look(file, how, { table: tables.value });
  return el("fieldset", { class: "again fields" }, field(t("reading.table"), tables),
    el("p", null, el("button", { type: "button", "data-test": "read-again", onclick: go },
      t("reading.read"))));
}

/** Return the page of a database of several tables, one of which is to be chosen. */
export function chooseTable(file, trouble, again) {
  return el("section", { "aria-labelledby": "table-heading", "data-test": "choosing" },
    el("h2", { id: "table-heading" }, t("reading.which")),
    el("p", null, t("reading.tables", {
      tables: tn("count.table", file.tables.length), name: name(file.name) })),
    readTable(file, { trouble, again }));
}

/** Return a form that reads the file anew at every change; `input` says what else is heeded. */
export function readAgain(file, how) {
  if (endsIn(file, BOOKS)) return readSheet(file, how);
  if (file.tables.length) return file.tables.length > 1 || !file.look ? readTable(file, how) : null;
  if (!endsIn(file, TEXTS)) return null;
  const now = file.reading ?? {};
  const input = how.input ?? (() => ({}));
  const go = () => look(file, how, { input: every() });
  const date = typeof now.date_format === "string" ? now.date_format : "";
  const missing = (now.missing ?? []).filter(Boolean).join(", ");
  const parts = {
    delimiter: chosen("delimiter", "delimiter", SIGNS, now.delimiter ?? file.look?.delimiter ?? ",",
      go),
    encoding: chosen("encoding", "encoding", ENCODINGS, now.encoding ?? "", go),
    decimal: chosen("decimal", "decimal", DECIMALS, now.decimal ?? ".", () => {
      if (parts.thousands.value === parts.decimal.value) parts.thousands.value = "";
      go();
    }),
    thousands: chosen("thousands", "thousands", THOUSANDS, now.thousands ?? "", () => {
      if (parts.thousands.value === parts.decimal.value) { // one sign cannot be both
        parts.decimal.value = parts.thousands.value === "." ? "," : ".";
      }
      go();
    }),
    date_format: chosen("date-format", "date", DATES, date, go),
    skip_lines: typed("skip-lines", now.skip_lines ? String(now.skip_lines) : "", 3, go),
    missing: typed("missing-words", missing, 12, go),
  };
  const every = () => {
    const said = { ...file.reading, ...input(), delimiter: parts.delimiter.value };
    if (now.widths?.length) delete said.delimiter;
    for (const key of ["encoding", "decimal", "thousands"]) said[key] = parts[key].value || null;
    if (said.decimal === ".") said.decimal = null;
    if (typeof now.date_format !== "object" || parts.date_format.value) {
      said.date_format = parts.date_format.value.trim() || null;
    }
    said.skip_lines = Number.parseInt(parts.skip_lines.value, 10) || null;
    const words = parts.missing.value.split(",").map((one) => one.trim()).filter(Boolean);
    if (words.length || missing) said.missing = ["", ...words];
    return said;
  };
  return el("fieldset", { class: "again fields" },
    Object.entries(parts).map(([key, control]) => field(t(`field.${key}`), control)),
    el("p", null, el("button", { type: "button", class: "quiet small", "data-test": "read-again",
      onclick: go }, t("reading.again"))));
}

/** Return how a text file is read, in a few words. */
function summary(file) {
  if (!endsIn(file, TEXTS)) return file.reading?.sheet ? [": ", name(file.reading.sheet, 40)] : "";
  const now = file.reading ?? {};
  const word = (part, values, value) => {
    const known = values.find(([one]) => one === value);
    return known ? t(`reading.${part}.${known[1]}`) : String(value);
  };
  const parts = now.widths?.length ? []
    : [word("delimiter", SIGNS, now.delimiter ?? file.look?.delimiter ?? ",")];
  parts.push(word("encoding", ENCODINGS, now.encoding ?? ""),
    t("reading.numbers", { example: now.decimal === "," ? "1,5" : "1.5" }));
  if (typeof now.date_format === "string") parts.push(word("date", DATES, now.date_format));
  const missing = (now.missing ?? []).filter(Boolean);
  if (missing.length) parts.push(t("reading.words", { words: missing.join(", ") }));
  return `: ${parts.join(" · ")}`;
}

/** Return what was seen of a file that is not plain csv; null where it is. */
function findings(file) {
  const lines = file.look?.findings ?? [];
  if (!lines.length) return null;
  return el("div", { class: "warning", "data-test": "findings" },
    !file.table && !file.look.sheets?.length && el("p", null, t("reading.not_plain")),
    el("ul", null, lines.map((line) => el("li", null, prose(line)))));
}

/** Return the first step: how the file was read, its first rows, and settings from before. */
export function openStep(page) {
  const { file, look: seen, trouble } = page;
  const form = readAgain(file, {
    trouble, again: page.again, before: () => page.saved(),
    input: () => inputOf(page.look, page.draft),
  });
  return el("section", { "aria-labelledby": "open-heading" },
    el("h2", { id: "open-heading" }, t("reading.heading")),
    findings(file),
    form && el("details", { class: "reading", open: isUsed || Boolean(file.look?.findings?.length),
      "data-test": "reading" }, el("summary", null, t("reading.how"), summary(file)), form),
    el("h3", null, t("reading.rows")),
    rowsTable(seen),
    settingsPart(page),
    el("p", null, finishButton(file, trouble)));
}

function rowsTable(look) {
  const heads = look.columns.map((column) => ({
    text: [name(column.name, 40), column.label && el("div", { class: "hint" },
      name(column.label, 60))],
    n: column.numeric && column.kind !== "boolean",
  }));
  const rows = look.rows.map((row) => ({
    cells: row.map((cell, at) => el("td", { class: heads[at].n ? "n" : null },
      cell === null ? el("span", { class: "soft" }, t("reading.missing")) : name(cell, 60))),
  }));
  return table(t("reading.rows"), heads, rows, { "data-test": "rows", class: "table onscreen" });
}

/** Return the part that takes settings which were kept as run.toml. */
function settingsPart(page) {
  const told = el("div", { role: "status", "data-test": "settings-told" });
  const input = el("input", {
    type: "file", accept: ".toml", "data-test": "open-settings", onchange: take,
  });
  async function take() {
    const given = input.files[0];
    input.value = "";
    if (!given) return;
    try {
      if (given.size > 500_000) throw new Error(t("settings.large"));
      const { recipe, left } = await send("POST", `/files/${checked(page.id)}/settings/open`,
        { text: await given.text() });
      const draft = draftOf(page.look, recipe, restored(page.look, page.draft));
      page.replace({ ...draft, seen: page.draft.seen });
      set(told, el("p", { class: "good" }, t("settings.taken")),
        left.length > 0 && el("p", { class: "warning" },
          t("settings.left", { names: left.join(", ") })));
    } catch (error) {
      set(told, problem(error));
    }
  }
  return el("details", { "data-test": "settings" }, el("summary", null, t("settings.heading")),
    field(t("settings.open"), input, t("settings.hint")), told);
}
