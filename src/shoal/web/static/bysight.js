// A hierarchy by sight: cuts of numbers, parts of dates, signs of codes, groups of words.

import { debounced } from "./api.js";
import { cutMarks } from "./cuts.js";
import { el, problem, set } from "./dom.js";
import { board, groupsIn, hierarchyOf, valuesOf } from "./groups.js";
import { t } from "./words.js";

const LEVELS = ["day", "month", "quarter", "year"];
const LONGEST = 12; // signs of a code that has buttons

/**
 * Return the fields that make a column's hierarchy by sight; null where there are none.
 * @param {any} page
 * @param {any} column
 * @param {{rule: () => string, text: () => string, build: (rule: string) => void,
 *   give: (text: string) => void}} how
 */
export function bySight(page, column, how) {
  const is = (...kinds) => kinds.includes(column.kind);
  if (is("boolean", "unknown") || !column.bins?.counts.length) return null;
  const parts = [];
  if (is("date", "datetime")) parts.push(toggles(LEVELS, datesIn(how.rule()), "dates", how));
  else if (column.numeric && signsIn(column.hierarchy).length) { // codes, as postcodes are
    parts.push(toggles(signsIn(column.hierarchy), signsIn(how.rule()), "prefixes", how));
  } else if (column.numeric) {
    if (column.bins.labels.length > 1) {
      let wanted = "";
      const build = debounced(500, () => how.build(wanted));
      parts.push(cutMarks(column, how.rule(), (rule) => {
        wanted = rule;
        build();
      }));
    }
  } else {
    const signs = lengths(column);
    if (signs.length) parts.push(toggles(signs, signsIn(how.rule()), "prefixes", how));
    parts.push(sorting(page, column, how));
  }
  if (!parts.length) return null;
  return el("fieldset", { "data-test": "by-sight" }, el("legend", null, t("sight.legend")), parts);
}

/** Return how many signs of a code may be kept, the most first; of words none. */
function lengths(column) {
  const seen = column.bins.labels.filter((label) => label !== "…").map((label) => [...label].length);
  const most = Math.max(...seen, 0);
  const alike = seen.every((length) => length === most);
  if (!alike || most < 2 || most > LONGEST) return [];
  return Array.from({ length: most - 1 }, (_, i) => String(most - 1 - i));
}

function signsIn(rule) {
  return /^prefixes:(.*)$/.exec(rule ?? "")?.[1].split(",") ?? [];
}

function datesIn(rule) {
  if (rule === "dates") return LEVELS;
  return /^dates:(.*)$/.exec(rule)?.[1].split(",") ?? [];
}

/** Return buttons that are pressed or not, for the levels of a rule. */
function toggles(levels, start, word, how) {
  const chosen = new Set(start);
  const build = () => {
    const some = levels.filter((level) => chosen.has(level));
    how.build(some.length ? `${word}:${some.join(",")}` : "");
  };
  return el("div", { role: "group", "aria-label": t(`sight.${word}`), class: "actions" },
    el("span", { class: "hint" }, t(`sight.${word}`)),
    levels.map((level) => {
      const node = el("button", {
        type: "button", class: "small toggle", "aria-pressed": String(chosen.has(level)),
        "data-test": `level-${level}`,
        onclick: () => {
          if (!chosen.delete(level)) chosen.add(level);
          node.setAttribute("aria-pressed", String(chosen.has(level)));
          build();
        },
      }, word === "dates" ? t(`stepchoice.${level}`) : t("sight.signs", { n: level }));
      return node;
    }));
}

/** Return the button that opens a board of the column's values. */
function sorting(page, column, how) {
  const place = el("div");
  const open = el("button", {
    type: "button", class: "small", "data-test": "groups-open",
    onclick: async () => {
      try {
        const values = await valuesOf(page, column.name);
        const given = debounced(500, () => how.give(hierarchyOf(values, groups)));
        let groups = groupsIn(how.text());
        set(place, board(values, groups, (now) => {
          groups = now;
          given();
        }));
        open.hidden = true;
      } catch (error) {
        set(place, problem(error));
      }
    },
  }, t("groups.sort"));
  return el("div", null, open, place);
}
