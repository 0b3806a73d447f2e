// Releases of the same people, one after the other: the ledger that remembers who was in which.

import { checked, get, send } from "./api.js";
import { confirmed } from "./dialog.js";
import { SERIES } from "./draft.js";
import { choice, cut, el, field, name, problem, set, table } from "./dom.js";
import { count, fixed } from "./format.js";
import { ledgerPart } from "./ledger.js";
import { columnChoice } from "./survey.js";
import { t, tn } from "./words.js";

const SHARES = [0, 0.01, 0.02, 0.05, 0.1];
const OVERLAPS = [1, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5];
const KEY = ".key";

/** Return the part of earlier releases. */
export function seriesPart(page) {
  const place = el("div");
  const trouble = el("div");
  const holds = el("div", { "data-test": "ledger-holds" });
  let known = [];
  let turn = 0;
  let shown = "";
  let seen;
  const change = (edit) => page.change("series", edit);
  const whose = columnChoice(page, "person", page.look.columns.map((_, i) => i), "series-person");
  const ledgers = el("select", {
    "data-test": "ledger", onchange: () => choose(ledgers.value || null) });

  /** Choose a ledger; of one column that names people it is clear who is who. */
  function choose(ledger) {
    change((draft) => {
      draft.series = ledger === null ? null : { ...SERIES, ...draft.series, ledger };
      const naming = draft.roles.flatMap((role, i) => (role === "identifier" ? [i] : []));
      if (ledger !== null && draft.person === null && naming.length === 1) [draft.person] = naming;
    });
    page.tell("survey"); // the person may be known now
  }

  async function list() {
    try {
      known = await get("/ledgers.json");
    } catch (error) {
      set(trouble, problem(error));
    }
    const gone = page.draft.series && !known.some((one) => one.id === page.draft.series.ledger);
    if (gone) { // another desk had it
      page.note((draft) => { draft.series = null; });
      set(trouble, problem(t("series.gone")));
    }
    refresh();
  }

  /** Begin a ledger, or bring one with its key; it is chosen then. */
  async function bring(body) {
    set(trouble);
    try {
      const { id } = await send("POST", "/ledgers", body);
      await list();
      choose(checked(id));
      start.open = false;
    } catch (error) {
      set(trouble, problem(error));
    }
  }

  async function look(action = null) {
    const ledger = page.draft.series?.ledger;
    seen = ledger;
    turn += 1;
    const mine = turn;
    if (!ledger) {
      set(holds);
      return;
    }
    try {
      const path = `/ledgers/${checked(ledger)}`;
      const told = action === null ? await get(`${path}.json`)
        : await send("POST", `${path}/withdraw`, { release: action });
      if (mine === turn) show(told);
    } catch (error) {
      if (mine === turn) set(holds, problem(error));
    }
  }

  /** Show what the ledger holds, and what can be done with it; without what is known: ask. */
  function show(told = null, open = true) {
    if (told === null) {
      look();
      return;
    }
    const own = known.find((one) => one.id === page.draft.series?.ledger);
    const was = holds.querySelector("details")?.open ?? false;
    const keep = own && ledgerPart(page, own, told, show);
    if (keep) keep.open = was && open;
    set(holds, content(told, look), keep);
  }

  /** Show what was chosen; fields that show it already keep their focus. */
  function refresh(force = true) {
    const { series, person, roles } = page.draft;
    const now = JSON.stringify([series?.ledger, person, roles, page.draft.k]);
    if (!force && now === shown) return;
    shown = now;
    set(ledgers, [["", t("series.none")], ...known.map((one) => [one.id, one.name])]
      .map(([key, text]) => el("option", { value: key }, cut(text, 60))));
    ledgers.value = series?.ledger ?? "";
    const own = known.find((one) => one.id === series?.ledger);
    set(place, own && [
      el("p", { class: own.origin === "folder" ? "hint" : "warning" },
        t(own.origin === "folder" ? "series.in_folder" : "series.carried")),
      page.draft.person === null && el("p", { class: "bad" }, t("series.person")),
      field(t("field.person"), whose, t("survey.person_hint")),
      options(page, change)]);
  }
  for (const kind of ["series", "survey", "roles", "choose"]) page.on(kind, () => refresh(false));
  page.on("restored", () => refresh());
  for (const kind of ["series", "restored"]) {
    page.on(kind, () => {
      if (page.draft.series?.ledger !== seen) look();
    });
  }
  const start = beginning(bring);
  const part = el("details", { open: page.draft.series !== null, "data-test": "series" },
    el("summary", null, t("series.heading")),
    el("p", null, t("series.what")),
    field(t("field.ledger"), ledgers), trouble, start, place, holds);
  list().then(() => look());
  return part;
}

