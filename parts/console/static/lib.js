// Preact with its hooks and htm, from the unchanged file in vendor/.
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
