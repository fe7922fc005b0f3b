// The address after the `#` is the state of the console: the open screen and its filters.
import { html, observable } from "./lib.js";

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
addEventListener("hashchange", () => address.set(read()));

/** Return the address of a screen, as in `to("pages/3")` or `to("pages", {status: "draft"})`. */
export function to(path, query = {}) {
  const filled = Object.entries(query).filter(([, value]) => value !== "" && value != null);
  return `#/${path}${filled.length ? `?${new URLSearchParams(filled)}` : ""}`;
}

/** Open a screen; with `replace` it takes the place of the present one in the history. */
export function go(path, query, { replace = false } = {}) {
  const hash = to(path, query);
  if (replace) history.replaceState(null, "", hash);
  else history.pushState(null, "", hash);
  address.set(read());
}

/** Change a part of the query of the open screen. */
export function refine(changes, options) {
  const { path, query } = address.get();
  go(path.map(encodeURIComponent).join("/"), { ...query, ...changes }, options);
}

export const Link = ({ path, query, children, ...attrs }) => html`<a href=${to(path, query)} ...${attrs}>${children}</a>`;
