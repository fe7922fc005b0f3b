// The state of the console is its address: what is open, and every filter, after the `#`.
import { html, observable } from "./lib.js";

/** Return what an address names: `{path: ["pages", "3"], query: {status: "draft"}}`. */
function read() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return { path: path.split("/").filter(Boolean).map(safely), query: Object.fromEntries(new URLSearchParams(query)) };
}

function safely(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export const address = observable(read());
addEventListener("hashchange", () => address.set(read()));

/** Return the address of a screen, such as `to("pages/3")` or `to("pages", {status: "draft"})`. */
export function to(path, query = {}) {
  const filled = Object.entries(query).filter(([, value]) => value !== "" && value != null);
  return `#/${path}${filled.length ? `?${new URLSearchParams(filled)}` : ""}`;
}

/** Open a screen; with `replace` the one before is not gone back to. */
export function go(path, query, { replace = false } = {}) {
  const hash = to(path, query);
  if (replace) history.replaceState(null, "", hash);
  else history.pushState(null, "", hash);
  address.set(read());
}

/** Change some of the query of what is open. */
export function refine(changes, options) {
  const { path, query } = address.get();
  go(path.map(encodeURIComponent).join("/"), { ...query, ...changes }, options);
}

export const Link = ({ path, query, children, ...rest }) => html`<a href=${to(path, query)} ...${rest}>${children}</a>`;
