// A release to judge: is it safe, which risks are left, what was lost; then what to take home.

import { showChart } from "./charts.js";
import { add, bullets, choice, cut, el, name, prose, stamp } from "./dom.js";
import { count, told } from "./format.js";
import {
  beyondK, beyondTable, columnsTable, measuresTable, sizesTable, totalsPart,
} from "./tables.js";
import { takeHome } from "./take.js";
import { LINKAGES, titleOf } from "./words.js";

const FEARED = ["kept_linkage", "certain_inference", "model_inference", "known_members",
  "dominance", "above_0.2"];
const STEPS = [["#linkage", "Linkage attacks"], ["#distributions", "Before and after"],
  ["#sizes", "Groups"], ["#costs", "Losses"], ["#risks", "Risks"], ["#utilities", "Usefulness"],
  ["#guarantee", "Guarantee"], ["#take", "Take home"]];

/** Show a release that was made. */
export async function showRelease(main, job) {
  const { report, charts } = job.result;
  if (!report) {
    add(main, el("p", null, "The release has no report."), takeHome(job));
    return;
  }
  const of = (group) => charts.filter((chart) => chart.group === group);
  const groups = report.groups;
  const span = groups.smallest === groups.largest ? count(groups.smallest)
    : `${count(groups.smallest)} to ${count(groups.largest)}`;
  add(main,
    el("p", { class: "soft" }, `${count(report.release.records)} records in `
      + `${count(groups.count)} groups of ${span}, ${report.columns.length} quasi-identifiers, `
      + `k = ${report.k}, ${report.made_by}`),
    el("div", { class: "answers" }, safe(report), model(report), lost(report), feared(report)),
    el("nav", { class: "steps", "aria-label": "On this page" },
      STEPS.map(([to, text]) => el("a", { href: to }, text))),
    linkage(report),
    distributions(job, of("columns"), report.k),
    sizes(job, of("groups"), report),
    costs(job, of("loss"), report),
    risks(job, of("attacks"), report),
    utilities(report),
    guarantee(report),
    notes(report),
    takeHome(job));
}

function section(id, title, ...content) {
  return el("section", { id, "aria-labelledby": `${id}-heading` },
    el("h2", { id: `${id}-heading` }, title), content);
}

function exact() {
  return stamp("Private, do not publish:", " exact figures.");
}

function card(question, mood, ...content) {
  return el("section", { class: `answer ${mood}` }, el("h2", null, question), content);
}

function safe(report) {
  const found = report.verification;
  const but = report.verdict === "safe, but";
  const share = told(report.measures?.risk.kept_linkage?.value ?? 0, "percent");
  const node = found.ok && (but || report.verdict === "safe")
    ? card("Is it safe?", but ? "but" : "yes",
      el("p", null, el("strong", { class: "big" }, but
        ? `Yes, but kept columns single out ${share} of the records` : "Yes, as far as was asked")),
      el("p", null, "Verified: each record hides among at least ",
        el("strong", null, `${found.k} records`),
        " that share every combination of quasi-identifiers."),
      el("p", null, "This was counted anew from the release, by code that shares nothing with what "
        + "made it."))
    : card("Is it safe?", "no", el("p", null, el("strong", { class: "big" }, "No")),
      el("p", null, "This release was not verified."), bullets(found.problems ?? []));
  node.dataset.test = "verdict";
  node.dataset.verdict = report.verdict;
  return node;
}

function model(report) {
  const sensitive = report.roles.sensitive ?? [];
  const names = (list) => list.map((one, at) => [at ? ", " : "", name(one, 60)]);
  return card("By which model?", "",
    el("ul", null,
      el("li", null, `k-anonymity: ${report.verification.k}, asked: at least ${report.k}`),
      beyondK(report).map(([what, columns, asked, found]) =>
        el("li", null, `${what} of `, names(columns), `: ${found}, asked: ${asked}`))),
    sensitive.length > 0 && !report.verification.models?.length
      && el("p", null, "Nothing was asked of what groups tell about ", names(sensitive), "."));
}

const WORST = { // how the worst figure is said, and whether the least one is the worst
  regression: [(of) => `R² kept by a regression of ${of}:`, true],
  classification: [(of) => `accuracy kept by a classifier of ${of}:`, true],
  variances: [(of) => `variance kept of ${of}:`, true],
  correlations: [(of) => `change of the correlation of ${of}:`, false],
  means: [(of) => `shift of the mean of ${of}, in standard deviations:`, false],
  contingency: [(of) => `records in another cell of the table of ${of}:`, false],
};

function lossOf(report) {
  if (!report.costs) return "the variation (SSE/SST)";
  const words = report.columns.every((column) =>
    ["generalize", "range"].includes(column.released_as));
  return `what the cells said (${words ? "ILoss" : "mean of the columns"})`;
}

function lost(report) {
  const utility = report.measures?.utility ?? {};
  const more = Object.entries(WORST).flatMap(([key, [words, least]]) => {
    const by = Object.entries(utility[key]?.by ?? {});
    if (by.length === 0) return [];
    const [of, value] = by.reduce((worst, one) =>
      ((least ? one[1] < worst[1] : one[1] > worst[1]) ? one : worst));
    return [`${words(cut(of, 120))} ${told(value, utility[key].unit)}`];
  });
  if (report.bound) more.push(`the grouping is ${report.bound.told}`);
  const ncp = utility.ncp && `; NCP ${told(utility.ncp.value, "percent")}, to compare methods by`;
  return card("How much was lost?", "",
    el("p", null,
      el("strong", { class: "big" }, `${report.information_loss_released.toFixed(2)} %`),
      ` of ${lossOf(report)}`
        + (report.rounding_loss >= 0.005
          ? `, ${report.rounding_loss.toFixed(2)} points of it by rounding` : "")
        + (ncp ?? "")),
    bullets(report.said_of_constant),
    more.length > 0 && el("p", null, "At worst, by column or pair:"),
    bullets(more));
}

