// How groups are made: automatic, fast or with the least loss; the methods' names are for experts.

import { input, select } from "./controls.js";
import { cut, el, field, prose, set } from "./dom.js";
import { term } from "./glossary.js";
import { importancePart, suppressField } from "./suppression.js";
import { relabeled, t } from "./words.js";

const CELLS = "local-suppression";
/** What each of the choices means: a method and its effort. */
const SPEEDS = {
  automatic: ["auto", "normal"], fast: ["auto", "quick"], least: ["auto", "best"],
  cells: [CELLS, "normal"],
};

/** Return the part that chooses how groups are made. */
export function methodPart(page) {
  return el("div", null,
    speeds(page),
    field(t("field.suppress"), suppressField(page), t("suppress.hint")),
    el("details", { "data-test": "expert", open: !["auto", CELLS].includes(page.draft.method) || page.draft.importance.some(Boolean) },
      el("summary", null, t("method.expert")),
      el("div", { class: "fields" },
        methodField(page),
        field(t("field.effort"), select(page, "effort",
          ["quick", "normal", "best"].map((one) => [one, t(`effort.${one}`)]),
          { "data-test": "effort" }), t("method.effort_hint")),
        field(t("field.time_limit"),
          input(page, "time_limit", {
            type: "number", min: "0", step: "any", "data-test": "time-limit",
          }), t("method.limit_hint"))),
      importancePart(page)));
}

function speeds(page) {
  const boxes = Object.entries(SPEEDS).map(([key, [method, effort]]) => {
    const box = el("input", {
      type: "radio", name: "speed", value: key, "data-test": `speed-${key}`,
      onchange: () => page.change("choose", (draft) => {
        Object.assign(draft, { method, effort, time_limit: "" });
        page.tell("restored"); // the expert's fields show it too
      }),
    });
    return { box, method, effort, node: el("label", { class: "check speed" }, box, " ",
      el("strong", null, t(`speed.${key}`)), el("span", { class: "hint" }, t(`speed.${key}_what`))) };
  });
  const own = el("p", { class: "hint" });
  const refresh = () => {
    const { method, effort } = page.draft;
    for (const one of boxes) {
      one.box.checked = method === one.method && (method === CELLS || one.effort === effort);
    }
    set(own, method === "auto" || method === CELLS ? "" : t("speed.own", { method }));
  };
  page.on("choose", refresh);
  refresh();
  return el("fieldset", { class: "speeds" },
    el("legend", null, t("method.heading"), " ", term("method")),
    boxes.map((one) => one.node), own);
}

function methodField(page) {
  const { methods } = page;
  const kinds = [...new Set(methods.map((method) => method.kind))];
  const control = el("select", {
    "data-test": "method",
    onchange: () => page.change("choose", (draft) => { draft.method = control.value; }),
  },
  el("option", { value: "auto" }, "auto"),
  kinds.map((kind) => el("optgroup", { label: relabeled(kind) }, methods
    .filter((method) => method.kind === kind)
    .map((method) => el("option", { value: method.name }, cut(method.name))))));
  const about = el("span", { "aria-live": "polite", "data-test": "method-about" });
  const refresh = () => {
    control.value = page.draft.method;
    if (control.selectedIndex < 0) {
      control.value = "auto";
      page.draft.method = "auto";
    }
    const known = methods.find((method) => method.name === control.value);
    if (known) {
      set(about, `${relabeled(known.summary)}; ${relabeled(known.cost)}. `, el("cite", null, known.citation));
    } else {
      set(about, page.estimate
        ? [t("method.takes", { method: page.estimate.method }), prose(reason(page.estimate))]
        : t("method.auto"));
    }
  };
  for (const kind of ["choose", "restored", "estimate"]) page.on(kind, refresh);
  refresh();
  return field(t("field.method"), control, about);
}

/** Return why a method is taken, without its name before it. */
export function reason(estimate) {
  const why = estimate.why ?? "";
  return why.startsWith(`${estimate.method}: `) ? why.slice(estimate.method.length + 2) : why;
}
