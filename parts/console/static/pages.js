// The list of pages: counts by status, and actions on selected pages.
import { html, useEffect, useLoad, useState } from "./lib.js";
import { batch, list } from "./api.js";
import { Link, refine } from "./address.js";
import { Filters, parameters } from "./page_filters.js";
import { may } from "./session.js";
import { Confirmed, Loaded, Paging, Problem, Screen, Table, say, displayTime, useAction } from "./ui.js";

const STATUSES = { publish: "Published", future: "Scheduled", draft: "Draft", pending: "Pending", private: "Private", trash: "Trash" };
// The actions on pages: name, request, the words of the notice, and whether a status allows it.
const ACTIONS = [
  ["Publish", { body: { status: "publish" } }, "published", (status) => !["publish", "future", "trash"].includes(status)],
  ["Move to the trash", { method: "DELETE" }, "moved to the trash", (status) => status !== "trash"],
  ["Restore as a draft", { body: { status: "draft" } }, "restored as drafts", (status) => status === "trash"],
  ["Delete for good", { method: "DELETE", query: "?force=true" }, "deleted for good", (status) => status === "trash"],
];

/** Return the number of pages of each status. */
export async function counts() {
  const totals = await Promise.all(
    Object.keys(STATUSES).map(async (status) => (await list("/pages", { status, per_page: 1, _fields: "id" })).total),
  );
  return Object.keys(STATUSES).map((status, place) => [status, STATUSES[status], totals[place]]);
}

function StatusTabs({ status = "", change }) {
  const state = useLoad(counts, [change]);
  const all = ["", "All", (state.data || []).filter(([name]) => name !== "trash").reduce((sum, [, , count]) => sum + count, 0)];
  return html`<nav class="tabs" aria-label="Statuses">${state.data && [all, ...state.data].map(([name, label, count]) =>
    html`<button aria-current=${name === status ? "true" : undefined} onClick=${() => refine({ status: name, page: "" })}>${label} <span>${count.toLocaleString("en")}</span></button>`)}</nav>`;
}

/** Carry out an action on each page; return the messages about refused ones. */
async function carryOut([, { method = "POST", query = "", body = {} }], pages) {
  const responses = await batch(pages.map(({ id }) => ({ method, path: `/pages/${id}${query}`, body })));
  return responses.flatMap(({ status, body: answer }, place) =>
    status < 300 ? [] : [`${titleOf(pages[place])}: ${answer.message}`]);
}

const time = (text) => html`<time datetime=${text}>${displayTime(text)}</time>`;
export const titleOf = ({ id, title }) => title?.raw || `(no title, ${id})`;

function Selected({ pages, done }) {
  const [run, isRunning, error] = useAction(async (action) => {
    const refused = await carryOut(action, pages);
    const count = pages.length - refused.length;
    say([`${count} ${count === 1 ? "page was" : "pages were"} ${action[2]}.`, ...refused].join(" "));
    done();
  });
  const possible = ACTIONS.filter(([, , , isPossible]) => pages.every(({ status }) => isPossible(status)));
  return html`<div class="selected" role="group" aria-label="Selected pages">
    <${Problem} error=${error} />
    <div class="actions"><span>${pages.length} selected</span>${possible.map((action) => action[0] === "Delete for good"
      ? html`<${Confirmed} class="danger" label=${action[0]} disabled=${isRunning} question="Delete ${pages.length === 1 ? titleOf(pages[0]) : `${pages.length} pages`} for good?" act=${() => run(action)} />`
      : html`<button disabled=${isRunning} onClick=${() => run(action)}>${action[0]}</button>`)}
      ${!possible.length && html`<span class="hint">Nothing suits all of them: they have different statuses.</span>`}</div>
  </div>`;
}

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
  const done = () => {
    setSelected([]);
    setChanges(changes + 1);
  };
  const canWrite = may("pages:write");
  const toggle = (id) => (isOn) => setSelected(isOn ? [...selected, id] : selected.filter((other) => other !== id));
  const box = (label, value, change) => html`<input type="checkbox" aria-label=${label} checked=${value} onChange=${(event) => change(event.target.checked)} />`;
  const columns = (items) => [
    ...(canWrite ? [{
      label: "", heading: box("Select all", items.length > 0 && selected.length === items.length, (isOn) => setSelected(isOn ? items.map(({ id }) => id) : [])),
      cell: (page) => box(`Select ${titleOf(page)}`, selected.includes(page.id), toggle(page.id)),
    }] : []),
    { label: "Title", main: true, cell: (page) => html`<${Link} path="pages/${page.id}">${titleOf(page)}<//>${page.password && html` <span class="tag">password</span>`}` },
    { label: "Status", cell: ({ status, meta }) => html`${STATUSES[status]}${(meta.starts_at || meta.ends_at) && html` <span class="tag">window</span>`}` },
    { label: "Date", cell: ({ date }) => time(date) },
    { label: "Last change", cell: ({ modified }) => time(modified) },
    { label: "Author", cell: ({ author }) => author },
    { label: "Slug", kind: "long", cell: ({ slug, link, status }) => (status === "publish" ? html`<a href=${link} target="_blank" rel="noopener">${slug}</a>` : slug) },
  ];
  const isFiltered = Object.keys(query).some((name) => !["page", "order", "orderby"].includes(name));
  return html`<${Screen} title="Pages" actions=${canWrite && html`<${Link} path="pages/new" class="button main">New page<//>`}>
    <${StatusTabs} status=${query.status} change=${changes} />
    <${Filters} query=${query} />
    <${Loaded} state=${state}>${({ items, total, pages }) => html`
      ${selected.length > 0 && html`<${Selected} pages=${items.filter(({ id }) => selected.includes(id))} done=${done} />`}
      <${Table} caption="Pages" columns=${columns(items)} rows=${items} empty=${isFiltered ? "No page matches these filters." : "There are no pages yet."} />
      <${Paging} page=${+query.page || 1} pages=${pages} total=${total} what=${total === 1 ? "page" : "pages"} />`}<//>
  <//>`;
}
