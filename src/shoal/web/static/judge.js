// A release to judge: is it safe, which risks are left, what was lost; then what to take home.

import { checked } from "./api.js";
import { showChart } from "./charts.js";
import { add, bullets, cut, el, name, prose, stamp } from "./dom.js";
import { count, fixed, told } from "./format.js";
import { term } from "./glossary.js";
import { besideRun } from "./runs.js";
import {
  beyondK, beyondTable, columnsTable, measuresTable, sizesTable, totalsPart,
} from "./tables.js";
import { LINKAGES, titleOf } from "./terms.js";
import { relabeled, t } from "./words.js";

const LEFT = ["kept_linkage", "certain_inference", "model_inference", "known_members",
  "dominance", "above_0.2"];
const PARTS = ["linkage", "distributions", "sizes", "costs", "risks", "utilities", "guarantee"];
const VERDICTS = ["safe", "safe, but", "not safe"];
const MOST = 24; // charts of columns that are drawn before somebody wants more

/** Show a release that was made. */
export function showRelease(main, job) {
  const { report, charts } = job.result;
  if (!report) {
    add(main, el("h2", null, t("steps.judge")), el("p", null, t("judge.no_report")));
    return;
  }
  const of = (group) => charts.filter((chart) => chart.group === group);
  const { groups } = report;
  const span = groups.smallest === groups.largest ? count(groups.smallest)
    : t("judge.span", { low: count(groups.smallest), high: count(groups.largest) });
  add(main,
    el("h2", { class: "first" }, t("judge.heading")),
    el("p", { class: "soft" }, t("judge.summary", {
      records: count(report.release.records), groups: count(groups.count), span,
      columns: count(report.columns.length), k: count(report.k), made: relabeled(report.made_by) })),
    el("div", { class: "answers" }, safe(report), model(report), lost(report), risky(report)),
    el("p", null, el("a", { class: "button", href: `/files/${checked(job.file)}#protection` },
      t("judge.again"))),
    besideRun(job),
    el("nav", { class: "steps", "aria-label": t("judge.on_page") },
      PARTS.map((part) => el("a", { href: `#part-${part}` }, t(`judge.${part}`)))),
    linkage(report),
    distributions(job, of("columns"), report.k),
    sizes(job, of("groups"), report),
    costs(job, of("loss"), report),
    risks(job, of("attacks"), report),
    utilities(report),
    guarantee(report),
    notes(report));
}

function section(id, title, ...content) {
  return el("section", { id: `part-${id}`, "aria-labelledby": `${id}-heading` },
    el("h2", { id: `${id}-heading` }, title), content);
}

function exact() {
  return stamp(t("private.mark"), ` ${t("private.exact")}`);
}

function card(question, mood, ...content) {
  return el("section", { class: `answer ${mood}` }, el("h3", null, question), content);
}

/** Return the verdict, as one of its three states. */
function safe(report) {
  const checks = report.verification;
  const verdict = checks.ok && VERDICTS.includes(report.verdict) ? report.verdict : "not safe";
  const mood = { safe: "yes", "safe, but": "but", "not safe": "no" }[verdict];
  const share = told(report.measures?.risk.kept_linkage?.value ?? 0, "percent");
  const scale = el("ol", { class: "verdicts", "aria-label": t("verdict.scale") },
    VERDICTS.map((one) => el("li", {
      class: one === verdict ? `${mood} now` : null, "aria-current": one === verdict && "true",
    }, t(`verdict.${one}`))));
  const node = card(t("verdict.question"), mood,
    scale,
    el("p", null, el("strong", { class: "big" }, t(`verdict.${verdict}_says`, { share }))),
    verdict === "not safe"
      ? [el("p", null, t("verdict.unverified")), bullets(checks.problems ?? [])]
      : [el("p", null, t("verdict.verified", {
        k: el("strong", null, t("verdict.k_records", { k: count(checks.k) })) })),
      el("p", null, t("verdict.anew"), " ", term("judge"))]);
  node.dataset.test = "verdict";
  node.dataset.verdict = report.verdict;
  return node;
}

function model(report) {
  const sensitive = report.roles.sensitive ?? [];
  const names = (list) => list.map((one, at) => [at ? ", " : "", name(one, 60)]);
  return card(t("model.question"), "",
    el("ul", null,
      el("li", null, t("model.k", { k: count(report.verification.k), asked: count(report.k) })),
      beyondK(report).map(([what, columns, asked, worst]) =>
        el("li", null, t("model.more", { what, columns: names(columns), found: worst, asked })))),
    sensitive.length > 0 && !report.verification.models?.length
      && el("p", null, t("model.nothing", { columns: names(sensitive) })));
}

const WORST = { // whether the least figure is the worst
  regression: true, classification: true, variances: true, correlations: false, means: false,
  contingency: false,
};

function lossOf(report) {
  if (!report.costs) return t("lost.sse");
  const words = report.columns.every((column) =>
    ["generalize", "range"].includes(column.released_as));
  return t(words ? "lost.iloss" : "lost.mixed");
}

