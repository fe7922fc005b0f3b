// The choice between two versions of what two people have changed: only what differs.
import { html, useState } from "./lib.js";
import { flat } from "./document.js";
import { Choice, displayTime } from "./ui.js";

const text = (value) => (value === undefined || value === "" ? "–" : typeof value === "string" ? value : JSON.stringify(value, null, 2));

/** `what` is the noun of the document; `names` has the labels of fields by their paths. */
export function Conflict({ document: { conflict, changes, resolve }, what, names = {} }) {
  const [choices, setChoices] = useState({});
  const { theirs, paths, others } = conflict;
  const stored = flat(theirs.values);
  const nameOf = (path) => names[path] || path;
  const { by, at } = theirs.lastWrite || {};
  return html`<section class="problem" role="alert" aria-labelledby="conflict">
    <h2 id="conflict">${by ? `Author ${by}` : "Somebody else"} has saved this ${what} meanwhile</h2>
    <p>${at && `Saved ${displayTime(at)} UTC. `}Nothing was overwritten. Both of you have changed ${paths.length === 1 ? "this field" : "these fields"}: choose which version to go on with.
      ${others.length > 0 && ` Changed by others only, and kept: ${others.map(nameOf).join(", ")}.`}</p>
    ${paths.map((path) => html`<h3>${nameOf(path)}</h3>
        <div class="versions"><div><h4>Yours</h4><pre>${text(changes[path])}</pre></div><div><h4>Stored now</h4><pre>${text(stored[path])}</pre></div></div>
        <${Choice} label="Go on with, for ${nameOf(path)}" name="keep-${path}" value=${choices[path] || "yours"} options=${[["yours", "yours"], ["stored", "what is stored"]]}
          change=${(choice) => setChoices({ ...choices, [path]: choice })} />`)}
    <button type="button" class="main" onClick=${() => { resolve((path) => choices[path] !== "stored"); globalThis.document.querySelector("h1").focus(); }}>Go on with these</button>
  </section>`;
}
