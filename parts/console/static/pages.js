// The list of pages: its filters, the number of pages of each status, and what is done with one or several pages. On a
// narrow screen the filters are folded, but for the search, and have the order too, since a table has no headings there.
// And the history of a page: the changes of each write, and how to restore fields.
import { Link, go, html, instead, observable, refine, useEffect, useLayoutEffect, useLoad, useRef, useState } from "./lib.js";
import { additions, batch, get, list, may, post } from "./api.js";
import { Check, Choice, Confirmed, Filter, List, Loaded, Paging, Problem, Screen, Table, Tabs, Text, displayTime, say, useAction, useSelection } from "./ui.js";

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
  const [changes, setChanges] = useState(0);
  const queryKey = JSON.stringify(query);
  const state = useLoad(() => list("/pages", parameters(query)), [queryKey, changes]);
  useEffect(() => {
    // An action has emptied the last page of results.
    if (state.error?.code === "rest_post_invalid_page_number") refine({ page: "" }, { replace: true });
  }, [state.error]);
  const selection = useSelection(state.data?.items || [], titleOf, queryKey);
  const acts = useActs(() => {
    selection.clear();
    setChanges(changes + 1);
  });
  const canWrite = may("pages:write");
  const columns = [
    canWrite && selection.column,
    sortable("Title", "title", query, { main: true, cell: (page) => html`<${Link} path="pages/${page.id}" query=${query}>${titleOf(page)}<//>${page.password && html` <span class="tag">password</span>`}` }),
    { label: "Status", cell: ({ status, meta }) => html`${STATUSES[status]}${(meta.starts_at || meta.ends_at) && html` <span class="tag">window</span>`}` },
    sortable("Date", "date", query, { cell: ({ date }) => time(date) }),
    sortable("Last change", "modified", query, { cell: ({ modified }) => time(modified) }),
    sortable("Author", "author", query, { cell: ({ author }) => author }),
    sortable("Slug", "slug", query, { kind: "long", cell: ({ slug }) => slug }),
    { label: "", cell: (page) => html`<${RowActs} ...${{ page, query, acts }} />` },
  ];
  const isFiltered = Object.keys(query).some((name) => !["page", "order", "orderby"].includes(name));
  return html`<${Screen} title="Pages" actions=${canWrite && html`<${Link} path="pages/new" class="button main">New page<//>`}>
    <${StatusTabs} change=${changes} />
    <${Filters} query=${query} />
    <${List} caption="Pages" what="page" ...${{ state, columns }} empty=${isFiltered ? "No page matches these filters." : "There are no pages yet."}>
      ${() => html`<${ActBar} pages=${selection.chosen} clear=${selection.clear} acts=${acts} />`}<//>
  <//>`;
}

const ORDERS = { date: "Date", modified: "Last change", title: "Title", slug: "Slug", author: "Author", id: "Number" };
const PER_PAGE = 25;
const WIDE = matchMedia("(min-width: 68rem)");
const isWide = observable(WIDE.matches);
WIDE.addEventListener("change", () => isWide.set(WIDE.matches));

