// Less usual choices: what a group releases, how the file is written, memory and seed.

import { input, select } from "./controls.js";
import { el, field } from "./dom.js";
import { t } from "./words.js";

const FORMATS = ["csv", "csv.gz", "parquet", "feather", "arrow", "jsonl", "xlsx", "sav", "zsav",
  "dta", "xpt"];
const AGGREGATES = ["", "mean", "median", "mode", "medoid", "generalize", "range"];
const NUMBERS = ["", "mean", "interval"];

/** Return the part of less usual choices. */
export function outputPart(page) {
  const of = (key, values, part, test) => select(page, key,
    values.map((one) => [one, t(`${part}.${one || "usual"}`)]), { "data-test": test });
  const typed = (key, test, more = {}) => input(page, key,
    { type: "text", "data-test": test, ...more });
  return el("details", { "data-test": "output" }, el("summary", null, t("output.heading")),
    el("div", { class: "fields" },
      field(t("field.format"), of("format", FORMATS, "format", "format")),
      field(t("field.decimals"), typed("decimals", "decimals", { inputmode: "numeric" }),
        t("output.decimals_hint")),
      field(t("field.aggregate"), of("aggregate", AGGREGATES, "aggregate", "aggregate"),
        t("output.aggregate_hint")),
      field(t("field.numbers"), of("numbers", NUMBERS, "numbers", "numbers"),
        t("output.numbers_hint")),
      field(t("field.incomplete"), of("incomplete", ["keep", "delete"], "incomplete", "incomplete"),
        t("output.incomplete_hint")),
      field(t("field.missing"), typed("missing", "missing", { spellcheck: "false" }),
        t("output.missing_hint")),
      field(t("field.spreadsheet_safe"), of("spreadsheet_safe", ["yes", "no"], "spreadsheet",
        "spreadsheet-safe"), t("output.spreadsheet_hint")),
      field(t("field.memory"), typed("memory", "memory", { placeholder: "4GB" }),
        t("output.memory_hint")),
      field(t("field.seed"),
        input(page, "seed", { type: "number", min: "0", step: "1", "data-test": "seed" }),
        t("output.seed_hint"))));
}
