// What there is to take home: files, and the same run as a command line and as Python.

import { checked } from "./api.js";
import { copyButton } from "./dialog.js";
import { el, name, table } from "./dom.js";
import { bytes } from "./format.js";

function address(job, file) {
  return `/jobs/${checked(job.id)}/files/${file.split("/").map(encodeURIComponent).join("/")}`;
}

function code(label, text, test) {
  const block = el("pre", { tabindex: "0", "data-test": test, "aria-label": label }, text);
  return el("div", { class: "code" },
    el("div", { class: "line" }, el("h3", null, label), copyButton(text, block)), block);
}

/** Return the section of downloads and equivalents of a job. */
export function takeHome(job) {
  const files = job.result?.files ?? [];
  const downloads = files.length > 0 && table("Files to download",
    ["File", { text: "Size", n: true }, "What it is"],
    files.map((file) => [
      el("a", { href: address(job, file.name), download: true }, name(file.name)),
      bytes(file.bytes),
      file.says,
    ]), { "data-test": "downloads" });
  const report = job.kind === "anonymize" && files.some((file) => file.name === "report.html");
  return el("section", { id: "take", "aria-labelledby": "take-heading" },
    el("h2", { id: "take-heading" }, files.length ? "Take home" : "The same elsewhere"),
    report && el("p", null, el("a", {
      class: "button", href: `/jobs/${checked(job.id)}/report`, target: "_blank", rel: "noopener",
      "data-test": "report",
    }, "Open the report as a page")),
    downloads,
    code("As a command line", job.command, "command"),
    code("In Python", job.python, "python"));
}
