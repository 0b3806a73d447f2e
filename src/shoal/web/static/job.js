// One job: how far it is, then what came of it. All of it is the server's; a reload loses nothing.

import { checked, get, pause, send } from "./api.js";
import { showComparison } from "./compare.js";
import { confirmed } from "./dialog.js";
import { cut, el, name, problem, set, stamp, table } from "./dom.js";
import { count, counted, duration, figure, loss } from "./format.js";
import { showRelease } from "./judge.js";
import { curve, thinned } from "./small.js";
import { takeHome } from "./take.js";
import { STATES } from "./words.js";

const LIVE = ["queued", "running"];

/** Show a job, and follow it until it ends. */
export async function showJob(main, id) {
  const path = `/jobs/${checked(id)}.json`;
  const job = await get(`${path}?after=0`);
  if (!LIVE.includes(job.state)) {
    await ended(main, job);
    return;
  }
  const live = livePart(job);
  set(main, heading(job), live.node);
  live.update(job);
  follow(main, path, job.points, live);
}

function title(job, word) {
  document.title = `${word} · ${cut(job.name, 40)} · Shoal`;
}

function heading(job) {
  return [
    el("p", { class: "crumbs" },
      el("a", { href: "/" }, "All files"), " / ",
      el("a", { href: `/files/${checked(job.file)}` }, name(job.name))),
    el("h1", { tabindex: "-1" }, job.kind === "compare" ? "Comparison of " : "Release of ",
      name(job.name)),
    el("p", { class: "soft" }, job.says),
    stamp("Private, do not publish:", " figures on this page are exact, and exact figures can give "
      + "people away. What is made to be handed over is the pack."),
  ];
}

async function follow(main, path, points, live) {
  let known = points;
  let failures = 0;
  const woken = () => document.hidden || wake();
  let wake = () => {};
  document.addEventListener("visibilitychange", woken);
  for (;;) {
    const wait = failures ? 3000 : document.hidden ? 4000 : 500;
    await Promise.race([pause(wait), new Promise((resolve) => (wake = resolve))]);
    try {
      const job = await get(`${path}?after=${known}`);
      known = job.points;
      if (failures) live.trouble();
      failures = 0;
      if (!LIVE.includes(job.state)) {
        document.removeEventListener("visibilitychange", woken);
        await ended(main, job);
        main.querySelector("h1")?.focus({ preventScroll: true }); // the buttons are gone
        return;
      }
      live.update(job);
    } catch (error) {
      failures += 1;
      live.trouble(error);
      if (error.status === 404) return;
    }
  }
}

