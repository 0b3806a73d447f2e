// Recent files: their names alone, in this browser, and only where somebody wants that.

import { el, name, set } from "./dom.js";
import { moment } from "./format.js";
import { t } from "./words.js";

const KEPT = "shoal-recent";
const MOST = 10;

/**
 * Return the names that were kept, the latest first; null where nothing is to be kept.
 * @returns {{name: string, at: number}[] | null}
 */
function kept() {
  try {
    const found = JSON.parse(localStorage.getItem(KEPT));
    if (!Array.isArray(found)) return null;
    return found.filter((one) => typeof one?.name === "string" && Number.isFinite(one.at))
      .slice(0, MOST);
  } catch {
    return null; // Storage may be off, or hold something else.
  }
}

function keep(names) {
  try {
    if (names === null) localStorage.removeItem(KEPT);
    else localStorage.setItem(KEPT, JSON.stringify(names.slice(0, MOST)));
  } catch {
    // Storage may be off; then nothing is kept.
  }
}

/** Note that a file was opened, where names are kept. */
export function noteRecent(file) {
  const names = kept();
  if (names === null) return;
  const others = names.filter((one) => one.name !== file.name);
  keep([{ name: file.name, at: file.opened }, ...others]);
}

/**
 * Return the part of recent files; those of the folder can be opened by a click.
 * @param {any} desk
 * @param {(entry: string) => void} open
 */
export function recentPart(desk, open) {
  const list = el("div", { "data-test": "recent-names" });
  const box = el("input", {
    type: "checkbox", checked: kept() !== null, "data-test": "recent",
    onchange: () => {
      keep(box.checked ? desk.files.map((file) => ({ name: file.name, at: file.opened })) : null);
      refresh();
    },
  });
  const entries = new Map((desk.folder?.entries ?? []).map((one) => [one.name, one.id]));
  function refresh() {
    const names = kept() ?? [];
    set(list, names.length > 0 && el("ul", { class: "plain" }, names.map((one) =>
      el("li", { class: "line" },
        entries.has(one.name) ? el("button", {
          type: "button", class: "link", onclick: () => open(entries.get(one.name)),
        }, name(one.name, 60)) : name(one.name, 60),
        el("span", { class: "soft" }, moment(one.at))))));
  }
  refresh();
  return el("details", { open: kept() !== null }, el("summary", null, t("recent.heading")),
    el("label", { class: "check" }, box, ` ${t("recent.keep")}`),
    el("p", { class: "hint" }, t("recent.hint")), list);
}
