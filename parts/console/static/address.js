// The address after the `#` is the state of the console: the open screen and its filters.
import { html, observable } from "./lib.js";
import { openTab, signIn } from "./api.js";

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

/** Open a link in a new tab that is signed in. If that is refused, the browser opens it, and the tab asks to sign in. */
function openLink(event) {
  const link = event.target.closest('a[href^="#/"]');
  const isNewTab = event.button === 1 || (event.button === 0 && (event.ctrlKey || event.metaKey || event.shiftKey));
  if (link && isNewTab && openTab(link.href)) event.preventDefault();
}
if (signIn === "credentials") for (const type of ["click", "auxclick"]) addEventListener(type, openLink);
