// One file: its first rows, roles, hierarchies, what is asked, the estimate and the run.

import { checked, debounced, get, pause, send } from "./api.js";
import { chooseSection } from "./choose.js";
import { restored, savable } from "./draft.js";
import { cut, el, name, problem, set, table } from "./dom.js";
import { comparePart, knownMethods, runPanel } from "./estimate.js";
import { bytes, counted } from "./format.js";
import { finishButton, jobList } from "./home.js";
import { chooseTable, findings, readAgain, readingSection } from "./reading.js";
import { rolesSection } from "./roles.js";
import { treesSection } from "./trees.js";

/** Show a file, once it has been looked at. */
export async function showFile(main, id) {
  const file = await looked(main, id);
  document.title = `${cut(file.name, 40)} · Shoal`;
  const trouble = el("div");
  if (file.state === "choosing") {
    set(main, heading(file), trouble, chooseTable(file, trouble), finishButton(file, trouble));
    return;
  }
  if (file.state === "failed" || !file.look) {
    set(main, heading(file), problem(file.error ?? "The file cannot be read."),
      readAgain(file, trouble), finishButton(file, trouble), trouble);
    return;
  }
  const [methods, desk] = await Promise.all([knownMethods(), get("/desk.json")]);
  const page = makePage(id, file, trouble);
  set(main,
    heading(file),
    findings(file),
    el("nav", { class: "steps", "aria-label": "On this page" }, [
      ["#rows", "First rows"], ["#columns", "Columns"], ["#hierarchies", "Hierarchies"],
      ["#choose", "Protection"], ["#run", "Run"], ["#compare", "Compare"],
    ].map(([to, text]) => el("a", { href: to }, text))),
    trouble,
    rowsSection(file.look),
    rolesSection(page),
    readingSection(page, trouble),
    treesSection(page),
    chooseSection(page, methods),
    runPanel(page),
    comparePart(page, methods),
    jobList(desk.jobs.filter((job) => job.file === id), trouble, "Runs of this file"),
    el("p", null, finishButton(file, trouble)));
}

async function looked(main, id) {
  for (;;) {
    const file = await get(`/files/${checked(id)}.json`);
    if (file.state !== "looking") return file;
    document.title = `${cut(file.name, 40)} · Shoal`;
    if (!main.querySelector("[data-test=looking]")) {
      set(main, heading(file),
        el("p", { role: "status", "data-test": "looking" }, "Looking at the file…"),
        el("progress", { "aria-label": "Looking at the file" }));
    }
    await pause(document.hidden ? 3000 : 700);
  }
}

function heading(file) {
  const look = file.look;
  const about = look
    ? `${counted(look.records, "record")}, ${counted(look.columns.length, "column")}, `
      + bytes(file.bytes)
      + (look.seen < look.records ? `; the first ${counted(look.seen, "record")} were looked at` : "")
    : bytes(file.bytes);
  return [el("p", { class: "crumbs" }, el("a", { href: "/" }, "All files")),
    el("h1", null, name(file.name), file.table && [": ", name(file.table)]), el("p", { class: "soft" }, about)];
}

/** Return what the parts of the page share: the draft, and who wants to hear of its changes. */
function makePage(id, file, trouble) {
  const heard = new Map();
  const path = `/files/${checked(id)}/draft`;
  const page = {
    id, file, look: file.look, draft: restored(file.look, file.draft), estimate: null,
    on(kind, call) {
      heard.set(kind, [...(heard.get(kind) ?? []), call]);
    },
    tell(kind) {
      for (const call of heard.get(kind) ?? []) call();
    },
    changed(kind) {
      page.tell(kind);
      page.tell("any");
      later();
    },
    async saved() {
      later.cancel();
      await send("PUT", path, savable(page.draft));
    },
  };
  const later = debounced(500, async () => {
    try {
      await page.saved();
      set(trouble);
    } catch (error) {
      set(trouble, problem(error));
    }
  });
  addEventListener("pagehide", () => {
    if (!later.waiting()) return;
    // keepalive outlives the page, but takes no more than 64 kB: longer drafts go without it.
    const body = savable(page.draft);
    const keepalive = JSON.stringify(body).length < 30_000;
    send("PUT", path, body, { keepalive }).catch(() => {});
  });
  return page;
}

function rowsSection(look) {
  const heads = look.columns.map((column) => ({
    text: name(column.name, 40), n: column.numeric && column.kind !== "boolean",
  }));
  const rows = look.rows.map((row) => ({
    cells: row.map((cell, at) => el("td", { class: heads[at].n ? "n" : null },
      cell === null ? el("span", { class: "soft" }, "missing") : name(cell, 60))),
  }));
  return el("section", { id: "rows", "aria-labelledby": "rows-heading" },
    el("h2", { id: "rows-heading" }, "First rows"),
    table("First rows of the file", heads, rows, { "data-test": "rows" }));
}
