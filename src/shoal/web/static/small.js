// Small drawings of our own: the histogram of a column, the curve of a search.

import { el, svg } from "./dom.js";
import { count, duration, figure } from "./format.js";
import { t } from "./words.js";

const WIDTH = 120;
const HEIGHT = 34;

/** Return the histogram of a column's bins. */
export function histogram(bins) {
  if (!bins || bins.counts.length === 0) return el("span", { class: "soft" }, "–");
  const most = Math.max(1, ...bins.counts);
  const step = WIDTH / bins.counts.length;
  const gap = step > 4 ? 1 : 0.3;
  const bars = bins.counts.map((number, i) => {
    const height = number ? Math.max(1, (number / most) * (HEIGHT - 2)) : 0;
    const isRest = bins.labels[i] === "…" && i === bins.counts.length - 1;
    return svg("rect", {
      class: isRest ? "bar rest" : "bar",
      x: (i * step).toFixed(2), y: (HEIGHT - height).toFixed(2),
      width: Math.max(0.5, step - gap).toFixed(2), height: height.toFixed(2),
    }, svg("title", null, `${isRest ? t("chart.others") : bins.labels[i]}: ${count(number)}`));
  });
  return svg("svg", {
    class: "histogram", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT,
    role: "img", "aria-label": t("chart.histogram",
      { bins: count(bins.counts.length), most: count(most) }),
  }, bars, svg("line", { class: "axis", x1: 0, x2: WIDTH, y1: HEIGHT, y2: HEIGHT }));
}

/** Return places for about so many ticks between two numbers. */
function ticks(low, high, wanted) {
  const rough = (high - low) / wanted;
  if (!(rough > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough);
  const found = [];
  for (let at = Math.ceil(low / step); at * step <= high * (1 + 1e-9); at += 1) {
    found.push(Number((at * step).toPrecision(12)));
  }
  return found;
}

/** Return the curve of the best loss over seconds, drawn for so many pixels. */
export function curve(every, width) {
  const points = thinned(every, 1500); // more than there are pixels
  const height = 240;
  const [left, right, top, bottom] = [64, 14, 12, 44];
  const floor = height - bottom;
  const last = points.at(-1);
  const losses = points.map(([, loss]) => loss);
  const end = Math.max(last[0], 0.5);
  const [least, most] = [Math.min(...losses), Math.max(...losses)];
  const room = Math.max((most - least) * 0.08, most * 0.01, 1e-6);
  const [low, high] = [Math.max(0, least - room), most + room];
  const x = (seconds) => left + (seconds / end) * (width - left - right);
  const y = (loss) => top + ((high - loss) / (high - low)) * (floor - top);
  const path = points.map(([seconds, loss], i) =>
    (i === 0 ? `M${x(seconds).toFixed(1)} ${y(loss).toFixed(1)}`
      : `H${x(seconds).toFixed(1)}V${y(loss).toFixed(1)}`)).join("");
  const across = ticks(0, end, Math.max(2, width / 120)).map((at) => [
    svg("line", { class: "tick", x1: x(at), x2: x(at), y1: floor, y2: floor + 5 }),
    svg("text", { x: x(at), y: floor + 18, "text-anchor": "middle" }, figure(at, 4)),
  ]);
  const up = ticks(low, high, 5).map((at) => [
    svg("line", { class: "grid", x1: left, x2: width - right, y1: y(at), y2: y(at) }),
    svg("text", { x: left - 8, y: y(at) + 4, "text-anchor": "end" }, figure(at, 4)),
  ]);
  const middle = (top + floor) / 2;
  const told = thinned(points);
  const strips = told.map(([seconds, best], i) => svg("rect", {
    class: "strip", x: x(seconds).toFixed(1), y: top, height: floor - top,
    width: Math.max(0, x(told[i + 1]?.[0] ?? end) - x(seconds)).toFixed(1),
  }, svg("title", null, `${duration(seconds)}: ${figure(best, 5)}`)));
  return svg("svg", {
    class: "curve", viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "aria-label": t("chart.curve",
      { first: figure(losses[0], 4), last: figure(last[1], 4), time: duration(last[0]) }),
  },
  up, across,
  svg("path", { class: "axis", d: `M${left} ${top}V${floor}H${width - right}` }),
  svg("path", { class: "line", d: path }),
  strips,
  svg("text", { x: left + (width - left - right) / 2, y: height - 6, "text-anchor": "middle" },
    t("chart.seconds")),
  svg("text", {
    x: 0, y: 0, "text-anchor": "middle", transform: `translate(14 ${middle}) rotate(-90)`,
  }, t("chart.best")));
}

/** Return about so many of a curve's points, the first and the last among them. */
export function thinned(points, most = 24) {
  if (points.length <= most) return points;
  const step = (points.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, i) => points[Math.round(i * step)]);
}
