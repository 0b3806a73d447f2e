// A comparison: which methods and k are worth a choice, and the way back with one of them.

import { checked, get, pause, send } from "./api.js";
import { showChart } from "./charts.js";
import { restored, savable } from "./draft.js";
import { add, el, name, problem, prose, set, table } from "./dom.js";
import { count, figure } from "./format.js";
import { draftOf, same } from "./restore.js";
import { takeHome } from "./take.js";
import { t } from "./words.js";

/** Show a comparison that has ended. */
export async function showComparison(main, job) {
  const { comparison, charts } = job.result;
  const trouble = el("div");
  const use = (point) => pick(job, point, trouble);
  const place = el("div");
  add(main,
    el("div", { class: "verdict", "data-test": "verdict" }, el("p", null,
      t("frontier.pick"), " ", prose(comparison.reason.replace(/^→ /, "")))),
    trouble,
    el("section", { "aria-labelledby": "frontier-heading" },
      el("h2", { id: "frontier-heading" }, t("frontier.heading")),
      el("p", null, t("frontier.what")),
      place),
    el("section", { "aria-labelledby": "runs-heading" },
      el("h2", { id: "runs-heading" }, t("runs.heading")),
      runs(comparison, use)),
    takeHome(job));
  const listed = charts.find((chart) => chart.group === "frontier");
  if (listed) {
    await showChart(place, job.id, listed, {
      test: "frontier",
      onPick(datum) {
        const point = comparison.points.find((one) => one.k === datum.k
          && one.method === datum.method && Boolean(one.auto) === Boolean(datum.auto)
          && one.information_loss !== null);
        if (point) use(point);
      },
    });
  }
}

function runs(comparison, use) {
  const numeric = (key) => ({ text: t(`runs.${key}`), n: true });
  const heads = [t("runs.run"), { text: "k", n: true }, t("runs.use_head"), numeric("loss"),
    numeric("linked"), numeric("kept"), numeric("regression"), numeric("accuracy"),
    numeric("groups"), numeric("seconds"), t("runs.remark")];
  const kept = (percent) => (typeof percent === "number" ? figure(percent, 3) : "–");
  const rows = comparison.points.map((point) => {
    if (point.information_loss === null) {
      return { props: { class: "soft" }, cells: [name(point.method), count(point.k),
        el("td", { colspan: "9" }, prose(point.said))] };
    }
    const mark = [point.auto ? t("runs.auto") : "",
      point.picked ? t("runs.picked") : point.frontier ? t("runs.frontier") : "",
    ].filter(Boolean).join(", ");
    return { props: { class: point.picked ? "picked" : null }, cells: [
      name(point.method), count(point.k),
      el("button", {
        type: "button", class: "small", "data-test": "use-point", onclick: () => use(point),
        "aria-label": t("runs.use_what", { method: point.method, k: count(point.k) }),
      }, t("runs.use")),
      figure(point.information_loss, 4), figure(point.risk, 4),
      figure(point.kept ?? 0, 4), kept(point.regression), kept(point.classification),
      count(point.groups),
      figure(point.seconds, 3), mark,
    ] };
  });
  return [
    table(t("runs.table"), heads, rows, { "data-test": "runs" }),
    el("p", { class: "soft" }, t("runs.loss_is", { name: comparison.loss_name }), " ",
      comparison.loss_words ? `${comparison.loss_words}. ` : "",
      t("runs.compared", { n: count(comparison.records) })),
  ];
}

/** Go back to the file with all that was compared, and the method and k of a point. */
async function pick(job, point, trouble) {
  try {
    const path = `/files/${checked(job.file)}`;
    const file = await readAs(path, job);
    const draft = draftOf(file.look, job.recipe, restored(file.look, file.draft), job.compare);
    draft.method = point.auto ? "auto" : point.method;
    draft.k = String(point.k);
    await send("PUT", `${path}/draft`, savable(draft));
    location.assign(`${path}#protection`);
  } catch (error) {
    set(trouble, problem(error));
    trouble.scrollIntoView({ block: "nearest" });
  }
}

/** Return the file once it is read as it was for the comparison. */
async function readAs(path, { reading, table }) {
  let file = await get(`${path}.json`);
  if (!same(file.reading, reading) || file.table !== table) {
    await send("POST", `${path}/look`, { input: reading, table });
    file = await get(`${path}.json`);
  }
  while (file.state === "looking") {
    await pause(500);
    file = await get(`${path}.json`);
  }
  if (!file.look) throw new Error(file.error ?? t("file.not_ready"));
  return file;
}
