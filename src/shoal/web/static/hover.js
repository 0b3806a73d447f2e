// What a chart says of the place under the pointer: an element of our own, by the page's policy.

import { el, name, set } from "./dom.js";
import { figure } from "./format.js";
import { charted } from "./words.js";

const MOST = 8; // lines
const HIDDEN = new Set(["place", "order"]);
let box = null;

function place(event) {
  const room = 12;
  const { offsetWidth: width, offsetHeight: height } = box;
  const left = Math.min(event.clientX + room, innerWidth - width - 4);
  const above = event.clientY + room + height > innerHeight;
  box.style.left = `${Math.max(4, left)}px`;
  box.style.top = `${Math.max(4, above ? event.clientY - height - room : event.clientY + room)}px`;
}

/** Show the figures of a mark, as the library of charts calls for it; hide them without any. */
export function hover(_handler, event, _item, value) {
  box ??= document.body.appendChild(el("div", {
    class: "hover onscreen", "aria-hidden": "true", hidden: true, "data-test": "hover" }));
  if (value === null || value === undefined || value === "") {
    box.hidden = true;
    return;
  }
  const pairs = typeof value === "object" ? Object.entries(value) : [["", value]];
  set(box, pairs.filter(([key]) => !HIDDEN.has(key)).slice(0, MOST).map(([key, own]) =>
    el("div", null, key && el("span", { class: "soft" }, `${charted(key)}: `),
      typeof own === "number" ? figure(own) : name(String(own), 60))));
  box.hidden = false;
  place(event);
}
