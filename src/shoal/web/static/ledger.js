// What is done with a ledger between releases: check, judge, add an earlier one, let people leave.

import { checked, send } from "./api.js";
import { confirmed } from "./dialog.js";
import { bullets, el, field, problem, set } from "./dom.js";
import { count } from "./format.js";
import { t, tn } from "./words.js";

const SLICE = 0x8000; // bytes that become text at once

/** Return a file as the server takes it with a request. */
async function carried(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const parts = [];
  for (let at = 0; at < bytes.length; at += SLICE) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + SLICE)));
  }
  return { name: file.name, base64: btoa(parts.join("")) };
}

/** Return what can be done with the ledger that is chosen; `show` shows what it holds after. */
export function ledgerPart(page, own, told, show) {
  const path = `/ledgers/${checked(own.id)}`;
  const ask = (act, body = {}) => send("POST", `${path}/${act}`, body);
  const hasAny = told.releases.some((one) => one.state !== "withdrawn");
  const isMade = told.releases.some((one) => one.state === "made");
  return el("details", { class: "inner", "data-test": "ledger-keep" },
    el("summary", null, t("ledger.keep")),
    told.entries > 0 && el("p", { class: "soft", "data-test": "ledger-checked" },
      tn("ledger.checked", told.entries, { last: told.last }), " ",
      el("button", { type: "button", class: "small quiet", "data-test": "ledger-check",
        onclick: () => show() }, t("ledger.check"))),
    own.origin !== "folder" && told.entries > 0 && taking(ask),
    hasAny && judging(ask),
    !isMade && adding(page, ask, show),
    hasAny && leaving(ask, show));
}

/** Return a block of the part: a heading, what it is about, and its fields. */
function block(key, ...more) {
  return el("section", { "data-test": `ledger-${key}` },
    el("h3", null, t(`ledger.${key}`)), el("p", { class: "hint" }, t(`ledger.${key}_what`)), more);
}

/** Return a button that does something, and says in `trouble` what went wrong. */
function doing(key, trouble, act, props = {}) {
  const button = el("button", { type: "button", class: "small", "data-test": `ledger-${key}-go`,
    ...props, onclick: async () => {
      set(trouble);
      button.disabled = true;
      try {
        await act();
      } catch (error) {
        set(trouble, problem(error));
      } finally {
        button.disabled = false;
      }
    } }, t(`ledger.${key}_go`));
  return button;
}

function taking(ask) {
  const trouble = el("div");
  return block("take", doing("take", trouble, async () => {
    const { name, ledger, key } = await ask("take");
    for (const [called, text] of [[name, ledger], [`${name}.key`, key]]) {
      const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
      el("a", { href: address, download: called }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
    }
  }), trouble);
}

function judging(ask) {
  const place = el("div", { "data-test": "series-verdict", "aria-live": "polite" });
  const files = el("input", { type: "file", multiple: true, "data-test": "series-files" });
  return block("verdict", field(t("ledger.bring"), files, t("ledger.bring_hint")),
    doing("verdict", place, async () => {
      const brought = await Promise.all([...files.files].map(carried));
      const { verdict } = await ask("verdict", { files: brought });
      set(place, verdict === null ? el("p", { class: "warning" }, t("ledger.none_there"))
        : verdictOf(verdict));
    }), place);
}

/** Return the verdict on a series, in counts. */
function verdictOf(verdict) {
  const lines = [t("ledger.judged", { n: count(verdict.releases), known: count(verdict.known),
    people: count(verdict.people), several: count(verdict.repeated) })];
  if (verdict.fewest !== null) {
    lines.push(t("ledger.fewest", { n: count(verdict.fewest) }),
      t("ledger.against"));
  }
  if (verdict.common !== null) lines.push(t("ledger.common", { n: count(verdict.common) }));
  if (verdict.smallest !== null) lines.push(t("ledger.smallest", { n: count(verdict.smallest) }));
  if (verdict.counterfeits) lines.push(tn("ledger.counterfeits", verdict.counterfeits));
  if (verdict.absent.length) {
    lines.push(t("ledger.absent", { numbers: verdict.absent.join(", ") }));
  }
  return [el("p", { class: verdict.ok ? "good" : "bad", "data-test": "series-ok" },
    el("strong", null, t(verdict.ok ? "ledger.ok" : "ledger.not_ok"))),
  bullets([...lines, ...verdict.problems])];
}

function adding(page, ask, show) {
  const trouble = el("div");
  const recipe = el("input", { type: "file", accept: ".toml", "data-test": "add-recipe" });
  const release = el("input", { type: "file", "data-test": "add-release" });
  const { person, series } = page.draft;
  const column = person === null ? null : page.look.columns[person]?.name;
  if (!column) return block("add", el("p", { class: "warning" }, t("series.person")));
  return block("add",
    el("p", null, t("ledger.add_original")),
    el("div", { class: "fields" },
      field(t("ledger.recipe"), recipe, t("ledger.recipe_hint")),
      field(t("ledger.release"), release, t("ledger.release_hint"))),
    doing("add", trouble, async () => {
      if (!recipe.files.length || !release.files.length) throw new Error(t("ledger.both"));
      show(await ask("add", {
        file: page.id, person: column, changing: series?.changing ?? [],
        recipe: await recipe.files[0].text(), release: await carried(release.files[0]) }));
    }), trouble);
}

function leaving(ask, show) {
  const trouble = el("div");
  const place = el("div", { "data-test": "leave-cost", "aria-live": "polite" });
  const people = el("textarea", { rows: "3", spellcheck: "false", autocomplete: "off",
    "data-test": "leave-people", oninput: () => set(place) });
  const named = () => people.value.split("\n").map((line) => line.trim()).filter(Boolean);
  return block("leave", field(t("ledger.people"), people, t("ledger.people_hint")),
    doing("leave", trouble, async () => {
      const gone = named();
      const { cost } = await ask("forget", { people: gone });
      set(place, bullets(costOf(cost)), cost.people > 0 && doing("leave_sure", trouble, async () => {
        if (!await confirmed(t("ledger.leave_question"), t("ledger.leave_for_good"),
          t("ledger.leave_sure_go"))) return;
        show(await ask("forget", { people: gone, sure: true }));
      }, { class: "small danger" }));
    }), place, trouble);
}

/** Return what it costs that people leave. */
function costOf(cost) {
  return [tn("ledger.cost_people", cost.people), tn("ledger.cost_companions", cost.companions),
    t("ledger.cost_published"),
    ...(cost.unknown ? [tn("ledger.cost_unknown", cost.unknown)] : [])];
}
