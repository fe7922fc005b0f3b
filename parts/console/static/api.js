// The HTTP API: every request of the console goes through `call`. The signed-in caller: the credentials are in memory and, if
// the user chooses so, in sessionStorage. And the times of the site, whose time zone may be another one than that of the browser.
import { observable } from "./lib.js";

/** What the page says. `signIn`: how callers sign in, `local` (not at all), `session` (at the host), or `credentials`. */
export const { parts, root, signIn, timezone, title } = document.documentElement.dataset;
const KEY = `landform:credentials:${root}`;
// Where a tab finds the credentials of the tab that has opened it, once.
const HANDED = `${KEY}:handed`;
let current = signIn === "credentials" ? JSON.parse(sessionStorage.getItem(KEY) || sessionStorage.getItem(HANDED)) : null;
sessionStorage.removeItem(HANDED);

/** The caller as `GET /whoami` returns it, or null. */
export const caller = observable(null);
/** The open dialog to sign in: `{error, done, answer}`, or null. */
export const question = observable(null);

/** Return the headers of the credentials. */
function credentials() {
  if (!current) return {};
  const { name, secret } = current;
  if (!name) return { "X-API-Key": secret };
  const bytes = new TextEncoder().encode(`${name}:${secret}`);
  return { Authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` };
}

/** Wait until the user has signed in, unless the credentials of a request have been replaced already. */
function askToSignIn(error, authorization) {
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
export const hasPart = (part) => parts.split(" ").includes(part);

/** Return whether the caller has a scope. */
export const may = (scope) => Boolean(caller.get()?.scopes.includes(scope));

/** An error of the service: its message, code and status, and `params`, the messages by field. */
class ApiError extends Error {
  constructor(status, body = {}) {
    super(body.message || `The service responded with the status ${status}.`);
    this.status = status;
    this.code = body.code || "";
    const { params = {} } = body.data || {};
    this.params = Array.isArray(params) ? Object.fromEntries(params.map((name) => [name, "is missing"])) : params;
  }
}

/**
 * Send a request with a JSON body, and return `{data, headers, status}`.
 * After a 401 the user signs in, and the request is sent again. Throws an `ApiError`, with the
 * status 0 if there was no response. `blob`: the data are a `Blob` of any type.
 * @param {string} method
 * @param {string} path
 * @param {{query?: object, body?: any, headers?: object, signal?: AbortSignal, blob?: boolean}} [options]
 */
export async function call(method, path, { query = {}, body, headers = {}, signal, blob = false } = {}) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of [value].flat()) if (item !== "" && item != null) parameters.append(Array.isArray(value) ? `${name}[]` : name, item);
  }
  const url = `${root}${path}${parameters.size ? `?${parameters}` : ""}`;
  for (;;) {
    const authorization = credentials();
    const response = await send(url, {
      method, signal,
      headers: { Accept: "application/json", ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...authorization, ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
      // The login of a host is a cookie. Otherwise the browser must not add its own credentials.
      credentials: signIn === "session" ? "same-origin" : "omit",
      cache: "no-store", redirect: "error", referrerPolicy: "no-referrer",
    });
    if (response.ok && blob) return { data: await response.blob(), headers: response.headers, status: response.status };
    const text = response.status === 204 ? "" : await response.text();
    const data = parse(text);
    if (response.ok) return { data, headers: response.headers, status: response.status };
    const error = new ApiError(response.status, data || undefined);
    if (response.status !== 401) throw error;
    await askToSignIn(error, authorization);
  }
}

/**
 * Upload a file as a body, and return `{data}`; `progress` gets the part that was sent, from 0 to 1.
 * @param {string} path
 * @param {Blob} file
 * @param {string} name
 * @param {(part: number) => void} progress
 */
export async function upload(path, file, name, progress) {
  const authorization = credentials();
  const request = new XMLHttpRequest();
  request.open("POST", `${root}${path}`);
  const sent = { ...authorization, Accept: "application/json", "Content-Type": file.type || "application/octet-stream", "Content-Disposition": `attachment; filename*=UTF-8''${encodeURIComponent(name)}` };
  for (const [header, value] of Object.entries(sent)) request.setRequestHeader(header, value);
  request.upload.onprogress = ({ loaded, total }) => progress(loaded / total);
  const status = await new Promise((resolve) => {
    request.onloadend = () => resolve(request.status);
    request.send(file);
  });
  const data = parse(request.responseText);
  if (status === 201) return { data };
  if (!status) throw new ApiError(0, { message: "The service cannot be reached. Try again.", code: "unreachable" });
  const error = new ApiError(status, data || undefined);
  if (status !== 401) throw error;
  await askToSignIn(error, authorization);
  return upload(path, file, name, progress);
}

async function send(url, options) {
  try {
    return await fetch(url, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, { message: "The service cannot be reached. Nothing was lost: try again.", code: "unreachable" });
  }
}

// Numbers of forms that a script would round; they become texts.
const LONG_FORMS = /("form_id":\s*)(\d{16,})/g;

function parse(text) {
  try {
    return text ? JSON.parse(text.replace(LONG_FORMS, '$1"$2"')) : null;
  } catch {
    return null;
  }
}

export const get = (path, query, options) => call("GET", path, { query, ...options });
export const post = (path, body = {}, options) => call("POST", path, { body, ...options });
export const put = (path, body, options) => call("PUT", path, { body, ...options });
export const patch = (path, body, options) => call("PATCH", path, { body, ...options });
export const remove = (path, options) => call("DELETE", path, options);

/** @type {{text?: string, key?: string}} */
let pending = {};

/** Create a resource. After a lost response the same key is sent again, so that only one is created. */
export async function create(path, body) {
  const text = `${path} ${JSON.stringify(body)}`;
  if (pending.text !== text) pending = { text, key: crypto.getRandomValues(new Uint32Array(4)).join("-") };
  const response = await post(path, body, { headers: { "Idempotency-Key": pending.key } });
  if (pending.text === text) pending = {};
  return response;
}

/** Get a list: its `items`, their total number, and the number of pages of results. */
export async function list(path, query) {
  const { data, headers } = await get(path, query);
  return { items: data, total: +headers.get("X-WP-Total"), pages: +headers.get("X-WP-TotalPages"), etag: headers.get("ETag") };
}

// The largest number of writes in a batch.
const BATCH = 25;

/** Send writes in batches; return `{status, body}` of each. */
export async function batch(requests) {
  const responses = [];
  for (let start = 0; start < requests.length; start += BATCH) responses.push(...(await post("/batch/v1", { requests: requests.slice(start, start + BATCH) })).data.responses);
  return responses;
}

const CLOCK = new Intl.DateTimeFormat("sv-SE", { timeZone: timezone, dateStyle: "short", timeStyle: "medium" });
/** @type {Intl.DateTimeFormatOptions} */
const MINUTE = { year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" };

/** Return a date as the service writes local times of the site, such as `2026-01-31T12:00:00`; "" for an invalid date. */
export const local = (date) => (Number.isNaN(+date) ? "" : CLOCK.format(date).replace(" ", "T").padStart(19, "0"));

/** Return a time of the service in UTC, such as `2026-01-31 12:00:00`, in the local time of the site. */
export const fromUtc = (text) => local(new Date(`${text.replace(" ", "T")}Z`));

/** Return the date of a local time of the site. */
export function fromLocal(text) {
  const asUtc = Date.parse(`${text}Z`);
  // The offset at that time may differ from the one at the first guess.
  const offsetAt = (time) => Date.parse(`${local(new Date(time))}Z`) - time;
  return new Date(asUtc - offsetAt(asUtc - offsetAt(asUtc)));
}

/** Return a local time of the site in the time zone of the browser, or "" if both zones agree then. */
export function inBrowserZone(text) {
  const date = fromLocal(text.length === 10 ? `${text}T00:00:00` : text);
  if (Number.isNaN(+date)) return "";
  const [here, there] = [undefined, timezone].map((timeZone) => date.toLocaleString("en-GB", { ...MINUTE, timeZone }));
  return here === there ? "" : `${here} (${Intl.DateTimeFormat().resolvedOptions().timeZone})`;
}

/** Return a bound of a window (`starts` or `ends`) in local time; a window includes its last day. */
export function localBound(verb, text) {
  const [day, time] = [text.slice(0, 10), text.slice(11)];
  if (!time) return day && `${day}T${verb === "ends" ? "24" : "00"}:00:00`;
  const offset = /(Z|[+-]\d\d)(?::?(\d\d))?$/i.exec(time);
  if (!offset) return `${day}T${time}`;
  const zone = offset[1].length > 1 ? `${offset[1]}:${offset[2] || "00"}` : "Z";
  return local(new Date(`${day}T${time.slice(0, offset.index)}${zone}`));
}
