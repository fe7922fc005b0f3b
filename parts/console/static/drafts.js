// Drafts: unsaved input that the browser stores, without passwords.
import { caller, root } from "./session.js";

const key = (name) => `landform:draft:${root}:${caller.get()?.name}:${name}`;

/** Return a draft: `{changes, before, etag, time}`, or null. */
export function readDraft(name) {
  try {
    const draft = JSON.parse(localStorage.getItem(key(name)));
    return draft?.changes && draft.before ? draft : null;
  } catch {
    return null;
  }
}

/** Store a draft; return whether the browser could. */
export function keepDraft(name, draft) {
  try {
    localStorage.setItem(key(name), JSON.stringify({ ...draft, time: Date.now() }));
    return true;
  } catch {
    return false;
  }
}

export function dropDraft(name) {
  localStorage.removeItem(key(name));
}

/** Remove all drafts of the caller, at the end of a session. */
export function dropAll() {
  const keys = Object.keys(localStorage).filter((name) => name.startsWith(key("")));
  keys.forEach((name) => localStorage.removeItem(name));
}
