// Thresholds by custom: a choice that says the least k, with its source; no legal advice.

import { presetOf, presets } from "./choices.js";
import { input } from "./controls.js";
import { choice, el, field, set } from "./dom.js";
import { number } from "./options.js";
import { has, t } from "./words.js";

function title(preset) {
  const key = `preset.${preset.name}`;
  return `${has(key) ? t(key) : preset.title} (k ≥ ${preset.k})`;
}

/** Return the part that chooses a preset. */
export function presetPart(page) {
  const node = choice([["", t("preset.none")], ...presets().map((one) => [one.name, title(one)])],
    page.draft.preset, {
      "data-test": "preset",
      onchange: () => page.change("choose", (draft) => {
        const own = presetOf(node.value);
        draft.preset = node.value;
        if (own) draft.k = String(own.k);
        draft.dominance = own?.dominance ? draft.dominance || "10" : "";
        page.tell("restored"); // the fields show it, too
      }),
    });
  const about = el("div", { "data-test": "preset-about" });
  const share = field(t("field.dominance"), input(page, "dominance", {
    type: "number", min: "0", step: "any", "data-test": "dominance",
  }), t("preset.dominance_hint"));
  const refresh = () => {
    const own = presetOf(page.draft.preset);
    node.value = own ? own.name : "";
    share.hidden = !own?.dominance && !page.draft.dominance;
    set(about, own && [
      el("p", { class: "hint" }, `${t("preset.source")} `, el("cite", null, own.source)),
      el("p", { class: "hint" }, el("strong", null, t("preset.advice"))),
      number(page.draft.k) < own.k && el("p", { class: "bad" }, t("preset.below", { k: own.k }))]);
  };
  for (const kind of ["choose", "restored"]) page.on(kind, refresh);
  refresh();
  return el("div", { class: "preset" }, field(t("field.preset"), node), about, share);
}
