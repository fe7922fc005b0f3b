// The history of a page: the changes of each write, and how to restore fields.
import { html, useEffect, useLoad, useRef, useState } from "./lib.js";
import { get, list, post } from "./api.js";
import { Link, go } from "./address.js";
import { titleOf } from "./pages.js";
import { may } from "./session.js";
import { Check, Loaded, Paging, Problem, Screen, Table, say, displayTime, useAction } from "./ui.js";

const PER_PAGE = 20;

/** The revisions of a page, and the changes of the one in the query. */
export function Revisions({ id, query }) {
  const state = useLoad(async () => {
    const [page, revisions] = await Promise.all([
      get(`/pages/${id}`, { context: "edit", _fields: "id,title.raw" }),
      list(`/pages/${id}/revisions`, { page: query.page, per_page: PER_PAGE, context: "edit", _fields: "id,modified,replaced_gmt,replaced_by,changed,title.raw" }),
    ]);
    return { page: page.data, ...revisions };
  }, [id, query.page]);
  return html`<${Loaded} state=${state}>${({ page, items, total, pages }) => html`
    <${Screen} title="History of ${titleOf(page)}" actions=${html`<${Link} path="pages/${id}">Back to the page<//>`}>
      ${query.revision && html`<${Revision} key=${query.revision} page=${id} id=${query.revision} />`}
      <${Table} caption="Revisions" rows=${items} empty="Nothing has been changed yet: a revision is kept with each write from now on." columns=${[
        { label: "Replaced", main: true, cell: (row) => html`<${Link} path="pages/${id}/revisions" query=${{ ...query, revision: row.id }} aria-current=${String(row.id) === query.revision ? "true" : undefined}>${displayTime(`${row.replaced_gmt}Z`)}<//>` },
        { label: "Changed", cell: (row) => row.changed.join(", ") },
        { label: "By author", cell: (row) => row.replaced_by },
        { label: "Title before", cell: (row) => row.title.raw },
      ]} />
      <${Paging} ...${{ pages, total }} what="revision" />
    <//>`}<//>`;
}

function Revision({ page, id }) {
  const state = useLoad(async () => (await get(`/pages/${page}/revisions/${id}`, { context: "edit", diff: 1 })).data, [id]);
  return html`<section class="card" aria-label="Revision ${id}"><${Loaded} state=${state}>${(revision) => html`<${Changes} page=${page} revision=${revision} />`}<//></section>`;
}

function Changes({ page, revision }) {
  const names = revision.changed;
  const [excluded, setExcluded] = useState([]);
  const fields = names.filter((name) => !excluded.includes(name));
  const [restore, isRestoring, error] = useAction(async () => {
    // Refused if the page changes meanwhile.
    const { headers } = await get(`/pages/${page}`, { context: "edit", _fields: "id" });
    await post(`/pages/${page}/revisions/${revision.id}/restore`, { fields }, { headers: { "If-Match": headers.get("ETag") } });
    go(`pages/${page}`);
    say(`Restored: ${fields.join(", ")}. What was replaced is a revision itself.`);
  });
  const heading = useRef();
  // It may be out of sight of the link that has opened it.
  useEffect(() => heading.current.focus(), []);
  return html`<h2 tabindex="-1" ref=${heading}>What was before ${displayTime(`${revision.replaced_gmt}Z`)}</h2>
    <${Problem} error=${error} />
    ${names.map((name) => html`<h3>${name}</h3><${Difference} name=${name} difference=${revision.diff[name]} />`)}
    ${may("pages:write") && html`<fieldset><legend>Put back</legend>${names.map((name) => html`<${Check} label=${name} value=${!excluded.includes(name)}
      change=${(isOn) => setExcluded(isOn ? excluded.filter((other) => other !== name) : [...excluded, name])} />`)}
      <button class="main" disabled=${isRestoring || !fields.length} onClick=${restore}>Restore</button></fieldset>`}`;
}

const asText = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

/** The value of a field before and after; for the content the lines that differ. */
function Difference({ name, difference }) {
  if (difference === null || difference === undefined) return html`<p>It is too long to be compared.</p>`;
  if (name === "content") return html`<pre>${difference.split("\n").map(line)}</pre>`;
  return html`<div class="versions"><pre><del>${asText(difference.before)}</del></pre><pre><ins>${asText(difference.after)}</ins></pre></div>`;
}

function line(text) {
  if (text.startsWith("+")) return html`<ins>${text}</ins>${"\n"}`;
  if (text.startsWith("-")) return html`<del>${text}</del>${"\n"}`;
  return `${text}\n`;
}
