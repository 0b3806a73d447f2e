// Hierarchies: by which steps each quasi-identifier may be generalized; to see, build and edit.

import { checked, debounced, send } from "./api.js";
import { bySight } from "./bysight.js";
import { withRole, inputOf } from "./draft.js";
import { el, field, name, problem, set } from "./dom.js";
import { term } from "./glossary.js";
import { coverage, treeNumbers, treeView } from "./treeview.js";
import { takeHierarchies } from "./drops.js";
import { automaticRule, rulesFor } from "./terms.js";
import { has, t } from "./words.js";

const LARGEST = 20 * 2 ** 20; // bytes of a hierarchy file that a text area takes without pain

/** Return the part of hierarchies, an editor for every quasi-identifier. */
export function treesPart(page) {
  const editors = new Map();
  const list = el("div");
  const refresh = () => {
    const wanted = withRole(page.draft, "quasi-identifier");
    for (const index of wanted) {
      if (!editors.has(index)) editors.set(index, editor(page, index));
    }
    set(list, wanted.length ? wanted.map((index) => editors.get(index).node)
      : el("p", { class: "soft" }, t("trees.none")));
  };
  page.on("roles", refresh);
  page.on("survey", refresh);
  page.on("restored", () => {
    for (const [index, one] of editors) if (one.isStale()) editors.delete(index);
    refresh();
  });
  refresh();
  const told = el("div");
  const files = el("input", {
    type: "file", accept: ".csv,.txt", multiple: true, "data-test": "tree-files",
    onchange: async () => {
      await takeHierarchies(page, [...files.files], told);
      files.value = "";
    },
  });
  return el("details", { "data-test": "hierarchies" },
    el("summary", null, t("trees.heading")),
    el("p", null, t("trees.what"), " ", term("hierarchy")),
    field(t("trees.several"), files, t("trees.several_hint")), told,
    list);
}

function editor(page, index) {
  const column = page.look.columns[index];
  const path = `/files/${checked(page.id)}/trees`;
  const nodes = {
    what: el("span", { class: "soft" }),
    told: el("div", { "data-test": "tree-coverage", "aria-live": "polite" }),
    view: el("div", { class: "scroll" }),
    sight: el("div"),
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
  let shown = JSON.stringify(page.draft.trees[index]); // what this editor shows
  const chosen = () => page.draft.trees[index];
  const choose = (tree) => {
    shown = JSON.stringify(tree);
    page.change("trees", (draft) => { draft.trees[index] = tree; }, `tree-${index}`);
  };

  function summarize(tree = null) {
    const own = chosen();
    const what = own === null ? t("trees.automatic", { rule: automaticRule(column) })
      : own.rule ?? t(own.id ? "trees.text" : "trees.text_open");
    set(nodes.what, what, tree ? `; ${treeNumbers(tree)}` : "");
  }

  async function ask(body) {
    turn += 1;
    const mine = turn;
    set(nodes.told, el("p", { class: "soft" }, t("trees.checking")));
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
        ? t("trees.long") : "";
    }
    summarize(tree);
  }

  async function build(rule, bySightNow = false) {
    later.cancel();
    const tree = await ask({ rule: rule || automaticRule(column) });
    if (!tree) return;
    choose(rule ? { rule } : null);
    nodes.rule.value = rule;
    show(tree, true);
    if (!bySightNow) showSight();
  }

  function edited() {
    turn += 1; // an answer that is under way is about another text
    choose({ id: null, text: nodes.text.value }); // a run must wait for the check
    nodes.rule.value = "";
    summarize();
    later();
  }

  async function check() {
    later.cancel();
    const text = nodes.text.value;
    const tree = await ask({ text });
    if (!tree) return;
    choose({ id: tree.id ? checked(tree.id) : null, text });
    show(tree, false);
  }
  const later = debounced(600, check);

  /** Show the fields that make it by sight: with what the column has now. */
  function showSight() {
    const sight = bySight(page, column, {
      rule: () => chosen()?.rule ?? (chosen() ? "" : automaticRule(column)),
      text: () => (chosen() && !chosen().rule ? nodes.text.value : ""),
      build: (rule) => build(rule, true),
      give: (text) => {
        nodes.text.value = text;
        choose({ id: null, text });
        nodes.rule.value = "";
        check();
      },
    });
    set(nodes.sight, sight);
    return sight !== null;
  }

  async function load() {
    loaded = true;
    const own = chosen();
    if (own?.text !== undefined && own?.text !== null) nodes.text.value = own.text;
    const seen = own === null || /^(?:cuts|prefixes|dates)\b/.test(own.rule ?? "");
    expert.open = !showSight() || !seen;
    if (own?.text !== undefined && own?.text !== null) {
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
      set(nodes.told, problem(t("trees.large")));
      return;
    }
    const reader = new FileReader();
    reader.addEventListener("load", () => {
      nodes.text.value = reader.result;
      choose({ id: null, text: reader.result });
      nodes.rule.value = "";
      check();
    });
    reader.addEventListener("error", () =>
      set(nodes.told, problem(t("file.unreadable"))));
    reader.readAsText(file);
  }

  const expert = el("details", { "data-test": "tree-expert" },
    el("summary", null, t("trees.expert")),
    ruleFields(column, nodes.rule, build), textFields(nodes.text, check, readFile));
  const whole = el("details", {
    class: "card editor",
    ontoggle: () => whole.open && !loaded && load(),
  },
  el("summary", { "data-test": "tree-open" }, name(column.name), " ", nodes.what),
  nodes.told,
  el("div", { class: "halves" },
    el("div", null, nodes.sight, expert),
    el("div", null, el("h3", null, t("trees.tree")), nodes.view)));
  const own = chosen();
  if (own && !own.rule && !page.file.trees.some((tree) => tree.id === own.id)) {
    // What the server no longer has must be given again, or is forgotten.
    page.note((draft) => {
      draft.trees[index] = own.text === null ? null : { id: null, text: own.text };
    });
    if (own.text !== null) load();
  }
  shown = JSON.stringify(chosen());
  summarize();
  return { node: whole, isStale: () => shown !== JSON.stringify(chosen()) };
}

function ruleFields(column, input, build) {
  const rules = rulesFor(column);
  const kind = has(`kind.${column.kind}`) ? t(`kind.${column.kind}`) : column.kind;
  const hints = el("ul", { class: "plain rules" }, rules.map(([rule, what]) =>
    el("li", null,
      el("button", { type: "button", class: "small", onclick: () => build(rule) }, rule),
      el("span", { class: "hint" }, ` ${what}`))));
  return el("fieldset", null,
    el("legend", null, t("trees.by_rule")),
    field([t("field.hierarchies"), ` (${kind})`], input, hints),
    el("div", { class: "actions" },
      el("button", {
        type: "button", "data-test": "tree-build", onclick: () => build(input.value.trim()),
      }, t("trees.build")),
      el("button", { type: "button", class: "quiet", onclick: () => build("") },
        t("trees.back"))));
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
    el("legend", null, t("trees.as_text")),
    field(t("trees.lines"), text, t("trees.lines_hint")),
    el("div", { class: "actions" },
      el("button", { type: "button", "data-test": "tree-check", onclick: check }, t("trees.check"))),
    field(t("trees.from_file"), file));
}