function livePart(first) {
  const points = [];
  let said = "";
  let saidAt = 0;
  const nodes = {
    state: el("p", { class: "lead" }),
    bar: el("progress", { "aria-label": "Progress", max: "1", "data-test": "progress" }),
    told: el("p", { class: "soft" }),
    heard: el("p", { class: "unseen", role: "status" }),
    stopping: el("p", { role: "status" }),
    curve: el("div", { "data-test": "curve" }),
    figures: el("details", { hidden: true, ontoggle: () => fillTable() },
      el("summary", null, "The curve as a table"), el("div")),
    trouble: el("div"),
  };
  const keep = el("button", {
    type: "button", class: "primary", "data-test": "stop-keep", hidden: true,
    onclick: () => stop(true),
  }, "Stop and keep the best so far");
  const discard = el("button", {
    type: "button", class: "danger", "data-test": "stop-discard", onclick: () => stop(false),
  }, "Cancel, discard");

  async function stop(keeps) {
    if (!keeps && !(await confirmed("Cancel this job?",
      "What it has found so far is discarded.", "Cancel the job", "Let it run"))) return;
    keep.disabled = true;
    discard.disabled = true;
    try {
      await send("POST", `/jobs/${checked(first.id)}/stop`, { keep: keeps });
      set(nodes.stopping, keeps ? "Stopping: the best so far is taken, verified and written."
        : "Stopping.");
    } catch (error) {
      set(nodes.trouble, problem(error));
      keep.disabled = false;
    }
    discard.disabled = false;
  }

  function fillTable() {
    if (!nodes.figures.open) return;
    set(nodes.figures.lastElementChild, table("Best loss by time",
      [{ text: "seconds", n: true }, { text: "best loss, percent", n: true }],
      thinned(points).map(([at, best]) => [figure(at, 4), figure(best, 5)])));
  }

  function announce(text, urgent) {
    // A screen reader hears a new stage at once, and progress now and then, not twice a second.
    if (text === said || (!urgent && Date.now() - saidAt < 15000)) return;
    said = text;
    saidAt = Date.now();
    set(nodes.heard, text);
  }

  let stageName = null;
  return {
    node: el("div", null, nodes.state, nodes.bar, nodes.told, nodes.heard, nodes.trouble,
      el("div", { class: "actions" }, keep, discard), nodes.stopping, nodes.curve, nodes.figures,
      el("p", { class: "soft" }, "You may close this page or go on with other files: the job goes "
        + "on, and is found under all files.")),
    trouble(error) {
      set(nodes.trouble, error ? problem(error) : null);
    },
    update(job) {
      const stage = job.stage;
      keep.hidden = !(job.anytime && job.state === "running");
      if (job.state === "queued") {
        set(nodes.state, job.ahead ? `Waiting: ${counted(job.ahead, "job")} before it`
          : "Waiting to start");
        title(job, "waiting");
        announce("Waiting", false);
        return;
      }
      for (const point of job.curve) points.push(point);
      const part = portion(stage);
      if (part === null) nodes.bar.removeAttribute("value");
      else nodes.bar.value = part;
      const percent = part === null ? "" : `${Math.floor(100 * part)} %`;
      set(nodes.state, stage ? stage.stage : "Starting", percent && `, ${percent}`);
      set(nodes.told, lines(job));
      title(job, percent || STATES.running);
      announce(`${stage?.stage ?? "Starting"} ${percent}`, stage?.stage !== stageName);
      stageName = stage?.stage;
      if (points.length > 1 && job.curve.length) {
        const above = job.kind === "compare" ? "The loss of the runs" : "How the loss falls";
        set(nodes.curve, el("h2", null, above),
          curve(points, Math.max(280, Math.min(900, nodes.curve.clientWidth))));
        nodes.figures.hidden = false;
        fillTable();
      }
    },
  };
}

/** Return how much of a stage is done; null where nobody knows, as in a search without an end. */
function portion(stage) {
  if (!stage || !(stage.total > 0)) return null;
  if (stage.best_loss !== null && stage.done > 0 && stage.total - stage.done === 1) return null;
  return Math.min(1, stage.done / stage.total);
}

function lines(job) {
  const stage = job.stage;
  const parts = [];
  if (stage) parts.push(`${duration(stage.seconds)} so far`);
  if (typeof stage?.best_loss === "number") parts.push(`best loss ${loss(stage.best_loss)}`);
  if (stage && portion(stage) === null) parts.push(counted(stage.done, "iteration"));
  else if (stage && stage.total > 1) parts.push(`${count(stage.done)} of ${count(stage.total)}`);
  if (job.expected) parts.push(`expected: ${job.expected.told}`);
  return parts.join("; ");
}

async function ended(main, job) {
  title(job, STATES[job.state] ?? job.state);
  const again = el("p", null,
    el("a", { class: "button", href: `/files/${checked(job.file)}` }, "Back to the file"));
  if (job.state === "failed") {
    set(main, heading(job),
      el("p", { class: "lead" }, "There is no release: nothing was written."),
      problem(job.error?.said ?? "The job failed."), again, takeHome(job));
  } else if (job.state === "canceled") {
    set(main, heading(job), el("p", { class: "lead", "data-test": "canceled" },
      "Canceled. Nothing was kept."), again, takeHome(job));
  } else if (job.kind === "compare") {
    set(main, heading(job));
    await showComparison(main, job);
  } else {
    set(main, heading(job));
    await showRelease(main, job);
  }
}
