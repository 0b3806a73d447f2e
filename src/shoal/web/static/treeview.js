// A hierarchy to look at: nested lists that unfold, and what it says of the column's values.

import { el, name, set } from "./dom.js";
import { count } from "./format.js";
import { t, tn } from "./words.js";

/** Return a tree from its root; children are made when somebody unfolds them. */
export function treeView(root) {
  return el("ul", { class: "tree", "aria-label": t("trees.root") },
    branch(root, true));
}

function branch(node, open = false) {
  const label = [name(node.label, 80), el("span", { class: "soft" }, ` ${count(node.count)}`)];
  if (!node.children?.length && !node.more) return el("li", null, label);
  const inner = el("ul");
  const fill = () => {
    if (inner.childElementCount) return;
    set(inner, (node.children ?? []).map((child) => branch(child)),
      node.more ? el("li", { class: "soft" }, t("trees.more", { n: count(node.more) })) : null);
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
  return `${tn("count.level", tree.levels)}: ${sizes}`;
}

/** Return whether all values have a place, with those that have none behind a button. */
export function coverage(tree) {
  const unused = tree.unused
    ? el("span", { class: "soft" },
      ` ${tn("trees.unused", tree.unused)}`)
    : null;
  if (!tree.uncovered) {
    return el("p", { class: "good" }, tn("trees.covered", tree.covered), unused);
  }
  const more = tree.uncovered - tree.values.length;
  const list = el("ul", { class: "values", hidden: true },
    tree.values.map((value) => el("li", null, name(value, 80))),
    more > 0 ? el("li", { class: "soft" }, t("trees.more", { n: count(more) })) : null);
  const button = el("button", {
    type: "button", class: "small", "aria-expanded": "false", "data-test": "tree-uncovered",
    onclick: () => {
      list.hidden = !list.hidden;
      button.setAttribute("aria-expanded", String(!list.hidden));
      button.textContent = t(list.hidden ? "trees.show" : "trees.hide");
    },
  }, t("trees.show"));
  return el("div", { class: "bad" },
    el("p", null, `${tn("trees.uncovered", tree.uncovered)} `, button, unused), list);
}
