// How the page is built: elements with text in them, never markup. Names and values are hostile.

import { relabeled, t } from "./words.js";

const HIDDEN =
  /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const AS_PROPERTY = new Set([
  "value", "checked", "disabled", "selected", "open", "hidden", "multiple", "indeterminate",
]);
const ATTRIBUTES = new Set([
  "accept", "alt", "for", "autocomplete", "class", "colspan", "cols", "d", "dir", "download",
  "height", "href", "id", "inputmode", "label", "lang", "list", "max", "min", "name", "placeholder",
  "points", "preserveAspectRatio", "rel", "role", "rows", "scope", "size", "spellcheck", "src", "step", "tabindex",
  "target", "text-anchor", "title", "transform", "type", "viewBox", "width", "x", "x1", "x2", "y",
  "y1", "y2",
]);

/** Return a text whose control, bidi and invisible signs can be seen. */
export function visible(text) {
  return String(text).replace(HIDDEN, (sign) => {
    const code = sign.codePointAt(0);
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

function fill(node, props, children) {
  for (const [key, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) {
      if (AS_PROPERTY.has(key) && value === false) node[key] = false;
      continue;
    }
    if (typeof value === "function" && key.startsWith("on")) {
      node.addEventListener(key.slice(2), value);
    } else if (AS_PROPERTY.has(key)) {
      node[key] = value;
    } else if (ATTRIBUTES.has(key) || /^(?:aria|data)-[a-z-]+$/.test(key)) {
      node.setAttribute(key, value === true ? "" : visible(value));
    } else {
      throw new Error(`no such property: ${key}`); // also what could become script or style
    }
  }
  add(node, ...children);
  return node;
}

/** Append nodes and texts; nothing where there is nothing. */
export function add(node, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : visible(child));
  }
  return node;
}

/** Return an element; `props` are attributes, properties and on… listeners. */
export function el(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** Return an element of a drawing. */
export function svg(tag, props, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), props, children);
}

/** Put other children in the place of those there are. */
export function set(node, ...children) {
  node.replaceChildren();
  return add(node, ...children);
}

/** Return the name of a column, file or value, isolated from the direction of what is around it. */
export function name(text, limit = 120) {
  return el("bdi", { class: "name", title: cut(text, 1000) }, cut(text, limit));
}

/** Return a text for places that hold no elements: options, titles. */
export function cut(text, limit = 60) {
  const shown = visible(text);
  const signs = Array.from(shown.slice(0, 2 * limit + 2));
  if (shown === "") return t("empty");
  return signs.length > limit ? `${signs.slice(0, limit - 1).join("")}…` : shown;
}

/** Return a sentence of the program in the page's language; what stands in backticks is code. */
export function prose(text) {
  const own = relabeled(String(text));
  const parts = own.split("`");
  if (parts.length % 2 === 0) return [own];
  return parts.map((part, at) => (at % 2 ? el("code", null, part) : part));
}

/** Return a block that says what went wrong. */
export function problem(error, test = "error") {
  const said = error instanceof Error ? error.message : String(error);
  return el("div", { class: "problem", role: "alert", "data-test": test }, prose(said));
}

/** Return a line that marks what must not be published. */
export function stamp(mark, text) {
  return el("p", { class: "stamp", "data-test": "private" }, el("strong", null, mark), text);
}

/** Return a list of plain lines. */
export function bullets(lines) {
  return el("ul", null, lines.map((line) => el("li", null, prose(line))));
}

/** Return a table that scrolls in its own frame; a head is a text, or {text, n} of numbers. */
export function table(label, heads, rows, props = {}) {
  const numeric = heads.map((head) => Boolean(head.n));
  const head = heads.map((one) =>
    el("th", { scope: "col", class: one.n ? "n" : null }, one.text ?? one));
  const body = rows.map((cells) => {
    const row = cells.cells ?? cells;
    return el("tr", cells.props ?? null, row.map((cell, at) => {
      if (cell instanceof HTMLTableCellElement) return cell;
      const wide = numeric[at] ? "n" : null;
      return at === 0 ? el("th", { scope: "row", class: wide }, cell)
        : el("td", { class: wide }, cell);
    }));
  });
  return el("div", { class: "table", role: "region", tabindex: "0", "aria-label": label, ...props },
    el("table", null,
      el("caption", { class: "unseen" }, label),
      el("thead", null, el("tr", null, head)),
      el("tbody", null, body)));
}

let labels = 0;

/** Return a label, its control and a hint, joined by ids that hold no foreign text.
 *
 * `more` stands beside the label, and is no part of the control's name.
 */
export function field(label, control, hint = null, more = null) {
  labels += 1;
  control.id ||= `field-${labels}`;
  const note = hint && el("div", { class: "hint", id: `hint-${labels}` }, hint);
  if (note) control.setAttribute("aria-describedby", note.id);
  return el("div", { class: "field" },
    el("div", { class: "labeled" }, el("label", { for: control.id }, label), more), control, note);
}

/** Return a select; `options` are [value, text] pairs. */
export function choice(options, value, props) {
  const node = el("select", props, options.map(([key, text]) =>
    el("option", { value: key, dir: "auto" }, cut(text, 80))));
  node.value = value;
  return node;
}
