// The one door to the server: JSON in both directions, errors as one line.

import { relabeled, t } from "./words.js";

const HEX = /^[0-9a-f]{1,64}$/;
const LINK = /^\/links\/[\w-]{20,100}$/;

/** Return the header that opens the server to this tab; nothing goes along by itself. */
function secret() {
  let token = null;
  try {
    token = sessionStorage.getItem("shoal-token");
  } catch {
    // Storage may be off; the server then refuses.
  }
  if (token === null) throw refusal(403, t("api.foreign"));
  return { Authorization: `Bearer ${token}` };
}

/** @returns {Error & {status: number}} */
function refusal(status, said) {
  return Object.assign(new Error(said), { status });
}

/** Return an id if it is one; anything else must not become part of an address. */
export function checked(id) {
  if (!HEX.test(String(id))) throw new Error(t("api.address"));
  return String(id);
}

async function asked(path, options) {
  const headers = { ...options.headers, ...secret() };
  let answer;
  try {
    answer = await fetch(path, { credentials: "omit", cache: "no-store", ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error(t("api.silent"));
  }
  return read(answer.status, await answer.text().catch(() => ""));
}

function read(status, text) {
  let told = null;
  try {
    told = text === "" ? {} : JSON.parse(text);
  } catch {
    // What is no JSON is judged by its status below.
  }
  if (status >= 200 && status < 300 && told !== null) return told;
  const said = status === 403 ? t("api.foreign") : t("api.status", { status });
  throw refusal(status, typeof told?.error === "string" ? relabeled(told.error) : said);
}

/** Return the JSON at an address. */
export function get(path, signal) {
  return asked(path, { signal });
}

/** Send a request that changes something; return what the server says. */
export function send(method, path, body, more = {}) {
  return asked(path, {
    method,
    headers: { "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
    ...more,
  });
}

/** Yield the lines of JSON that come at an address, until it ends. */
export async function* lines(path, signal) {
  let answer;
  try {
    answer = await fetch(path, {
      credentials: "omit", cache: "no-store", headers: secret(), signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error(t("api.silent"));
  }
  const { status, ok, body } = answer;
  if (!ok || !body) throw refusal(status, t("api.status", { status }));
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n");
    rest = parts.pop();
    for (const part of parts) if (part) yield JSON.parse(part);
  }
}

/** Upload a file as it is read from the disk; `onProgress` hears the share that is sent. */
export function upload(file, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest(); // fetch tells nothing of how far an upload is
    request.open("POST", `/files?${new URLSearchParams({ name: file.name })}`);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    for (const [key, value] of Object.entries(secret())) request.setRequestHeader(key, value);
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) onProgress(event.loaded / event.total);
    });
    request.addEventListener("load", () => {
      try {
        resolve(read(request.status, request.responseText));
      } catch (error) {
        reject(error);
      }
    });
    request.addEventListener("error", () => reject(new Error(t("api.silent"))));
    request.addEventListener("abort", () => reject(new Error(t("api.stopped"))));
    request.send(file);
  });
}

/** Return an address of a job's file that works once: for what the browser itself asks for. */
export async function linkTo(job, name, page = false) {
  const { path } = await send("POST", `/jobs/${checked(job)}/links`, { name, page });
  if (!LINK.test(path)) throw new Error(t("api.address"));
  return path;
}

/** Wait so many milliseconds. */
export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Return a function that calls another once nobody has called it for so many milliseconds. */
export function debounced(ms, call) {
  let timer = 0;
  const later = (wait = ms) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = 0;
      call();
    }, wait);
  };
  later.waiting = () => timer !== 0;
  later.cancel = () => {
    clearTimeout(timer);
    timer = 0;
  };
  return later;
}
