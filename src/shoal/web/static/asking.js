// Questions about the draft: asked anew as it changes, while the step that needs them is shown.

import { checked, debounced, send } from "./api.js";
import { obstacle, recipeOf } from "./draft.js";
import { name } from "./dom.js";

const LATER = [409, 429]; // what is busy answers after a while
const BUSY = 900; // ms to wait when it is for the first time
const LONGEST = 30_000; // ms between two questions while it is
const TAB = crypto.randomUUID(); // a name of this page: other tabs have answers of their own

/**
 * Ask about the draft whenever it has changed and one of `steps` is shown. Answers to what is no
 * longer asked are dropped.
 * @param {any} page
 * @param {string} kind what is asked: preview, risk, trial, improve
 * @param {{steps: string[], wait: number, more?: () => object, hear: (told: any) => void}} how
 *   `hear` gets {state, answer, error, stands}; state is waiting, busy, done, failed or blocked
 */
export function question(page, kind, { steps, wait, more = () => ({}), hear }) {
  let asked = "";
  let running = null;
  let refused = 0;
  const later = debounced(wait, ask);

  async function ask() {
    const stopper = new AbortController();
    running = stopper;
    try {
      const answer = await send("POST", `/files/${checked(page.id)}/${kind}`,
        { recipe: recipeOf(page.look, page.draft), tab: TAB, ...more() },
        { signal: stopper.signal });
      if (running !== stopper) return;
      refused = 0;
      hear({ state: "done", answer });
    } catch (error) {
      if (running !== stopper || error.name === "AbortError") return;
      if (LATER.includes(error.status)) {
        hear({ state: "busy" });
        later(Math.min(LONGEST, BUSY * 2 ** (refused += 1)));
        return;
      }
      hear({ state: "failed", error });
    }
  }

  function changed() {
    if (!steps.includes(page.step)) return;
    const stands = obstacle(page.look, page.draft, name);
    const recipe = stands ? ""
      : JSON.stringify([recipeOf(page.look, page.draft), more()]);
    if (recipe === asked && recipe !== "") return; // a change that changes nothing
    asked = recipe;
    running?.abort();
    running = null;
    refused = 0;
    later.cancel();
    if (stands) {
      hear({ state: "blocked", stands });
      return;
    }
    hear({ state: "waiting" });
    later();
  }
  page.on("any", changed);
  page.on("step", changed);
}
