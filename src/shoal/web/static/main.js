// Which page this is, and what every page has: the theme, the language and the focus.

import { loadChoices } from "./choices.js";
import { problem, set } from "./dom.js";
import { dropTables } from "./drops.js";
import { showFile } from "./file.js";
import { showHome } from "./home.js";
import { showJob } from "./job.js";
import { loadOptions } from "./options.js";
import { prepareLanguage, t } from "./words.js";

/** @type {[RegExp, (main: HTMLElement, id: string) => Promise<void>][]} */
const PAGES = [
  [/^\/$/, showHome],
  [/^\/files\/([0-9a-f]{1,64})$/, showFile],
  [/^\/jobs\/([0-9a-f]{1,64})$/, showJob],
];

function prepareTheme() {
  const button = document.getElementById("theme");
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const current = () => root.dataset.theme ?? (system.matches ? "dark" : "light");
  const label = () => {
    button.textContent = t(current() === "dark" ? "theme.light" : "theme.dark");
  };
  const changed = () => {
    label();
    document.dispatchEvent(new Event("shoal-theme")); // charts hold their colors
  };
  button.addEventListener("click", () => {
    root.dataset.theme = current() === "dark" ? "light" : "dark";
    try {
      localStorage.setItem("shoal-theme", root.dataset.theme);
    } catch {
      // Storage may be off; the choice then lasts for this page.
    }
    changed();
  });
  system.addEventListener("change", changed);
  label();
}

async function start() {
  prepareLanguage(document.getElementById("language"));
  prepareTheme();
  const main = document.getElementById("main");
  dropTables(main);
  const found = PAGES.map(([path, show]) => ({ show, at: path.exec(location.pathname) }))
    .find(({ at }) => at);
  try {
    if (!found) throw new Error(t("page.none"));
    await Promise.all([loadOptions(), loadChoices()]);
    await found.show(main, found.at[1]);
  } catch (error) {
    set(main, problem(error));
  }
  const heading = main.querySelector("h1");
  if (heading && document.activeElement === document.body) {
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }
}

addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload(); // a page out of the cache shows an old draft
});
start();
