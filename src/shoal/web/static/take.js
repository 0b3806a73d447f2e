// What there is to take home: files, and the same run as a command line and as Python.

import { linkTo } from "./api.js";
import { copyButton } from "./dialog.js";
import { el, name, problem, set, table } from "./dom.js";
import { bytes } from "./format.js";

/** Download a file of a job, by a link that works once. */
async function download(job, file, trouble) {
  set(trouble);
  try {
    el("a", { href: await linkTo(job.id, file), download: true }).click();
  } catch (error) {
    set(trouble, problem(error));
  }
}

/** Open the report in a tab of its own. */
async function openReport(job, trouble) {
  set(trouble);
  const tab = window.open("", "_blank"); // now: after an answer it would be held for a pop-up
  try {
    const path = await linkTo(job.id, "report.html", true);
    if (tab) {
      tab.opener = null;
      tab.location.replace(path);
    } else {
      location.assign(path);
    }
  } catch (error) {
    tab?.close();
    set(trouble, problem(error));
  }
}

function code(label, text, test) {
  const block = el("pre", { tabindex: "0", "data-test": test, "aria-label": label }, text);
  return el("div", { class: "code" },
    el("div", { class: "line" }, el("h3", null, label), copyButton(text, block)), block);
}

/** Return the section of downloads and equivalents of a job. */
export function takeHome(job) {
  const files = job.result?.files ?? [];
  const trouble = el("div");
  const downloads = files.length > 0 && table("Files to download",
    ["File", { text: "Size", n: true }, "What it is"],
    files.map((file) => [
      el("button", { type: "button", class: "link", onclick: () => download(job, file.name, trouble) },
        name(file.name)),
      bytes(file.bytes),
      file.says,
    ]), { "data-test": "downloads" });
  const report = job.kind === "anonymize" && files.some((file) => file.name === "report.html");
  return el("section", { id: "take", "aria-labelledby": "take-heading" },
    el("h2", { id: "take-heading" }, files.length ? "Take home" : "The same elsewhere"),
    report && el("p", null, el("button", {
      type: "button", "data-test": "report", onclick: () => openReport(job, trouble),
    }, "Open the report as a page")),
    trouble,
    downloads,
    code("As a command line", job.command, "command"),
    code("In Python", job.python, "python"));
}
