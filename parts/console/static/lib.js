// Preact with its hooks and htm, from the unchanged file in vendor/, and what all modules use: values that components follow,
// and the address, which is the state of the console after the `#`: the open screen and its filters.
export const { html, render, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } = self.htmPreact;

let ids = 0;
/** Return an id of an element, which no other has. */
export const useId = () => useState(() => `id-${(ids += 1)}`)[0];

/** Return an object with a value; components that use it are rendered again when it changes. */
export function observable(value) {
  const listeners = new Set();
  const set = (next) => {
    value = next;
    listeners.forEach((listener) => listener(value));
  };
  const use = () => {
    const [, update] = useState(0);
    useEffect(() => {
      const listener = () => update((count) => count + 1);
      listeners.add(listener);
      return () => listeners.delete(listener);
    }, []);
    return value;
  };
  return { get: () => value, set, use, listen: (listener) => listeners.add(listener) };
}

/**
 * Load data when a screen opens and when `inputs` change: `{data, error, loading, reload}`.
 * The old data stay while the same inputs are loaded again, even if that fails.
 */
export function useLoad(load, inputs = []) {
  const [state, setState] = useState({ loading: true });
  const [count, setCount] = useState(0);
  const key = JSON.stringify(inputs);
  useEffect(() => {
    let isCurrent = true;
    setState((before) => ({ ...before, loading: true }));
    load().then(
      (data) => isCurrent && setState({ data, key, loading: false }),
      (error) => isCurrent && setState((before) => (before.key === key ? { ...before, error, loading: false } : { error, loading: false })),
    );
    return () => {
      isCurrent = false;
    };
  }, [...inputs, count]);
  return { ...state, reload: useCallback(() => setCount((before) => before + 1), []) };
}

/** Return a handler of an event that runs an action, if there is one, instead of what browsers do. */
export const instead = (act) => (event) => {
  event.preventDefault();
  act?.();
};

/** Return a number of things, such as `1 page` or `2,000 entries`. */
export const counted = (count, noun) => `${count.toLocaleString("en")} ${count === 1 ? noun : `${noun.replace(/y$/, "ie")}s`}`;

/** Return a value once it has not changed for some milliseconds. */
export function useSettled(value, milliseconds) {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}

/** Parse the address: `{path: ["pages", "3"], query: {status: "draft"}}`. */
function read() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return { path: path.split("/").filter(Boolean).map(decode), query: Object.fromEntries(new URLSearchParams(query)) };
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export const address = observable(read());
let isLost = null;
/** Ask the user before the screen or the console is left, as long as `question()` returns true. */
export const askBeforeLeaving = (question) => (isLost = question);
addEventListener("beforeunload", (event) => isLost?.() && event.preventDefault());
/** Return whether nothing would be lost, also by `willLose()`, or the user accepts it. */
export const mayLeave = (willLose = () => false) => !(isLost?.() || willLose()) || confirm("You have changes that are not saved. Leave without them?");
let shown = location.hash;
addEventListener("hashchange", () => {
  const next = read();
  if (String(next.path) !== String(address.get().path) && !mayLeave()) {
    history.pushState(null, "", shown || "#/");
    return;
  }
  shown = location.hash;
  address.set(next);
});

/** Return the address of a screen, as in `to("pages/3")` or `to("pages", {status: "draft"})`. */
export function to(path, query = {}) {
  const filled = Object.entries(query).filter(([, value]) => value !== "" && value != null);
  return `#/${path}${filled.length ? `?${new URLSearchParams(filled)}` : ""}`;
}

/** Open a screen; with `replace` it takes the place of the present one in the history. */
export function go(path, query, { replace = false } = {}) {
  const hash = to(path, query);
  const isOther = path !== address.get().path.map(encodeURIComponent).join("/");
  if (isOther && !mayLeave()) return;
  if (replace) history.replaceState(null, "", hash);
  else history.pushState(null, "", hash);
  shown = hash;
  address.set(read());
}

/** Change a part of the query of the open screen. */
export function refine(changes, options) {
  const { path, query } = address.get();
  go(path.map(encodeURIComponent).join("/"), { ...query, ...changes }, options);
}

export const Link = ({ path, query, children, ...attrs }) => html`<a href=${to(path, query)} ...${attrs}>${children}</a>`;
