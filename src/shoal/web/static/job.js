// One job: how far it is, then what came of it. All of it is the server's; a reload loses nothing.

import { checked, get, lines as streamed, pause } from "./api.js";
import { showComparison } from "./compare.js";
import { cut, el, name, problem, set, stamp } from "./dom.js";
import { showRelease } from "./judge.js";
import { livePart } from "./live.js";
import { makeRail, named, ways } from "./steps.js";
import { isTaken, takeHome } from "./take.js";
import { stateWord } from "./terms.js";
import { relabeled, t } from "./words.js";

const LIVE = ["queued", "running"];

/** Show a job, and follow it until it ends. */
export async function showJob(main, id) {
  const path = `/jobs/${checked(id)}`;
  const job = await get(`${path}.json?after=0`);
  if (!LIVE.includes(job.state)) {
    await ended(main, job);
    return;
  }
  const live = livePart(job, title);
  const { rail } = makeSteps(job);
  set(main, heading(job), rail.node, live.node);
  rail.update("run");
  live.update(job);
  follow(main, path, job.points, live);
}

function title(job, word) {
  document.title = `${word} · ${cut(job.name, 40)} · Shoal`;
}

function heading(job) {
  return [
    el("p", { class: "crumbs" },
      el("a", { href: "/" }, t("home.all")), " / ",
      el("a", { href: `/files/${checked(job.file)}` }, name(job.name))),
    el("h1", { tabindex: "-1" }, t(`jobs.${job.kind}`, { name: name(job.name) })),
    el("p", { class: "soft" }, relabeled(job.says)),
    stamp(t("private.mark"), ` ${t("private.page")}`),
  ];
}

/** Return the rail of a job: its own steps are those after the run. */
function makeSteps(job) {
  const isDone = job.state === "done" && job.kind === "anonymize";
  const where = (step) => {
    if (!["judge", "take"].includes(step)) return `/files/${checked(job.file)}#${step}`;
    return isDone ? `#${step}` : null;
  };
  const done = (step) => {
    if (step === "take") return isTaken(job.id);
    if (step === "judge") return isDone && (named() === "take" || isTaken(job.id));
    return step !== "run" || isDone;
  };
  return { rail: makeRail(where, done), where };
}

/** Show what a job does as the server says it, and begin again where the connection was lost. */
async function follow(main, path, points, live) {
  let known = points;
  let failures = 0;
  for (;;) {
    try {
      for await (const job of streamed(`${path}/events?after=${known}`)) {
        known += job.curve.length;
        if (failures) live.trouble();
        failures = 0;
        if (!LIVE.includes(job.state)) {
          await ended(main, job);
          main.querySelector("h1")?.focus({ preventScroll: true }); // the buttons are gone
          return;
        }
        live.update(job);
      }
    } catch (error) {
      live.trouble(error);
      if (error.status === 404) return;
    }
    failures += 1;
    await pause(Math.min(8000, 500 * 2 ** failures));
  }
}

async function ended(main, job) {
  title(job, stateWord(job.state));
  const { rail, where } = makeSteps(job);
  const again = el("p", null, el("a", { class: "button", href: where("protection") },
    t("job.back")));
  const lead = (test, text) => el("p", { class: "lead", "data-test": test }, text);
  if (job.state === "failed") {
    set(main, heading(job), rail.node, lead("failed", t("job.failed")),
      problem(job.error?.said ?? t("job.failed_unsaid")), again, takeHome(job));
  } else if (job.state === "canceled") {
    set(main, heading(job), rail.node, lead("canceled", t("job.canceled")), again, takeHome(job));
  } else if (job.kind === "compare") {
    set(main, heading(job), rail.node);
    rail.update("run");
    await showComparison(main, job);
    return;
  } else {
    showDone(main, job, rail, where);
    return;
  }
  rail.update("run");
}

/** Show a release in its two steps: to judge it, and to take it home. */
function showDone(main, job, rail, where) {
  const judge = el("div", { "data-test": "at-judge" });
  const take = el("div", { hidden: true, "data-test": "at-take" });
  set(main, heading(job), rail.node, judge, take);
  showRelease(judge, job);
  judge.append(ways("judge", where));
  set(take, takeHome(job, () => rail.update("take")), ways("take", where));
  const show = (focus) => {
    const step = named() === "take" ? "take" : "judge";
    judge.hidden = step !== "judge";
    take.hidden = step !== "take";
    rail.update(step);
    if (!focus) return;
    scrollTo({ top: 0 });
    const heads = (step === "take" ? take : judge).querySelector("h2");
    heads.tabIndex = -1;
    heads.focus({ preventScroll: true });
  };
  addEventListener("hashchange", () => named() && show(true));
  show(false);
}
