// Hierarchies: by which steps each quasi-identifier may be generalized; to see, build and edit.

import { checked, debounced, send } from "./api.js";
import { withRole, inputOf } from "./draft.js";
import { el, field, name, problem, set } from "./dom.js";
import { coverage, treeNumbers, treeView } from "./treeview.js";
import { automaticRule, rulesFor } from "./words.js";

const LARGEST = 20 * 2 ** 20; // bytes of a hierarchy file that a text area takes without pain

/** Return the section of hierarchies, an editor for every quasi-identifier. */
export function treesSection(page) {
  const editors = new Map();
  const list = el("div");
  const refresh = () => {
    const wanted = withRole(page.draft, "quasi-identifier");
    for (const index of wanted) {
      if (!editors.has(index)) editors.set(index, editor(page, index));
    }
    set(list, wanted.length ? wanted.map((index) => editors.get(index))
      : el("p", { class: "soft" }, "No column is a quasi-identifier yet."));
  };
  page.on("roles", refresh);
  page.on("survey", refresh);
  refresh();
  return el("section", { id: "hierarchies", "aria-labelledby": "trees-heading" },
    el("h2", { id: "trees-heading" }, "Hierarchies"),
    el("p", null, "A hierarchy says by which steps a value may be generalized: 01095, 0109*, 010*, "
      + "*. Where all quasi-identifiers are complete columns of numbers or dates, groups release "
      + "means and need none. Nothing must be said here: halves of the values are taken for "
      + "numbers and dates, and for texts the value or nothing."),
    list);
}

function editor(page, index) {
  const column = page.look.columns[index];
  const path = `/files/${checked(page.id)}/trees`;
  const nodes = {
    what: el("span", { class: "soft" }),
    told: el("div", { "data-test": "tree-coverage", "aria-live": "polite" }),
    view: el("div", { class: "scroll" }),
    rule: el("input", {
      type: "text", "data-test": "tree-rule", spellcheck: "false", autocomplete: "off",
      placeholder: automaticRule(column),
      onkeydown: (event) => event.key === "Enter" && build(nodes.rule.value.trim()),
    }),
    text: el("textarea", {
      rows: "8", spellcheck: "false", autocomplete: "off", "data-test": "tree-text", dir: "auto",
      oninput: () => edited(),
    }),
  };
  let turn = 0;
  let loaded = false;
  const chosen = () => page.draft.trees[index];

  function summarize(tree = null) {
    const own = chosen();
    const what = own === null ? `automatic (${automaticRule(column)})`
      : own.rule ?? (own.id ? "given as text" : "given as text, not whole yet");
    set(nodes.what, what, tree ? `; ${treeNumbers(tree)}` : "");
  }

  async function ask(body) {
    turn += 1;
    const mine = turn;
    set(nodes.told, el("p", { class: "soft" }, "Checking…"));
    try {
      const input = inputOf(page.look, page.draft);
      const tree = await send("POST", path, { column: column.name, input, ...body });
      return mine === turn ? tree : null; // an older question's answer says nothing any more
    } catch (error) {
      if (mine === turn) set(nodes.told, problem(error));
      return null;
    }
  }

  function show(tree, withText) {
    set(nodes.told, coverage(tree));
    set(nodes.view, el("p", { class: "soft" }, treeNumbers(tree)), treeView(tree.nodes));
    if (withText) {
      nodes.text.value = tree.csv ?? "";
      nodes.text.placeholder = tree.cut
        ? "This hierarchy is too long to be shown as a text. One that is typed here replaces it."
        : "";
    }
    summarize(tree);
  }

  async function build(rule) {
    later.cancel();
    const tree = await ask({ rule: rule || automaticRule(column) });
    if (!tree) return;
    page.draft.trees[index] = rule ? { rule } : null;
    nodes.rule.value = rule;
    show(tree, true);
    page.changed("trees");
  }

  function edited() {
    turn += 1; // an answer that is under way is about another text
    page.draft.trees[index] = { id: null, text: nodes.text.value };
    nodes.rule.value = "";
    summarize();
    page.changed("trees"); // a run must wait for the check
    later();
  }

  async function check() {
    later.cancel();
    const text = nodes.text.value;
    const tree = await ask({ text });
    if (!tree) return;
    page.draft.trees[index] = { id: tree.id ? checked(tree.id) : null, text };
    show(tree, false);
    page.changed("trees");
  }
  const later = debounced(600, check);

  async function load() {
    loaded = true;
    const own = chosen();
    if (own?.text !== undefined && own?.text !== null) {
      nodes.text.value = own.text;
      await check();
    } else {
      nodes.rule.value = own?.rule ?? "";
      const rule = own?.rule ?? (own ? `tree:${own.id}` : automaticRule(column));
      const tree = await ask({ rule });
      if (tree) show(tree, true);
    }
  }

  function readFile(file) {
    if (!file) return;
    if (file.size > LARGEST) {
      set(nodes.told, problem("The file is too large for a hierarchy."));
      return;
    }
    const reader = new FileReader();
    reader.addEventListener("load", () => {
      nodes.text.value = reader.result;
      page.draft.trees[index] = { id: null, text: reader.result };
      nodes.rule.value = "";
      check();
    });
    reader.addEventListener("error", () =>
      set(nodes.told, problem("The file cannot be read.")));
    reader.readAsText(file);
  }

  const whole = el("details", {
    class: "card editor",
    ontoggle: () => whole.open && !loaded && load(),
  },
  el("summary", { "data-test": "tree-open" }, name(column.name), " ", nodes.what),
  nodes.told,
  el("div", { class: "halves" },
    el("div", null, ruleFields(column, nodes.rule, build), textFields(nodes.text, check, readFile)),
    el("div", null, el("h3", null, "The tree, with its records"), nodes.view)));
  const own = chosen();
  if (own && !own.rule && !page.file.trees.some((tree) => tree.id === own.id)) {
    // What the server no longer has must be given again, or is forgotten.
    page.draft.trees[index] = own.text === null ? null : { id: null, text: own.text };
    if (own.text !== null) load();
  }
  summarize();
  return whole;
}

function ruleFields(column, input, build) {
  const rules = rulesFor(column);
  const hints = el("ul", { class: "plain rules" }, rules.map(([rule, what]) =>
    el("li", null,
      el("button", { type: "button", class: "small", onclick: () => build(rule) }, rule),
      el("span", { class: "hint" }, ` ${what}`))));
  return el("fieldset", null,
    el("legend", null, "Build it by a rule"),
    field(`Rule for a column of kind ${column.kind}`, input, hints),
    el("div", { class: "actions" },
      el("button", {
        type: "button", "data-test": "tree-build", onclick: () => build(input.value.trim()),
      }, "Build"),
      el("button", { type: "button", class: "quiet", onclick: () => build("") },
        "Back to automatic")));
}

function textFields(text, check, readFile) {
  const file = el("input", {
    type: "file", accept: ".csv,.txt", "data-test": "tree-file",
    onchange: () => {
      readFile(file.files[0]);
      file.value = "";
    },
  });
  return el("fieldset", null,
    el("legend", null, "Or give it as text"),
    field("One line a value: value;parent;…;*", text,
      "It is checked while you type: a line for every value of the column, the same number of "
      + "steps in each line, * at the end."),
    el("div", { class: "actions" },
      el("button", { type: "button", "data-test": "tree-check", onclick: check }, "Check it now")),
    field("Or take it from a csv file", file));
}
