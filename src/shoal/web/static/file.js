// One file, step by step: opened, its columns, its risk, its protection, a preview, and the run.

import { checked, get, pause } from "./api.js";
import { protectionStep } from "./protection.js";
import { restored } from "./draft.js";
import { cut, el, name, problem, set } from "./dom.js";
import { dropHierarchies } from "./drops.js";
import { knownMethods, runStep } from "./estimate.js";
import { bytes, count } from "./format.js";
import { finishButton } from "./home.js";
import { previewStep } from "./preview.js";
import { noteRecent } from "./recent.js";
import { chooseTable, openStep, readAgain } from "./reading.js";
import { riskStep } from "./risk.js";
import { rolesSection } from "./roles.js";
import { makeStore } from "./store.js";
import { makeRail, named, STEPS, ways } from "./steps.js";
import { t, tn } from "./words.js";

const BUILT = { // what a step shows, made when it is first shown
  open: openStep,
  columns: rolesSection,
  risk: riskStep,
  protection: protectionStep,
  preview: previewStep,
  run: runStep,
};
let leave = null; // ends the listeners of the page that was shown before

/** Show a file, once it has been looked at. */
export async function showFile(main, id) {
  leave?.abort();
  leave = new AbortController();
  const file = await looked(main, id);
  document.title = `${cut(file.name, 40)} · Shoal`;
  const trouble = el("div");
  const again = () => showFile(main, id);
  if (file.state === "choosing") {
    set(main, heading(file), trouble, chooseTable(file, trouble, again),
      finishButton(file, trouble));
    return;
  }
  if (file.state === "failed" || !file.look) {
    set(main, heading(file), problem(file.error ?? t("file.unreadable")),
      readAgain(file, { trouble, again }), finishButton(file, trouble), trouble);
    return;
  }
  noteRecent(file);
  const [methods, desk] = await Promise.all([knownMethods(), get("/desk.json")]);
  const page = makePage(id, file, trouble);
  Object.assign(page, {
    methods, again, jobs: desk.jobs.filter((job) => job.file === id), signal: leave.signal,
  });
  showSteps(main, page);
  dropHierarchies(page);
}

function makePage(id, file, trouble) {
  const path = `/files/${checked(id)}/draft`;
  const page = makeStore(restored(file.look, file.draft), path, (error) =>
    set(trouble, error && problem(error)));
  return Object.assign(page, { id, file, look: file.look, trouble, told: el("div") });
}

function showSteps(main, page) {
  const places = new Map(Object.keys(BUILT).map((step) =>
    [step, el("div", { class: "step", hidden: true, "data-test": `at-${step}` })]));
  const made = page.jobs.filter((job) => job.kind === "anonymize" && job.state === "done").at(-1);
  const where = (step) => {
    if (Object.hasOwn(BUILT, step)) return `#${step}`;
    return made ? `/jobs/${checked(made.id)}#${step}` : null;
  };
  const isDone = (step) => {
    if (step === "run") return Boolean(made);
    return page.draft.seen.includes(step) && step !== page.step
      && (step !== "columns" || page.draft.roles.includes("quasi-identifier"));
  };
  const rail = makeRail(where, isDone);
  set(main, heading(page.file), rail.node, undoBar(page), page.trouble, page.told,
    [...places.values()]);

  function show(focus) {
    const wanted = named() ?? (page.step || "open");
    const step = Object.hasOwn(BUILT, wanted) ? wanted : "open";
    const before = page.step;
    page.step = step;
    page.note((draft) => {
      draft.seen = STEPS.filter((one) => draft.seen.includes(one) || one === before);
    });
    const place = places.get(step);
    if (!place.childElementCount) set(place, BUILT[step](page), ways(step, where));
    for (const [one, node] of places) node.hidden = one !== step;
    rail.update(step);
    page.tell("step");
    if (!focus) return;
    scrollTo({ top: 0 });
    const title = place.querySelector("h2");
    if (title) {
      title.tabIndex = -1;
      title.focus({ preventScroll: true });
    }
  }
  addEventListener("hashchange", () => named() && named() !== page.step && show(true),
    { signal: page.signal });
  page.on("roles", () => rail.update(page.step));
  show(false);
}

function undoBar(page) {
  const button = (key, call) => el("button", {
    type: "button", class: "small quiet", "data-test": key, onclick: call,
  }, t(`file.${key}`));
  const undo = button("undo", () => page.undo());
  const redo = button("redo", () => page.redo());
  const refresh = () => {
    undo.disabled = !page.canUndo();
    redo.disabled = !page.canRedo();
  };
  page.on("any", refresh);
  refresh();
  addEventListener("keydown", (event) => {
    const typing = /** @type {Element} */ (event.target).closest?.("input:not([type=checkbox], [type=range]), textarea");
    if (typing || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
    event.preventDefault();
    if (event.shiftKey) page.redo();
    else page.undo();
  }, { signal: page.signal });
  return el("div", { class: "undo" }, undo, redo);
}

async function looked(main, id) {
  for (;;) {
    const file = await get(`/files/${checked(id)}.json`);
    if (file.state !== "looking") return file;
    document.title = `${cut(file.name, 40)} · Shoal`;
    if (!main.querySelector("[data-test=looking]") && !main.querySelector("[data-test=at-open]")) {
      set(main, heading(file),
        el("p", { role: "status", "data-test": "looking" }, t("file.looking")),
        el("progress", { "aria-label": t("file.looking") }));
    }
    await pause(document.hidden ? 3000 : 400);
  }
}

function heading(file) {
  const look = file.look;
  const parts = look ? [tn("count.record", look.records), tn("count.column", look.columns.length)]
    : [];
  const about = [...parts, bytes(file.bytes)].join(", ")
    + (look && look.seen < look.records ? t("file.seen", { n: count(look.seen) }) : "");
  return [el("p", { class: "crumbs" }, el("a", { href: "/" }, t("home.all"))),
    el("h1", null, name(file.name), file.table && [": ", name(file.table)]),
    el("p", { class: "soft" }, about)];
}