function best(report) {
  const risk = report.measures?.risk ?? {};
  const found = LINKAGES.filter((key) => risk[key]).map((key) => risk[key].value);
  return found.length ? { value: Math.max(...found), attacks: found.length } : null;
}

function feared(report) {
  const risk = report.measures?.risk ?? {};
  const link = best(report);
  const lines = link
    ? [`The best of ${link.attacks} linkage attacks by someone who holds all original `
      + `quasi-identifiers finds ${told(link.value, "percent")} of the records rightly; 1 in k is `
      + `${told(100 / report.k, "percent")}.`] : [];
  lines.push(...FEARED.filter((key) => risk[key]?.value > 0.005).map((key) => risk[key].sentence));
  const shown = lines.length ? lines : report.guarantee.does_not_cover;
  return card("What could still go wrong?", "", bullets(shown.slice(0, 4)),
    el("p", { class: "soft" },
      "All risks that were measured, and what no grouping protects from, stand below."));
}

function linkage(report) {
  const risk = report.measures?.risk ?? {};
  const link = best(report);
  if (!link) {
    return section("linkage", "Linkage attacks", el("p", { "data-test": "linkage" },
      "No linkage attack was measured."));
  }
  const chance = 100 / report.k;
  return section("linkage", "Somebody who tries to find people",
    el("div", { class: "attack", "data-test": "linkage" },
      el("p", null,
        el("strong", { class: "huge" }, told(link.value, "percent")),
        " of the records are found rightly by the best of "
        + `${link.attacks === 1 ? "one linkage attack" : `${link.attacks} linkage attacks`}. `
        + `Guessing among ${report.k} records that fit equally well finds `
        + `${told(chance, "percent")}: 1 in ${report.k}.`),
      el("dl", { class: "attacks" }, LINKAGES.filter((key) => risk[key]).map((key) => [
        el("dt", null, titleOf(key), ", ", el("strong", null, told(risk[key].value, "percent"))),
        el("dd", null, prose(risk[key].sentence))])),
      risk.prosecutor && el("p", null, prose(risk.prosecutor.sentence))));
}

function distributions(job, listed, k) {
  if (listed.length === 0) return null;
  const place = el("div");
  const show = () => showChart(place, job.id, listed[Number(select.value)], { test: "chart" });
  const options = listed.map((chart, at) => [String(at), cut(chart.column ?? chart.title, 60)]);
  const select = choice(options, "0", { id: "chart-column", "data-test": "chart-column",
    onchange: show });
  show();
  return section("distributions", "Before and after",
    el("div", { class: "field" }, el("label", { for: "chart-column" }, "Column"), select),
    place,
    el("p", { class: "soft" }, "The outermost bars also count what lies beyond them. Bars of the "
      + `original with fewer than ${k} records are left empty, and rarer values are counted `
      + "together."));
}

function chartGrid(job, listed, bare = false) {
  return el("div", { class: "charts" }, listed.map((chart) => {
    const place = el("div");
    showChart(place, job.id, chart, { bare });
    return place;
  }));
}

function sizes(job, listed, report) {
  const node = section("sizes", "Group sizes",
    el("div", { class: "halves" }, chartGrid(job, listed, true), sizesTable(report)));
  node.dataset.test = "sizes";
  return node;
}

function costs(job, listed, report) {
  return section("costs", "What it cost", exact(), columnsTable(report), totalsPart(report),
    report.missing?.cells || report.missing?.deleted
      ? el("p", null, "Missing values: ", prose(report.missing.text), ".") : null,
    chartGrid(job, listed));
}

function risks(job, listed, report) {
  const measures = report.measures;
  return section("risks", "What could still go wrong", exact(),
    measures ? measuresTable("Risks that were measured", measures.risk, "risks")
      : el("p", { "data-test": "risks" }, "Nothing was measured."),
    chartGrid(job, listed),
    (measures?.notes ?? []).map((note) => el("p", { class: "soft" }, prose(note), ".")));
}

function utilities(report) {
  return section("utilities", "What it is still good for", exact(),
    report.measures
      ? measuresTable("What the release is still good for", report.measures.utility, "utilities")
      : el("p", { "data-test": "utilities" }, "Nothing was measured."));
}

function named(line) {
  const found = /^(Minimality|Downcoding|Model inference|Composition): /.exec(line);
  return found ? [el("strong", null, found[0]), prose(line.slice(found[0].length))] : prose(line);
}

function guarantee(report) {
  return section("guarantee", "What the guarantee covers",
    beyondTable(report),
    bullets(report.guarantee.covers),
    el("h3", null, "What it does not cover"),
    el("ul", { "data-test": "not-covered" },
      report.guarantee.does_not_cover.map((line) => el("li", null, named(line)))));
}

function notes(report) {
  return report.notes.length ? section("notes", "To look at", bullets(report.notes)) : null;
}
