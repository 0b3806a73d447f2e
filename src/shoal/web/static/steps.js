// The rail of steps: where one is, what is done, and how to go on; the address names the step.

import { el, set } from "./dom.js";
import { t } from "./words.js";

/** The steps of the way, in order; the last two are of a run. */
export const STEPS = ["open", "columns", "risk", "protection", "preview", "run", "judge", "take"];

/** Return the step that an address names; null where it names none. */
export function named(hash = location.hash) {
  const step = hash.slice(1);
  return STEPS.includes(step) ? step : null;
}

/**
 * Return the rail, whose `update` shows the present step, ticks, and which steps can be reached.
 * @param {(step: string) => string | null} where the address of a step, null where there is none
 * @param {(step: string) => boolean} isDone
 */
export function makeRail(where, isDone) {
  const list = el("ol");
  const node = el("nav", { class: "rail", "aria-label": t("steps.label"), "data-test": "rail" },
    list);
  function item(step, at, current) {
    const done = isDone(step);
    const mark = el("span", { class: "mark", "aria-hidden": "true" }, done ? "✓" : String(at + 1));
    const label = [mark, el("span", { class: "label" }, t(`steps.${step}`)),
      done && el("span", { class: "unseen" }, t("steps.done"))];
    const address = where(step);
    const props = { "data-test": `step-${step}`, title: t(`steps.${step}`) };
    return el("li", { class: `${step === current ? "now" : ""} ${done ? "done" : ""}` },
      address === null ? el("span", { ...props, class: "off" }, label)
        : el("a", { ...props, href: address, "aria-current": step === current && "step" }, label));
  }
  return {
    node,
    update(current) {
      set(list, STEPS.map((step, at) => item(step, at, current)));
      list.querySelector(".now")?.scrollIntoView({ block: "nearest", inline: "center" });
    },
  };
}

/** Return the links at the end of a step: back, and on. */
export function ways(step, where) {
  const at = STEPS.indexOf(step);
  const link = (other, word, props) => other && where(other) !== null
    && el("a", { href: where(other), ...props }, t(word, { step: t(`steps.${other}`) }));
  return el("nav", { class: "ways", "aria-label": t("steps.ways") },
    link(STEPS[at - 1], "steps.back", { class: "button quiet", "data-test": "back" }),
    link(STEPS[at + 1], "steps.next", { class: "button primary", "data-test": "next" }));
}
