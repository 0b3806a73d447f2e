// Charts by Vega, loaded when the first one comes into view; each has its figures as a table too.

import { checked, debounced, get } from "./api.js";
import { cut, el, name, problem, set, table } from "./dom.js";
import { figure } from "./format.js";
import { hover } from "./hover.js";
import { charted, LOCALE, t } from "./words.js";

const NUMBERS = LOCALE === "de-DE"
  ? { decimal: ",", thousands: ".", grouping: [3], currency: ["", " €"] } : undefined;
// The library's own tooltip would put a style sheet into the page, which its policy refuses.
const OPTIONS = {
  mode: "vega-lite", ast: true, actions: false, renderer: "canvas", defaultStyle: false,
  tooltip: hover, formatLocale: NUMBERS,
};
const FORBIDDEN = new Set(["url", "href", "usermeta", "loader"]);
const OWN_WORDS = new Set(["when", "released", "attack", "what"]); // fields without foreign texts
const REST = "all others"; // what the program calls the rarer values of a column
const PLACES = { // where a channel has its labels
  x: "axis", y: "axis", color: "legend", shape: "legend", size: "legend", column: "header",
};
const UNSEEN = 0.01; // of what is there for the pointer alone
const ON_PAPER = { "--ink": "#1c2733", "--line": "#d8dee5" }; // whatever the theme of the screen
const later = window.requestIdleCallback ?? ((call) => setTimeout(call, 200));
const drawn = new Set();
let library = null;
let isPrinting = false;
let isWaiting = false; // for a moment in which nothing else is drawn

function loadLibrary() {
  library ??= new Promise((resolve, reject) => {
    const script = el("script", { src: new URL("vega.js", import.meta.url).href });
    script.addEventListener("load", () => (window.vegaEmbed ? resolve(window.vegaEmbed)
      : reject(new Error(window.shoalCharts
        ?? t("chart.cannot")))));
    script.addEventListener("error", () =>
      reject(new Error(t("chart.unloaded"))));
    document.head.append(script);
  });
  return library;
}

/** Refuse a spec that could load something or lead somewhere. */
function check(part, depth = 0) {
  if (depth > 60) throw new Error(t("chart.deep"));
  if (part === null || typeof part !== "object") return;
  for (const [key, inner] of Object.entries(part)) {
    if (FORBIDDEN.has(key) || ((key === "mark" || key === "type") && inner === "image")) {
      throw new Error(t("chart.elsewhere"));
    }
    check(inner, depth + 1);
  }
}

function color(variable) {
  if (isPrinting && variable in ON_PAPER) return ON_PAPER[variable];
  return getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
}

/** Return a part of a spec with the page's own color; data stay as they are. */
function recolored(part, ink) {
  if (part === "currentColor") return ink;
  if (Array.isArray(part)) return part.map((inner) => recolored(inner, ink));
  if (part === null || typeof part !== "object") return part;
  return Object.fromEntries(Object.entries(part).map(([key, inner]) =>
    [key, key === "data" || key === "datasets" ? inner : recolored(inner, ink)]));
}

/** Return a part of a spec in the language of the page: titles, and the program's own words. */
function reworded(part, values) {
  if (Array.isArray(part)) return part.map((inner) => reworded(inner, values));
  if (part === null || typeof part !== "object") return part;
  return Object.fromEntries(Object.entries(part).map(([key, inner]) => {
    if (key === "data" || key === "datasets") return [key, inner];
    if (key === "title" && typeof inner === "string") return [key, charted(inner)];
    return [key, labeled(PLACES[key], reworded(inner, values), values)];
  }));
}

