// What is typed and not yet saved: kept by the browser until it is, but for passwords.
import { caller, root } from "./session.js";

const key = (name) => `landform:draft:${root}:${caller.get()?.name}:${name}`;

/** Return what was typed: `{values, etag, time}`, or null. */
export function readDraft(name) {
  try {
    return JSON.parse(localStorage.getItem(key(name)));
  } catch {
    return null;
  }
}

/** Keep what is typed; return whether that was possible. */
export function keepDraft(name, { values, etag }) {
  const { password, ...kept } = values;
  try {
    localStorage.setItem(key(name), JSON.stringify({ values: kept, etag, time: Date.now() }));
    return true;
  } catch {
    return false;
  }
}

export function dropDraft(name) {
  localStorage.removeItem(key(name));
}

/** Forget what the caller has typed, at the end of a session. */
export function dropAll() {
  const own = Object.keys(localStorage).filter((name) => name.startsWith(key("")));
  own.forEach((name) => localStorage.removeItem(name));
}
