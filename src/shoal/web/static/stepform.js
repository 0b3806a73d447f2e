// The form of a step, made from the fields of its kind: each control gives the value of a recipe.

import { send } from "./api.js";
import { choiceTitle, fieldTitle, stepKind, stepTitle, suits } from "./choices.js";
import { surveyUse } from "./draft.js";
import { choice, cut, el, field, problem, set } from "./dom.js";
import { valuesField } from "./groups.js";
import { has, t } from "./words.js";

/** Return the names of the columns that a field of a step may name. */
function columnsFor(page, kind, own) {
  const { look, draft } = page;
  const made = draft.steps.filter((step) => step.kind === "derive").map((step) => step.name);
  const { after } = stepKind(kind);
  const kept = (i) => surveyUse(draft, i) === "weight"
    || (surveyUse(draft, i) === null && ["other", "sensitive"].includes(draft.roles[i]));
  const fitting = look.columns.filter((column, i) =>
    (own === "match" || !after || kept(i)) && (own === "match" || suits(kind, column)));
  return [...fitting.map((column) => column.name), ...(after ? [] : made)];
}

/** What a new step begins with where a person is better served than by the library's default. */
const FIRST = { rest: "keep" };

/** Return a control of a field: its node, and `value`, null where nothing was said. */
function control(page, kind, own, now, whole) {
  const test = { "data-test": `change-${own.name}` };
  const shown = now === undefined || now === null ? "" : String(now);
  if (own.is === "column" || own.is === "columns") {
    const names = columnsFor(page, kind, own.name);
    return own.is === "column" ? oneColumn(names, now, test) : someColumns(names, now, test);
  }
  if (own.is === "choice") {
    const node = choice(own.choices.map((one) => [one, choiceTitle(one)]),
      shown || FIRST[own.name] || own.default || own.choices[0], test);
    return { node, value: () => node.value };
  }
  if (own.is === "flag") {
    const node = el("input", { type: "checkbox", checked: now === true, ...test });
    return { node, value: () => (node.checked ? true : null) };
  }
  if (own.is === "values") return valuesField(page, now ?? {}, whole);
  const node = el("input", {
    type: "text", autocomplete: "off", spellcheck: "false", value: shown, ...test,
    inputmode: own.is === "number" || own.is === "whole" ? "decimal" : null,
    placeholder: own.default === null ? null : String(own.default),
  });
  return { node, value: () => node.value.trim() || null };
}

function oneColumn(names, now, test) {
  const every = now && !names.includes(now) ? [...names, now] : names;
  const node = choice(every.map((one) => [one, one]), now ?? every[0] ?? "", test);
  return { node, value: () => node.value || null };
}

function someColumns(names, now, test) {
  const boxes = names.map((one) => {
    const box = el("input", { type: "checkbox", checked: (now ?? []).includes(one) });
    return { one, box, node: el("label", { class: "check" }, box, " ", el("bdi", null, cut(one))) };
  });
  const node = el("div", { class: "checks", role: "group", ...test }, boxes.map((one) => one.node));
  const value = () => {
    const chosen = boxes.filter(({ box }) => box.checked).map(({ one }) => one);
    return chosen.length ? chosen : null;
  };
  return { node, value };
}

/** Return the fields of a form, with those that no step of the recipe has. */
function fieldsOf(kind) {
  const role = { name: "role", is: "choice", choices: ["quasi-identifier", "sensitive", "other"],
    default: "quasi-identifier", needed: true }; // a column that is made has a role, too
  return kind.kind === "derive" ? [...kind.fields, role] : kind.fields;
}

/**
 * Return the form of a step; `done` hears the step, checked by the server, or null, and
 * `checking` whether the server is being asked.
 * @param {any} page
 * @param {any} step a step with at least its kind
 * @param {{done: (step: any | null) => void, checking: (isChecking: boolean) => void}} hears
 */
export function stepForm(page, step, { done, checking }) {
  const kind = stepKind(step.kind);
  const trouble = el("div");
  const controls = new Map();
  const whole = { column: () => controls.get("column")?.value() };
  for (const own of fieldsOf(kind)) {
    const now = step[own.name] ?? (step.column ? own.default : null); // of one that there is
    controls.set(own.name, control(page, step.kind, own, now, whole));
  }
  const rows = fieldsOf(kind).map((own) => {
    const label = [fieldTitle(step.kind, own.name), own.needed || ["choice", "flag"].includes(own.is)
      ? "" : ` (${t("steps_part.free")})`];
    const hint = [`stephint.${step.kind}.${own.name}`, `stephint.${own.name}`].find(has);
    const { node } = controls.get(own.name);
    if (own.is === "columns" || own.is === "values") {
      return el("fieldset", null, el("legend", null, label), node,
        hint && el("p", { class: "hint" }, t(hint)));
    }
    return field(label, node, hint ? t(hint) : null);
  });
  function wait(isChecking) {
    for (const button of actions.children) button.disabled = isChecking;
    checking(isChecking);
  }
  async function take() {
    const said = [...controls].map(([name, one]) => [name, one.value()])
      .filter(([, value]) => value !== null);
    const { role, ...given } = { kind: step.kind, ...Object.fromEntries(said) };
    wait(true);
    try {
      const right = await send("POST", "/steps/check", { step: given });
      wait(false);
      done(role ? { ...right, role } : right);
    } catch (error) {
      wait(false);
      set(trouble, problem(error));
    }
  }
  const actions = el("div", { class: "actions" },
    el("button", { type: "button", class: "primary", "data-test": "change-take", onclick: take },
      t("steps_part.take")),
    el("button", { type: "button", class: "quiet", "data-test": "change-cancel",
      onclick: () => done(null) }, t("steps_part.cancel")));
  return el("div", { class: "card step-form", role: "group", "data-test": "change-form",
    "aria-label": stepTitle(step.kind) },
  el("p", null, t(`step.${step.kind}_what`)),
  el("div", { class: "fields" }, rows), trouble, actions);
}
