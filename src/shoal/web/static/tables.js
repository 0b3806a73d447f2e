// The tables of a report: columns, group sizes, measures, what was asked beyond k.

import { el, name, prose, table } from "./dom.js";
import { count, figure, told } from "./format.js";
import { titleOf } from "./words.js";

/** Return risks or utilities: the figure, and what it means for a decision. */
export function measuresTable(label, part, test) {
  const rows = Object.entries(part).map(([key, one]) => {
    const spread = one.interval && el("div", { class: "soft" },
      `${told(one.interval[0], one.unit)} to ${told(one.interval[1], one.unit)}, from a sample of `
      + count(one.sampled));
    return [titleOf(key), [told(one.value, one.unit), spread],
      el("td", { class: "what" }, prose(one.sentence), byColumn(one))];
  });
  return table(label, ["Measure", { text: "Value", n: true }, "What it means"], rows,
    { "data-test": test });
}

function byColumn(one) {
  const every = Object.entries(one.by ?? {});
  if (every.length < 2) return null;
  return el("details", { class: "inner" }, el("summary", null, "Column by column"),
    el("ul", { class: "pairs" }, every.map(([column, value]) =>
      el("li", null, name(column, 80), ` ${told(value, one.unit)}`))));
}

/** Return how many groups have how many records. */
export function sizesTable(report) {
  return table("Groups by the number of their records",
    [{ text: "Records in a group", n: true }, { text: "Groups", n: true }],
    Object.entries(report.groups.sizes).map(([size, groups]) => [count(Number(size)),
      count(groups)]));
}

/** Return the quasi-identifiers; columns of the table that say nothing are left out. */
export function columnsTable(report) {
  const number = (text, cell) => [{ text, n: true }, cell];
  const every = [
    ["Quasi-identifier", (c) => name(c.name)],
    ["Kind", (c) => c.kind],
    number("Loss, %", (c) => c.information_loss.toFixed(2)),
    ["Released as", (c) => c.released_as],
  ];
  if (report.costs) {
    every.push(
      ["Hierarchy", (c) => (c.hierarchy ? name(c.hierarchy, 28) : "–")],
      number("As it was", (c) => count(c.unchanged)),
      number("Generalized", (c) => count(c.generalized)),
      number("Suppressed (*)", (c) => count(c.suppressed)),
      number("Missing before", (c) => count(c.missing)));
  }
  if (report.columns.some((c) => c.mean_before !== null)) {
    every.push(
      number("Mean before", (c) => figure(c.mean_before)),
      number("Mean after", (c) => figure(c.mean_after)),
      number("Variance before", (c) => figure(c.variance_before)),
      number("Variance after", (c) => figure(c.variance_after)));
  }
  return table("The quasi-identifiers and what each lost", every.map(([head]) => head),
    report.columns.map((column) => every.map(([, cell]) => cell(column))),
    { "data-test": "columns-after" });
}

/** Return the totals of columns that release means; nothing where there are none. */
export function totalsPart(report) {
  if (!report.totals?.length) return null;
  const what = report.survey?.weight ? "Weighted total" : "Total";
  return [
    el("h3", null, "Totals"),
    table("Totals before and after",
      ["Column", { text: `${what} before`, n: true }, { text: `${what} after`, n: true },
        { text: "Drift, %", n: true }],
      report.totals.map((one) => [name(one.column), figure(one.before, 10), figure(one.after, 10),
        figure(one.drift_percent, 2)])),
    el("p", { class: "soft" }, "Means keep totals; what drifted was rounded to the digits of the "
      + "column."),
  ];
}

/** Return whether a model asks for at least or at most its number. */
function bound(model) {
  const atLeast = ["distinct l-diversity", "entropy l-diversity", "p % rule"];
  if (atLeast.includes(model)) return "at least";
  return model.startsWith("recursive") ? "below" : "at most";
}

/** Return what was asked beyond k and found, as [model, names of columns, asked, found]. */
export function beyondK(report) {
  const models = [...(report.verification.models ?? []), ...(report.dominance ?? [])];
  return [
    ...models.map((one) =>
      [one.model, [one.column], `${bound(one.model)} ${figure(one.asked)}`, figure(one.found, 4)]),
    ...(report.verification.k_of ?? []).map((one) =>
      ["own k", one.columns, `at least ${one.asked}`, figure(one.found)]),
  ];
}

/** Return the table of that; nothing where nothing was asked. */
export function beyondTable(report) {
  const rows = beyondK(report);
  if (rows.length === 0) return null;
  return [
    el("h3", null, "What was asked beyond k"),
    table("What was asked beyond k",
      ["Model", "Columns", { text: "Asked", n: true },
        { text: "Found in the worst group", n: true }],
      rows.map(([model, columns, asked, found]) =>
        [model, columns.map((one, at) => [at ? ", " : "", name(one)]), asked, found])),
    el("p", { class: "soft" }, "All but the p % rule are judged from the released file alone; that "
      + "one is judged on the values behind the means, which are not in the release."),
  ];
}
