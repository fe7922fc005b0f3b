// The bar of an editor, which stays in view: the state, whether all is saved, and the actions.
import { html, useEffect, useRef } from "./lib.js";

const TIME = { hour: "2-digit", minute: "2-digit" };

/** Show the field with a problem that keeps the document from being saved. */
function showProblem() {
  const field = /** @type {HTMLElement} */ (document.querySelector("main [aria-invalid]"));
  for (let folded = field?.closest("details"); folded; folded = folded.parentElement.closest("details")) folded.open = true;
  field?.focus();
}

/**
 * `state` says who sees what is stored. `problem` is the message about a value that cannot be sent:
 * saving leads to its field. Ctrl+S saves, wherever the focus is.
 */
export function Bar({ document: edited, state, label = "Save", problem = "", disabled, children }) {
  const { isChanged, isSaving, savedAt, save, discard, conflict } = edited;
  const act = () => (problem ? showProblem() : save());
  const latest = useRef();
  latest.current = () => !disabled && isChanged && !isSaving && !conflict && act();
  useEffect(() => {
    const listen = (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== "s") return;
      event.preventDefault();
      latest.current();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
  const progress = isSaving ? "Saving …" : isChanged ? "Unsaved changes" : savedAt ? `Saved ${savedAt.toLocaleTimeString([], TIME)}` : "";
  return html`<div class="bar" role="region" aria-label="State and actions">
    ${state && html`<strong class="bar-state">${state}</strong>`}
    <span class=${isChanged ? "unsaved" : "hint"}>${progress}</span>
    <div class="actions">${children}
      ${!disabled && isChanged && html`<button type="button" onClick=${discard} disabled=${isSaving}>Discard changes</button>`}
      ${!disabled && html`<button type="button" class="main" onClick=${act} aria-disabled=${isSaving || !isChanged || undefined} disabled=${Boolean(conflict)}>${label}</button>`}</div>
  </div>`;
}
