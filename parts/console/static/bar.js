// The bar of an editor, which stays in view: the state, whether all is saved, and the actions. And the choice between two
// versions of what two people have changed: only what differs.
import { html, useEffect, useRef, useState } from "./lib.js";
import { flat } from "./document.js";
import { Choice, Problem, displayTime } from "./ui.js";

/** Return a time of today, or another date. */
const timeOf = (date) => (date.toDateString() === new Date().toDateString() ? date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }) : date.toLocaleDateString());

/** Lead to the first field that has a message. */
function showField() {
  const field = /** @type {HTMLElement} */ (document.querySelector("main [aria-invalid]"));
  const folded = field?.closest("details");
  if (folded) folded.open = true;
  field?.focus();
}

/**
 * `state` says who sees what is stored; `fields` show their own messages. A refused save leads to
 * its field. Ctrl+S saves, wherever the focus is.
 */
export function Bar({ document: edited, state, label = "Save", fields, disabled, children }) {
  const { isChanged, isSaving, savedAt, save, discard, conflict, error } = edited;
  const act = () => {
    // The value of a date that is not complete is empty: the browser says so at the field.
    const inputs = /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("main input"));
    const unfinished = [...inputs].find(({ validity }) => validity.badInput);
    return unfinished ? unfinished.reportValidity() : save();
  };
  const latest = useRef();
  latest.current = () => disabled || act();
  useEffect(() => {
    const listen = (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== "s") return;
      event.preventDefault();
      latest.current();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
  useEffect(() => {
    if (error?.params) showField();
  }, [error]);
  const progress = isSaving ? "Saving …" : isChanged ? "Unsaved changes" : savedAt ? `Saved ${timeOf(savedAt)}` : "";
  return html`<div class="bar edit-bar" role="region" aria-label="State and actions">
    ${state && html`<strong>${state}</strong>`}
    <span class=${isChanged ? "unsaved" : "hint"}>${progress}</span>
    <div class="actions">${children}
      ${!disabled && isChanged && html`<button type="button" onClick=${discard} disabled=${isSaving}>Discard changes</button>`}
      ${!disabled && html`<button type="button" class="main" onClick=${act} aria-disabled=${isSaving || !isChanged || undefined} disabled=${Boolean(conflict)}>${label}</button>`}</div>
    ${!edited.canBeKept && html`<p class="field-error">The browser cannot keep what you type until it is saved: there is too much of it.</p>`}
    <${Problem} error=${error} fields=${fields} />
  </div>`;
}

const text = (value) => (value === undefined || value === "" ? "–" : typeof value === "string" ? value : JSON.stringify(value, null, 2));

/** Return the lines that the other text has not, with `…` for all between; or all, if only their order differs. */
function differing(value, other) {
  const [lines, others] = [text(value), text(other)].map((all) => all.split("\n"));
  const [own, known] = [new Set(lines), new Set(others)];
  if (lines.every((line) => known.has(line)) && others.every((line) => own.has(line))) return text(value);
  return lines.map((line) => (known.has(line) ? "…" : line)).filter((line, place, all) => line !== "…" || all[place - 1] !== "…").join("\n");
}

/** `what` is the noun of the document; `names` has the labels of fields by their paths, and `shown` returns how a value is shown. */
export function Conflict({ document: { conflict, changes, resolve }, what, names = {}, shown = (_path, value) => value }) {
  const [choices, setChoices] = useState({});
  const heading = useRef();
  useEffect(() => heading.current.focus(), []);
  const { theirs, paths, others } = conflict;
  const stored = flat(theirs.values);
  const nameOf = (path) => names[path] || path;
  const { by, at } = theirs.lastWrite || {};
  const version = (title, value, other) => html`<div><h4>${title}</h4><pre>${differing(value, other)}</pre></div>`;
  return html`<section class="problem" aria-labelledby="conflict">
    <div role="alert"><h2 id="conflict" tabindex="-1" ref=${heading}>${by ? `Author ${by}` : "Somebody else"} has saved this ${what} meanwhile</h2>
    <p>${at && `Saved ${displayTime(`${at}Z`)}. `}Nothing was overwritten. Both of you have changed ${paths.length === 1 ? "this field" : "these fields"}: choose which version to go on with. All else is joined.
      ${others.length > 0 && ` Changed by others only, and kept: ${others.map(nameOf).join(", ")}.`}</p></div>
    ${paths.map((path) => [path, shown(path, changes[path]), shown(path, stored[path])]).map(([path, own, other]) => html`<h3>${nameOf(path)}</h3>
        <div class="versions">${version("Yours", own, other)}${version("Stored now", other, own)}</div>
        <${Choice} label="Go on with, for ${nameOf(path)}" name="keep-${path}" value=${choices[path] || "yours"} options=${[["yours", "yours"], ["stored", "what is stored"]]}
          change=${(choice) => setChoices({ ...choices, [path]: choice })} />`)}
    <button type="button" class="main" onClick=${() => { resolve((path) => choices[path] !== "stored"); globalThis.document.querySelector("h1").focus(); }}>Go on with these</button>
  </section>`;
}