function lost(report) {
  const utility = report.measures?.utility ?? {};
  const more = Object.entries(WORST).flatMap(([key, least]) => {
    const by = Object.entries(utility[key]?.by ?? {});
    if (by.length === 0) return [];
    const [of, value] = by.reduce((worst, one) =>
      ((least ? one[1] < worst[1] : one[1] > worst[1]) ? one : worst));
    return [`${t(`worst.${key}`, { of: cut(of, 120) })} ${told(value, utility[key].unit)}`];
  });
  if (report.bound) more.push(t("lost.bound", { what: relabeled(report.bound.told) }));
  return card(t("lost.question"), "",
    el("p", null,
      el("strong", { class: "big" }, `${fixed(report.information_loss_released, 2)} %`),
      ` ${t("lost.of", { what: lossOf(report) })}`,
      report.rounding_loss >= 0.005
        && t("lost.rounding", { points: fixed(report.rounding_loss, 2) }),
      utility.ncp && t("lost.ncp", { ncp: told(utility.ncp.value, "percent") }), " ", term("loss")),
    bullets(report.said_of_constant),
    more.length > 0 && el("p", null, t("lost.worst")),
    bullets(more));
}

function best(report) {
  const risk = report.measures?.risk ?? {};
  const found = LINKAGES.filter((key) => risk[key]).map((key) => risk[key].value);
  return found.length ? { value: Math.max(...found), attacks: found.length } : null;
}

function risky(report) {
  const risk = report.measures?.risk ?? {};
  const link = best(report);
  const lines = link ? [t("risky.linkage", { n: count(link.attacks),
    share: told(link.value, "percent"), chance: told(100 / report.k, "percent") })] : [];
  lines.push(...LEFT.filter((key) => risk[key]?.value > 0.005).map((key) => risk[key].sentence));
  const shown = lines.length ? lines : report.guarantee.does_not_cover;
  return card(t("risky.question"), "", bullets(shown.slice(0, 4)),
    el("p", { class: "soft" }, t("risky.below")));
}

function linkage(report) {
  const risk = report.measures?.risk ?? {};
  const link = best(report);
  if (!link) {
    return section("linkage", t("judge.linkage"),
      el("p", { "data-test": "linkage" }, t("linkage.none")));
  }
  return section("linkage", t("linkage.heading"),
    el("div", { class: "attack", "data-test": "linkage" },
      el("p", null, t("linkage.says", {
        share: el("strong", { class: "huge" }, told(link.value, "percent")),
        n: count(link.attacks), k: count(report.k), chance: told(100 / report.k, "percent") }),
      " ", term("linkage")),
      el("dl", { class: "attacks" }, LINKAGES.filter((key) => risk[key]).map((key) => [
        el("dt", null, titleOf(key), ", ", el("strong", null, told(risk[key].value, "percent"))),
        el("dd", null, prose(risk[key].sentence))])),
      risk.prosecutor && el("p", null, prose(risk.prosecutor.sentence))));
}

/** Return every column before and after, as small charts side by side. */
function distributions(job, listed, k) {
  if (listed.length === 0) return null;
  const grid = el("div", { class: "charts small" });
  const show = (charts) => add(grid, charts.map((chart) => {
    const place = el("div", { "data-test": "column-chart" });
    showChart(place, job.id, chart, { test: "chart" });
    return place;
  }));
  show(listed.slice(0, MOST));
  const more = listed.length > MOST && el("button", {
    type: "button", "data-test": "more-charts",
    onclick: () => {
      show(listed.slice(MOST));
      more.remove();
    },
  }, t("distributions.more", { n: count(listed.length - MOST) }));
  return section("distributions", t("judge.distributions"), grid, more,
    el("p", { class: "soft" }, t("distributions.note", { k: count(k) })));
}

function chartGrid(job, listed, bare = false) {
  return el("div", { class: "charts" }, listed.map((chart) => {
    const place = el("div");
    showChart(place, job.id, chart, { bare });
    return place;
  }));
}

function sizes(job, listed, report) {
  const node = section("sizes", t("sizes.heading"),
    el("div", { class: "halves" }, chartGrid(job, listed, true), sizesTable(report)));
  node.dataset.test = "sizes";
  return node;
}

function costs(job, listed, report) {
  return section("costs", t("costs.heading"), exact(), columnsTable(report), totalsPart(report),
    report.missing?.cells || report.missing?.deleted
      ? el("p", null, t("costs.missing", { text: prose(report.missing.text) })) : null,
    chartGrid(job, listed));
}

function risks(job, listed, report) {
  const measures = report.measures;
  return section("risks", t("risky.question"), exact(),
    measures ? measuresTable(t("risks.table"), measures.risk, "risks")
      : el("p", { "data-test": "risks" }, t("judge.unmeasured")),
    chartGrid(job, listed),
    (measures?.notes ?? []).map((note) => el("p", { class: "soft" }, prose(note), ".")));
}

function utilities(report) {
  return section("utilities", t("utilities.heading"), exact(),
    report.measures
      ? measuresTable(t("utilities.heading"), report.measures.utility, "utilities")
      : el("p", { "data-test": "utilities" }, t("judge.unmeasured")));
}

/** Return a limit of the guarantee with its name, which stands before a colon, in bold. */
function named(line) {
  if (!/^(?:Minimality|Downcoding|Model inference|Composition): /.test(line)) return prose(line);
  const own = relabeled(line);
  const at = own.indexOf(": ") + 2;
  return [el("strong", null, own.slice(0, at)), own.slice(at)];
}

function guarantee(report) {
  return section("guarantee", t("guarantee.heading"),
    beyondTable(report),
    bullets(report.guarantee.covers),
    el("h3", null, t("guarantee.not")),
    el("ul", { "data-test": "not-covered" },
      report.guarantee.does_not_cover.map((line) => el("li", null, named(line)))));
}

function notes(report) {
  return report.notes.length ? section("notes", t("notes.heading"), bullets(report.notes)) : null;
}
