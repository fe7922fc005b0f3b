// The bar of an editor, which stays in view: the state, whether all is saved, and the actions.
import { html, useEffect, useRef } from "./lib.js";
import { Problem } from "./ui.js";

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
  const drop = () => {
    discard();
    // The button that was pressed goes with the changes.
    document.querySelector("h1").focus({ preventScroll: true });
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
      ${!disabled && isChanged && html`<button type="button" onClick=${drop} disabled=${isSaving}>Discard changes</button>`}
      ${!disabled && html`<button type="button" class="main" onClick=${act} aria-disabled=${isSaving || !isChanged || undefined} disabled=${Boolean(conflict)}>${label}</button>`}</div>
    ${!edited.canBeKept && html`<p class="field-error">The browser cannot keep what you type until it is saved: there is too much of it.</p>`}
    <${Problem} error=${error} fields=${fields} />
  </div>`;
}
