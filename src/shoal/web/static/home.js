// The desk: what is open, what could be opened, what runs.

import { checked, get, pause, send, upload } from "./api.js";
import { confirmed } from "./dialog.js";
import { add, el, name, problem, set } from "./dom.js";
import { bytes, moment } from "./format.js";
import { recentPart } from "./recent.js";
import { stateWord } from "./terms.js";
import { has, relabeled, t } from "./words.js";

/** Show the desk. */
export async function showHome(main) {
  document.title = "Shoal";
  const desk = await get("/desk.json");
  const trouble = el("div");
  const lists = el("div", { "data-test": "lists" });
  set(main,
    el("h1", null, t("home.heading")),
    el("p", { class: "lead" },
      t("home.lead")),
    trouble,
    opening(desk, trouble),
    lists,
    recentPart(desk, (entry) => openWith({ entry }, trouble)));
  set(lists, files(desk, trouble), jobList(desk.jobs, trouble));
  follow(desk, lists, trouble);
}

function fail(trouble, error) {
  set(trouble, problem(error));
  trouble.scrollIntoView({ block: "nearest" });
}

async function openWith(body, trouble) {
  try {
    const { id } = await send("POST", "/files/open", body);
    location.assign(`/files/${checked(id)}`);
  } catch (error) {
    fail(trouble, error);
  }
}

function opening(desk, trouble) {
  const folder = desk.folder && el("div", { class: "card" },
    el("h3", null, t("home.folder", { name: name(desk.folder.name) })),
    desk.folder.entries.length === 0
      ? el("p", { class: "soft" }, t("home.folder_empty"))
      : el("ul", { class: "plain scroll" }, desk.folder.entries.map((entry) =>
        el("li", { class: "line" },
          el("button", {
            type: "button", "data-test": "open-entry",
            onclick: () => openWith({ entry: entry.id }, trouble),
          }, t("home.open_it", { name: name(entry.name) })),
          el("span", { class: "soft" }, bytes(entry.bytes))))));
  const samples = el("div", { class: "card" },
    el("h3", null, t("home.sample")),
    el("ul", { class: "plain" }, desk.samples.map((sample) =>
      el("li", null,
        el("button", {
          type: "button", "data-test": "open-sample",
          onclick: () => openWith({ sample: sample.name }, trouble),
        }, t("home.open_it", { name: name(sample.name) })),
        el("p", { class: "soft" }, t("home.sample_what"))))));
  return el("section", { "aria-labelledby": "open-heading" },
    el("h2", { id: "open-heading" }, t("home.open")),
    el("div", { class: "cards" }, dropZone(desk.limit, trouble), folder, samples));
}

const ACCEPTED = ".csv,.tsv,.txt,.gz,.bz2,.zst,.zip,.parquet,.feather,.arrow,.ipc,.jsonl,.ndjson,.sav,.zsav,.por,"
  + ".dta,.sas7bdat,.xpt,.xlsx,.xlsm,.xlsb,.xls,.ods,.duckdb,.ddb,.sqlite,.sqlite3,.db,.db3";

function dropZone(limit, trouble) {
  const input = el("input", {
    type: "file", id: "upload", class: "unseen", "data-test": "upload",
    accept: ACCEPTED, "aria-describedby": "upload-hint",
    onchange: () => take(input.files[0]),
  });
  const told = el("div", { "aria-live": "polite" });
  const zone = el("div", { class: "card drop" },
    el("h3", null, t("home.computer")),
    input,
    el("label", { class: "button primary", for: "upload" }, t("home.choose")),
    el("p", { class: "soft", id: "upload-hint" },
      t("home.kinds", { limit: bytes(limit) })),
    told);
  async function take(file) {
    if (!file || zone.classList.contains("busy")) return;
    set(trouble);
    if (file.size > limit) {
      fail(trouble, t("home.large", { size: bytes(file.size), limit: bytes(limit) }));
      return;
    }
    zone.classList.add("busy");
    const bar = el("progress", { max: "1", value: 0, "aria-label": t("home.upload") });
    set(told, el("p", null, t("home.reading", { name: name(file.name) })), bar);
    try {
      const { id } = await upload(file, (part) => (bar.value = part));
      location.assign(`/files/${checked(id)}`);
    } catch (error) {
      set(told);
      fail(trouble, error);
    }
    zone.classList.remove("busy");
    input.value = "";
  }
  const over = (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    zone.classList.add("over");
  };
  // The whole page takes a drop: a file let go beside the zone must not replace the page.
  document.addEventListener("dragover", over);
  document.addEventListener("dragleave", () => zone.classList.remove("over"));
  document.addEventListener("drop", (event) => {
    zone.classList.remove("over");
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    take(event.dataTransfer.files[0]);
  });
  return zone;
}

