// The desk: what is open, what could be opened, what runs.

import { checked, get, pause, send, upload } from "./api.js";
import { confirmed } from "./dialog.js";
import { add, el, name, problem, set } from "./dom.js";
import { bytes, moment } from "./format.js";
import { STATES } from "./words.js";

const ORIGINS = { upload: "uploaded", folder: "from the folder", sample: "sample" };
const LOOKS = {
  looking: "being looked at…", ready: "ready", failed: "cannot be read",
  choosing: "a table of it is to be chosen",
};

/** Show the desk. */
export async function showHome(main) {
  document.title = "Shoal";
  const desk = await get("/desk.json");
  const trouble = el("div");
  const lists = el("div", { "data-test": "lists" });
  set(main,
    el("h1", null, "Make a table safe to release"),
    el("p", { class: "lead" },
      "Open a file, say what its columns are, choose how many records each shall hide among. "
      + "Shoal groups similar records, releases what a group has in common, and proves it."),
    trouble,
    opening(desk, trouble),
    lists);
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
    el("h3", null, "From the folder ", name(desk.folder.name)),
    desk.folder.entries.length === 0
      ? el("p", { class: "soft" }, "There is no file in it that can be opened.")
      : el("ul", { class: "plain scroll" }, desk.folder.entries.map((entry) =>
        el("li", { class: "line" },
          el("button", {
            type: "button", "data-test": "open-entry",
            onclick: () => openWith({ entry: entry.id }, trouble),
          }, "Open ", name(entry.name)),
          el("span", { class: "soft" }, bytes(entry.bytes))))));
  const samples = el("div", { class: "card" },
    el("h3", null, "Try a sample"),
    el("ul", { class: "plain" }, desk.samples.map((sample) =>
      el("li", null,
        el("button", {
          type: "button", "data-test": "open-sample",
          onclick: () => openWith({ sample: sample.name }, trouble),
        }, "Open ", name(sample.name)),
        el("p", { class: "soft" }, sample.says)))));
  return el("section", { "aria-labelledby": "open-heading" },
    el("h2", { id: "open-heading" }, "Open a file"),
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
    el("h3", null, "From this computer"),
    input,
    el("label", { class: "button primary", for: "upload" }, "Choose a file"),
    el("p", { class: "soft", id: "upload-hint" },
      "or drop it here: csv (also zipped), Parquet, Excel, SPSS, Stata, SAS, SQLite, DuckDB and "
      + `others, up to ${bytes(limit)}. `
      + "It goes to the program on this machine, nowhere else."),
    told);
  async function take(file) {
    if (!file || zone.classList.contains("busy")) return;
    set(trouble);
    if (file.size > limit) {
      fail(trouble, `The file has ${bytes(file.size)}; the most that is taken is ${bytes(limit)}.`);
      return;
    }
    zone.classList.add("busy");
    const bar = el("progress", { max: "1", value: 0, "aria-label": "Upload" });
    set(told, el("p", null, "Reading ", name(file.name), " …"), bar);
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

function files(desk, trouble) {
  if (desk.files.length === 0) return null;
  const cards = desk.files.map((file) => el("li", { class: "card", "data-test": "file-card" },
    el("h3", null, el("a", { href: `/files/${checked(file.id)}` }, name(file.name))),
    el("p", { class: "soft" },
      `${bytes(file.bytes)}, ${ORIGINS[file.origin] ?? file.origin}, opened `
      + `${moment(file.opened)}; ${LOOKS[file.state] ?? file.state}`),
    finishButton(file, trouble)));
  return el("section", { "aria-labelledby": "files-heading" },
    el("h2", { id: "files-heading" }, "Open files"),
    el("ul", { class: "plain cards" }, cards));
}

/** Return the button that removes a file with all that was made of it, after a question. */
export function finishButton(file, trouble) {
  return el("button", {
    type: "button", class: "small", "data-test": "finish",
    onclick: async () => {
      const sure = await confirmed(
        "Finish with this file?",
        ["Shoal’s copy of ", name(file.name), ", its hierarchies, its jobs and their releases are "
          + "removed from this machine. Your own file stays. What you want to keep must be "
          + "downloaded before."],
        "Finish and remove");
      if (!sure) return;
      try {
        await send("DELETE", `/files/${checked(file.id)}`);
        location.assign("/");
      } catch (error) {
        fail(trouble, error);
      }
    },
  }, "Finish: remove this file and its jobs");
}

/** Return the list of jobs with their states; nothing where there is none. */
export function jobList(jobs, trouble, heading = "Jobs") {
  if (jobs.length === 0) return null;
  const rows = jobs.map((job) => el("li", { class: "line job", "data-test": "job-row" },
    el("span", { class: `state ${Object.hasOwn(STATES, job.state) ? job.state : ""}` },
      STATES[job.state] ?? job.state),
    el("a", { href: `/jobs/${checked(job.id)}` },
      job.kind === "compare" ? "Comparison of " : "Release of ", name(job.name, 60)),
    el("span", { class: "soft" }, job.says, ", ", moment(job.created)),
    ["done", "failed", "canceled"].includes(job.state) && removeButton(job, trouble)));
  return el("section", { "aria-labelledby": "jobs-heading" },
    el("h2", { id: "jobs-heading" }, heading),
    el("ul", { class: "plain rows" }, rows));
}

function removeButton(job, trouble) {
  return el("button", {
    type: "button", class: "small quiet", "data-test": "job-remove",
    onclick: async () => {
      const sure = await confirmed("Remove this job?",
        "Its release and report are removed from this machine.", "Remove");
      if (!sure) return;
      try {
        await send("DELETE", `/jobs/${checked(job.id)}`);
        location.reload();
      } catch (error) {
        fail(trouble, error);
      }
    },
  }, "Remove");
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
