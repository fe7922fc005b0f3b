// The list of pages, with the number of pages of each status.
import { html, useEffect, useLoad, useState } from "./lib.js";
import { get, list } from "./api.js";
import { Link, refine } from "./address.js";
import { ActBar, RowActs, titleOf, useActs } from "./page_acts.js";
import { Filters, parameters } from "./page_filters.js";
import { may } from "./session.js";
import { List, Screen, Tabs, displayTime } from "./ui.js";

export { titleOf };
const STATUSES = { publish: "Published", future: "Scheduled", draft: "Draft", pending: "Pending", private: "Private", trash: "Trash" };
// The columns that begin with the last value when they are sorted.
const NEWEST_FIRST = ["date", "modified"];

/** Return the number of pages of each status. */
export async function counts() {
  const { data } = await get("/pages/counts");
  return Object.entries(STATUSES).map(([status, name]) => [status, name, data[status]]);
}

function StatusTabs({ change }) {
  const { data } = useLoad(counts, [change]);
  const all = data?.filter(([name]) => name !== "trash").reduce((sum, [, , count]) => sum + count, 0);
  return html`<${Tabs} label="Statuses" tabs=${[["", "All", all], ...(data || Object.entries(STATUSES))]} />`;
}

/** Return a column whose heading sorts the list. */
function sortable(label, key, { orderby = "date", order = "desc" }, column) {
  const isSorted = key === orderby;
  const first = NEWEST_FIRST.includes(key) ? "desc" : "asc";
  const next = isSorted ? { asc: "desc", desc: "asc" }[order] : first;
  return {
    label, ...column, sort: isSorted ? { asc: "ascending", desc: "descending" }[order] : undefined,
    heading: html`<button class="plain" onClick=${() => refine({ orderby: key, order: next, page: "" })}>${label}</button>`,
  };
}

const time = (text) => html`<time datetime=${text}>${displayTime(text)}</time>`;

export function PageList({ query }) {
  const [selected, setSelected] = useState([]);
  const [changes, setChanges] = useState(0);
  const queryKey = JSON.stringify(query);
  const state = useLoad(() => list("/pages", parameters(query)), [queryKey, changes]);
  useEffect(() => setSelected([]), [queryKey]);
  useEffect(() => {
    // An action has emptied the last page of results.
    if (state.error?.code === "rest_post_invalid_page_number") refine({ page: "" }, { replace: true });
  }, [state.error]);
  const acts = useActs(() => {
    setSelected([]);
    setChanges(changes + 1);
  });
  const canWrite = may("pages:write");
  const toggle = (id) => (isOn) => setSelected(isOn ? [...selected, id] : selected.filter((other) => other !== id));
  const box = (label, value, change) => html`<input type="checkbox" aria-label=${label} checked=${value} onChange=${(event) => change(event.target.checked)} />`;
  const { items = [] } = state.data || {};
  const columns = [
    canWrite && {
      label: "", heading: box("Select all", selected.length === items.length, (isOn) => setSelected(isOn ? items.map(({ id }) => id) : [])),
      cell: (page) => box(`Select ${titleOf(page)}`, selected.includes(page.id), toggle(page.id)),
    },
    sortable("Title", "title", query, { main: true, cell: (page) => html`<${Link} path="pages/${page.id}">${titleOf(page)}<//>${page.password && html` <span class="tag">password</span>`}` }),
    { label: "Status", cell: ({ status, meta }) => html`${STATUSES[status]}${(meta.starts_at || meta.ends_at) && html` <span class="tag">window</span>`}` },
    sortable("Date", "date", query, { cell: ({ date }) => time(date) }),
    sortable("Last change", "modified", query, { cell: ({ modified }) => time(modified) }),
    sortable("Author", "author", query, { cell: ({ author }) => author }),
    sortable("Slug", "slug", query, { kind: "long", cell: ({ slug }) => slug }),
    { label: "", cell: (page) => html`<${RowActs} page=${page} acts=${acts} />` },
  ];
  const isFiltered = Object.keys(query).some((name) => !["page", "order", "orderby"].includes(name));
  return html`<${Screen} title="Pages" actions=${canWrite && html`<${Link} path="pages/new" class="button main">New page<//>`}>
    <${StatusTabs} change=${changes} />
    <${Filters} query=${query} />
    <${List} caption="Pages" what="page" ...${{ state, columns }} empty=${isFiltered ? "No page matches these filters." : "There are no pages yet."}>
      ${() => html`<${ActBar} pages=${items.filter(({ id }) => selected.includes(id))} acts=${acts} clear=${() => setSelected([])} />`}<//>
  <//>`;
}
