// The tables of a report: columns, group sizes, measures, what was asked beyond k.

import { el, name, prose, table } from "./dom.js";
import { count, figure, fixed, told } from "./format.js";
import { titleOf } from "./terms.js";
import { has, relabeled, t } from "./words.js";

function word(part, key) {
  return has(`${part}.${key}`) ? t(`${part}.${key}`) : key;
}

/** Return risks or utilities: the figure, and what it means for a decision. */
export function measuresTable(label, part, test) {
  const rows = Object.entries(part).map(([key, one]) => {
    const spread = one.interval && el("div", { class: "soft" },
      t("measures.spread", { low: told(one.interval[0], one.unit),
        high: told(one.interval[1], one.unit), n: count(one.sampled) }));
    return [titleOf(key), [told(one.value, one.unit), spread],
      el("td", { class: "what" }, prose(one.sentence), byColumn(one))];
  });
  return table(label, [t("measures.measure"), { text: t("measures.value"), n: true }, t("measures.means")], rows,
    { class: "table stacked", "data-test": test });
}

function byColumn(one) {
  const every = Object.entries(one.by ?? {});
  if (every.length < 2) return null;
  return el("details", { class: "inner" }, el("summary", null, t("measures.columns")),
    el("ul", { class: "pairs" }, every.map(([column, value]) =>
      el("li", null, name(column, 80), ` ${told(value, one.unit)}`))));
}

/** Return how many groups have how many records. */
export function sizesTable(report) {
  return table(t("sizes.table"),
    [{ text: t("sizes.records"), n: true }, { text: t("sizes.groups"), n: true }],
    Object.entries(report.groups.sizes).map(([size, groups]) => [count(Number(size)),
      count(groups)]));
}

/** Return the quasi-identifiers; columns of the table that say nothing are left out. */
export function columnsTable(report) {
  const number = (text, cell) => [{ text, n: true }, cell];
  const every = [
    [t("after.quasi"), (c) => name(c.name)],
    [t("after.kind"), (c) => word("kind", c.kind)],
    number(t("after.loss"), (c) => fixed(c.information_loss, 2)),
    [t("after.released"), (c) => word("released", c.released_as)],
  ];
  if (report.costs) {
    every.push(
      [t("after.hierarchy"), (c) => (c.hierarchy ? name(c.hierarchy, 28) : "–")],
      number(t("after.unchanged"), (c) => count(c.unchanged)),
      number(t("after.generalized"), (c) => count(c.generalized)),
      number(t("after.suppressed"), (c) => count(c.suppressed)),
      number(t("after.missing"), (c) => count(c.missing)));
  }
  if (report.columns.some((c) => c.mean_before !== null)) {
    every.push(
      number(t("after.mean_before"), (c) => figure(c.mean_before)),
      number(t("after.mean_after"), (c) => figure(c.mean_after)),
      number(t("after.variance_before"), (c) => figure(c.variance_before)),
      number(t("after.variance_after"), (c) => figure(c.variance_after)));
  }
  return table(t("after.table"), every.map(([head]) => head),
    report.columns.map((column) => every.map(([, cell]) => cell(column))),
    { "data-test": "columns-after" });
}

/** Return the totals of columns that release means; nothing where there are none. */
export function totalsPart(report) {
  if (!report.totals?.length) return null;
  const what = t(report.survey?.weight ? "totals.weighted" : "totals.total");
  return [
    el("h3", null, t("totals.heading")),
    table(t("totals.table"),
      [t("totals.column"), { text: t("totals.before", { what }), n: true },
        { text: t("totals.after", { what }), n: true }, { text: t("totals.drift"), n: true }],
      report.totals.map((one) => [name(one.column), figure(one.before, 10), figure(one.after, 10),
        figure(one.drift_percent, 2)])),
    el("p", { class: "soft" }, t("totals.note")),
  ];
}

/** Return whether a model asks for at least or at most its number. */
function bound(model) {
  const atLeast = ["distinct l-diversity", "entropy l-diversity", "p % rule"];
  if (atLeast.includes(model)) return t("bound.least");
  return t(model.startsWith("recursive") ? "bound.below" : "bound.most");
}

/** Return what was asked beyond k and found, as [model, names of columns, asked, found]. */
export function beyondK(report) {
  const models = [...(report.verification.models ?? []), ...(report.dominance ?? [])];
  return [
    ...models.map((one) =>
      [relabeled(one.model), [one.column], `${bound(one.model)} ${figure(one.asked)}`, figure(one.found, 4)]),
    ...(report.verification.k_of ?? []).map((one) =>
      [t("bound.own"), one.columns, `${t("bound.least")} ${one.asked}`, figure(one.found)]),
  ];
}

/** Return the table of that; nothing where nothing was asked. */
export function beyondTable(report) {
  const rows = beyondK(report);
  if (rows.length === 0) return null;
  return [
    el("h3", null, t("asked.heading")),
    table(t("asked.heading"),
      [t("asked.model"), t("asked.columns"), { text: t("asked.asked"), n: true },
        { text: t("asked.worst"), n: true }],
      rows.map(([model, columns, asked, found]) =>
        [model, columns.map((one, at) => [at ? ", " : "", name(one)]), asked, found])),
    el("p", { class: "soft" }, t("asked.note")),
  ];
}
