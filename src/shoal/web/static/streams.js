// Records that keep coming: a folder that fills is released in batches, by the settings of the page.

import { checked, get, send } from "./api.js";
import { obstacle, recipeOf } from "./draft.js";
import { choice, cut, el, field, name, problem, set, table } from "./dom.js";
import { count, fixed } from "./format.js";
import { t, tn } from "./words.js";

const PAUSE = 2000; // ms between two looks at streams that run
const BATCH = 10_000;
const COUNTS = ["come", "released", "waiting", "withheld", "again", "left"];
const ALWAYS = 4; // counts that are shown though they are 0

/** Return the part of streams, which is there where the desk has a folder with folders in it. */
export function streamPart(page) {
  const part = el("details", { hidden: true, "data-test": "streams" });
  const trouble = el("div");
  const going = el("div", { "data-test": "stream-list", "aria-live": "polite" });
  const source = choice([], "", { "data-test": "stream-source" });
  const batch = el("input", { type: "number", min: "2", value: String(BATCH), autocomplete: "off",
    "data-test": "stream-batch" });
  const delay = el("input", { type: "text", autocomplete: "off", "data-test": "stream-delay" });
  const follow = el("input", { type: "checkbox", checked: true, "data-test": "stream-follow" });
  const button = el("button", { type: "button", "data-test": "stream-go", onclick: start },
    t("stream.go"));
  let timer = 0;

  async function look() {
    clearTimeout(timer);
    try {
      const told = await get("/streams.json");
      const chosen = source.value;
      set(source, told.sources.map((one) => el("option", { value: one.id },
        t("stream.from_to", { from: cut(one.name, 40), to: cut(one.folder, 50) }))));
      if (told.sources.some((one) => one.id === chosen)) source.value = chosen;
      part.hidden = told.sources.length === 0 && told.streams.length === 0;
      set(going, told.streams.map((one) => flow(one, stop)));
      if (told.streams.some((one) => one.state === "running")) timer = setTimeout(look, PAUSE);
    } catch (error) {
      set(trouble, problem(error));
    }
  }

  async function start() {
    const stands = obstacle(page.look, page.draft, name)
      || (page.draft.person === null && t("series.person"));
    set(trouble, stands && problem(stands));
    if (stands) return;
    button.disabled = true;
    try {
      await page.saved();
      await send("POST", "/streams", {
        file: page.id, recipe: recipeOf(page.look, page.draft), source: checked(source.value),
        batch: Number(batch.value), delay: delay.value.trim(), follow: follow.checked,
        format: page.draft.format });
      await look();
    } catch (error) {
      set(trouble, problem(error));
    }
    button.disabled = false;
  }

  async function stop(id) {
    try {
      await send("POST", `/streams/${checked(id)}/stop`, {});
      await look();
    } catch (error) {
      set(trouble, problem(error));
    }
  }

  set(part, el("summary", null, t("stream.heading")),
    el("p", null, t("stream.what")),
    el("div", { class: "fields" },
      field(t("stream.source"), source, t("stream.source_hint")),
      field(t("stream.batch"), batch, t("stream.batch_hint")),
      field(t("stream.delay"), delay, t("stream.delay_hint")),
      el("label", { class: "check field" }, follow, ` ${t("stream.follow")}`)),
    trouble, el("div", { class: "actions" }, button), going);
  look();
  return part;
}

/** Return what is known of one stream: counts, its batches, and a button that stops it. */
function flow(one, stop) {
  const counts = COUNTS.filter((key, at) => at < ALWAYS || one.counts[key])
    .map((key) => [el("dt", null, t(`stream.${key}`)),
      el("dd", { "data-test": `stream-${key}` }, count(one.counts[key] ?? 0))]);
  const rows = [...one.batches].reverse().map((made) => [
    name(made.path, 40), el("span", { class: "good" }, t("stream.verified", { k: count(made.smallest) })),
    count(made.records), count(made.classes), made.loss === null ? "" : `${fixed(made.loss, 2)} %`]);
  return el("section", { "data-test": "stream" },
    el("h3", null, t("stream.from_to", { from: cut(one.name, 40), to: cut(one.folder, 50) })),
    el("p", { class: one.state === "failed" ? "bad" : "soft", "data-test": "stream-state" },
      t(`stream.${one.state}`), " ",
      one.state === "running" && el("button", { type: "button", class: "small",
        "data-test": "stream-stop", onclick: () => stop(one.id) }, t("stream.stop"))),
    one.error && problem(one.error, "stream-error"),
    el("dl", null, counts),
    rows.length > 0 && table(tn("stream.batches", one.counts.batches ?? rows.length),
      [t("stream.file"), t("stream.verdict"), { text: t("stream.records"), n: true },
        { text: t("stream.classes"), n: true }, { text: t("stream.loss"), n: true }], rows));
}
