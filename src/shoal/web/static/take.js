// Take home: everything with one button, single files, settings, and the same run elsewhere.

import { checked, linkTo, send } from "./api.js";
import { copyButton } from "./dialog.js";
import { el, name, problem, set, table } from "./dom.js";
import { bytes } from "./format.js";
import { has, t } from "./words.js";

const PACK = "everything.zip";
const PRIVATE = "private.zip";
const LEDGER = "ledger/";

/** Tell whether something of a job was taken home in this tab. */
export function isTaken(id) {
  try {
    return sessionStorage.getItem(`shoal-taken-${checked(id)}`) !== null;
  } catch {
    return false; // Storage may be off; then there is no tick.
  }
}

/** Download a file of a job, by a link that works once. */
async function download(job, file, trouble, onTaken) {
  set(trouble);
  try {
    el("a", { href: await linkTo(job.id, file), download: true }).click();
    try {
      sessionStorage.setItem(`shoal-taken-${checked(job.id)}`, "yes");
    } catch {
      // Storage may be off; the download itself went well.
    }
    onTaken?.();
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

/** Save settings as run.toml, without any record. */
export async function keepSettings(file, recipe, trouble) {
  set(trouble);
  try {
    const { toml } = await send("POST", `/files/${checked(file)}/settings`, { recipe });
    const address = URL.createObjectURL(new Blob([toml], { type: "application/toml" }));
    el("a", { href: address, download: "run.toml" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  } catch (error) {
    set(trouble, problem(error));
  }
}

function code(label, text, test) {
  const block = el("pre", { tabindex: "0", "data-test": test, "aria-label": label }, text);
  return el("div", { class: "code" },
    el("div", { class: "line" }, el("h3", null, label), copyButton(text, block)), block);
}

function about(file) {
  const key = `download.${file.name.replaceAll(/[^\w]/g, "_")}`;
  if (has(key)) return t(key);
  if (file.name.startsWith("release.")) return t("download.release");
  if (file.name.startsWith(LEDGER)) {
    return t(file.name.endsWith(".key") ? "download.ledger_key" : "download.ledger");
  }
  return file.name.startsWith("trees/") ? t("download.tree") : file.says;
}

/** Return the section of downloads and equivalents of a job. */
export function takeHome(job, onTaken) {
  const files = job.result?.files ?? [];
  const trouble = el("div");
  const get = (file) => download(job, file, trouble, onTaken);
  const there = (file) => files.some((one) => one.name === file);
  const main = [
    there(PACK) && el("button", {
      type: "button", class: "primary large", "data-test": "take-all", onclick: () => get(PACK),
    }, t("take.all")),
    there(PRIVATE) && el("button", {
      type: "button", "data-test": "take-private", onclick: () => get(PRIVATE),
    }, t("take.private")),
    job.kind === "anonymize" && there("report.html") && el("button", {
      type: "button", "data-test": "report", onclick: () => openReport(job, trouble),
    }, t("take.report")),
    el("button", {
      type: "button", "data-test": "keep-settings",
      onclick: () => keepSettings(job.file, job.recipe, trouble),
    }, t("settings.keep")),
  ];
  const downloads = files.length > 0 && table(t("take.files"),
    [t("take.file"), { text: t("take.size"), n: true }, t("take.what")],
    files.map((file) => [
      el("button", { type: "button", class: "link", onclick: () => get(file.name) },
        name(file.name)),
      bytes(file.bytes),
      about(file),
    ]), { class: "table stacked", "data-test": "downloads" });
  return el("section", { "aria-labelledby": "take-heading" },
    el("h2", { id: "take-heading" }, t(files.length ? "take.heading" : "take.elsewhere")),
    files.length > 0 && el("p", null, t("take.lead")),
    el("div", { class: "actions" }, main),
    trouble,
    files.some((one) => one.name.startsWith(LEDGER)) && el("p", { class: "warning" },
      t("take.ledger")),
    downloads,
    el("details", { open: !files.length, "data-test": "elsewhere" },
      el("summary", null, t("take.elsewhere")),
      code(t("take.command"), job.command, "command"),
      code(t("take.python"), job.python, "python")));
}
