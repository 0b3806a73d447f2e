// Two gauges of what a choice does, from a sample: which risk is left, and what every column loses.

import { question } from "./asking.js";
import { el, name, problem, set, svg } from "./dom.js";
import { count, fixed, share } from "./format.js";
import { term } from "./glossary.js";
import { has, t } from "./words.js";

const WIDTH = 160;
const HEIGHT = 12;

/** Return a bar of so many percent; its number stands beside it. */
export function bar(percent, mood) {
  const width = Math.min(100, Math.max(0, percent)) * (WIDTH / 100);
  return svg("svg", {
    class: `bar ${mood}`, viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT,
    "aria-hidden": "true", preserveAspectRatio: "none",
  },
  svg("rect", { class: "ground", x: 0, y: 0, width: WIDTH, height: HEIGHT }),
  svg("rect", { class: "fill", x: 0, y: 0, width: width.toFixed(1), height: HEIGHT }));
}

/** Ask for trials while one of these steps is shown; the page has the last answer as `trial`. */
export function followTrials(page) {
  question(page, "trial", {
    steps: ["protection", "preview"], wait: 50,
    more: () => ({ rows: true }), // so that the preview is there when it is gone to
    hear(told) {
      page.trialState = told;
      if (told.state === "done") {
        page.trialBefore = page.trial;
        page.trial = told.answer;
      }
      page.tell("trial");
    },
  });
}

/** Return what is said while there is no trial to show; null where there is one. */
export function withoutTrial(page) {
  const told = page.trialState;
  if (told?.state === "failed") return problem(told.error);
  if (told?.state === "blocked") return el("p", { class: "bad" }, told.stands);
  if (!page.trial) {
    return el("p", { class: "soft" },
      told?.state === "busy" ? t("estimate.busy") : t("gauge.wait"));
  }
  return null;
}

/** Return the gauges, which follow every change. */
export function gauges(page) {
  const place = el("div", { class: "gauges", "data-test": "gauges" });
  const refresh = () => {
    const waits = ["waiting", "busy"].includes(page.trialState?.state);
    place.setAttribute("aria-busy", String(waits));
    place.classList.toggle("stale", waits);
    set(place, withoutTrial(page) ?? [riskGauge(page.trial), lossGauge(page.trial)]);
  };
  page.on("trial", refresh);
  refresh();
  return place;
}

function riskGauge(told) {
  const { before } = told;
  const line = (label, percent, mood, shown) => el("div", { class: "gauge" },
    el("span", { class: "what" }, label), bar(percent, mood),
    el("span", { class: "n" }, shown));
  const alone = before ? 100 * before.alone / Math.max(1, told.sample) : 0;
  return el("section", { "aria-labelledby": "gauge-risk" },
    el("h3", { id: "gauge-risk" }, t("gauge.risk"), " ", term("risk")),
    line(t("gauge.alone_before"), alone, "risk", share(before?.alone ?? 0, told.sample)),
    line(t("gauge.alone_after"), 0, "risk", share(0, 1)),
    line(t("gauge.highest"), told.highest, "risk", `${fixed(told.highest, 1)} %`),
    line(t("gauge.average"), told.average, "risk", `${fixed(told.average, 1)} %`),
    el("p", { class: "soft" }, t("gauge.k", { k: count(told.k) })));
}

function releasedWord(how) {
  return has(`released.${how}`) ? t(`released.${how}`) : how;
}

/** Return the bars of what every column loses, with what it was before the last change. */
export function lossGauge(told, before = null, id = "gauge-loss") {
  const last = new Map((before?.columns ?? []).map((one) => [one.name, one.loss]));
  const rows = [...told.columns].sort((one, other) => other.loss - one.loss).map((one) => {
    const was = last.get(one.name);
    const moved = typeof was === "number" && Math.abs(was - one.loss) >= 0.1;
    return el("div", { class: "gauge" },
      el("span", { class: "what" }, name(one.name, 40),
        el("span", { class: "soft" }, ` ${releasedWord(one.released_as)}`)),
      bar(one.loss, "loss"),
      el("span", { class: "n" }, `${fixed(one.loss, 1)} %`,
        moved && el("span", { class: "soft" }, ` ${t("gauge.was", { loss: fixed(was, 1) })}`)));
  });
  return el("section", { "aria-labelledby": id },
    el("h3", { id }, t("gauge.loss"), " ", term("loss")),
    rows,
    el("p", { class: "soft" },
      t("gauge.total", { loss: fixed(told.loss, 1), n: count(told.sample), method: told.method })));
}
