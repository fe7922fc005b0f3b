// The choice between two versions of a page that two people have changed.
import { html, useState } from "./lib.js";
import { Choice } from "./ui.js";

const text = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

/** Return pairs of a path and a value, for the fields of a page and of its meta. */
const flat = ({ meta = {}, ...fields }) => [
  ...Object.entries(fields).map(([name, value]) => [name, value]),
  ...Object.entries(meta).map(([name, value]) => [`meta.${name}`, value]),
];

const valueAt = (values, path) => path.split(".").reduce((value, name) => value[name], values);

/** Return the changes whose paths are chosen. */
function pick(changes, isChosen) {
  const picked = {};
  for (const [path, value] of flat(changes)) {
    const [name, key] = path.split(".");
    if (isChosen(path) && key) picked.meta = { ...picked.meta, [key]: value };
    else if (isChosen(path)) picked[name] = value;
  }
  return picked;
}

export function Conflict({ base, changes, theirs, resolve }) {
  const [choices, setChoices] = useState({});
  const yours = flat(changes);
  const othersOnly = flat(theirs).filter(([path, value]) => text(value) !== text(valueAt(base, path)) && !yours.some(([name]) => name === path));
  return html`<section class="problem" role="alert" aria-labelledby="conflict">
    <h2 id="conflict">Somebody else has saved this page meanwhile</h2>
    <p>Nothing was overwritten. These fields you have changed; choose which version to go on with.
      ${othersOnly.length > 0 && ` Changed by others only, and kept: ${othersOnly.map(([path]) => path).join(", ")}.`}</p>
    ${yours.map(([path, value]) => {
      const stored = valueAt(theirs, path);
      return html`<h3>${path}</h3>
        <div class="versions"><div><h4>Yours</h4><pre>${text(value)}</pre></div><div><h4>Stored now</h4><pre>${text(stored)}</pre></div></div>
        <${Choice} label="Go on with, for ${path}" name="keep-${path}" value=${choices[path] || "yours"} options=${[["yours", "yours"], ["stored", "what is stored"]]}
          change=${(choice) => setChoices({ ...choices, [path]: choice })} />`;
    })}
    <button type="button" class="main" onClick=${() => resolve(pick(changes, (path) => choices[path] !== "stored"))}>Go on with these</button>
  </section>`;
}
