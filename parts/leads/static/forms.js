// The forms, with the number of their entries.
import { html, useLoad } from "./lib.js";
import { get, timezone } from "./api.js";
import { Link } from "./address.js";
import { fromUtc } from "./clock.js";
import { may } from "./session.js";
import { Loaded, Screen, Table, Tabs, displayTime, openTabOf } from "./ui.js";

const STATUSES = [["active", "Active"], ["inactive", "Off"], ["trash", "Trash"]];

/** Get the forms with a status, or all that are not in the trash: their ids, titles and numbers of entries. */
export async function getForms(status = "all") {
  const { data } = await get("/forms", { status });
  return Object.values(data);
}

/** When the last entry of a form was sent. */
function LastEntry({ id }) {
  const state = useLoad(async () => (await get(`/forms/${id}/entries`, { "paging[page_size]": 1, _field_ids: "id,date_created" })).data.entries[0], [id]);
  if (!state.data) return state.loading ? "…" : "none yet";
  return html`<${Link} path="entries/${state.data.id}">${displayTime(fromUtc(state.data.date_created))}<//>`;
}

export function FormList({ query }) {
  const status = openTabOf(STATUSES, query.status);
  const state = useLoad(() => getForms(status), [status]);
  const reads = may("entries:read");
  const columns = [
    { label: "Form", main: true, cell: ({ id, title }) => html`<${Link} path="forms/${id}">${title}<//> <span class="hint">Form ${id}</span>` },
    { label: "Entries", cell: ({ id, entries }) => (reads ? html`<${Link} path="entries" query=${{ form_id: id }} aria-label="Entries of ${id}: ${entries}">${Number(entries).toLocaleString("en")}<//>` : entries) },
    reads && { label: `Last entry (${timezone})`, cell: ({ id, entries }) => (Number(entries) ? html`<${LastEntry} id=${id} />` : "none yet") },
    may("feeds:read") && { label: "", cell: ({ id, title }) => html`<${Link} path="feeds" query=${{ form_id: id }} aria-label="Feeds of ${title}">Feeds<//>` },
  ];
  return html`<${Screen} title="Forms" actions=${may("forms:write") && html`<${Link} class="button main" path="forms/new">New form<//>`}>
    <${Tabs} label="States of forms" tabs=${STATUSES} />
    <${Loaded} state=${state}>${(forms) => html`<${Table} caption="Forms" columns=${columns} rows=${forms}
      empty=${status === "active" ? "There are no forms. A form collects leads on your pages." : "There are no such forms."} />`}<//>
  <//>`;
}