/** Return the query of `GET /pages` for the filters of the console. */
export function parameters({ status, search, language, form, author, after, before, orderby = "date", order = "desc", page = 1 }) {
  // The filter includes whole days; the API excludes its bounds.
  const until = before && `${before}T23:59:59`;
  return {
    context: "edit", status: status || "any", search, language: language && [language], form_id: form?.trim(), author,
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
  const used = ["language", "form", "author", "after", "before"].filter((name) => query[name]).length;
  // A date or number is another one with each digit: these are no steps of the history.
  const choose = (name) => (value) => refine({ [name]: value, page: "" }, { replace: ["form", "after", "before"].includes(name) });
  return html`<form class="search" role="search" aria-label="Filter pages" onSubmit=${instead()}>
    <${Filter} name="search" label="Search" type="search" query=${query} />
    <details open=${isWide.use()}><summary>Filters and order${used > 0 && ` (${used} used)`}</summary><div class="filters">
      <${Filter} name="language" label="Language" placeholder="en" query=${query} />
      <${additions.FormField || Text} name="form" label="Form" none="Any form" inputmode="numeric" value=${query.form} change=${choose("form")} />
      <${Filter} name="author" label="Author (number)" inputmode="numeric" query=${query} />
      <${Text} name="after" label="From" type="date" value=${query.after} change=${choose("after")} />
      <${Text} name="before" label="Until" type="date" value=${query.before} change=${choose("before")} />
      <${Choice} name="orderby" label="Order by" value=${query.orderby || "date"} options=${Object.entries(ORDERS)} change=${choose("orderby")} />
      <${Choice} name="order" label="Direction" value=${query.order || "desc"} options=${[["desc", "Descending"], ["asc", "Ascending"]]} change=${choose("order")} />
    </div></details>
  </form>`;
}

export const titleOf = ({ id, title }) => title?.raw || `(no title, ${id})`;
const counted = (count) => `${count} ${count === 1 ? "page was" : "pages were"}`;
const levelOf = (refused) => (refused.length ? "error" : "success");
const isTrashed = ({ status }) => status === "trash";
const TRASH = { name: "Move to the trash", method: "DELETE", done: "moved to the trash", isPossible: (page) => !isTrashed(page) };
const RESTORE = { name: "Restore as a draft", body: { status: "draft" }, done: ["restored as a draft", "restored as drafts"], isPossible: isTrashed };
const DELETE = { name: "Delete for good", method: "DELETE", query: "?force=true", done: "deleted for good", isPossible: isTrashed };
const PUBLISH = { name: "Publish", body: { status: "publish" }, done: "published", isPossible: ({ status }) => !["publish", "future", "trash"].includes(status) };
const DUPLICATE = { name: "Duplicate", query: "/duplicate", done: ["copied as a draft", "copied as drafts"], isPossible: () => true };
const ACTIONS = [PUBLISH, DUPLICATE, TRASH, RESTORE, DELETE];

/** Send a write for each page; return the pages with `etag`, and messages about refused ones. */
async function send(pages, request) {
  const responses = await batch(pages.map((page) => ({ headers: { "If-Match": "*" }, ...request(page) })));
  const written = pages.map((page, place) => ({ ...page, etag: responses[place].headers.ETag }));
  return [
    written.filter((_, place) => responses[place].status < 300),
    responses.flatMap(({ status, body }, place) => (status < 300 ? [] : [`${titleOf(pages[place])}: ${body.message}`])),
  ];
}

/** The actions on pages: `run(action, pages)`; `undo` brings back what `trashed` has, and the text about it. */
function useActs(reload) {
  const [trashed, setTrashed] = useState(null);
  const [run, isRunning, error] = useAction(async (action, pages) => {
    const { method = "POST", query = "", body = {} } = action;
    const [written, refused] = await send(pages, ({ id }) => ({ method, path: `/pages/${id}${query}`, body }));
    const text = [`${counted(written.length)} ${[action.done].flat().at(written.length === 1 ? 0 : -1)}.`, ...refused].join(" ");
    const isUndoable = action === TRASH && written.length > 0;
    say(isUndoable ? "" : text, levelOf(refused));
    setTrashed(isUndoable ? { pages: written, text } : null);
    reload();
  });
  const [undo, isUndoing, undoError] = useAction(async () => {
    // Only as long as nobody has changed them in the trash.
    const [written, refused] = await send(trashed.pages, ({ id, status, etag }) => ({ method: "POST", path: `/pages/${id}`, body: { status }, headers: { "If-Match": etag } }));
    setTrashed(null);
    say([`${counted(written.length)} brought back.`, ...refused].join(" "), levelOf(refused));
    reload();
  });
  return { run, undo, trashed, isRunning: isRunning || isUndoing, error: error || undoError };
}

/** The actions on one page. */
function RowActs({ page, query, acts }) {
  const title = titleOf(page);
  const button = (action, text) => html`<button class="plain" aria-label="${text}: ${title}" onClick=${() => acts.run(action, [page])}>${text}</button>`;
  return html`<div class="actions">
    ${page.status === "publish" && html`<a href=${page.link} target="_blank" rel="noopener" aria-label="View: ${title}">View</a>`}
    <${Link} path="pages/${page.id}" query=${query} aria-label="${may("pages:write") ? "Edit" : "Open"}: ${title}">${may("pages:write") ? "Edit" : "Open"}<//>
    ${may("pages:write") && button(DUPLICATE, "Duplicate")}
    ${may("pages:write") && (isTrashed(page)
      ? html`${button(RESTORE, "Restore")}<${Confirmed} class="plain" label="Delete" aria-label="Delete: ${title}" question="Delete ${title} for good?" act=${() => acts.run(DELETE, [page])} />`
      : button(TRASH, "Trash"))}
  </div>`;
}

/** The bar that stays in view: actions on the selected pages, or the undo of the last action. */
function ActBar({ pages, acts, clear }) {
  const { run, undo, trashed, isRunning, error } = acts;
  const possible = ACTIONS.filter(({ isPossible }) => pages.every(isPossible));
  const bar = useRef();
  const focused = document.activeElement;
  const hadFocus = bar.current?.contains(focused);
  useLayoutEffect(() => {
    // The button that was pressed is gone.
    if (hadFocus && !focused.isConnected) (bar.current.querySelector("button") || document.querySelector("h1")).focus();
  });
  return html`<div class="act-bar" ref=${bar}>
    <${Problem} error=${error} />
    <div role="status">${trashed && !pages.length && html`<div class="bar actions"><span>${trashed.text}</span>
      <button aria-disabled=${isRunning || undefined} onClick=${undo}>Undo</button></div>`}</div>
    ${pages.length > 0 && html`<div class="bar actions" role="group" aria-label="Selected pages"><span>${pages.length} selected</span>
      ${possible.map((action) => (action === DELETE
        ? html`<${Confirmed} class="danger" label=${action.name} aria-disabled=${isRunning || undefined} question="Delete ${pages.length === 1 ? titleOf(pages[0]) : `${pages.length} pages`} for good?" act=${() => run(action, pages)} />`
        : html`<button aria-disabled=${isRunning || undefined} onClick=${() => run(action, pages)}>${action.name}</button>`))}
      ${!possible.length && html`<span class="hint">Nothing suits all of them: they have different statuses.</span>`}
      <button class="plain" onClick=${clear}>Clear selection</button></div>`}
  </div>`;
}

const REVISIONS_PER_PAGE = 20;

/** The revisions of a page, and the changes of the one in the query. */
export function Revisions({ id, query }) {
  const state = useLoad(async () => {
    const [page, revisions] = await Promise.all([
      get(`/pages/${id}`, { context: "edit", _fields: "id,title.raw" }),
      list(`/pages/${id}/revisions`, { page: query.page, per_page: REVISIONS_PER_PAGE, context: "edit", _fields: "id,modified,replaced_gmt,replaced_by,changed,title.raw" }),
    ]);
    return { page: page.data, ...revisions };
  }, [id, query.page]);
  return html`<${Loaded} state=${state} title="History of page ${id}">${({ page, items, total, pages }) => html`
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