/** Return the fields that begin a ledger, or bring one. */
function beginning(bring) {
  const called = el("input", { type: "text", autocomplete: "off", "data-test": "ledger-name" });
  const files = el("input", {
    type: "file", multiple: true, accept: ".ledger,.key", "data-test": "ledger-files",
    onchange: async () => {
      const given = [...files.files];
      files.value = "";
      const key = given.find((file) => file.name.endsWith(KEY));
      const ledger = given.find((file) => file !== key);
      await bring({ name: ledger?.name ?? "", ledger: ledger ? await ledger.text() : "",
        key: key ? await key.text() : null });
    },
  });
  return el("details", { class: "inner", "data-test": "ledger-new" },
    el("summary", null, t("series.other")),
    el("div", { class: "fields" },
      el("div", null, field(t("series.begin"), called, t("series.begin_hint")),
        el("button", { type: "button", class: "small", "data-test": "ledger-begin",
          onclick: () => bring({ name: called.value }) }, t("series.begin_go"))),
      field(t("series.bring"), files, t("series.bring_hint"))));
}

/** Return the share of people who come again in groups of `size` of which fewer than k do. */
function shortShare(size, k, share) {
  let chance = (1 - share) ** size;
  let short = 0;
  for (let j = 1; j < Math.min(k, size + 1); j += 1) {
    chance *= (size - j + 1) / j * share / (1 - share);
    short += j * chance;
  }
  return share < 1 ? short / (share * size) : 0;
}

/** Return the field of how many are likely to come again, with what larger groups cost and save. */
function overlap(page, change) {
  const { draft } = page;
  const note = el("div", { class: "hint", "data-test": "overlap-note", "aria-live": "polite" });
  const share = choice(OVERLAPS.map((one) => [String(one), one === 1 ? t("series.everybody")
    : t("series.share", { share: fixed(100 * one, 0) })]), String(draft.series.expect_overlap), {
    "data-test": "expect-overlap",
    onchange: () => {
      change(() => { draft.series.expect_overlap = Number(share.value); });
      tell();
    },
  });
  function tell() {
    const k = Number(draft.k);
    const p = Number(share.value);
    const size = Math.ceil(k / p - 1e-9);
    const percent = (own) => fixed(100 * shortShare(own, k, p), 1);
    set(note, p === 1 || !(k > 1) ? t("series.overlap_hint") : t("series.overlap_cost", {
      size: count(size), k: count(k), then: percent(size), usual: percent(k) }));
  }
  tell();
  return el("div", null, field(t("field.expect_overlap"), share), note);
}

function options(page, change) {
  const { draft, look } = page;
  const { series } = draft;
  const withhold = choice(SHARES.map((one) => [String(one), one === 0 ? t("series.nobody")
    : t("suppress.share", { share: fixed(100 * one, 0) })]), String(series.withhold), {
    "data-test": "withhold",
    onchange: () => change(() => { series.withhold = Number(withhold.value); }),
  });
  const over = choice(["worlds", "sets"].map((one) => [one, t(`series.${one}`)]),
    series.over_series, { "data-test": "over-series",
      onchange: () => change(() => { series.over_series = over.value; }) });
  const stable = el("input", { type: "checkbox", checked: series.stable, "data-test": "stable",
    onchange: () => change(() => { series.stable = stable.checked; }) });
  const kept = look.columns.map((column, i) => ({ column: column.name, role: draft.roles[i] }))
    .filter(({ role }) => ["sensitive", "other"].includes(role));
  const boxes = kept.map(({ column }) => {
    const box = el("input", {
      type: "checkbox", checked: series.changing.includes(column),
      onchange: () => change(() => {
        series.changing = box.checked ? [...series.changing, column]
          : series.changing.filter((own) => own !== column);
      }),
    });
    return el("label", { class: "check" }, box, " ", el("bdi", null, cut(column)));
  });
  return el("div", { class: "fields" },
    field(t("field.withhold"), withhold, t("series.withhold_hint")),
    field(t("field.over_series"), over, t("series.over_hint")),
    overlap(page, change),
    el("label", { class: "check field" }, stable, ` ${t("field.stable")}`),
    kept.length > 0 && el("fieldset", { "data-test": "changing" },
      el("legend", null, t("field.changing")),
      el("p", { class: "hint" }, t("series.changing_hint")),
      el("div", { class: "checks" }, boxes)));
}

/** Return what a ledger holds; a release that nobody has seen can be withdrawn. */
function content(told, withdraw) {
  if (told.releases.length === 0) return el("p", { class: "soft" }, t("series.empty"));
  const rows = told.releases.map((one) => [
    String(one.number), name(one.file, 60), count(one.people), count(one.withheld),
    `k = ${one.k}${one.l === null ? "" : `, l = ${one.l}`}`,
    [t(`series.${one.state}`), " ", one.state === "made" && el("button", {
      type: "button", class: "small quiet", "data-test": "withdraw",
      "aria-label": t("series.withdraw_of", { n: one.number }),
      onclick: async () => {
        if (await confirmed(t("series.withdraw_question"), t("series.withdraw_what"),
          t("series.withdraw"))) withdraw(one.number);
      },
    }, t("series.withdraw"))]]);
  return [table(t("series.releases"),
    [t("series.number"), t("series.file"), { text: t("series.people"), n: true },
      { text: t("series.withheld"), n: true }, t("series.promise"), t("series.state")], rows),
  el("p", { class: "soft" }, tn("series.several", told.several, { people: count(told.people) }))];
}
