// Figures as people read them.

const EN = "en-US";

/** Return a count with its thousands parted. */
export function count(number) {
  return number === null || number === undefined ? "–" : Math.round(number).toLocaleString(EN);
}

/** Return a count and its word, in the plural where it needs one. */
export function counted(number, one, many = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : many}`;
}

/** Return a figure with so many digits that say something. */
export function figure(value, digits = 6) {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  return value.toLocaleString(EN, { maximumSignificantDigits: digits });
}

/** Return a measure as the report writes it. */
export function told(value, unit) {
  if (typeof value !== "number") return "–";
  if (unit === "count") return count(value);
  if (value === 0) return unit === "percent" ? "0 %" : "0";
  if (unit === "percent") return `${value.toFixed(Math.abs(value) < 10 ? 2 : 1)} %`;
  if (Math.abs(value) < 1e-6) return "0";
  if (Math.abs(value) < 1e-4) return value.toFixed(6).replace(/0+$/, "");
  return Math.abs(value) < 1 ? value.toFixed(4) : String(Number(value.toPrecision(3)));
}

/** Return a share in percent, never 0 % of something that is there. */
export function share(part, whole) {
  if (!whole || !part) return "0 %";
  const percent = (100 * part) / whole;
  if (percent < 0.1) return "under 0.1 %";
  return `${percent.toFixed(percent < 10 ? 1 : 0)} %`;
}

/** Return a loss in percent. */
export function loss(value) {
  return `${value.toPrecision(value < 100 ? 3 : 4)} %`;
}

/** Return a size of a file. */
export function bytes(size) {
  let rest = size;
  for (const unit of ["bytes", "kB", "MB", "GB"]) {
    if (rest < 1000 || unit === "GB") {
      const digits = unit === "bytes" || rest >= 100 ? 0 : 1;
      return `${rest.toFixed(digits)} ${unit}`;
    }
    rest /= 1000;
  }
  return "";
}

/** Return a time that passed. */
export function duration(seconds) {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Return a moment, as the machine's clock shows it. */
export function moment(seconds) {
  return new Date(1000 * seconds).toLocaleString(EN, { dateStyle: "medium", timeStyle: "short" });
}
