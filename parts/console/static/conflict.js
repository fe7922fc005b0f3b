// Two people have changed one page: both versions, and which of them to go on with.
import { html, useState } from "./lib.js";
import { Choice } from "./ui.js";

const text = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

/** Return fields with those of the meta beside the others: pairs of a path and a value. */
const flat = ({ meta = {}, ...rest }) => [
  ...Object.entries(rest).map(([name, value]) => [name, value]),
  ...Object.entries(meta).map(([name, value]) => [`meta.${name}`, value]),
];

const at = (values, path) => path.split(".").reduce((found, name) => found[name], values);

/** Return the fields of `changes` that are kept. */
function pick(changes, isKept) {
  const chosen = {};
  for (const [path, value] of flat(changes)) {
    const [name, key] = path.split(".");
    if (isKept(path) && key) chosen.meta = { ...chosen.meta, [key]: value };
    else if (isKept(path)) chosen[name] = value;
  }
  return chosen;
}

export function Conflict({ base, changes, theirs, resolve }) {
  const [choices, setChoices] = useState({});
  const yours = flat(changes);
  const others = flat(theirs).filter(([path, value]) => text(value) !== text(at(base, path)) && !yours.some(([name]) => name === path));
  return html`<section class="problem" role="alert" aria-labelledby="conflict">
    <h2 id="conflict">Somebody else has saved this page meanwhile</h2>
    <p>Nothing was overwritten. These fields you have changed; choose which version to go on with.
      ${others.length > 0 && ` Changed by others only, and kept: ${others.map(([path]) => path).join(", ")}.`}</p>
    ${yours.map(([path, value]) => {
      const stored = at(theirs, path);
      return html`<h3>${path}</h3>
        <div class="versions"><div><h4>Yours</h4><pre>${text(value)}</pre></div><div><h4>Stored now</h4><pre>${text(stored)}</pre></div></div>
        <${Choice} label="Go on with, for ${path}" name="keep-${path}" value=${choices[path] || "yours"} options=${[["yours", "yours"], ["stored", "what is stored"]]}
          change=${(choice) => setChoices({ ...choices, [path]: choice })} />`;
    })}
    <button type="button" class="main" onClick=${() => resolve(pick(changes, (path) => choices[path] !== "stored"))}>Go on with these</button>
  </section>`;
}
