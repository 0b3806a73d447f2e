// Steps beside grouping: a list that is carried out in its order; each can move, change or go.

import { areRandom, choiceTitle, fieldTitle, stepKind, stepKinds, stepTitle } from "./choices.js";
import { el, name, set } from "./dom.js";
import { stepForm } from "./stepform.js";
import { t, tn } from "./words.js";

/** Return a new secret, of which the random numbers of steps follow. */
function newSecret() {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Tell whether two steps say the same. */
function isSame(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Return the part of steps. */
export function stepsPart(page) {
  const list = el("ol", { class: "steplist", "data-test": "changes" });
  const told = el("p", { class: "unseen", role: "status" });
  const place = el("div");
  const secret = el("p", { class: "hint" });
  let open = null; // the one form: of a step, and its place in the list or null
  const kinds = el("select", {
    "aria-label": t("steps_part.add"), "data-test": "change-kind",
    onchange: () => {
      const kind = kinds.value;
      kinds.value = "";
      if (kind) write({ kind }, null);
    },
  }, el("option", { value: "" }, t("steps_part.add")),
  [false, true].map((after) => el("optgroup", { label: t(after ? "steps_part.after"
    : "steps_part.before") }, stepKinds().filter((one) => one.after === after)
    .map((one) => el("option", { value: one.kind }, stepTitle(one.kind))))));

  function change(edit, said) {
    page.change("steps", (draft) => {
      edit(draft.steps);
      if (areRandom(draft.steps)) draft.secret ??= newSecret();
    });
    set(told, said);
  }

  /** Show the form of a step: a new one, or the one at a place. */
  function write(step, at) {
    const form = stepForm(page, step, {
      checking: (isChecking) => {
        kinds.disabled = isChecking; // else a form opened now would be closed by the answer
      },
      done: (right) => {
        if (open?.form !== form) return; // undone while the server was asked
        open = null;
        if (right) {
          change((steps) => steps.splice(at ?? steps.length, at === null ? 0 : 1, right),
            t("steps_part.taken", { step: stepTitle(step.kind) }));
        }
        refresh();
        kinds.focus();
      },
    });
    open = { form, step, at };
    refresh();
    form.querySelector("select, input, button")?.focus();
  }

  function item(step, at, count) {
    const title = stepTitle(step.kind);
    const button = (word, test, call, off = false) => el("button", {
      type: "button", class: "small quiet", disabled: off || open !== null, "data-test": test,
      onclick: call, "aria-label": t(`steps_part.${word}_of`, { step: title, n: at + 1 }),
    }, t(`steps_part.${word}`));
    const move = (by) => change((steps) => steps.splice(at + by, 0, ...steps.splice(at, 1)),
      t("steps_part.moved", { step: title, n: at + by + 1 }));
    return el("li", { "data-test": "change" },
      el("div", { class: "line" },
        el("strong", null, title), el("span", null, inWords(step)),
        el("span", { class: "moves" },
          button("up", "change-up", () => move(-1), at === 0),
          button("down", "change-down", () => move(1), at === count - 1),
          button("edit", "change-edit", () => write(step, at)),
          button("remove", "change-remove", () => change((steps) => steps.splice(at, 1),
            t("steps_part.gone", { step: title }))))));
  }

  function refresh() {
    const { steps } = page.draft;
    if (open && open.at !== null && !isSame(steps[open.at], open.step)) open = null; // undone
    set(list, steps.map((step, at) => item(step, at, steps.length)));
    set(place);
    if (open) (open.at === null ? place : list.children[open.at]).append(open.form);
    set(secret, areRandom(steps) ? t("steps_part.secret") : "");
    set(count, steps.length ? ` (${tn("count.step", steps.length)})` : "");
  }
  const count = el("span", { class: "soft" });
  for (const kind of ["steps", "restored"]) page.on(kind, refresh);
  refresh();
  return el("details", { open: page.draft.steps.length > 0, "data-test": "steps-part" },
    el("summary", null, t("steps_part.heading"), count),
    el("p", null, t("steps_part.what")),
    list, secret,
    el("div", { class: "actions" }, kinds), place, told);
}

/** Return what a step says, beside its kind: names and values, isolated from each other. */
function inWords(step) {
  const fields = stepKind(step.kind)?.fields ?? [];
  const said = fields.filter((own) => step[own.name] !== undefined);
  return said.map((own, at) => {
    const before = at ? "; " : "";
    const value = step[own.name];
    if (own.is === "column") return [before, name(value, 40)];
    if (own.is === "columns") {
      return [before, value.map((one, place) => [place ? ", " : "", name(one, 40)])];
    }
    const label = `${fieldTitle(step.kind, own.name)}: `;
    if (own.is === "values") {
      return [before, tn("count.value", Object.keys(value).length), " → ",
        String(new Set(Object.values(value)).size)];
    }
    if (own.is === "flag") return [before, fieldTitle(step.kind, own.name)];
    return [before, label, own.is === "choice" ? choiceTitle(value) : name(value, 40)];
  });
}
