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

let isSignedOut = false;
/** Store a draft, unless the caller has signed out; return whether the browser could. */
export function keepDraft(name, draft) {
  try {
    if (isSignedOut) return true;
    localStorage.setItem(key(name), JSON.stringify({ ...draft, time: Date.now() }));
    return true;
  } catch {
    return false;
  }
}

export function dropDraft(name) {
  localStorage.removeItem(key(name));
}

const allKeys = () => Object.keys(localStorage).filter((name) => name.startsWith(key("")));
export const hasDrafts = () => allKeys().length > 0;

/** Remove all drafts of the caller, at the end of a session. */
export function dropAll() {
  isSignedOut = true;
  allKeys().forEach((name) => localStorage.removeItem(name));
}
