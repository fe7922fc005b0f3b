// Who is signed in. The credentials are in memory and, where that is asked for, in sessionStorage.
import { observable } from "./lib.js";

/** How callers sign in: `local` (not at all), `session` (at the host), or `credentials`. */
export const { signIn, root } = document.documentElement.dataset;
const parts = document.documentElement.dataset.parts.split(" ");
const KEY = `landform:credentials:${root}`;
const stored = signIn === "credentials" ? JSON.parse(sessionStorage.getItem(KEY) || "null") : null;

let current = stored;
/** The caller as `GET /whoami` returns it, or null. */
export const caller = observable(null);
/** The question to sign in that is open, or null. */
export const question = observable(null);

/** Return the headers with which requests are sent. */
export function credentials() {
  if (!current) return {};
  const { name, secret } = current;
  if (!name) return { "X-API-Key": secret };
  const bytes = new TextEncoder().encode(`${name}:${secret}`);
  return { Authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` };
}

/** Wait until somebody has signed in again, unless that has happened since a request was sent. */
export function askToSignIn(error, sent) {
  if (JSON.stringify(sent) !== JSON.stringify(credentials())) return Promise.resolve();
  const open = question.get();
  if (open) {
    // What was tried has failed: say so where it was asked.
    question.set({ ...open, error });
    return open.done;
  }
  let answer;
  const done = new Promise((resolve) => (answer = resolve));
  question.set({ error: Object.keys(sent).length ? error : null, done, answer });
  return done;
}

/** Use these credentials from now on, and send again what has waited for them. */
export function use(name, secret, keep) {
  current = secret ? { name, secret } : null;
  if (keep && current) sessionStorage.setItem(KEY, JSON.stringify(current));
  else sessionStorage.removeItem(KEY);
  const open = question.get();
  question.set(null);
  open?.answer();
}

export function signOut() {
  current = null;
  sessionStorage.removeItem(KEY);
  location.reload();
}

/** Return whether the service has a part, such as `runs`. */
export const hasPart = (part) => parts.includes(part);

/** Return whether the caller has a scope. */
export const may = (scope) => Boolean(caller.get()?.scopes.includes(scope));
