// Figures as people read them.

import { LOCALE, t } from "./words.js";

/** Return a count with its thousands parted. */
export function count(number) {
  return number === null || number === undefined ? "–" : Math.round(number).toLocaleString(LOCALE);
}

/** Return a number with so many decimals. */
export function fixed(value, digits) {
  return value.toLocaleString(LOCALE,
    { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Return a figure with so many digits that say something. */
export function figure(value, digits = 6) {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  return value.toLocaleString(LOCALE, { maximumSignificantDigits: digits });
}

/** Return a measure as the report writes it. */
export function told(value, unit) {
  if (typeof value !== "number") return "–";
  if (unit === "count") return count(value);
  if (value === 0) return unit === "percent" ? "0 %" : "0";
  if (unit === "percent") return `${fixed(value, Math.abs(value) < 10 ? 2 : 1)} %`;
  if (Math.abs(value) < 1e-6) return "0";
  if (Math.abs(value) < 1e-4) return value.toLocaleString(LOCALE, { maximumFractionDigits: 6 });
  return Math.abs(value) < 1 ? fixed(value, 4) : figure(value, 3);
}

/** Return a share in percent, never 0 % of something that is there. */
export function share(part, whole) {
  if (!whole || !part) return "0 %";
  const percent = (100 * part) / whole;
  if (percent < 0.1) return t("format.under");
  const shown = Math.min(percent, part < whole ? 99.9 : 100);
  return `${fixed(shown, shown < 10 || shown > 99 && shown < 100 ? 1 : 0)} %`;
}

/** Return a loss in percent. */
export function loss(value) {
  return `${figure(value, value < 100 ? 3 : 4)} %`;
}

/** Return a size of a file. */
export function bytes(size) {
  let rest = size;
  for (const unit of ["bytes", "kB", "MB", "GB"]) {
    if (rest < 1000 || unit === "GB") {
      const digits = unit === "bytes" || rest >= 100 ? 0 : 1;
      return `${fixed(rest, digits)} ${unit === "bytes" ? t("format.bytes") : unit}`;
    }
    rest /= 1000;
  }
  return "";
}

/** Return a time that passed. */
export function duration(seconds) {
  if (seconds < 10) return `${fixed(seconds, 1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Return a moment, as the machine's clock shows it. */
export function moment(seconds) {
  return new Date(1000 * seconds).toLocaleString(LOCALE, { dateStyle: "medium", timeStyle: "short" });
}
