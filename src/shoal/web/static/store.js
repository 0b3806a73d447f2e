// The state of a page: one draft, changed in one way, with undo and redo, saved as it changes.

import { debounced, send } from "./api.js";
import { savable } from "./draft.js";

const MOST = 60; // changes that can be undone
const ONE = 1500; // ms within which typing into a field is one change
/** Every kind of change, by which parts of the page listen. */
const KINDS = ["roles", "types", "survey", "choose", "trees", "steps", "series", "compare"];

/**
 * @typedef {object} Store
 * @property {any} draft what was chosen; parts read it, and change it by `change` alone
 * @property {string} step the step that is shown
 * @property {(kind: string, call: () => void) => void} on
 * @property {(kind: string) => void} tell
 * @property {(kind: string, edit: (draft: any) => void, field?: string) => void} change
 * @property {() => void} undo
 * @property {() => void} redo
 */

/**
 * Return the store of a draft that is saved at an address; `onSaved` hears of errors, or null.
 * @returns {Store & Record<string, any>}
 */
export function makeStore(draft, path, onSaved) {
  const heard = new Map();
  const past = [];
  const future = [];
  let last = { field: null, at: 0 };
  const store = {
    draft,
    step: "",
    on(kind, call) {
      heard.set(kind, [...(heard.get(kind) ?? []), call]);
    },
    tell(kind) {
      for (const call of heard.get(kind) ?? []) call();
    },
    /** Change the draft; changes of one field in a row are one to undo. */
    change(kind, edit, field = null) {
      const before = structuredClone(draft);
      edit(draft);
      if (JSON.stringify(before) === JSON.stringify(draft)) return;
      const now = Date.now();
      const goesOn = field !== null && field === last.field && now - last.at < ONE;
      if (!goesOn) past.push(before);
      if (past.length > MOST) past.shift();
      future.length = 0;
      last = { field, at: now };
      store.tell(kind);
      store.tell("any");
      later();
    },
    /** Note something of the draft that nobody would want to undo. */
    note(edit) {
      edit(draft);
      later();
    },
    undo: () => swap(past, future),
    redo: () => swap(future, past),
    canUndo: () => past.length > 0,
    canRedo: () => future.length > 0,
    /** Take another draft as a whole, as one change. */
    replace(other) {
      store.change("any", () => Object.assign(draft, structuredClone(other)));
      restored();
    },
    async saved() {
      later.cancel();
      await send("PUT", path, savable(draft));
    },
  };
  function restored() {
    store.tell("restored");
    for (const kind of KINDS) store.tell(kind);
    store.tell("any");
  }
  function swap(from, to) {
    if (from.length === 0) return;
    to.push(structuredClone(draft));
    const { seen } = draft; // steps that were seen stay seen
    Object.assign(draft, from.pop(), { seen });
    last = { field: null, at: 0 };
    restored();
    later();
  }
  const later = debounced(500, async () => {
    try {
      await store.saved();
      onSaved(null);
    } catch (error) {
      onSaved(error);
    }
  });
  addEventListener("pagehide", () => {
    if (!later.waiting()) return;
    // keepalive outlives the page, but takes no more than 64 kB: longer drafts go without it.
    const body = savable(draft);
    const keepalive = JSON.stringify(body).length < 30_000;
    send("PUT", path, body, { keepalive }).catch(() => {});
  });
  return store;
}
