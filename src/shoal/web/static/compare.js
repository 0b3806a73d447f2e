// A comparison: which methods and k are worth a choice, and the way back with one of them.

import { checked, get, pause, send } from "./api.js";
import { showChart } from "./charts.js";
import { restored, savable } from "./draft.js";
import { add, el, name, problem, prose, set, table } from "./dom.js";
import { count, figure } from "./format.js";
import { draftOf, same } from "./restore.js";
import { takeHome } from "./take.js";

/** Show a comparison that has ended. */
export async function showComparison(main, job) {
  const { comparison, charts } = job.result;
  const trouble = el("div");
  const use = (point) => pick(job, point, trouble);
  const place = el("div");
  add(main,
    el("div", { class: "verdict", "data-test": "verdict" }, el("p", null,
      prose(comparison.reason.replace(/^→ /, "Recommended: ")))),
    trouble,
    el("section", { "aria-labelledby": "frontier-heading" },
      el("h2", { id: "frontier-heading" }, "Loss against risk"),
      el("p", null, "Every point is a whole release. To the left less is lost, lower down fewer "
        + "records are found by the best of three linkage attacks. Nothing else has both less loss "
        + "and less risk than the points on the line. Click one to go on with it."),
      place),
    el("section", { "aria-labelledby": "runs-heading" },
      el("h2", { id: "runs-heading" }, "All runs"),
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
  const heads = ["Run", { text: "k", n: true }, "Go on with it", { text: "Loss, %", n: true },
    { text: "Linked rightly, %", n: true }, { text: "Singled out by kept columns, %", n: true },
    { text: "R² kept, %", n: true }, { text: "Accuracy kept, %", n: true },
    { text: "Groups", n: true }, { text: "Seconds", n: true }, "Remark"];
  const kept = (percent) => (typeof percent === "number" ? figure(percent, 3) : "–");
  const rows = comparison.points.map((point) => {
    if (point.information_loss === null) {
      return { props: { class: "soft" }, cells: [name(point.method), count(point.k),
        el("td", { colspan: "9" }, prose(point.said))] };
    }
    const mark = [point.auto ? "what auto runs" : "",
      point.picked ? "recommended" : point.frontier ? "on the frontier" : "",
    ].filter(Boolean).join(", ");
    return { props: { class: point.picked ? "picked" : null }, cells: [
      name(point.method), count(point.k),
      el("button", {
        type: "button", class: "small", "data-test": "use-point", onclick: () => use(point),
        "aria-label": `Use ${point.method} with k = ${point.k}`,
      }, "Use"),
      figure(point.information_loss, 4), figure(point.risk, 4),
      figure(point.kept ?? 0, 4), kept(point.regression), kept(point.classification),
      count(point.groups),
      figure(point.seconds, 3), mark,
    ] };
  });
  return [
    table("All runs, their loss and risk", heads, rows, { "data-test": "runs" }),
    el("p", { class: "soft" }, `Loss is ${comparison.loss_name}. `
      + (comparison.loss_words ? `${comparison.loss_words}. ` : "")
      + `Compared were ${count(comparison.records)} records. R² and accuracy: what a regression, and a `
      + "classifier, on the release keep of those on the original."),
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
    location.assign(`${path}#choose`);
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
  if (!file.look) throw new Error(file.error ?? "The file is not ready.");
  return file;
}
