// Cut marks on a histogram: dragged, or moved by the arrow keys, they make intervals.

import { el, set, svg } from "./dom.js";
import { count, figure } from "./format.js";
import { t } from "./words.js";

const HEIGHT = 120;
const FLOOR = 96; // where bars stand; below are the marks' numbers

/** Return the scale of a column's bins: where it begins and ends, and the step of a mark. */
function scaleOf(bins) {
  const starts = bins.labels.map(Number);
  const width = starts.length > 1 ? (starts.at(-1) - starts[0]) / (starts.length - 1) : 1;
  const [low, high] = [starts[0], starts.at(-1) + width];
  const whole = starts.every(Number.isInteger);
  const step = 10 ** Math.floor(Math.log10((high - low) / 100 || 1));
  return { low, high, step: whole ? Math.max(1, step) : step };
}

function rounded(value, step) {
  return Number((Math.round(value / step) * step).toPrecision(12));
}

/** Return the cuts of a rule such as cuts:18,30,65; none of any other rule. */
export function cutsIn(rule) {
  const found = /^cuts:([^/]*)(\/.*)?$/.exec(rule ?? "");
  const cuts = found ? found[1].split(",").map(Number) : [];
  return { cuts: cuts.every(Number.isFinite) ? cuts : [], coarser: Boolean(found?.[2]) };
}

/** Return the rule of cuts; with a coarser level, every second one is a cut of it. */
export function ruleOf(cuts, coarser) {
  const fine = `cuts:${cuts.join(",")}`;
  const some = cuts.filter((_, at) => at % 2);
  return coarser && some.length ? `${fine}/${some.join(",")}` : fine;
}

/**
 * Return the histogram of a column with marks that cut it.
 * @param {any} column
 * @param {string} rule the rule that the column has now
 * @param {(rule: string) => void} changed hears the rule when a mark has come to rest
 */
