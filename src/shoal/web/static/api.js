// The one door to the server: JSON in both directions, errors as one line.

const SILENT = "The server does not answer; is `shoal serve` still running?";
const FOREIGN = "This page belongs to a server that is gone; open the address that `shoal serve` "
  + "printed.";
const HEX = /^[0-9a-f]{1,64}$/;

function token() {
  return document.querySelector('meta[name="shoal"]').content;
}

/** Return an id if it is one; anything else must not become part of an address. */
export function checked(id) {
  if (!HEX.test(String(id))) throw new Error("The server named something that has no address.");
  return String(id);
}

async function asked(path, options) {
  let answer;
  try {
    answer = await fetch(path, { credentials: "same-origin", cache: "no-store", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error(SILENT);
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
  const said = status === 403 ? FOREIGN : `The server answered with status ${status}.`;
  const error = new Error(typeof told?.error === "string" ? told.error : said);
  error.status = status;
  throw error;
}

/** Return the JSON at an address. */
export function get(path, signal) {
  return asked(path, { signal });
}

/** Send a request that changes something; return what the server says. */
export function send(method, path, body, more = {}) {
  return asked(path, {
    method,
    headers: { "Content-Type": "application/json", "X-Shoal": token() },
    body: body === undefined ? undefined : JSON.stringify(body),
    ...more,
  });
}

/** Upload a file as it is read from the disk; `onProgress` hears the share that is sent. */
export function upload(file, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest(); // fetch tells nothing of how far an upload is
    request.open("POST", `/files?${new URLSearchParams({ name: file.name })}`);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.setRequestHeader("X-Shoal", token());
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
    request.addEventListener("error", () => reject(new Error(SILENT)));
    request.addEventListener("abort", () => reject(new Error("The upload was stopped.")));
    request.send(file);
  });
}

/** Wait so many milliseconds. */
export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Return a function that calls another once nobody has called it for so many milliseconds. */
export function debounced(ms, call) {
  let timer = 0;
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = 0;
      call();
    }, ms);
  };
  later.waiting = () => timer !== 0;
  later.cancel = () => {
    clearTimeout(timer);
    timer = 0;
  };
  return later;
}
