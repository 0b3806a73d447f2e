// Risk now: what the file gives away as it is, whom it singles out, and by which columns.

import { question } from "./asking.js";
import { input } from "./controls.js";
import { el, field, name, problem, prose, set, table } from "./dom.js";
import { count, fixed, share, told as written } from "./format.js";
import { bar } from "./gauge.js";
import { term } from "./glossary.js";
import { number } from "./options.js";
import { has, t, tn } from "./words.js";

/** Figures that stand out as cards elsewhere on the step. */
const CARDS = ["sample_uniques", "below_k", "expected"];

/** Return the share of the population that is in the file, where it was said; else null. */
function fractionOf(draft) {
  const percent = number(draft.fraction);
  return draft.weight === null && percent > 0 && percent <= 100 ? percent / 100 : null;
}

/** Return the step that shows the risk of the file as it is. */
export function riskStep(page) {
  const first = el("div", { role: "status", "data-test": "risk-now" });
  const rest = el("div", { "data-test": "risk-more" });
  question(page, "risk", {
    steps: ["risk"], wait: 100,
    more() {
      const fraction = fractionOf(page.draft);
      return fraction === null ? {} : { fraction };
    },
    hear({ state, answer, error, stands }) {
      const waits = state === "waiting" || state === "busy";
      for (const place of [first, rest]) {
        place.setAttribute("aria-busy", String(waits));
        place.classList.toggle("stale", waits);
      }
      if (state === "done") {
        set(first, cards(answer));
        set(rest, answer.all && details(answer, page.look));
      } else if (waits) {
        if (!first.childElementCount) set(first, el("p", { class: "soft" }, t("risk.counting")));
      } else {
        set(first, state === "failed" ? problem(error) : el("p", { class: "bad" }, stands));
        set(rest);
      }
    },
  });
  return el("section", { "aria-labelledby": "risk-heading" },
    el("h2", { id: "risk-heading" }, t("risk.heading")),
    el("p", null, t("risk.what"), " ", term("quasi-identifier")),
    first,
    populationField(page),
    rest);
}

/** Return the field that asks how much of the population is in the file. */
function populationField(page) {
  const control = input(page, "fraction", {
    type: "number", min: "0", max: "100", step: "any", size: 6, "data-test": "fraction",
  });
  const asked = field(t("risk.fraction"), control, t("risk.fraction_hint"), term("population"));
  const weighted = el("p", { class: "soft" }, t("risk.weighted"));
  const refresh = () => {
    asked.hidden = page.draft.weight !== null;
    weighted.hidden = page.draft.weight === null;
  };
  page.on("survey", refresh);
  page.on("restored", refresh);
  refresh();
  return el("div", { class: "fields" }, asked, weighted);
}

function cards(told) {
  const { all, seen, k } = told;
  if (!all) return el("p", { class: "soft" }, t("risk.none"));
  const expected = told.figures.find((one) => one.key === "expected").value;
  return [
    el("div", { class: "answers thirds" },
      card(all.alone ? "no" : "yes", share(all.alone, seen),
        t("risk.alone", { n: count(all.alone) }), term("unique")),
      card(all.below ? "no" : "yes", share(all.below, seen),
        t("risk.below", { n: count(all.below), k: count(k) }), term("k")),
      card(expected > seen / k ? "no" : "yes", count(expected),
        t("risk.expected", { share: share(expected, seen) }), term("expected"))),
    el("p", { "data-test": "risk-k" }, t(all.smallest > 1 ? "risk.keeps" : "risk.keeps_not",
      { k: count(all.smallest) }), " ", t("risk.sent")),
    told.same.map((one) => el("p", { class: one.records ? "bad" : null, "data-test": "risk-same" },
      one.records
        ? t("risk.same", { share: share(one.records, seen), column: name(one.column, 40) })
        : t("risk.same_none", { column: name(one.column, 40) }))),
    seen < told.records && el("p", { class: "soft" }, t("risk.seen", { n: count(seen) })),
  ];
}

function details(told, look) {
  return [
    population(told.figures),
    smallest(told),
    riskiest(told.riskiest),
    columns(told, look),
    sets(told),
    everyFigure(told),
    el("p", { class: "soft" }, t("risk.private")),
  ];
}

function card(mood, figure, text, more) {
  return el("div", { class: `answer ${mood}` },
    el("p", null, el("strong", { class: "huge" }, figure)), el("p", null, text, " ", more));
}

/** Return what is estimated of the population behind the file; null where nothing is known. */
function population(listed) {
  const shown = ["population_uniques", "marketer", "journalist"]
    .map((key) => listed.find((one) => one.key === key)).filter(Boolean);
  if (shown.length === 0) return null;
  return [el("h3", null, t("risk.population")),
    el("ul", { "data-test": "population" }, shown.map((one) => el("li", null, sentence(one))))];
}