export function cutMarks(column, rule, changed) {
  const { low, high, step } = scaleOf(column.bins);
  const width = Math.min(560, Math.max(280, innerWidth - 110)); // its numbers stay legible
  const start = cutsIn(rule);
  let cuts = start.cuts.filter((cut) => cut > low && cut < high);
  const x = (value) => ((value - low) / (high - low)) * width;
  const at = (event) => {
    const box = drawing.getBoundingClientRect();
    return low + ((event.clientX - box.left) / box.width) * (high - low);
  };
  const told = el("p", { class: "hint", role: "status", "data-test": "cut-intervals" });
  const coarser = el("input", {
    type: "checkbox", checked: start.coarser, "data-test": "cut-coarser", onchange: () => rest() });
  const drawing = svg("svg", {
    class: "cuts", viewBox: `0 0 ${width} ${HEIGHT}`, role: "group", "data-test": "cuts",
    "aria-label": t("cuts.label", { column: column.name }),
    ondblclick: (event) => put(at(event)),
  });
  const most = Math.max(1, ...column.bins.counts);
  const wide = width / column.bins.counts.length;
  const bars = column.bins.counts.map((number, i) => {
    const height = number ? Math.max(1, (number / most) * (FLOOR - 6)) : 0;
    return svg("rect", { class: "bar", x: (i * wide).toFixed(2), y: (FLOOR - height).toFixed(2),
      width: Math.max(0.5, wide - 1).toFixed(2), height: height.toFixed(2) },
    svg("title", null, `${column.bins.labels[i]}: ${count(number)}`));
  });
  let marks = [];

  /** Move a mark between its neighbors; it shows where it is at once. */
  function move(place, wanted) {
    const floor = place ? cuts[place - 1] + step : rounded(low + step, step);
    const ceiling = place < cuts.length - 1 ? cuts[place + 1] - step : rounded(high - step, step);
    cuts[place] = rounded(Math.min(ceiling, Math.max(floor, wanted)), step);
    show(marks[place], place);
    say();
  }

  function show(mark, place) {
    const [line, handle, label, reach] = mark.children;
    reach.setAttribute("x", (x(cuts[place]) - 14).toFixed(1));
    for (const key of ["x1", "x2"]) line.setAttribute(key, x(cuts[place]).toFixed(1));
    handle.setAttribute("x", (x(cuts[place]) - 7).toFixed(1));
    label.setAttribute("x", Math.min(width - 24, Math.max(24, x(cuts[place]))).toFixed(1));
    label.textContent = figure(cuts[place]);
    mark.setAttribute("aria-valuenow", String(cuts[place]));
  }

  function put(wanted) {
    const value = rounded(wanted, step);
    if (!(value > low && value < high) || cuts.includes(value)) return;
    cuts = [...cuts, value].sort((one, other) => one - other);
    draw(cuts.indexOf(value));
    rest();
  }

  function take(place) {
    cuts.splice(place, 1);
    draw(Math.min(place, cuts.length - 1));
    rest();
  }

  function keyed(event, place) {
    const far = event.key.startsWith("Page") ? 10 : 1;
    const by = { ArrowLeft: -1, ArrowDown: -1, PageDown: -1, ArrowRight: 1, ArrowUp: 1, PageUp: 1 };
    if (event.key === "Delete" || event.key === "Backspace") take(place);
    else if (event.key === "Home") move(place, low);
    else if (event.key === "End") move(place, high);
    else if (by[event.key]) move(place, cuts[place] + by[event.key] * far * step);
    else return;
    event.preventDefault();
    rest();
  }

  function mark(_, place) {
    let held = false;
    const node = svg("g", {
      class: "cut", role: "slider", tabindex: "0", "data-test": "cut",
      "aria-label": t("cuts.mark", { n: place + 1, column: column.name }),
      "aria-valuemin": String(low), "aria-valuemax": String(high),
      onkeydown: (event) => keyed(event, place),
      onpointerdown: (event) => {
        held = true;
        node.setPointerCapture(event.pointerId);
        node.focus();
        event.preventDefault();
      },
      onpointermove: (event) => held && move(place, at(event)),
      onpointerup: () => {
        if (held) rest();
        held = false;
      },
    },
    svg("line", { y1: 0, y2: FLOOR }),
    svg("rect", { class: "handle", y: FLOOR - 18, width: 14, height: 18 }),
    svg("text", { y: HEIGHT - 6, "text-anchor": "middle" }),
    svg("rect", { class: "reach", y: 0, width: 28, height: FLOOR }));
    return node;
  }

  function draw(focus = -1) {
    marks = cuts.map(mark);
    set(drawing, bars,
      svg("line", { class: "axis", x1: 0, x2: width, y1: FLOOR, y2: FLOOR }), marks);
    marks.forEach(show);
    say();
    marks[focus]?.focus();
  }

  function say() {
    const ends = [null, ...cuts, null];
    set(told, cuts.length === 0 ? t("cuts.none") : ends.slice(1).map((end, i) => {
      const begin = ends[i];
      if (begin === null) return `<\u00a0${figure(end)}`;
      return end === null ? `≥\u00a0${figure(begin)}`
        : `${figure(begin)}\u00a0–\u00a0<\u00a0${figure(end)}`;
    }).join(", "));
  }

  const rest = () => changed(cuts.length ? ruleOf(cuts, coarser.checked) : "");
  const widest = () => {
    const ends = [low, ...cuts, high];
    const gaps = ends.slice(1).map((end, i) => ({ middle: (ends[i] + end) / 2, gap: end - ends[i] }));
    return gaps.sort((one, other) => other.gap - one.gap)[0].middle;
  };
  draw();
  return el("div", { class: "cutting" },
    el("p", { class: "hint" }, t("cuts.what")), drawing, told,
    el("div", { class: "actions" },
      el("button", { type: "button", class: "small", "data-test": "cut-add",
        onclick: () => put(widest()) }, t("cuts.add")),
      el("button", { type: "button", class: "small quiet", "data-test": "cut-clear",
        onclick: () => {
          cuts = [];
          draw();
          rest();
        } }, t("cuts.clear")),
      el("label", { class: "check" }, coarser, ` ${t("cuts.coarser")}`)));
}
