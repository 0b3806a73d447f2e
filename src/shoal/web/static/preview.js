// Preview: records before and after on the screen alone, what columns lose, and what would help.

import { question } from "./asking.js";
import { el, name, set, stamp, table } from "./dom.js";
import { count, fixed } from "./format.js";
import { lossGauge, withoutTrial } from "./gauge.js";
import { followOnce, kField } from "./protection.js";
import { t } from "./words.js";

/** Return the step that shows what would be released. */
export function previewStep(page) {
  followOnce(page);
  const rows = el("div", { class: "onscreen" });
  const loss = el("div", { class: "gauges" });
  const help = el("div", { role: "status", "data-test": "improve" });
  const refresh = () => {
    const waits = ["waiting", "busy"].includes(page.trialState?.state);
    for (const node of [rows, loss]) node.classList.toggle("stale", waits);
    const none = withoutTrial(page);
    set(rows, none ?? rowsTable(page.trial));
    set(loss, none ? null : lossGauge(page.trial, page.trialBefore, "preview-loss"));
  };
  page.on("trial", refresh);
  question(page, "improve", {
    steps: ["preview"], wait: 1200,
    hear({ state, answer }) {
      if (state === "done") set(help, changes(page, answer.changes));
      else if (state === "waiting") set(help, el("p", { class: "soft" }, t("improve.trying")));
      else set(help);
    },
  });
  refresh();
  return el("section", { "aria-labelledby": "preview-heading" },
    el("h2", { id: "preview-heading" }, t("preview.heading")),
    kField(page, "preview-"),
    stamp(t("preview.stamp"), ` ${t("preview.private")}`),
    rows,
    el("div", { class: "halves wide" }, loss,
      el("section", { "aria-labelledby": "improve-heading" },
        el("h3", { id: "improve-heading" }, t("improve.heading")), help)));
}

function rowsTable(told) {
  if (told.rows === undefined) return el("p", { class: "soft" }, t("gauge.wait"));
  if (told.rows === null) return el("p", { class: "soft" }, t("preview.deleted"));
  const { names, changed, groups, before, after } = told.rows;
  const cell = (text) => (text === null ? el("span", { class: "soft" }, t("reading.missing"))
    : name(text, 60));
  const rows = before.map((row, at) => ({
    props: { class: at > 0 && groups[at] !== groups[at - 1] ? "next-group" : null },
    cells: [el("th", { scope: "row", class: "soft" }, t("preview.group", { n: groups[at] + 1 })),
      ...row.map((old, i) => {
        const now = after[at][i];
        if (old === now) return el("td", { class: changed[i] ? "same" : null }, cell(now));
        return el("td", { class: "changed" },
          el("span", { class: "old" }, cell(old)),
          el("span", { class: "arrow", "aria-label": t("preview.becomes") }, " → "),
          el("strong", null, cell(now)));
      })],
  }));
  return [
    el("p", { class: "soft" }, t("preview.what", { n: count(told.sample) })),
    table(t("preview.rows"), [t("preview.head"), ...names.map((one) => name(one, 40))], rows,
      { "data-test": "preview-rows" }),
  ];
}

function changes(page, listed) {
  if (listed.length === 0) return el("p", { class: "soft" }, t("improve.nothing"));
  return el("ul", { class: "plain" }, listed.map((one) => el("li", { class: "card" },
    el("p", null, words(one)),
    el("p", { class: "soft" }, t("improve.brings", {
      before: fixed(one.loss_before, 1), after: fixed(one.loss, 1) })),
    el("button", {
      type: "button", "data-test": "improve-do", onclick: () => apply(page, one),
    }, t("improve.do")))));
}

function words(one) {
  const column = name(one.column, 60);
  const lost = fixed(one.column_before, 0);
  if (one.rule === null) return t("improve.drop", { column, lost });
  const kept = /^prefixes:(\d+)/.exec(one.rule)?.[1];
  return kept ? t("improve.prefixes", { column, lost, kept })
    : t("improve.rule", { column, lost, rule: one.rule });
}

function apply(page, one) {
  const at = page.look.columns.findIndex((column) => column.name === one.column);
  if (at < 0) return;
  page.change(one.rule === null ? "roles" : "trees", (draft) => {
    if (one.rule === null) draft.roles[at] = "drop";
    else draft.trees[at] = { rule: one.rule };
  });
  page.tell("restored");
}
