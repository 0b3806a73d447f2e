// Controls of the form: each shows a value of the draft, changes it, and follows undo and redo.

import { choice, el } from "./dom.js";

/** Return an input of a value of the draft. */
export function input(page, key, props) {
  const node = el("input", {
    autocomplete: "off", ...props, value: page.draft[key],
    oninput: () => page.change("choose", (draft) => { draft[key] = node.value; }, key),
  });
  page.on("restored", () => { node.value = page.draft[key]; });
  return node;
}

/** Return a select of a value of the draft. */
export function select(page, key, options, props) {
  const node = choice(options, page.draft[key], {
    ...props,
    onchange: () => page.change("choose", (draft) => { draft[key] = node.value; }),
  });
  if (node.selectedIndex < 0) { // a draft may name what this version has not
    node.selectedIndex = 0;
    page.draft[key] = node.value;
  }
  page.on("restored", () => { node.value = page.draft[key]; });
  return node;
}
