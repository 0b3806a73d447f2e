// A hierarchy to look at: nested lists that unfold, and what it says of the column's values.

import { el, name, set } from "./dom.js";
import { count, counted } from "./format.js";

/** Return a tree from its root; children are made when somebody unfolds them. */
export function treeView(root) {
  return el("ul", { class: "tree", "aria-label": "The hierarchy, from its root" },
    branch(root, true));
}

function branch(node, open = false) {
  const label = [name(node.label, 80), el("span", { class: "soft" }, ` ${count(node.count)}`)];
  if (!node.children?.length && !node.more) return el("li", null, label);
  const inner = el("ul");
  const fill = () => {
    if (inner.childElementCount) return;
    set(inner, (node.children ?? []).map((child) => branch(child)),
      node.more ? el("li", { class: "soft" }, `… ${count(node.more)} more`) : null);
  };
  const part = el("details", { ontoggle: () => part.open && fill() },
    el("summary", null, label), inner);
  if (open) {
    fill();
    part.open = true;
  }
  return el("li", null, part);
}

/** Return a tree in numbers: how many values each level has. */
export function treeNumbers(tree) {
  const sizes = tree.sizes.map((size) => count(size)).join(" → ");
  return `${counted(tree.levels, "level")}: ${sizes}`;
}

/** Return whether all values have a place, with those that have none behind a button. */
export function coverage(tree) {
  const unused = tree.unused
    ? el("span", { class: "soft" },
      ` ${counted(tree.unused, "value")} of the hierarchy ${tree.unused === 1 ? "does" : "do"} not `
      + "occur in the column.")
    : null;
  if (!tree.uncovered) {
    const all = tree.covered === 1 ? "The one value has a place." :
      `All ${count(tree.covered)} values have a place.`;
    return el("p", { class: "good" }, all, unused);
  }
  const more = tree.uncovered - tree.values.length;
  const list = el("ul", { class: "values", hidden: true },
    tree.values.map((value) => el("li", null, name(value, 80))),
    more > 0 ? el("li", { class: "soft" }, `… ${count(more)} more`) : null);
  const button = el("button", {
    type: "button", class: "small", "aria-expanded": "false", "data-test": "tree-uncovered",
    onclick: () => {
      list.hidden = !list.hidden;
      button.setAttribute("aria-expanded", String(!list.hidden));
      button.textContent = list.hidden ? "Show them" : "Hide them";
    },
  }, "Show them");
  const has = tree.uncovered === 1 ? "value has" : "values have";
  return el("div", { class: "bad" },
    el("p", null, `${count(tree.uncovered)} ${has} no place. `, button, unused), list);
}