/** Return a channel of a spec whose labels are in the language of the page. */
function labeled(place, channel, values) {
  if (place === "axis" && channel?.field === "value" && charted(REST) !== REST) {
    const [english, own] = [REST, charted(REST)].map((one) => JSON.stringify(one));
    const labelExpr = `datum.label === ${english} ? ${own} : datum.label`;
    return { ...channel, axis: { ...channel.axis, labelExpr } };
  }
  if (!place || !OWN_WORDS.has(channel?.field) || channel[place] === null) return channel;
  const every = [...new Set(values.map((one) => String(one[channel.field])))];
  const words = Object.fromEntries(every.map((one) => [one, charted(one)]));
  if (every.every((one) => words[one] === one)) return channel;
  const labelExpr = `${JSON.stringify(words)}[datum.label]`; // the library writes longer ones wrong
  return { ...channel, [place]: { ...channel[place], labelExpr } };
}

/** Return a spec for this page: its colors, and the width there is. */
function fitted(spec, room, clickable) {
  const ink = color("--ink");
  const own = reworded(recolored(spec, ink), valuesOf(spec) ?? []);
  delete own.$schema;
  delete own.title; // the caption says it
  const soft = { labelColor: ink, titleColor: ink, domainColor: ink, tickColor: ink };
  own.background = "transparent";
  own.config = {
    ...own.config,
    axis: { ...own.config?.axis, ...soft, gridColor: color("--line") },
    legend: {
      ...own.config?.legend, labelColor: ink, titleColor: ink, symbolBaseFillColor: ink,
      symbolBaseStrokeColor: ink,
    },
    title: { ...own.config?.title, color: ink },
    text: { ...own.config?.text, color: ink },
  };
  if (own.height?.step && !own.encoding?.column) own.height = heightOf(own);
  if (typeof own.width === "number" && own.width !== own.height) {
    if (own.encoding?.column) {
      own.width = Math.round(Math.min(240, Math.max(70, (room - 190) / 2)));
    } else {
      own.width = Math.round(Math.min(680, Math.max(240, room)));
      own.autosize = { type: "fit-x", contains: "padding" };
    }
  }
  own.config.mark = { ...own.config.mark, tooltip: { content: "data" } };
  if (own.mark?.type === "line") own.mark.point = { opacity: UNSEEN, size: 250 }; // what hover meets
  if (clickable) {
    for (const layer of own.layer ?? []) {
      if (layer.mark?.type === "point") layer.mark.cursor = "pointer";
    }
  }
  return own;
}

/** Return the height of bars one below the other: a chart that fits a width takes no steps. */
function heightOf(spec) {
  const field = (spec.encoding ?? spec.layer?.[0]?.encoding)?.y?.field;
  const rows = new Set((valuesOf(spec) ?? []).map((one) => one[field]));
  return spec.height.step * Math.max(1, rows.size);
}

async function draw(chart) {
  chart.turn = (chart.turn ?? 0) + 1;
  const mine = chart.turn;
  try {
    const embed = await loadLibrary();
    if (mine !== chart.turn || !chart.host.isConnected) return;
    chart.view?.finalize();
    chart.width = chart.host.clientWidth;
    const spec = fitted(structuredClone(chart.spec), chart.width, chart.onPick);
    const place = el("div");
    set(chart.host, place);
    const { view } = await embed(place, spec, OPTIONS);
    if (mine !== chart.turn) { // drawn once more meanwhile, in other colors
      view.finalize();
      return;
    }
    chart.view = view;
    if (chart.onPick) {
      view.addEventListener("click", (_event, item) => item?.datum && chart.onPick(item.datum));
    }
    chart.host.dataset.drawn = "yes";
    drawOthers();
  } catch (error) {
    set(chart.host, problem(error, "chart-error"));
  }
}

const watcher = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    watcher.unobserve(entry.target);
    const chart = [...drawn].find((one) => one.host === entry.target);
    if (chart) draw(chart);
  }
}, { rootMargin: "300px" });

/** Draw the charts that nobody has scrolled to yet, one after the other: a print shows them too. */
function drawOthers() {
  if (isWaiting) return;
  isWaiting = true;
  later(() => {
    isWaiting = false;
    const next = [...drawn].find((one) => !one.turn && one.host.clientWidth > 0);
    if (!next) return;
    watcher.unobserve(next.host);
    draw(next);
  });
}