/** Return a figure in a sentence of this language. */
function sentence(one) {
  const key = `risk.says.${one.key}`;
  return has(key) ? t(key, { value: written(one.value, one.unit) }) : prose(one.sentence);
}

/** Return how few values are enough to find how many; null where nobody is alone. */
function smallest(told) {
  const most = (told.smallest ?? []).findLastIndex((n) => n > 0);
  if (most < 0) return null;
  return [el("h3", null, t("risk.smallest"), " ", term("special")),
    el("div", { class: "gauges", "data-test": "smallest" },
      told.smallest.slice(0, most + 1).map((n, at) => el("div", { class: "gauge" },
        el("span", { class: "what" }, tn("risk.values", at + 1)),
        bar(100 * n / Math.max(1, told.seen), "risk"),
        el("span", { class: "n" }, count(n)))))];
}

/** Return the records most at risk, with the values that find each: for the screen alone. */
function riskiest(found) {
  if (!found) return null;
  const rows = found.rows.map((row) => [
    tn("risk.values", row.found_by.filter(Boolean).length),
    ...row.cells.map((cell, at) => el("td", { class: row.found_by[at] ? "changed" : null },
      row.found_by[at] && el("span", { class: "unseen" }, t("risk.finds")),
      cell === null ? el("span", { class: "soft" }, t("reading.missing")) : name(cell, 40))),
    `${fixed(row.risk, 1)} %`,
  ]);
  return el("div", { class: "onscreen" },
    el("h3", null, t("risk.riskiest")),
    el("p", { class: "soft" }, t("risk.riskiest_what")),
    table(t("risk.riskiest"), [t("risk.found_by"), ...found.names.map((one) => name(one, 40)),
      { text: t("risk.chance"), n: true }], rows, { "data-test": "riskiest" }));
}

function columns(told, look) {
  const labels = new Map(look.columns.map((column) => [column.name, column.label]));
  const { by_column: every, seen } = told;
  const scored = every.some((one) => one.share > 0);
  const most = Math.max(1e-9, ...every.map((one) => one.share ?? 0));
  const heads = [t("risk.column"), { text: t("risk.distinct"), n: true },
    { text: t("risk.head_alone"), n: true }, { text: t("risk.head_without"), n: true },
    { text: t("risk.head_coarser"), n: true }];
  if (scored) heads.splice(1, 0, t("risk.head_share"));
  const order = (one) => one.share ?? -one.without / Math.max(1, seen);
  const rows = [...every].sort((one, other) => order(other) - order(one)).map((one) => {
    const label = labels.get(one.name);
    const cells = [[name(one.name, 40), label && el("div", { class: "hint" }, name(label, 60))],
      count(one.distinct), share(one.alone, seen),
      every.length > 1 ? share(one.without, seen) : "–",
      one.coarser ? [share(one.coarser.alone, seen), el("span", { class: "soft" },
        ` (${tn("risk.different", one.coarser.distinct)})`)] : "–"];
    if (scored) {
      cells.splice(1, 0, el("td", { class: "barred" }, bar(100 * (one.share ?? 0) / most, "risk"),
        el("span", { class: "soft" }, `${fixed(100 * (one.share ?? 0), 0)} %`)));
    }
    return cells;
  });
  return [el("h3", null, t("risk.by_column")),
    el("p", { class: "soft" }, t("risk.by_column_what")),
    table(t("risk.by_column"), heads, rows, { "data-test": "risk-columns" }),
    el("p", null, el("a", { href: "#columns" }, t("risk.change")))];
}

function sets(told) {
  if (told.sets.length === 0) return null;
  const of = (listed) => listed.flatMap((one, at) => [at ? " + " : "", name(one, 40)]);
  return [el("h3", null, t("risk.sets")),
    el("p", { class: "soft" }, t("risk.pattern")),
    told.counted < told.seen
      && el("p", { class: "soft" }, t("risk.counted", { n: count(told.counted) })),
    table(t("risk.sets"),
      [t("risk.columns"), t("risk.share"), { text: t("risk.head_together"), n: true },
        { text: t("risk.head_below", { k: count(told.k) }), n: true }],
      told.sets.map((one) => [of(one.columns),
        bar(100 * one.alone / Math.max(1, told.counted), "risk"),
        share(one.alone, told.counted), share(one.below, told.counted)]),
      { "data-test": "risk-sets" })];
}

/** Return all figures with a sentence each, folded away. */
function everyFigure(told) {
  const rest = told.figures.filter((one) => !CARDS.includes(one.key));
  return el("details", { "data-test": "risk-figures" }, el("summary", null, t("risk.every")),
    el("ul", null, rest.map((one) => el("li", null, sentence(one)))),
    told.notes.map((note) => el("p", { class: "soft" }, prose(note), ".")));
}
