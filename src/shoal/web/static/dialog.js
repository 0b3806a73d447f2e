// A question that must be answered before something is lost.

import { el } from "./dom.js";
import { t } from "./words.js";

/** Ask; return whether the answer was yes. Escape and a click on the other button mean no. */
export function confirmed(question, explanation, yes, no = t("dialog.keep")) {
  return new Promise((resolve) => {
    const harmless = el("button", { type: "button", onclick: () => box.close("no") }, no);
    const box = el("dialog", { "aria-labelledby": "question", "data-test": "dialog" },
      el("h2", { id: "question" }, question),
      el("p", null, explanation),
      el("div", { class: "actions" },
        el("button", {
          type: "button", class: "danger", "data-test": "confirm", onclick: () => box.close("yes"),
        }, yes),
        harmless));
    box.addEventListener("close", () => {
      box.remove();
      resolve(box.returnValue === "yes");
    });
    document.body.append(box);
    box.showModal();
    harmless.focus();
  });
}

/** Return a button that copies a text, and says that it did. */
export function copyButton(text, from) {
  const button = el("button", { type: "button", class: "small", onclick: copy }, t("dialog.copy"));
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = t("dialog.copied");
    } catch {
      getSelection().selectAllChildren(from); // no clipboard: at least it is selected
      button.textContent = t("dialog.selected");
    }
    setTimeout(() => (button.textContent = t("dialog.copy")), 2000);
  }
  return button;
}