function redraw(force) {
  for (const chart of drawn) {
    if (!chart.host.isConnected) {
      chart.view?.finalize();
      drawn.delete(chart);
    } else if (chart.turn && (force || chart.host.clientWidth !== chart.width)) {
      draw(chart);
    }
  }
}

/** Draw every chart in the colors of paper, or of the screen again. */
function print(begins) {
  isPrinting = begins;
  redraw(true);
}

document.addEventListener("shoal-theme", () => redraw(true));
const resized = debounced(300, () => redraw(false));
addEventListener("resize", () => isPrinting || resized());
addEventListener("beforeprint", () => print(true));
addEventListener("afterprint", () => print(false));

/** Fill a place with a chart of a job and its table; `onPick` hears what a click is on.
 *
 * A `bare` one has neither caption nor table: both stand beside it.
 * @param {Element} place
 * @param {string} job
 * @param {any} listed
 * @param {{test?: string, onPick?: (datum: any) => void, bare?: boolean}} [how]
 */
export async function showChart(place, job, listed, { test, onPick, bare } = {}) {
  const title = charted(listed.title);
  const host = el("div", {
    class: "chart", role: "img", "data-test": test, "aria-label": t("chart.label",
      { title }),
  }, el("p", { class: "soft" }, t("chart.drawing")));
  const figures = el("details", null, el("summary", null, t("chart.table")));
  set(place, el("figure", null,
    !bare && el("figcaption", null, name(title, 120)), host, !bare && figures));
  try {
    const spec = await get(
      `/jobs/${checked(job)}/charts/${encodeURIComponent(String(listed.id))}.json`);
    check(spec);
    figures.append(specTable(spec, title));
    drawn.add({ host, spec, onPick });
    watcher.observe(host);
  } catch (error) {
    set(host, problem(error, "chart-error"));
  }
}

function valuesOf(part) {
  if (part === null || typeof part !== "object") return null;
  if (Array.isArray(part.data?.values)) return part.data.values;
  for (const inner of [...(part.layer ?? []), ...(part.hconcat ?? []), ...(part.vconcat ?? [])]) {
    const found = valuesOf(inner);
    if (found) return found;
  }
  return null;
}

function cell(value) {
  if (typeof value === "number") return figure(value);
  if (value === null || value === undefined) return "–";
  return name(value === REST ? charted(value) : String(value).replace(/T00:00:00$/, ""), 80);
}

/** Return the figures of a chart; what is there before and after stands side by side. */
function specTable(spec, title) {
  const values = valuesOf(spec) ?? [];
  if (values.length === 0) return el("p", { class: "soft" }, t("chart.none"));
  const every = Object.keys(values[0]).filter((key) => key !== "place" && key !== "order");
  if (!every.includes("when") || !every.includes("records")) {
    return table(cut(title), every.map((key) => head(key, values)),
      values.map((one) => every.map((key) =>
        cell(OWN_WORDS.has(key) ? charted(String(one[key])) : one[key]))));
  }
  const own = every.filter((key) => key !== "when" && key !== "records");
  const rows = new Map();
  for (const one of values) {
    const key = JSON.stringify(own.map((field) => one[field]));
    if (!rows.has(key)) rows.set(key, { first: one, counts: new Map() });
    rows.get(key).counts.set(one.when, one.records);
  }
  const moments = [...new Set(values.map((one) => one.when))];
  return table(cut(title),
    [...own.map((key) => head(key, values)), ...moments.map((text) => ({ text: charted(text), n: true }))],
    [...rows.values()].map(({ first, counts }) =>
      [...own.map((key) => cell(first[key])), ...moments.map((when) => cell(counts.get(when)))]));
}

function head(key, values) {
  return { text: charted(key), n: values.every((one) => typeof one[key] === "number") };
}