function word(part, key) {
  return has(`${part}.${key}`) ? t(`${part}.${key}`) : key;
}

function files(desk, trouble) {
  if (desk.files.length === 0) return null;
  const cards = desk.files.map((file) => el("li", { class: "card", "data-test": "file-card" },
    el("h3", null, el("a", { href: `/files/${checked(file.id)}` }, name(file.name))),
    el("p", { class: "soft" },
      t("home.card", { size: bytes(file.bytes), origin: word("origin", file.origin),
        opened: moment(file.opened), state: word("look", file.state) })),
    finishButton(file, trouble)));
  return el("section", { "aria-labelledby": "files-heading" },
    el("h2", { id: "files-heading" }, t("home.files")),
    el("ul", { class: "plain cards" }, cards));
}

/** Return the button that removes a file with all that was made of it, after a question. */
export function finishButton(file, trouble) {
  return el("button", {
    type: "button", class: "small", "data-test": "finish",
    onclick: async () => {
      const sure = await confirmed(
        t("finish.question"), t("finish.what", { name: name(file.name) }), t("finish.yes"));
      if (!sure) return;
      try {
        await send("DELETE", `/files/${checked(file.id)}`);
        location.assign("/");
      } catch (error) {
        fail(trouble, error);
      }
    },
  }, t("finish.button"));
}

/** Return the list of jobs with their states; nothing where there is none. */
export function jobList(jobs, trouble, heading = t("jobs.heading")) {
  if (jobs.length === 0) return null;
  const rows = jobs.map((job) => el("li", { class: "line job", "data-test": "job-row" },
    el("span", { class: `state ${has(`state.${job.state}`) ? job.state : ""}` },
      stateWord(job.state)),
    el("a", { href: `/jobs/${checked(job.id)}` },
      t(`jobs.${job.kind}`, { name: name(job.name, 60) })),
    el("span", { class: "soft" }, relabeled(job.says), ", ", moment(job.created)),
    ["done", "failed", "canceled"].includes(job.state) && removeButton(job, trouble)));
  return el("section", { "aria-labelledby": "jobs-heading" },
    el("h2", { id: "jobs-heading" }, heading),
    el("ul", { class: "plain rows" }, rows));
}

function removeButton(job, trouble) {
  return el("button", {
    type: "button", class: "small quiet", "data-test": "job-remove",
    onclick: async () => {
      const sure = await confirmed(t("jobs.remove_question"), t("jobs.remove_what"),
        t("jobs.remove"));
      if (!sure) return;
      try {
        await send("DELETE", `/jobs/${checked(job.id)}`);
        location.reload();
      } catch (error) {
        fail(trouble, error);
      }
    },
  }, t("jobs.remove"));
}

async function follow(desk, lists, trouble) {
  const shown = (told) => JSON.stringify([told.files, told.jobs]);
  let last = shown(desk);
  let failures = 0;
  for (;;) {
    await pause(document.hidden ? 8000 : 2000);
    try {
      const now = await get("/desk.json");
      if (failures) set(trouble);
      failures = 0;
      const text = shown(now);
      // A list that is being used is not pulled away from under the keyboard.
      if (text !== last && !lists.contains(document.activeElement)) {
        last = text;
        set(lists, add(document.createDocumentFragment(),
          files(now, trouble), jobList(now.jobs, trouble)));
      }
    } catch (error) {
      failures += 1;
      if (failures === 2) fail(trouble, error);
    }
  }
}
