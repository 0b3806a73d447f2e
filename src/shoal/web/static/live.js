// A job under way: its stages as a list, what is left, the curve of its search, and how to stop it.

import { checked, send } from "./api.js";
import { confirmed } from "./dialog.js";
import { el, problem, set, table } from "./dom.js";
import { count, duration, figure, loss } from "./format.js";
import { curve, thinned } from "./small.js";
import { stateWord } from "./terms.js";
import { has, relabeled, t, tn } from "./words.js";

const ORDER = ["reading", "coding", "grouping", "searching", "releasing", "checking", "measuring"];
const USUAL = ["reading", "grouping", "checking", "measuring"]; // stages that every release has

function stageWord(stage) {
  return has(`stage.${stage}`) ? t(`stage.${stage}`) : stage;
}

/** Return the part that shows a running job; `update` is called with what is new of it. */
export function livePart(first, title) {
  const points = [];
  const stages = [];
  let said = "";
  let saidAt = 0;
  const nodes = {
    state: el("p", { class: "lead" }),
    bar: el("progress", { "aria-label": t("live.progress"), max: "1", "data-test": "progress" }),
    told: el("p", { class: "soft" }),
    heard: el("p", { class: "unseen", role: "status" }),
    stages: el("ol", { class: "stages", "data-test": "stages" }),
    stopping: el("p", { role: "status" }),
    curve: el("div", { "data-test": "curve" }),
    figures: el("details", { hidden: true, ontoggle: () => fillTable() },
      el("summary", null, t("live.table")), el("div")),
    trouble: el("div"),
  };
  const keep = el("button", {
    type: "button", class: "primary", "data-test": "stop-keep", hidden: true,
    onclick: () => stop(true),
  }, t("live.keep"));
  const discard = el("button", {
    type: "button", class: "danger", "data-test": "stop-discard", onclick: () => stop(false),
  }, t("live.discard"));

  async function stop(keeps) {
    if (!keeps && !(await confirmed(t("live.question"), t("live.discarded"), t("live.yes"),
      t("live.no")))) return;
    keep.disabled = true;
    discard.disabled = true;
    try {
      await send("POST", `/jobs/${checked(first.id)}/stop`, { keep: keeps });
      set(nodes.stopping, t(keeps ? "live.stopping_keep" : "live.stopping"));
    } catch (error) {
      set(nodes.trouble, problem(error));
      keep.disabled = false;
    }
    discard.disabled = false;
  }

  function fillTable() {
    if (!nodes.figures.open) return;
    set(nodes.figures.lastElementChild, table(t("live.by_time"),
      [{ text: t("chart.seconds"), n: true }, { text: t("live.best"), n: true }],
      thinned(points).map(([at, best]) => [figure(at, 4), figure(best, 5)])));
  }

  function announce(text, urgent) {
    // A screen reader hears a new stage at once, and progress now and then, not twice a second.
    if (text === said || (!urgent && Date.now() - saidAt < 15000)) return;
    said = text;
    saidAt = Date.now();
    set(nodes.heard, text);
  }

  /** Show the stages in their order: those before the present one are done, seen or not. */
  function showStages(current, percent) {
    if (current && !stages.includes(current)) stages.push(current);
    const known = first.kind === "anonymize"
      ? ORDER.filter((one) => USUAL.includes(one) || stages.includes(one)) : [];
    const own = stages.filter((one) => !known.includes(one));
    const at = known.indexOf(current);
    const every = at < 0 ? [...known.filter((one) => stages.includes(one)), ...own,
      ...known.filter((one) => !stages.includes(one))]
      : [...known.slice(0, at), ...own, ...known.slice(at)];
    set(nodes.stages, every.map((one, place) => {
      const mood = one === current ? "now" : place < every.indexOf(current) ? "done" : "left";
      return el("li", { class: mood, "aria-current": mood === "now" && "step" },
        stageWord(one), mood === "now" && percent ? `, ${percent}` : "",
        el("span", { class: "unseen" }, mood === "now" ? "" : ` (${t(`live.${mood}`)})`));
    }));
  }

  let stageName = null;
  return {
    node: el("section", { "aria-labelledby": "live-heading" },
      el("h2", { id: "live-heading", class: "unseen" }, t("steps.run")),
      nodes.state, nodes.bar, nodes.told, nodes.heard, nodes.stages, nodes.trouble,
      el("div", { class: "actions" }, keep, discard), nodes.stopping, nodes.curve, nodes.figures,
      el("p", { class: "soft" }, t("live.leave"))),
    trouble(error) {
      set(nodes.trouble, error ? problem(error) : null);
    },
    update(job) {
      const stage = job.stage;
      keep.hidden = !(job.anytime && job.state === "running");
      if (job.state === "queued") {
        set(nodes.state, job.ahead ? tn("live.ahead", job.ahead) : t("live.waiting"));
        title(job, stateWord("queued"));
        announce(t("live.waiting"), false);
        return;
      }
      for (const point of job.curve) points.push(point);
      const part = portion(stage);
      if (part === null) nodes.bar.removeAttribute("value");
      else nodes.bar.value = part;
      const percent = part === null ? "" : `${Math.floor(100 * part)} %`;
      const word = stage ? stageWord(stage.stage) : t("live.starting");
      set(nodes.state, word, percent && `, ${percent}`);
      set(nodes.told, figures(job));
      showStages(stage?.stage, percent);
      title(job, percent || stateWord("running"));
      announce(`${word} ${percent}`, stage?.stage !== stageName);
      stageName = stage?.stage;
      if (points.length > 1 && job.curve.length) {
        set(nodes.curve, el("h2", null, t(`live.curve_${job.kind}`)),
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

function figures(job) {
  const stage = job.stage;
  const parts = [];
  if (stage) parts.push(t("live.so_far", { time: duration(stage.seconds) }));
  if (typeof stage?.best_loss === "number") {
    parts.push(t("live.best_now", { loss: loss(stage.best_loss) }));
  }
  if (stage && portion(stage) === null) parts.push(tn("live.iterations", stage.done));
  else if (stage && stage.total > 1) {
    parts.push(t("live.of", { done: count(stage.done), total: count(stage.total) }));
  }
  if (job.expected) parts.push(t("live.expected", { what: relabeled(job.expected.told) }));
  const left = (job.expected?.seconds ?? 0) - (stage?.seconds ?? 0);
  if (job.expected && left > 1) parts.push(t("live.left_time", { time: duration(left) }));
  return parts.join("; ");
}
