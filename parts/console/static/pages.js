// The list of pages: filters, counts by status, and actions on selected pages.
import { html, useEffect, useLoad, useState } from "./lib.js";
import { batch, list } from "./api.js";
import { Link, refine } from "./address.js";
import { may } from "./session.js";
import { Choice, Confirmed, Filter, Loaded, Paging, Problem, Screen, Table, Text, say, displayTime, useAction } from "./ui.js";

const STATUSES = { publish: "Published", future: "Scheduled", draft: "Draft", pending: "Pending", private: "Private", trash: "Trash" };
const ORDERS = { date: "Date", modified: "Last change", title: "Title", slug: "Slug", author: "Author", id: "Number" };
// The largest number of requests in a batch.
const PER_PAGE = 25;
// The actions on pages: name, request, the words of the notice, and whether a status allows it.
const ACTIONS = [
  ["Publish", { body: { status: "publish" } }, "published", (status) => !["publish", "future", "trash"].includes(status)],
  ["Duplicate", { query: "/duplicate" }, "copied as drafts", () => true],
  ["Move to the trash", { method: "DELETE" }, "moved to the trash", (status) => status !== "trash"],
  ["Restore as a draft", { body: { status: "draft" } }, "restored as drafts", (status) => status === "trash"],
  ["Delete for good", { method: "DELETE", query: "?force=true" }, "deleted for good", (status) => status === "trash"],
];

/** Return the query of `GET /pages` for the filters of the console. */
function parameters({ status, search, language, form, author, after, before, orderby = "date", order = "desc", page = 1 }) {
  // The filter includes whole days; the API excludes its bounds.
  const until = before && `${before}T23:59:59`;
  return {
    context: "edit", status: status || "any", search, language: language && [language], form_id: form, author,
    after: after && dayBefore(after), before: until, orderby, order, page, per_page: PER_PAGE,
    _fields: "id,date,modified,slug,status,link,title.raw,author,password,meta.starts_at,meta.ends_at",
  };
}

function dayBefore(day) {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCSeconds(-1);
  return date.toISOString().slice(0, 19);
}

function Filters({ query }) {
  const choose = (name) => (value) => refine({ [name]: value, page: "" });
  return html`<form class="filters" role="search" aria-label="Filter pages" onSubmit=${(event) => event.preventDefault()}>
    <${Filter} name="search" label="Search" type="search" query=${query} />
    <${Filter} name="language" label="Language" placeholder="en" query=${query} />
    <${Filter} name="form" label="Form" inputmode="numeric" query=${query} />
    <${Filter} name="author" label="Author (number)" inputmode="numeric" query=${query} />
    <${Text} name="after" label="From" type="date" value=${query.after} change=${choose("after")} />
    <${Text} name="before" label="Until" type="date" value=${query.before} change=${choose("before")} />
    <${Choice} name="orderby" label="Order by" value=${query.orderby || "date"} options=${Object.entries(ORDERS)} change=${choose("orderby")} />
    <${Choice} name="order" label="Direction" value=${query.order || "desc"} options=${[["desc", "Descending"], ["asc", "Ascending"]]} change=${choose("order")} />
  </form>`;
}

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
    { label: "Date", cell: ({ date }) => displayTime(date) },
    { label: "Last change", cell: ({ modified }) => displayTime(modified) },
    { label: "Author", cell: ({ author }) => author },
    { label: "Slug", cell: ({ slug, link, status }) => (status === "publish" ? html`<a href=${link} target="_blank" rel="noopener">${slug}</a>` : slug) },
  ];
  const isFiltered = Object.keys(query).some((name) => !["page", "order", "orderby"].includes(name));
  return html`<${Screen} title="Pages" actions=${canWrite && html`<${Link} path="pages/new" class="button main">New page<//>`}>
    <${StatusTabs} status=${query.status} change=${changes} />
    <${Filters} query=${query} />
    <${Loaded} state=${state}>${({ items, total, pages }) => html`
      ${selected.length > 0 && html`<${Selected} pages=${items.filter(({ id }) => selected.includes(id))} done=${done} />`}
      <${Table} caption="Pages" columns=${columns(items)} rows=${items} empty=${isFiltered ? "No page matches these filters." : "There are no pages yet."} />
      <${Paging} page=${+query.page || 1} pages=${pages} total=${total} what="pages" />`}<//>
  <//>`;
}
