// The signed-in caller. The credentials are in memory and, if the user chooses so, in sessionStorage.
import { observable } from "./lib.js";

/** How callers sign in: `local` (not at all), `session` (at the host), or `credentials`. */
export const { signIn, root } = document.documentElement.dataset;
const parts = document.documentElement.dataset.parts.split(" ");
const KEY = `landform:credentials:${root}`;
// Where a tab finds the credentials of the tab that has opened it, once.
const HANDED = `${KEY}:handed`;
const stored = signIn === "credentials" ? JSON.parse(sessionStorage.getItem(KEY) || sessionStorage.getItem(HANDED) || "null") : null;
sessionStorage.removeItem(HANDED);

let current = stored;
/** The caller as `GET /whoami` returns it, or null. */
export const caller = observable(null);
/** The open dialog to sign in: `{error, done, answer}`, or null. */
export const question = observable(null);

/** Return the headers of the credentials. */
export function credentials() {
  if (!current) return {};
  const { name, secret } = current;
  if (!name) return { "X-API-Key": secret };
  const bytes = new TextEncoder().encode(`${name}:${secret}`);
  return { Authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` };
}

/** Wait until the user has signed in, unless the credentials of a request have been replaced already. */
export function askToSignIn(error, authorization) {
  if (JSON.stringify(authorization) !== JSON.stringify(credentials())) return Promise.resolve();
  const open = question.get();
  if (open) {
    // The new credentials were refused: show this in the same dialog.
    question.set({ ...open, error });
    return open.done;
  }
  let answer;
  const done = new Promise((resolve) => (answer = resolve));
  question.set({ error: Object.keys(authorization).length ? error : null, done, answer });
  return done;
}

/** Use credentials from now on, and repeat the requests that wait for them. */
export function use(name, secret, keep) {
  current = secret ? { name, secret } : null;
  if (keep && current) sessionStorage.setItem(KEY, JSON.stringify(current));
  else sessionStorage.removeItem(KEY);
  const open = question.get();
  question.set(null);
  open?.answer();
}

/**
 * Open an address of the console in a new tab, which is signed in too: it begins with a copy of
 * this sessionStorage. No other window can ask for the credentials.
 */
export function openTab(url) {
  if (current) sessionStorage.setItem(HANDED, JSON.stringify(current));
  const tab = open(url);
  sessionStorage.removeItem(HANDED);
  if (tab) tab.opener = null;
  return tab;
}

export function signOut() {
  current = null;
  sessionStorage.removeItem(KEY);
  location.reload();
}

/** What parts bring to the screens of others: components and functions by their names. */
export const additions = {};
/** Return whether the service has a part, such as `runs`. */
export const hasPart = (part) => parts.includes(part);

/** Return whether the caller has a scope. */
export const may = (scope) => Boolean(caller.get()?.scopes.includes(scope));
