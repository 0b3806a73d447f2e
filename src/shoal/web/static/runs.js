// Two runs of a file side by side: what each keeps, loses and leaves at risk.

import { checked, get } from "./api.js";
import { choice, el, field, problem, set, table } from "./dom.js";
import { count, fixed, moment, told } from "./format.js";
import { LINKAGES, titleOf } from "./terms.js";
import { relabeled, t } from "./words.js";

const SHOWN = ["kept_linkage", "certain_inference", "model_inference"];
const USES = ["ncp", "correlations", "regression", "classification"];

/** Return the part that sets another run of the file beside this one. */
export function besideRun(job) {
  const place = el("div", { "data-test": "beside-table" });
  const part = el("details", { "data-test": "beside", ontoggle: () => part.open && fill() },
    el("summary", null, t("beside.heading")), el("div"), place);
  let filled = false;
  async function fill() {
    if (filled) return;
    filled = true;
    try {
      const { jobs } = await get("/desk.json");
      const others = jobs.filter((one) => one.file === job.file && one.id !== job.id
        && one.kind === "anonymize" && one.state === "done");
      if (others.length === 0) {
        set(part.children[1], el("p", { class: "soft" }, t("beside.none")));
        return;
      }
      const select = choice(others.map((one) => [one.id, `${relabeled(one.says)}, ${moment(one.created)}`]),
        others.at(-1).id, { "data-test": "beside-run", onchange: show });
      set(part.children[1], field(t("beside.other"), select));
      async function show() {
        const other = await get(`/jobs/${checked(select.value)}.json?after=0`);
        set(place, sideBySide(job, other));
      }
      await show();
    } catch (error) {
      set(place, problem(error));
    }
  }
  return part;
}

function sideBySide(...jobs) {
  const reports = jobs.map((job) => job.result.report);
  const rows = [
    [t("beside.k"), (one) => count(one.verification.k)],
    [t("beside.method"), (one) => one.made_by],
    [t("beside.groups"), (one) => count(one.groups.count)],
    [t("beside.records"), (one) => count(one.release.records)],
    [t("beside.loss"), (one) => `${fixed(one.information_loss_released, 2)} %`],
    ...USES.map((key) => measured("utility", key)),
    ...[...LINKAGES, ...SHOWN].map((key) => measured("risk", key)),
  ];
  const columns = [...new Set(reports.flatMap((one) => one.columns.map((column) => column.name)))];
  const lossOf = (report, column) => {
    const found = report.columns.find((one) => one.name === column);
    return found ? `${fixed(found.information_loss, 2)} %` : "–";
  };
  const every = [...rows, ...columns.map((column) =>
    [t("beside.column", { column }), (one) => lossOf(one, column)])];
  return table(t("beside.heading"),
    [t("beside.figure"), { text: t("beside.this"), n: true }, { text: t("beside.that"), n: true }],
    every.map(([label, cell]) => [label, ...reports.map(cell)]));
}

function measured(part, key) {
  return [titleOf(key), (one) => {
    const found = one.measures?.[part]?.[key];
    return found ? told(found.value, found.unit) : "–";
  }];
}
