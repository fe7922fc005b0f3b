// Preact, its hooks and htm, from the unchanged files in vendor/.
const { h, render } = self.preact;
export const { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } = self.preactHooks;
export const html = self.htm.bind(h);
export { render };

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

/** Return a value once it has not changed for some milliseconds. */
export function useSettled(value, milliseconds) {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}
